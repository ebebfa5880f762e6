/** Writes the keys of an app's texts and their arguments as TypeScript. */
import { readFile, writeFile } from "node:fs/promises";
import { resolve } from "node:path";
import { ClientError, unreadable } from "../api/client-error.ts";
import { sourceStrings, type CheckOptions, type SourceStrings } from "../check.ts";
import type { CommandContext } from "../context.ts";
import { libraries, type Library } from "./libraries.ts";
import { libraryTypes } from "./library-types.ts";
import { messageFile } from "./source-messages.ts";

export interface TypesOptions extends Pick<CheckOptions, "config" | "source"> {
  /** The library that reads the texts; as the texts show it if not given. */
  readonly library?: Library;
  /** Of i18next: the namespace that is meant where none is named. */
  readonly namespace?: string;
}

const head = `// Written by skep types from the app's source files. Do not edit it: run skep types again.
/* eslint-disable */
`;

/**
 * The types of the app's texts, in a file of TypeScript.
 * @throws ClientError `misuse` where the texts do not show which library reads them, or the namespace is none of
 * theirs; `error`
 *   with the line where a text is no message of its syntax.
 */
export async function typesOf(
  context: Pick<CommandContext, "folder" | "warn">,
  { library, namespace, ...options }: TypesOptions,
): Promise<{ readonly library: Library; readonly keys: number; readonly text: string }> {
  const sources = await sourceStrings(context, options);
  const chosen = library ?? shownLibrary(sources);
  const { syntax, print } = libraryTypes[chosen];
  const files = sources.map((source) => messageFile(source, syntax));
  if (
    namespace !== undefined &&
    !files.some(({ stem, isWhole }) => (isWhole ? "translation" : stem) === namespace)
  )
    throw new ClientError("misuse", `No source file has the namespace ${namespace}.`);
  const keys = sources.reduce((sum, { file }) => sum + file.texts.size, 0);
  return { library: chosen, keys, text: head + print(files, namespace) };
}

function shownLibrary(sources: readonly SourceStrings[]): Library {
  const shown = libraries.filter((each) =>
    sources.some(({ syntax }) => syntax === libraryTypes[each].syntax),
  );
  const [only, ...others] = shown;
  if (only !== undefined && others.length === 0) return only;
  const what = only === undefined ? "do not show" : `show several libraries (${shown.join(", ")}), and not`;
  throw new ClientError(
    "misuse",
    `The texts ${what} which library reads them: give --for ${libraries.join("|")}.`,
  );
}

/** @returns whether a file holds the types; line endings do not count. @throws ClientError when it cannot be read. */
export async function holdsTypes(folder: string, path: string, text: string): Promise<boolean> {
  const found = await readFile(resolve(folder, path), "utf8").catch((error: unknown) => {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return undefined;
    throw unreadable("error", path, error);
  });
  return found?.replaceAll("\r\n", "\n") === text;
}

/** Writes the types, unless the file holds them. @returns whether it was written. @throws ClientError when it cannot be. */
export async function writeTypes(folder: string, path: string, text: string): Promise<boolean> {
  if (await holdsTypes(folder, path, text)) return false;
  try {
    await writeFile(resolve(folder, path), text);
  } catch (cause) {
    throw new ClientError("error", `${path}: cannot be written.`, { cause });
  }
  return true;
}
