/** Engines of real programs: Apertium, and a server of the OpenAI protocol that others wrote. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { acmeStorage, createToken, request, skepAt, skepOk, startServer } from "../../helpers/process.ts";
import { freePort, isInstalled } from "../../deploy/proxy.ts";
import { startModel } from "../../helpers/engines/model-server.ts";
import { realFolder } from "../../helpers/storage.ts";

const key = "sk-of-the-test";

/** Apertium with English and Spanish, as Debian has it. */
async function startApertium(): Promise<string> {
  const port = await freePort();
  const apy = spawn("apertium-apy", ["/usr/share/apertium", "-p", String(port), "-i", "1"], {
    stdio: "ignore",
  });
  onTestFinished(async () => {
    apy.kill("SIGKILL");
    await once(apy, "exit");
  });
  const url = `http://127.0.0.1:${port}`;
  const pairs = async () => (await fetch(`${url}/listPairs`)).json();
  const soon = { timeout: 60_000, interval: 100 };
  await vi.waitFor(async () => expect(JSON.stringify(await pairs())).toContain("spa"), soon);
  return url;
}

/** All files of a folder in one text. */
function textsIn(folder: string): string {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile());
  return files.map(({ parentPath, name }) => readFileSync(join(parentPath, name), "latin1")).join("\n");
}

describe("an engine", () => {
  it.skipIf(!isInstalled("apertium-apy", "--help"))(
    "of the type apertium translates and keeps arguments and tags",
    async () => {
      const url = await startApertium();
      const storage = await acmeStorage();
      await skepOk(storage, "engine", "create", "apy", "--type", "apertium", "--url", url);
      const tried = async (text: string, syntax: string) => {
        const args = ["engine", "try", "apy", text, "--to", "es", "--syntax", syntax, "--json"];
        return JSON.parse(await skepOk(storage, ...args, "--engine-allow", "loopback"));
      };
      expect(await tried("Hello {name}, save the <b>changes</b> & go", "brace")).toMatchObject({
        text: expect.stringMatching(/^Hola \{name\}, .*<b>cambios<\/b> & /),
        findings: [],
      });
      expect(await tried("{n, plural, one {# new message} other {# new messages}}", "icu")).toMatchObject({
        text: expect.stringMatching(/^\{n, plural, one \{# mensaje nuevo\} other \{# mensajes nuevos\}\}$/i),
        findings: [],
      });
    },
  );

  it("of the type openai answers a server, which never shows the key", async () => {
    const model = await startModel((source) => source.replace("Hello", "Hola"));
    const storage = await acmeStorage();
    const token = await createToken(storage, ["admin"]);
    const port = new URL(model.url).port;
    const server = await startServer(storage, "--engine-allow", `loopback:${port}`);
    const body = { name: "gpt", type: "openai", url: `${model.url}/v1`, model: "gpt-4o", key };
    expect((await request(server, token, "POST", "/api/engines", body)).status).toBe(201);
    const trial = { text: "Hello {name}", to: "es" };
    const tried = await request(server, token, "POST", "/api/engines/gpt/try", trial);
    expect(tried.json).toMatchObject({ text: "Hola {name}", characters: 12, findings: [] });
    const [entry] = model.getRequests();
    expect(entry?.headers).toMatchObject({ authorization: expect.any(String) });
    // Another port of this machine is not allowed.
    const other = { ...body, name: "other", url: "http://127.0.0.1:9/v1" };
    await request(server, token, "POST", "/api/engines", other);
    const refused = await request(server, token, "POST", "/api/engines/other/try", trial);
    expect([refused.status, refused.json.message]).toEqual([
      502,
      "The engine other failed: http is refused: it must be https, or in an allowed network.",
    ]);
    const [copy, restored] = [realFolder(), realFolder()];
    await skepOk(storage, "server", "backup", copy);
    await skepOk(restored, "server", "restore", copy);
    const listed = JSON.parse(await skepOk(restored, "engine", "list", "--json"));
    expect(listed).toMatchObject([{ name: "gpt", has_key: false }, { name: "other" }]);
    for (const folder of [copy, restored]) expect(textsIn(folder)).not.toContain(key);
    expect(server.stderr()).not.toContain(key);
  });
});

it("skep translate has a server's engine translate what is missing", async () => {
  const model = await startModel((source) => `[fr] ${source}`);
  const storage = await acmeStorage();
  const token = await createToken(storage, ["admin"]);
  const server = await startServer(storage, "--engine-allow", "loopback");
  const files = { "a.json": { a: "One", b: "Two {{name}}" } };
  await request(server, token, "PUT", "/api/hives/web/strings", { files });
  const body = { name: "gpt", type: "openai", url: `${model.url}/v1`, model: "gpt-4o", key };
  await request(server, token, "POST", "/api/engines", body);
  const app = realFolder();
  writeFileSync(
    join(app, "skep.yaml"),
    `server: ${server.url}\nhive: web\nfiles:\n  - path: "{locale}.json"\n`,
  );
  const env = { SKEP_TOKEN: token };
  expect((await skepAt(app, env, "translate", "fr", "--dry-run")).stdout).toContain(
    "2 strings to do in fr, 15 characters",
  );
  const done = await skepAt(app, env, "translate", "fr");
  expect([done.code, done.stdout]).toEqual([0, "fr: 2 saved.\n"]);
  const exported = await request(server, token, "GET", "/api/hives/web/export?locale=fr");
  expect(JSON.parse(exported.json.files["a.json"])).toEqual({ a: "[fr] One", b: "[fr] Two {{name}}" });
  const both = await skepAt(app, env, "translate", "fr", "--with", "cat", "--engine", "gpt");
  expect([both.code, both.stderr]).toEqual([
    2,
    expect.stringContaining("--engine cannot be used with --with"),
  ]);
});
