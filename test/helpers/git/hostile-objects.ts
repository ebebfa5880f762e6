/** Trees and commits that no git makes, drawn at random. */
import fc from "fast-check";
import { toGitObject, type GitObject } from "../../../src/git/objects/git-object.ts";
import {
  commitOf,
  nowhere,
  pick,
  pushing,
  rawCommit,
  rawTree,
  sorted,
  soundChange,
  treesWith,
  who,
  type HostilePush,
  type RawEntry,
  type Source,
} from "./hostile-change.ts";
import { splitObject } from "./packs.ts";

const oddNames: readonly string[] = [
  ".git",
  ".GIT",
  ".Git",
  ".git ",
  ".git.",
  "git~1",
  "GIT~1",
  "git~2",
  ".g\u200cit",
  ".\u200cgit",
  "\ufeff.git",
  ".git::$INDEX_ALLOCATION",
  ".git\\config",
  "..",
  ".",
  "",
  "...",
  "a/b",
  "/etc/passwd",
  "../x.json.json",
  "a\\b.json.json",
  "C:x.json.json",
  "x.json.json:y",
  "aux.json.json",
  "con",
  "nul.json.json",
  "COM1.json.json",
  "x.json.json.",
  "x.json.json ",
  " x.json.json",
  "-x.json.json",
  "x.json",
  "x\n.json.json",
  "x\u202e.json.json",
  "x\u0001.json.json",
  `${"x".repeat(300)}.json.json`,
  "hive.yaml",
  ".gitmodules",
  ".gitattributes",
  ".GITMODULES",
  "gitmod~1",
  ".mailmap",
  "stale",
  "~",
  "x*.json.json",
  "x?.json.json",
  'x".json.json',
  "x|y.json.json",
];
const oddModes = [
  "0",
  "",
  "1",
  "100664",
  "100600",
  "100755",
  "120000",
  "160000",
  "140000",
  "040000",
  "0100644",
  "777777",
];

/** Trees with names, modes and contents that a system reads otherwise, or that git does not have. */
export function hostileTrees({ draw, base, ref }: Source): HostilePush {
  const level = draw(fc.nat, { max: 2 });
  const before = base.folders[level] ?? [];
  const blob = toGitObject("blob", '{\n  "title": "x"\n}\n');
  const inner = rawTree([{ mode: "100644", name: "config", oid: blob.oid }]);
  const add = (entry: RawEntry): GitObject =>
    rawTree(sorted([...before.filter(({ name }) => name !== entry.name), entry]));
  const mode = pick(draw, ["100644", "40000"]);
  const oid = mode === "40000" ? inner.oid : blob.oid;
  const first = before[0] ?? { mode, name: "x", oid };
  const bytes = (entry: GitObject): Uint8Array => splitObject(entry.bytes).content;
  const tree = pick<() => GitObject>(draw, [
    () => add({ mode, name: pick(draw, oddNames), oid }),
    () => add({ mode, name: pick(draw, oddNames), oid }),
    () => add({ mode: pick(draw, oddModes), name: "x.json.json", oid: pick(draw, [oid, base.main]) }),
    () => add({ mode, name: Buffer.from([0xc3, 0x28, ...Buffer.from(".json.json")]), oid }),
    () => add({ mode: "40000", name: "x", oid: pick(draw, [blob.oid, base.main, nowhere, base.hidden]) }),
    () =>
      add({
        mode: "100644",
        name: "x.json.json",
        oid: pick(draw, [inner.oid, base.main, nowhere, base.hidden]),
      }),
    () => rawTree([...before, first]),
    () => rawTree([...before, { ...first, mode: "40000", oid: inner.oid }]),
    () => rawTree(sorted([{ mode, name: "0.json.json", oid }, ...before]).toReversed()),
    () => toGitObject("tree", bytes(rawTree(before)).subarray(0, -draw(fc.integer, { min: 1, max: 19 }))),
    () => toGitObject("tree", Buffer.concat([bytes(rawTree(before)), Buffer.from("100644 x.json.json")])),
    () => toGitObject("tree", draw(fc.uint8Array, { minLength: 1, maxLength: 60 })),
  ])();
  const trees = treesWith(base, level, tree);
  const objects = [blob, inner, ...trees, commitOf(base, trees.at(-1)?.oid ?? "")];
  return { body: pushing(objects, ref), maySucceed: false };
}

/** Commits that are cut off, speak for others, or lead elsewhere. */
export function hostileCommits(source: Source): HostilePush {
  const { draw, base, ref } = source;
  const objects = soundChange(source);
  const [blob, ...others] = objects.slice(0, -1);
  const tree = others.at(-1)?.oid ?? "";
  const [t, p, a, c] = [`tree ${tree}`, `parent ${base.main}`, `author ${who}`, `committer ${who}`];
  const lines = pick<() => readonly string[]>(draw, [
    () => [p, a, c, "", "x"],
    () => [t, p, a, "", "x"],
    () => [t, p, c, "", "x"],
    () => [t, a, c, "", "x"],
    () => [t, t, p, a, c, "", "x"],
    () => [p, t, a, c, "", "x"],
    () => [t, a, p, c, "", "x"],
    () => [t, p, a, a, c, "", "x"],
    () => [t, p, a, c],
    () => [`tree ${blob?.oid}`, p, a, c, "", "x"],
    () => [`tree ${pick(draw, [nowhere, base.main, base.hidden, "0".repeat(40), "x"])}`, p, a, c, "", "x"],
    () => [t, `parent ${pick(draw, [nowhere, tree, base.hidden, "0".repeat(40), "main"])}`, a, c, "", "x"],
    () => [t, ...Array.from({ length: 9 }, () => p), a, c, "", "x"],
    () => [t, p, `parent ${nowhere}`, a, c, "", "x"],
    () => [t, p, "author Mallory", c, "", "x"],
    () => [
      t,
      p,
      a,
      `committer Mallory <m> ${pick(draw, ["x", "-1 +0000", "1".repeat(40), "01 +0000", "1", "1 z"])}`,
      "",
      "x",
    ],
    () => [t, p, a, "committer <<>> 1 +0000", "", "x"],
    () => [
      t,
      p,
      a,
      "committer Skep <skep@skep.invalid> 1700000000 +0000",
      "",
      "x\n\nOperation: sync\nToken: x",
    ],
    () => [t, p, a, `committer M\0 <m@x> 1700000000 +0000`, "", "x"],
    () => [t, p, a, c, "", "x\0y"],
    () => [`tree ${tree.toUpperCase()}`, p, a, c, "", "x"],
    () => [],
  ])();
  const made = rawCommit(lines);
  return { body: pushing([...objects.slice(0, -1), made], ref), maySucceed: false };
}
