/** Reads the file `skep-server.yaml`: settings by name, one on each line. */
import { readFileSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import type { Document } from "yaml";
import { problemOf, removedSettings, settings } from "./settings.ts";

/** The file that is read when no other is named: one in the current folder. */
export const usualFile = "skep-server.yaml";
/** The file of an app's repository, and the names that stand in it. */
const clientFile = "skep.yaml";
const clientNames = new Set(["server", "hive", "source", "files"]);

/**
 * Reads a file of settings and checks all of it.
 * @param isNamed whether the caller named the file; only then it must exist.
 * @returns the texts of settings by {@link Setting.name}.
 * @throws Error with the file, the line and the name at fault in one line.
 */
export async function readSettingsFile(path: string, isNamed: boolean): Promise<ReadonlyMap<string, string>> {
  const text = read(path, isNamed);
  if (!isNamed) await refuseSettingsIn(join(dirname(path), clientFile));
  return text === undefined ? new Map() : parseSettings(path, text);
}

/** Whether a file begins with a setting of the server, and so is no skep.yaml. It may be missing. */
export function isSettingsFile(path: string): boolean {
  try {
    const [, key] = /^([a-z_]+) *:/m.exec(readFileSync(path, "utf8")) ?? [];
    return settings.some((setting) => setting.key === key);
  } catch {
    return false;
  }
}

function read(path: string, isNamed: boolean): string | undefined {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(readFileSync(path));
  } catch (error) {
    const code = error instanceof Error && "code" in error ? error.code : undefined;
    if (!isNamed && (code === "ENOENT" || isOutOfSight(path))) return undefined;
    const why = code === "ENOENT" ? "there is no such file" : `cannot be read (${String(code)})`;
    throw new Error(`${path}: ${why}`, { cause: error });
  }
}

/**
 * The file of an app's repository has the name that the server's file had before. Settings in it would be passed over.
 * @throws Error when a setting of the server stands in it.
 */
async function refuseSettingsIn(path: string): Promise<void> {
  let text;
  try {
    text = readFileSync(path, "utf8");
  } catch {
    return;
  }
  const { isMap, isScalar, LineCounter, parseDocument } = await import("yaml");
  const lines = new LineCounter();
  const { contents }: Document = parseDocument(text, { schema: "failsafe", lineCounter: lines });
  if (!isMap(contents)) return;
  for (const { key } of contents.items) {
    if (!isScalar(key) || !settings.some((setting) => setting.key === key.value)) continue;
    const { line } = lines.linePos(key.range?.[0] ?? 0);
    throw new Error(
      `${path}:${line}: ${String(key.value)} is a setting of the server, whose file is ${usualFile}: rename ${path}, or move the setting there`,
    );
  }
}

/**
 * Whether this user may not even check that a file exists, as in the folder of another user who started the command.
 */
function isOutOfSight(path: string): boolean {
  try {
    statSync(path);
    return false;
  } catch {
    return true;
  }
}

/**
 * Settings from YAML. Values are taken as they are written: `port: 4488` is the text `4488`, which is parsed in the same
 * way as the flag and the variable.
 * @param path names the file in errors.
 */
export async function parseSettings(path: string, text: string): Promise<ReadonlyMap<string, string>> {
  // Loaded here because most commands run without a file of settings.
  const { isMap, isScalar, LineCounter, parseDocument } = await import("yaml");
  const lines = new LineCounter();
  const document = parseDocument(text, { schema: "failsafe", lineCounter: lines, prettyErrors: false });
  const fail = (offset: number, problem: string): Error =>
    new Error(`${path}:${lines.linePos(offset).line}: ${problem}`);
  const [broken] = document.errors;
  if (broken !== undefined) throw fail(broken.pos[0], `is not YAML: ${broken.message}`);
  const found = new Map<string, string>();
  const { contents } = document;
  if (contents === null || (isScalar(contents) && contents.value === "")) return found;
  if (!isMap(contents))
    throw fail(contents.range?.[0] ?? 0, "must hold names and values, such as port: 4488");
  for (const { key, value } of contents.items) {
    const name = isScalar(key) ? String(key.value) : "";
    const at = isScalar(key) ? (key.range?.[0] ?? 0) : 0;
    const setting = settings.find((candidate) => candidate.key === name);
    if (setting === undefined) {
      const hint = clientNames.has(name)
        ? `is for the ${clientFile} of an app's repository, not for the server`
        : (removedSettings.get(name) ?? "is not a setting; skep serve --help lists them");
      throw fail(at, `${JSON.stringify(name)} ${hint}`);
    }
    const problem = isScalar(value) ? problemOf(setting, String(value.value)) : "must be a single value";
    if (problem !== undefined) throw fail(at, `${name}: ${problem}`);
    if (isScalar(value)) found.set(setting.name, String(value.value));
  }
  return found;
}
