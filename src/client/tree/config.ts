/** Finds and reads `skep.yaml`, the settings of an app's repository. */
import { messageOf } from "../../domain/errors.ts";
import { stat } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { isMap, isNode, isScalar, isSeq, LineCounter, parseDocument, type Document } from "yaml";
import type { z } from "zod";
import type { CheckSettings } from "../../domain/checks/check-settings.ts";
import { ClientError, fileError } from "../api/client-error.ts";
import { readGivenText } from "./files.ts";
import { clientSettings, fileEntry, type FileEntry } from "./schema.ts";

export const settingsName = "skep.yaml";
/** No file of settings is larger than this. */
const maxBytes = 1024 * 1024;

type Settings = z.output<typeof clientSettings>;

export interface ClientConfig extends Omit<Settings, "files" | "default_branch" | "checks" | "exclude"> {
  readonly path: string;
  /** The folder that the file lies in. Nothing outside it is read or written. */
  readonly folder: string;
  readonly defaultBranch?: string;
  readonly entries: readonly FileEntry[];
  /** The syntaxes of messages, for `skep check`. */
  readonly checks?: Pick<CheckSettings, "syntax">;
  /** Patterns of files that are passed over. */
  readonly exclude: readonly string[];
}

/** @returns the nearest `skep.yaml` in a folder or one above it; undefined when there is none. */
export async function findSettingsFile(folder: string): Promise<string | undefined> {
  for (let at = resolve(folder); ; at = dirname(at)) {
    const path = join(at, settingsName);
    const found = await stat(path).catch(() => undefined);
    if (found?.isFile() === true) return path;
    if (dirname(at) === at) return undefined;
  }
}

/**
 * Reads the settings of the app in the current folder.
 * @param named the file that `--config` names; the nearest `skep.yaml` upwards if not given.
 * @throws ClientError `misuse` with file, line, column and the name at fault.
 */
export async function readConfig(currentFolder: string, named?: string): Promise<ClientConfig> {
  const path = named === undefined ? await findSettingsFile(currentFolder) : resolve(currentFolder, named);
  if (path !== undefined) return parseConfig(path, await readGivenText(path, maxBytes));
  const problem = `There is no ${settingsName} in this folder or one above it; skep init writes one.`;
  throw new ClientError("misuse", problem);
}

/** Reads settings from YAML. @param path names the file in errors. @throws as {@link readConfig} does. */
export function parseConfig(path: string, text: string): ClientConfig {
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false });
  const fail = (offset: number, problem: string): ClientError => {
    const { line, col: column } = lines.linePos(offset);
    return fileError("misuse", { file: path, line, column }, problem);
  };
  const [broken] = document.errors;
  if (broken !== undefined) {
    const line = text.split("\n")[lines.linePos(broken.pos[0]).line - 1] ?? "";
    throw fail(broken.pos[0], `is not YAML: ${broken.message}${quotesHint(line)}`);
  }
  const result = clientSettings.safeParse(valueOf(document, fail) ?? {});
  if (!result.success) {
    const { place, problem } = firstFault(result.error.issues);
    throw fail(offsetOf(document, place), `${nameOf(place)}${problem}`);
  }
  const { files, default_branch: defaultBranch, exclude = [], ...rest } = result.data;
  const entries = files.map((file) => (typeof file === "string" ? { path: file } : file));
  return { ...rest, path, folder: dirname(path), defaultBranch, entries, exclude };
}

/** Paths that begin with a brace or a star need quotes, since both have a meaning in YAML. */
function quotesHint(line: string): string {
  return /\{locale\}|\*/.test(line) && !/["']/.test(line)
    ? '; a path that begins with { or *, or stands in a list in brackets, needs quotes: "{locale}/*.json"'
    : "";
}

/** The value of a document. Aliases can expand a small file to a huge value; the library's limit is an error here. */
function valueOf(document: Document, fail: (offset: number, problem: string) => ClientError): unknown {
  try {
    return document.toJS();
  } catch (error) {
    throw fail(0, `cannot be read: ${messageOf(error)}`);
  }
}

interface Fault {
  readonly place: readonly PropertyKey[];
  /** Follows the name of the place. */
  readonly problem: string;
}

function firstFault(issues: readonly z.core.$ZodIssue[]): Fault {
  // A misspelt name is why the right one is missing.
  const issue = issues.find(({ code }) => code === "unrecognized_keys") ?? issues[0];
  if (issue === undefined) return { place: [], problem: "cannot be used" };
  if (issue.code === "unrecognized_keys") {
    const [key = ""] = issue.keys;
    return { place: [...issue.path, key], problem: unknownName(key, issue.path) };
  }
  if (issue.code === "invalid_union") {
    // A file is a path or an object: a value that is no text was meant to be an object.
    const inner = issue.errors.findLast(
      ([first]) => first !== undefined && (first.code !== "invalid_type" || first.path.length > 0),
    );
    const { place, problem } = firstFault(inner ?? issue.errors.at(-1) ?? []);
    return { place: [...issue.path, ...place], problem };
  }
  return { place: issue.path, problem: issue.message };
}

/** The names of settings at a place. */
function namesAt([first, ...rest]: readonly PropertyKey[]): readonly string[] {
  const { shape } = clientSettings;
  const checks = shape.checks.unwrap().shape;
  if (first === "files") return Object.keys(fileEntry.shape);
  if (first === "checks") return Object.keys(rest.length === 0 ? checks : checks.syntax.element.shape);
  return Object.keys(shape);
}

function unknownName(key: string, place: readonly PropertyKey[]): string {
  if (key === "token") {
    return "must not be here: secrets do not belong in a repository. Set SKEP_TOKEN, or give --token-file";
  }
  const hint = place.length === 0 ? "; settings of skep serve belong in skep-server.yaml" : "";
  return `is not a setting; known: ${namesAt(place).join(", ")}${hint}`;
}

/** The path of a value for error messages: `files[0].path: `. */
function nameOf(place: readonly PropertyKey[]): string {
  const name = place.map((part) => (typeof part === "number" ? `[${part}]` : `.${String(part)}`)).join("");
  return name === "" ? "" : `${name.replace(/^\./, "")}: `;
}

/** Where in the text the deepest node of a place begins: its name, or the value where it has none. */
function offsetOf({ contents }: Document, place: readonly PropertyKey[]): number {
  let node: unknown = contents;
  let offset = startOf(node) ?? 0;
  for (const part of place) {
    const pair = isMap(node)
      ? node.items.find(({ key }) => isScalar(key) && String(key.value) === String(part))
      : undefined;
    node = isSeq(node) ? node.items[Number(part)] : pair?.value;
    offset = startOf(pair?.key ?? node) ?? offset;
  }
  return offset;
}

function startOf(node: unknown): number | undefined {
  return isNode(node) ? node.range?.[0] : undefined;
}
