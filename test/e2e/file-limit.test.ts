/** The real server at the system's limit of open files while it loads modules, whose failures Node keeps. */
import { execFileSync } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { Agent, get, request, type IncomingMessage } from "node:http";
import { expect, it, vi } from "vitest";
import type * as assets from "../../src/http/console/requests/assets.ts";
import { importOwn } from "../helpers/own-module.ts";
import { acmeStorage, createToken, startServer } from "../helpers/process.ts";

vi.mock("node:fs", { spy: true });
vi.mock("node:fs/promises", { spy: true });

it("loads what it has not loaded at the limit of open files as soon as it can open files again", async () => {
  const storage = await acmeStorage();
  const headers = { authorization: `Bearer ${await createToken(storage)}` };
  const { url, child } = await startServer(storage);
  // The connection is open before the limit is met.
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const read = async (answer: IncomingMessage): Promise<number | undefined> => {
    answer.resume();
    await once(answer, "end");
    return answer.statusCode;
  };
  const page = async () => {
    const asked = get(url, { agent, headers: { accept: "text/html" } });
    return read((await once(asked, "response"))[0]);
  };
  const send = async (path: string, body: object) => {
    const accept = "application/json, text/event-stream";
    const sent = request(url + path, {
      agent,
      method: "POST",
      headers: { ...headers, accept, "content-type": "application/json" },
    });
    sent.end(JSON.stringify(body));
    return read((await once(sent, "response"))[0]);
  };
  const all = async () => [
    await page(),
    await send("/mcp", { jsonrpc: "2.0", id: 1, method: "tools/list" }),
    await send("/api/hives/web/strings", { files: { a: { k: "text" } } }),
  ];
  const limit = (files: number) =>
    execFileSync("prlimit", ["--pid", String(child.pid), `--nofile=${files}:`]);
  expect(await read((await once(get(`${url}/api/hives`, { agent, headers }), "response"))[0])).toBe(200);
  limit(3);
  expect(await all()).toEqual([503, 503, 503]);
  limit(1_000);
  expect(await all()).toEqual([200, 200, 200]);
  agent.destroy();
});

it("a script that cannot be read for a moment is not taken for one that is not built", async () => {
  const module = "../../src/http/console/requests/assets.ts";
  const { readAssets } = await importOwn<Pick<typeof assets, "readAssets">>(import.meta.url, module);
  vi.mocked(existsSync).mockReturnValue(true);
  let isFailing = true;
  vi.mocked(readFile).mockImplementation(async (path) => {
    if (!(path instanceof URL)) throw new Error("no file of the console");
    if (!path.href.endsWith(".bundle.js")) return readFileSync(path, "utf8");
    if (isFailing && path.href.endsWith("passkeys.bundle.js")) throw new Error("EMFILE");
    return "";
  });
  await expect(readAssets()).rejects.toThrow("EMFILE");
  isFailing = false;
  expect((await readAssets()).names()).toMatchObject({
    checks: expect.any(String),
    passkeys: expect.any(String),
  });
});
