/** A move that is cut off at any of its requests is completed by the next one, and by that alone. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { HiveApi } from "../../../src/client/api/hive-api.ts";
import { HttpClient } from "../../../src/client/api/http.ts";
import { transportFor, type Transport } from "../../../src/client/api/transport.ts";
import { prepareMove, sendMove, type MoveOptions } from "../../../src/client/moving/send.ts";
import { makeApp, type AppTree } from "../../helpers/app-tree.ts";
import { exportsOfTools } from "../../helpers/exports/tools.ts";
import { zipOfTexts } from "../../helpers/exports/zip.ts";
import { request } from "../../helpers/process.ts";

const context = {
  folder: "/",
  environment: {},
  fault: () => undefined,
  warn: () => undefined,
  progress: () => undefined,
};

const rules = { overwrite: false, sameAsSource: false, changedSource: false, memory: false };

/** Moves a backup into the Hive of an app. @param last how many requests get an answer. @returns how many it took. */
async function move(app: AppTree, path: string, last = Infinity): Promise<number> {
  const real = await transportFor({});
  let count = 0;
  const transport: Transport = (url, sent) => {
    if (++count > last) throw new Error("cut off");
    return real(url, sent);
  };
  const http = new HttpClient({ server: app.url, token: app.token, transport, maxAttempts: 1 });
  const target = { hive: new HiveApi(http, "web"), context, entries: [] };
  const options: MoveOptions = { ...rules, tool: "weblate", path, as: undefined, create: true };
  const prepared = await prepareMove(target, options);
  if (!prepared.isEmpty) await sendMove(target, prepared);
  return count;
}

async function contentOf(app: AppTree): Promise<unknown> {
  const parts = ["/export", "/review", "/notes", "/pictures", "/glossary", "/locales"];
  const all: unknown[] = [];
  for (const path of parts) {
    const { json } = await request(app, app.token, "GET", `/api/hives/web${path}`);
    all.push(json.data ?? json.files);
  }
  // Ids of terms are random.
  return JSON.parse(JSON.stringify(all).replaceAll(/"id":"[a-z0-9]+"/g, '"id":""'));
}

const open = () =>
  makeApp({ patterns: ["{ path: 'x/{locale}.json' }"], abilities: ["read", "approve", "admin"] });

it("is completed by the next one, wherever it was cut off", async () => {
  const whole = await open();
  const path = join(whole.folder, "backup.zip");
  writeFileSync(path, zipOfTexts(exportsOfTools[0]?.files ?? {}));
  const requests = await move(whole, path);
  const wanted = await contentOf(whole);
  expect(requests).toBeGreaterThan(10);
  for (let last = 0; last < requests; last++) {
    const app = await open();
    await expect(move(app, path, last)).rejects.toThrow("cut off");
    await move(app, path);
    expect(await contentOf(app)).toEqual(wanted);
  }
});
