/** The app's files as they were at an earlier commit of the app, read from its git. */
import type { ParsedFile } from "../formats/format.ts";
import type { Group, Texts } from "../domain/strings/string-file.ts";
import type { HiveLocales } from "./api/hive-api.ts";
import type { Project } from "./project.ts";
import type { StringAddress } from "./api/schemas.ts";
import { textsByFile, type SourceContent } from "./read-tree.ts";
import { wholeSource } from "./texts.ts";
import { filesAt, readBlobs } from "./repository/commits.ts";
import { findSourcesAmong, openFormat, type LocalFile, type TreeFile } from "./tree/tree.ts";

type EarlierFile = Pick<ParsedFile, "content" | "notes">;

/** A file of one locale, and for others than the source the texts of the source file. */
interface OneFile {
  readonly file: TreeFile;
  readonly local: LocalFile;
  readonly source?: Texts;
}

/**
 * The source files at a commit, by their names in the Hive.
 * @throws ClientError `error` when git or a file cannot be read.
 */
export async function earlierSources(
  project: Project,
  commit: string,
  locales: HiveLocales,
): Promise<ReadonlyMap<string, EarlierFile>> {
  const blobs = await filesAt(project.config.folder, commit);
  const files = findSourcesAmong(project.config, locales, [...blobs.keys()]).map((file): OneFile => {
    return { file, local: file.source };
  });
  // Without the rest, which keeps the tree of the whole file in memory.
  const earlier = await readEarlier(project, commit, blobs, files, ({ content, notes }) => ({
    content,
    notes,
  }));
  const others = files.flatMap(({ file }) =>
    earlier.has(file.name) ? (file.others ?? []).map((local): OneFile => ({ file, local })) : [],
  );
  const otherTexts = new Map<string, Texts>();
  await readEarlier(project, commit, blobs, others, ({ texts }, { path }) => otherTexts.set(path, texts));
  const all = new Map<string, EarlierFile>(earlier);
  for (const { file } of files) {
    const own = earlier.get(file.name);
    if (own === undefined || file.others === undefined) continue;
    const content = await wholeSource(file, own.content, ({ path }) => otherTexts.get(path));
    all.set(file.name, { ...own, content });
  }
  return all;
}

/** The files of a locale at a commit, as {@link earlierSources}. @param content the present tree. */
export async function earlierTargets(
  project: Project,
  commit: string,
  { tree, sources }: Pick<SourceContent, "tree" | "sources">,
  code: string,
): Promise<ReadonlyMap<string, Group>> {
  const texts = textsByFile(sources);
  const targets = tree.files.flatMap((file) => {
    const local = file.targets.get(code);
    return local === undefined ? [] : [{ file, local, source: texts.get(file.name) }];
  });
  const blobs = await filesAt(project.config.folder, commit);
  return readEarlier(project, commit, blobs, targets, ({ content }) => content);
}

async function readEarlier<T>(
  project: Project,
  commit: string,
  blobs: ReadonlyMap<string, string>,
  files: readonly OneFile[],
  pick: (parsed: ParsedFile, local: LocalFile) => T,
): Promise<ReadonlyMap<string, T>> {
  const found = files.flatMap((one) => {
    const blob = blobs.get(one.local.path);
    return blob === undefined ? [] : [{ ...one, blob }];
  });
  const names = found.map(({ blob }) => blob);
  const bytes = await readBlobs(project.config.folder, names);
  const contents = new Map<string, T>();
  for (const [i, { file, local, source }] of found.entries()) {
    const at = { ...local, absolute: `${commit}:${local.path}` };
    const { parse } = await openFormat(file, at, source);
    contents.set(file.name, pick(parse(bytes[i] ?? Buffer.of()), local));
  }
  return contents;
}

/** A line that shows both texts of a key that others changed, too. */
export function conflictLine(
  { file, key }: StringAddress,
  here: string | null | undefined,
  hive: string | null | undefined,
): string {
  return `${file}: ${key}: ${shown(here)} here, ${shown(hive)} in the Hive`;
}

function shown(text: string | null | undefined): string {
  return typeof text === "string" && text !== "" ? JSON.stringify(text) : "none";
}
