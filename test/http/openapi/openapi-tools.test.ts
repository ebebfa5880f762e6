/** The OpenAPI document in other people's tools: a generated client compiles, and linters find nothing. */
import { execFile } from "node:child_process";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, it } from "vitest";
import { document } from "../../helpers/http/described.ts";
import { realFolder } from "../../helpers/storage.ts";

const run = promisify(execFile);
const tools = new URL("../../helpers/openapi-tools.mjs", import.meta.url).pathname;
const compiler = new URL("../../../node_modules/typescript/bin/tsc", import.meta.url).pathname;

/** What somebody writes who pushes and pulls with the generated types. */
const client = `
import type { components, operations, paths } from "./api.js";

type Body<Operation extends { requestBody: { content: { "application/json": unknown } } }> =
  Operation["requestBody"]["content"]["application/json"];
type Schemas = components["schemas"];

type Sync = paths["/api/hives/{slug}/strings"]["put"];
export const push: Body<Sync> = {
  files: {
    "auth.php": { failed: "Failed", nav: { home: "Home", days: ["Mon", "Tue"] }, attributes: [] },
    "empty.php": [],
  },
};
const read: Record<string, unknown> = JSON.parse("{}");
export const pushOfWhatWasRead: Body<Sync> = { files: { "en.json": read }, conflict_strategy: "clear" };
export const pushOfNothing: Body<operations["importStrings"]> = { files: [] };
export const guards: Sync["parameters"] = {
  path: { slug: "web" },
  query: { dry_run: true, max_deletions: 20 },
  header: { "If-Match": '"1b2c3d4e5f60718293a4b5c6d7e8f90123456789"', "Idempotency-Key": "run-1" },
};
export function deletedBy(result: Schemas["SyncResult"]): number {
  const planned: readonly Schemas["PlannedChange"][] = result.changes ?? [];
  return planned.filter(({ change }) => change === "deleted").length + result.deleted;
}

type Translate = paths["/api/hives/{slug}/translations/{locale}"]["post"];
export const translations: Body<Translate> = { files: { "fr.json": { failed: "Faux", nav: { home: null } } } };
export const undo: Body<operations["undoCommit"]> = { commit: "1b2c3d4" };
export const hive: Body<operations["createHive"]> = { slug: "web", locales: ["fr", { code: "pt-BR" }] };

type Pull = paths["/api/hives/{slug}/export"]["get"];
export const query: Pull["parameters"]["query"] = { locale: "fr", format: "json", shape: "nested", at: "v1.2" };
export function pulled(answer: Pull["responses"][200]["content"]["application/json"]): [string, string][] {
  const { files }: Schemas["Export"] = answer;
  return Object.entries(files);
}

type Left = paths["/api/hives/{slug}/untranslated"]["get"];
export const left: Left["parameters"]["query"] = { locale: "fr", state: "missing", page: 2 };
export function toSend(page: Left["responses"][200]["content"]["application/json"]): Record<string, string> {
  return Object.fromEntries(page.data.map(({ file, key, source_value: text }) => [file + key, text]));
}
export const careful: Body<Translate> = { files: {}, expected: { "fr.json": { failed: "Faux", gone: null } } };

export function shouldLogIn(error: Left["responses"][401]["content"]["application/json"]): boolean {
  // @ts-expect-error -- of no other status
  if (error.code === "unknown_hive") return false;
  return error.code === "expired_token";
}
export function beyond({ code, limit = 0, requested = 0 }: Schemas["Error"]): number {
  return code === "quota_exceeded" ? requested - limit : 0;
}

// @ts-expect-error -- no such strategy
export const wrongStrategy: Body<Sync> = { files: {}, conflict_strategy: "drop" };
// @ts-expect-error -- a boolean
export const wrongDryRun: Sync["parameters"]["query"] = { dry_run: "yes" };
// @ts-expect-error -- an integer
export const wrongLimit: Sync["parameters"]["query"] = { max_deletions: "20" };
`;

it("types of openapi-typescript compile a push and a pull, and redocly's strict rules pass", async () => {
  const folder = realFolder();
  const at = (name: string): string => join(folder, name);
  await writeFile(at("openapi.json"), JSON.stringify(document));
  await writeFile(at("client.ts"), client);
  const { stdout } = await run(process.execPath, [tools, at("openapi.json"), at("api.d.ts")]);
  expect(JSON.parse(stdout)).toEqual([]);
  const flags = ["--noEmit", "--strict", "--target", "es2022", "--module", "nodenext", "--types", ""];
  const compiled = run(process.execPath, [compiler, ...flags, at("client.ts")], { cwd: folder });
  // The compiler says on stdout what is wrong.
  expect(await compiled.catch((error: { readonly stdout: string }) => error)).toMatchObject({ stdout: "" });
});
