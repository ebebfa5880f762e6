/** Finds problems in a Hive's repository, and mends those that can be mended without losing anything. */
import { isSkepError } from "../../domain/errors.ts";
import { translationFile } from "../../domain/strings/group-edit.ts";
import type { FileWrite } from "../../domain/strings/hive-content.ts";
import type { LocaleCode } from "../../domain/hives/locale.ts";
import type { FileName, Oid } from "../../domain/names.ts";
import { filtered, type Steps } from "../../domain/steps.ts";
import { sameGroup, targetTexts, type StringFile } from "../../domain/strings/string-file.ts";
import { counted } from "../../domain/text.ts";
import { UnreadablePath, type BareRepo } from "../../git/bare-repo.ts";
import { blobPath, parseLocaleFile } from "../content/locale-files.ts";
import { inSlices } from "../../slices.ts";
import type { Snapshot } from "../content/snapshot.ts";
import { peelTag } from "../../git/tag-object.ts";
import type { Finding } from "../../domain/finding.ts";
import type { Tags } from "../../git/refs/tags.ts";
import { fileIn, folderAt, type Tree } from "../../git/objects/tree.ts";

/** Translations without a source string, or in another shape than the source file. */
export interface MisplacedTranslations {
  readonly problem: string;
  /** The file as it should be. */
  readonly write: FileWrite;
}

/**
 * Finds damaged loose objects, which can be removed if no branch, also a deleted one, and no tag reaches them, and refs without a commit.
 */
export async function checkObjects(repo: BareRepo, tags: Tags): Promise<readonly Finding[]> {
  const { reached, findings } = await walkHistory(repo, tags);
  const damaged = await repo.damagedObjects();
  const torn = damaged.map((oid): Finding => {
    if (reached.has(oid)) return { problem: `object ${oid} is damaged, and the history needs it` };
    const repair = async (): Promise<string> => {
      await repo.removeLoose(oid);
      return `removed the damaged object ${oid}`;
    };
    return { problem: `object ${oid} is damaged; no commit needs it`, repair };
  });
  return [...findings, ...torn];
}

interface Walked {
  readonly reached: Set<Oid>;
  readonly findings: Finding[];
}

/** Reads all objects that the branches, also deleted ones, and the tags reach. */
async function walkHistory(repo: BareRepo, tags: Tags): Promise<Walked> {
  const { reached, findings, waiting } = await walkTags(repo, tags);
  try {
    repo.main.read();
  } catch (error) {
    if (!isSkepError(error)) throw error;
    findings.push({ problem: error.message });
  }
  for (const ref of await repo.branches.broken()) {
    findings.push({ problem: `${ref} is not the name of an object` });
  }
  waiting.push(...(await repo.branches.list()).values());
  waiting.push(...(await repo.branches.deleted()).map(({ commit }) => commit));
  let tree: Tree | undefined;
  for (let oid = waiting.pop(); oid !== undefined; oid = waiting.pop()) {
    if (reached.has(oid)) continue;
    reached.add(oid);
    try {
      const commit = await repo.readCommit(oid);
      waiting.push(...commit.parents);
      // Neighbouring commits share most of their folders.
      tree = await repo.readTree(commit.tree, tree);
      reached.add(tree.oid);
      await readAll(repo, tree, reached);
    } catch (error) {
      if (!(error instanceof UnreadablePath)) throw error;
      findings.push({ problem: `at commit ${oid}: cannot read ${error.path}` });
    }
  }
  return { reached, findings };
}

/** The tag objects, and the commits that the tags lead to. */
async function walkTags(repo: BareRepo, tags: Tags): Promise<Walked & { readonly waiting: Oid[] }> {
  const findings: Finding[] = (await tags.broken()).map((ref) => ({
    problem: `${ref} is not the name of an object`,
  }));
  const reached = new Set<Oid>();
  const waiting: Oid[] = [];
  for (const [name, target] of await tags.list()) {
    const { commit, objects } = await peelTag(repo, target);
    for (const object of objects) reached.add(object);
    if (commit === undefined)
      findings.push({ problem: `the tag ${name} leads to no commit that can be read` });
    else waiting.push(commit);
  }
  return { reached, findings, waiting };
}

async function readAll(repo: BareRepo, tree: Tree, reached: Set<Oid>, prefix = ""): Promise<void> {
  for (const [name, entry] of tree.entries) {
    const oid = entry.kind === "folder" ? entry.tree.oid : entry.oid;
    if (reached.has(oid)) continue;
    reached.add(oid);
    if (entry.kind === "folder") await readAll(repo, entry.tree, reached, `${prefix}${name}/`);
    else await repo.readBlob(oid, prefix + name);
  }
}

/** Finds folders of locales that the Hive's settings do not list. */
export function checkLocaleFolders(snapshot: Snapshot): readonly Finding[] {
  const { sourceLocale, targetLocales } = snapshot.settings;
  const known = new Set<string>([sourceLocale, ...targetLocales].map(({ code }) => code));
  const folders = [...(folderAt(snapshot.tree, ["locales"])?.entries.keys() ?? [])];
  return folders
    .filter((name) => !known.has(name))
    .map((name) => ({
      problem: `locales/${name} is not a locale of this Hive; add it with: skep locale add`,
    }));
}

/** Finds translation files with texts that have no source string, or with another shape than their source file. */
export async function findMisplaced(
  repo: BareRepo,
  snapshot: Snapshot,
): Promise<readonly MisplacedTranslations[]> {
  const { source, translations } = await snapshot.content("all");
  const found: MisplacedTranslations[] = [];
  for (const [locale, files] of translations) {
    for (const file of files.keys()) {
      const path = blobPath(locale, file);
      const blob = await readAt(repo, snapshot, path);
      const misplaced = blob && (await inSlices(compare(blob, source.get(file), locale, file)));
      if (misplaced !== undefined)
        found.push({ problem: `${path} ${misplaced.problem}`, write: misplaced.write });
    }
  }
  return found;
}

async function readAt(repo: BareRepo, snapshot: Snapshot, path: string): Promise<StringFile | undefined> {
  const parts = path.split("/");
  const folder = folderAt(snapshot.tree, parts.slice(0, -1));
  const oid = folder && fileIn(folder, parts.at(-1) ?? "");
  return oid === undefined ? undefined : parseLocaleFile(await repo.readBlob(oid, path), path);
}

function* compare(
  blob: StringFile,
  source: StringFile | undefined,
  locale: LocaleCode,
  file: FileName,
): Steps<MisplacedTranslations | undefined> {
  const keys = targetTexts(source);
  const kept = yield* filtered(blob.texts, (key, text) => text !== "" && keys.has(key));
  const content = yield* translationFile(source, kept);
  const write = { locale, file, content };
  const without = blob.texts.size - kept.size;
  if (without > 0) return { problem: `holds ${counted(without, "text")} without a source string`, write };
  if (content === undefined || !(yield* sameGroup(blob.group, content.group, "shape"))) {
    return { problem: "does not have the shape of its source file", write };
  }
  return undefined;
}
