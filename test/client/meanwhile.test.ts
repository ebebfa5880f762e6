/** What somebody else writes after a command has read, and before it writes, is kept. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { HiveApi } from "../../src/client/api/hive-api.ts";
import { HttpClient } from "../../src/client/api/http.ts";
import { transportFor } from "../../src/client/api/transport.ts";
import { prepareMove, sendMove } from "../../src/client/moving/send.ts";
import { Project } from "../../src/client/project.ts";
import { push } from "../../src/client/push.ts";
import { readConfig } from "../../src/client/tree/config.ts";
import { makeApp, type AppTree } from "../helpers/app-tree.ts";
import { exportsOfTools } from "../helpers/exports/tools.ts";
import { zipOfTexts } from "../helpers/exports/zip.ts";
import { request } from "../helpers/process.ts";

const warned: string[] = [];
const contextOf = (folder: string) => ({
  folder,
  environment: {},
  fault: () => undefined,
  warn: (message: string) => void warned.push(message),
  progress: () => undefined,
});

async function pushAll({ folder }: AppTree, hive: HiveApi): Promise<void> {
  const config = await readConfig(folder, join(folder, "skep.yaml"));
  const none = { dryRun: false, prune: false, allowEmpty: false, overwrite: false, sameAsSource: false };
  const options = { ...none, detectMoves: true, strict: false, create: true };
  await push(new Project(config, hive, contextOf(folder)), options);
}

async function importAll({ folder }: AppTree, hive: HiveApi): Promise<void> {
  const found = exportsOfTools.find(({ what }) => what === "a bundle of Lokalise in structured JSON");
  const { tool, files } = found ?? expect.unreachable();
  const path = join(folder, "export.zip");
  writeFileSync(path, zipOfTexts(files));
  const target = { hive, context: contextOf(folder), entries: [] };
  const rules = { overwrite: false, sameAsSource: false, changedSource: false, memory: false };
  await sendMove(target, await prepareMove(target, { ...rules, tool, path, as: undefined, create: true }));
}

interface Pair {
  readonly what: string;
  readonly run: typeof pushAll;
  /** The request of the command before which somebody else writes. */
  readonly before: readonly [method: string, path: string];
  readonly theirs: readonly [method: string, path: string, body: object];
  readonly shown: string;
  readonly kept: object;
}

const term = { source: "file", meaning: "A document", translations: { fr: { text: "dossier" } } };

const pairs: readonly Pair[] = [
  {
    what: "formats of files",
    run: pushAll,
    before: ["PATCH", ""],
    theirs: ["PATCH", "", { checks: { formats: [{ files: "other.txt", format: "ini" }] } }],
    shown: "",
    kept: {
      checks: {
        formats: [
          { files: "other.txt", format: "ini" },
          { files: "*.xml", format: "xliff" },
        ],
      },
    },
  },
  {
    what: "a locale",
    run: pushAll,
    before: ["POST", "/locales"],
    theirs: ["POST", "/locales", { code: "fr" }],
    shown: "/locales",
    kept: { data: [{ code: "en" }, { code: "fr" }] },
  },
  {
    what: "tags of a string",
    run: importAll,
    before: ["PATCH", "/notes"],
    theirs: ["PATCH", "/notes", { files: { "en.json": { hello: { tags: ["theirs"] } } } }],
    shown: "/notes",
    kept: { data: [{ key: "hello", team: { tags: ["theirs", "home"] } }, { key: "menu.open" }] },
  },
  {
    what: "a translation of a term",
    run: importAll,
    before: ["POST", "/glossary"],
    theirs: ["POST", "/glossary", { terms: [term] }],
    shown: "/glossary",
    kept: { data: [term] },
  },
];

/** Opens an app, and its Hive by a transport that has somebody else write before the first request that it picks. */
async function openApp(
  hive: string,
  isIt: (method: string, path: string) => boolean,
  theirs: (app: AppTree) => Promise<unknown>,
) {
  const app = await makeApp({
    patterns: ["{ path: 'x/{locale}.xml', format: xliff }"],
    settings: "source: en\n",
    locales: [],
    abilities: ["read", "approve", "admin"],
  });
  const units = `<trans-unit id="a"><source>One</source></trans-unit>`;
  const files = ["en", "fr"].map((code) => [
    `x/${code}.xml`,
    `<xliff version="1.2"><file source-language="en" target-language="fr" original="a" datatype="x"><body>${units}</body></file></xliff>\n`,
  ]);
  app.write(Object.fromEntries(files));
  const real = await transportFor({});
  const met = { count: 0 };
  const http = new HttpClient({
    server: app.url,
    token: app.token,
    transport: async (url, sent) => {
      const { pathname, searchParams } = new URL(url);
      if (isIt(sent.method, pathname) && !searchParams.has("dry_run") && met.count++ === 0) await theirs(app);
      return real(url, sent);
    },
  });
  return { app, hive: new HiveApi(http, hive), met };
}

it.each(pairs)("$what: $before", async ({ run, before, theirs, shown, kept }) => {
  const { app, hive, met } = await openApp(
    "web",
    (method, path) => method === before[0] && path === `/api/hives/web${before[1]}`,
    ({ manage }) => manage(...theirs),
  );
  await run(app, hive);
  expect(met.count).toBeGreaterThan(0);
  expect((await request(app, app.token, "GET", `/api/hives/web${shown}`)).json).toMatchObject(kept);
  expect(warned).toEqual([]);
});

it("notes are sent once where others write something else at the same time", async () => {
  const { app, hive, met } = await openApp(
    "web",
    (method, path) => method === "PATCH" && path === "/api/hives/web/notes",
    ({ manage }) => manage("POST", "/strings", { files: { "other.json": { other: "Other" } } }),
  );
  await importAll(app, hive);
  expect(met.count).toBe(1);
  const { json } = await request(app, app.token, "GET", "/api/hives/web/notes?file=en.json");
  expect(json).toMatchObject({ data: [{ key: "hello", team: { tags: ["home"] } }, { key: "menu.open" }] });
});

it("a Hive that another push makes at the same time is pushed to", async () => {
  const formats = [{ files: "other.txt", format: "ini" }];
  const theirs = { slug: "new", source_locale: "en", checks: { formats } };
  const isCreation = (method: string, path: string): boolean => method === "POST" && path === "/api/hives";
  const { app, hive } = await openApp("new", isCreation, ({ url, token }) =>
    request({ url }, token, "POST", "/api/hives", theirs),
  );
  await pushAll(app, hive);
  const { json } = await request(app, app.token, "GET", "/api/hives/new");
  expect(json).toMatchObject({ string_count: 1, locales: { fr: {} } });
  expect(json.checks.formats).toEqual([...formats, { files: "*.xml", format: "xliff" }]);
});
