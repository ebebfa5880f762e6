/** Random histories of texts with merges and moves, as objects of git. */
import fc from "fast-check";
import { DurableFs } from "../../../src/disk/durable-fs.ts";
import { formatCommitMessage, skepCommitter } from "../../../src/domain/commits/commit-message.ts";
import { isFileName, type FileName, type Oid } from "../../../src/domain/names.ts";
import { isStoredLocaleCode, type LocaleCode } from "../../../src/domain/hives/locale.ts";
import { BareRepo } from "../../../src/git/bare-repo.ts";
import { toCommit, toGitObject } from "../../../src/git/objects/git-object.ts";
import { changeTree, emptyTree, type Tree } from "../../../src/git/objects/tree.ts";
import { memfsDisk } from "../../disk/memfs-disk.ts";

function locale(code: string): LocaleCode {
  if (!isStoredLocaleCode(code)) throw new Error(code);
  return code;
}

export function file(name: string): FileName {
  if (!isFileName(name)) throw new Error(name);
  return name;
}

export const sourceLocale = locale("en");
export const locales = [sourceLocale, locale("de")];
export const files = [file("x"), file("y")];

/** What a locale's file holds, by its path; some of it is no JSON, or no texts. */
export type Content = Readonly<Record<string, string>>;

export interface Commit {
  readonly oid: Oid;
  readonly parents: readonly number[];
  readonly content: Content;
  readonly tree: Tree;
}

export const path = (code: LocaleCode, name: FileName): string => `locales/${code}/${name}.json`;

const text = fc.constantFrom("one", "two", "");
const stored = fc.oneof(
  fc.record(
    { a: text, b: fc.record({ c: text }), d: fc.array(text, { maxLength: 2 }) },
    { requiredKeys: [] },
  ),
  fc.record({ "b.c": text, b: fc.record({ c: text }) }, { requiredKeys: [] }),
  fc.constantFrom({}, [], "a", { a: 1, b: { c: null } }),
);
const change = fc.tuple(
  fc.constantFrom(...locales),
  fc.constantFrom(...files),
  fc.oneof(
    { weight: 8, arbitrary: stored.map((value) => JSON.stringify(value)) },
    { weight: 1, arbitrary: fc.constant("{") },
    { weight: 1, arbitrary: fc.constant(undefined) },
  ),
);
export const step = fc.record({
  /** How far back its first parent is, and another one that it merges. */
  back: fc.nat(2),
  merged: fc.option(fc.nat(5)),
  changes: fc.array(change, { maxLength: 3 }),
  /** A renamed key, of which the commit says that it moved. */
  moved: fc.option(fc.tuple(fc.constantFrom(...files), fc.constantFrom(...files)), { freq: 6 }),
});
type Step = typeof step extends fc.Arbitrary<infer T> ? T : never;

export async function emptyRepo(): Promise<BareRepo> {
  return BareRepo.init(new DurableFs(memfsDisk()), "/r.git");
}

/** Makes a commit on one of some commits. */
export async function addCommit(
  repo: BareRepo,
  commits: Commit[],
  { back, merged, changes, moved, person }: Partial<Step> & { readonly person?: string },
): Promise<void> {
  const first = commits.length - 1 - (back ?? 0);
  const parents = [...new Set([first, ...(merged == null ? [] : [first - 1 - merged])])].filter(
    (i) => i >= 0,
  );
  const base = commits[parents[0] ?? -1];
  const content: Record<string, string> = { ...base?.content };
  const blobs = new Map<string, Oid | undefined>();
  for (const [code, name, value] of changes ?? []) {
    const blob = value === undefined ? undefined : toGitObject("blob", value);
    if (blob !== undefined) await repo.writeObjects([blob]);
    blobs.set(path(code, name), blob?.oid);
    delete content[path(code, name)];
    if (value !== undefined) content[path(code, name)] = value;
  }
  const { tree, objects } = changeTree(base?.tree ?? emptyTree, blobs);
  const strings =
    moved == null ? [] : [{ from: { file: moved[0], key: "a" }, to: { file: moved[1], key: "b.c" } }];
  const message = formatCommitMessage({
    subject: `Commit ${commits.length}`,
    operation: "move",
    person,
    ...(strings.length > 0 && { counts: { Moved: 1 }, moves: { strings, files: [] } }),
  });
  const commit = toCommit({
    tree: tree.oid,
    parents: parents.flatMap((i) => commits[i]?.oid ?? []),
    author: skepCommitter,
    committer: skepCommitter,
    time: 1_700_000_000 + commits.length,
    message,
  });
  await repo.writeObjects([...objects, commit]);
  commits.push({ oid: commit.oid, parents, content, tree });
}
