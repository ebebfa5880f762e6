/** Pushes of objects that are too large, that name hidden ones, and that speak for Skep. */
import nodeFs from "node:fs";
import { describe, expect, it } from "vitest";
import { DurableFs } from "../../src/disk/durable-fs.ts";
import { BareRepo } from "../../src/git/bare-repo.ts";
import { toGitObject, type GitObject } from "../../src/git/objects/git-object.ts";
import {
  commitOf,
  entryOf,
  rawCommit,
  rawTree,
  sorted,
  treesWith,
  who,
  type PushBase,
  type RawEntry,
} from "../helpers/git/hostile-change.ts";
import { makePush, pusherOn, setUpHostile } from "../helpers/git/made-pushes.ts";
import { deltaEntry, deltaNumber, packWith, splitObject, toName, toOffset } from "../helpers/git/packs.ts";
import { contentOf, pushOf } from "../helpers/git/pushes.ts";
import { git } from "../helpers/process.ts";

const ref = "refs/heads/main";

interface Attack {
  readonly base: PushBase;
  readonly gitdir: string;
  readonly repo: BareRepo;
  /** Sends a pack that is to be refused, and gives the answer. */
  readonly push: (tip: string, pack: Uint8Array) => Promise<string>;
}

/** Runs attacks on one Hive, and checks that nothing of them was kept. */
async function attack(run: (attack: Attack) => Promise<void>): Promise<void> {
  const { storage, repo: gitdir, token, base } = await setUpHostile();
  const { send, logged } = pusherOn(storage, token);
  let content: string | undefined;
  const push: Attack["push"] = async (after, pack) => {
    content ??= await contentOf(gitdir);
    const answer = await send(pushOf([{ before: base.main, after, ref }], pack));
    const text = await answer.text();
    expect([answer.status, text]).toEqual([200, expect.stringContaining(`ng ${ref}`)]);
    return text;
  };
  await run({ base, gitdir, repo: new BareRepo(new DurableFs(nodeFs), gitdir), push });
  expect(await contentOf(gitdir)).toBe(content);
  expect(logged).toEqual([]);
  expect(await git(gitdir, "rev-parse", "main")).toBe(`${base.main}\n`);
}

function rootOf({ folders }: PushBase): GitObject {
  return rawTree(folders[0] ?? []);
}

/** The entries of a folder, of which some are others. */
function withEntries(entries: readonly RawEntry[] = [], ...others: readonly RawEntry[]): readonly RawEntry[] {
  const names = new Set(others.map(({ name }) => name));
  return sorted([...entries.filter(({ name }) => !names.has(name)), ...others]);
}

/** A commit with another folder at a level, and what it needs: the root is level 0, `locales/fr` level 2. */
function commitWith(base: PushBase, level: number, tree: GitObject): readonly GitObject[] {
  const trees = treesWith(base, level, tree);
  return [...trees, commitOf(base, trees.at(-1)?.oid ?? "")];
}

/** An entry that makes an object of another one. */
function deltaTo(kind: number, base: Uint8Array, from: number, object: GitObject): Buffer {
  const { content } = splitObject(object.bytes);
  const inserts: Uint8Array[] = [deltaNumber(from), deltaNumber(content.length)];
  for (let at = 0; at < content.length; at += 127) {
    const piece = content.subarray(at, at + 127);
    inserts.push(Buffer.from([piece.length]), piece);
  }
  return deltaEntry(kind, base, Buffer.concat(inserts));
}

/** How far an entry lies before the next one, as differences have it. */
function distanceOf(length: number): Buffer {
  const bytes = [length & 127];
  for (let rest = length >> 7; rest > 0; rest = (rest - 1) >> 7) bytes.unshift(((rest - 1) & 127) | 128);
  return Buffer.from(bytes);
}

/** The forms in which a pack can have an object, with a small one of its type. */
const forms: readonly (readonly [string, (large: GitObject, small: GitObject) => readonly Buffer[]])[] = [
  ["whole", (large) => [entryOf(large)]],
  [
    "as a difference to an entry before it",
    (large, small) => {
      const entry = entryOf(small);
      const { content } = splitObject(small.bytes);
      return [entry, deltaTo(toOffset, distanceOf(entry.length), content.length, large)];
    },
  ],
  [
    "as a difference to an object by name",
    (large, small) => {
      const { content } = splitObject(small.bytes);
      return [entryOf(small), deltaTo(toName, Buffer.from(small.oid, "hex"), content.length, large)];
    },
  ],
];

/** A push with one large object, and a small object of the same type. */
interface Large {
  readonly large: GitObject;
  readonly small: GitObject;
  readonly others: readonly GitObject[];
  readonly tip: string;
}

function largeCommit(base: PushBase, more: readonly string[], message = "x"): Large {
  const root = rootOf(base).oid;
  const lines = [`tree ${root}`, `parent ${base.main}`, ...more.slice(1)];
  const large = rawCommit([
    ...lines,
    `author ${who}`,
    `committer ${who}`,
    ...more.slice(0, 1),
    "",
    `${message}\n`,
  ]);
  return { large, small: commitOf(base, root), others: [], tip: large.oid };
}

function largeFile(base: PushBase, name: string, content: string, level = 2): Large {
  const large = toGitObject("blob", content);
  const tree = rawTree(withEntries(base.folders[level], { mode: "100644", name, oid: large.oid }));
  const others = commitWith(base, level, tree);
  return { large, small: toGitObject("blob", "{}\n"), others, tip: others.at(-1)?.oid ?? "" };
}

const largeObjects: readonly (readonly [string, RegExp, (base: PushBase) => Large])[] = [
  [
    "a message",
    /commit( \w{40})? in this push is larger than 65536 bytes/,
    (base) => largeCommit(base, [], "x".repeat(70_000)),
  ],
  [
    "a signature",
    /commit( \w{40})? in this push is larger than 65536 bytes/,
    (base) => largeCommit(base, [`gpgsig ${"x".repeat(70_000)}`]),
  ],
  [
    "very many parents",
    /commit( \w{40})? in this push is larger than 65536 bytes/,
    (base) => largeCommit(base, ["x", ...Array.from({ length: 2_000 }, () => `parent ${base.main}`)]),
  ],
  [
    "a tag",
    /tag( \w{40})? in this push is larger than 65536 bytes/,
    (base) => {
      const tag = (message: string): GitObject =>
        toGitObject("tag", `object ${base.main}\ntype commit\ntag v9\ntagger ${who}\n\n${message}\n`);
      const { large, tip } = largeCommit(base, []);
      return { large: tag("x".repeat(70_000)), small: tag("x"), others: [large], tip };
    },
  ],
  [
    "a folder",
    /(folder( \w{40})?|An object) in this push is larger than 2097152 bytes/,
    (base) => {
      const blob = toGitObject("blob", '{\n  "title": "x"\n}\n');
      const entries = Array.from({ length: 50_000 }, (_, i) => ({
        mode: "100644",
        name: `f${String(i).padStart(6, "0")}.json.json`,
        oid: blob.oid,
      }));
      const large = rawTree(entries);
      const others = [blob, ...commitWith(base, 2, large).slice(1)];
      return { large, small: rawTree(entries.slice(0, 1)), others, tip: others.at(-1)?.oid ?? "" };
    },
  ],
  [
    "a text",
    /locales\/fr\/app\.json\.json: is larger than 1048576 bytes/,
    (base) => largeFile(base, "app.json.json", `{\n  "title": "${"x".repeat(1_100_000)}"\n}\n`),
  ],
  [
    "very many values",
    /locales\/fr\/app\.json\.json: holds more than 200000 values/,
    (base) => largeFile(base, "app.json.json", `{"title":[${"[],".repeat(200_000)}[]]}`),
  ],
  [
    "a README",
    /README\.md: is larger than 65536 bytes/,
    (base) => largeFile(base, "README.md", "x".repeat(70_000), 0),
  ],
];

describe("a push with a large object", () => {
  it("is refused with the object and the limit, in every form of the pack", () =>
    attack(async ({ base, push }) => {
      for (const [name, words, make] of largeObjects) {
        const { large, small, others, tip } = make(base);
        for (const [form, entries] of forms) {
          const pack = packWith([...others.map((one) => entryOf(one)), ...entries(large, small)]);
          expect([name, form, await push(tip, pack)]).toEqual([name, form, expect.stringMatching(words)]);
        }
      }
    }));

  it("is refused with very many values in several files", () =>
    attack(async ({ base, push }) => {
      const keys = Array.from({ length: 30_000 }, (_, i) => `"k${i}":""`).join();
      const blob = toGitObject("blob", `{${keys}}`);
      const names = Array.from({ length: 7 }, (_, i) => `f${i}.json.json`);
      const tree = rawTree(
        withEntries(base.folders[2], ...names.map((name) => ({ mode: "100644", name, oid: blob.oid }))),
      );
      const objects = [blob, ...commitWith(base, 2, tree)];
      expect(await push(objects.at(-1)?.oid ?? "", packWith(objects.map((one) => entryOf(one))))).toContain(
        "This push brings more than 200000 values",
      );
    }));

  it("is accepted where its files had as many values before", async () => {
    const { storage, repo: gitdir, token } = await setUpHostile();
    const repo = new BareRepo(new DurableFs(nodeFs), gitdir);
    const { send } = pusherOn(storage, token, { bodyValues: 4 });
    const push = async (value: string, ...names: readonly string[]): Promise<string> => {
      const parent = repo.main.read();
      const text = `{\n  "a": "${value}",\n  "b": "B",\n  "c": "C"\n}\n`;
      const files = Object.fromEntries(names.map((name) => [`locales/en/${name}.json.json`, text]));
      return (await send(await makePush(repo, { ref, parent, before: parent, files }))).text();
    };
    for (const name of ["f1", "f2"]) expect(await push("A", name)).toContain(`ok ${ref}`);
    expect(await push("changed", "f1", "f2")).toContain(`ok ${ref}`);
    expect(await push("A", "f3", "f4")).toContain("This push brings more than 4 values");
  });

  it("is refused where the objects that others are differences to are large together", () =>
    attack(async ({ base, gitdir, repo, push }) => {
      const bases = Array.from({ length: 17 }, (_, i) => toGitObject("blob", `${i}`.padEnd(1024 * 1024)));
      const tree = rawTree(sorted(bases.map(({ oid }) => ({ mode: "100644", name: oid, oid }))));
      await repo.writeObjects([...bases, tree]);
      await git(gitdir, "update-ref", "refs/tags/large", tree.oid);
      const small = toGitObject("blob", "{}\n");
      const deltas = bases.map(({ oid }) => deltaTo(toName, Buffer.from(oid, "hex"), 1024 * 1024, small));
      expect(await push(base.main, packWith(deltas))).toContain(
        "stored as differences to are larger than 16777216 bytes together",
      );
    }));
});

/** Objects that no ref reaches, by their types; and names that nothing has. */
interface Hidden {
  readonly commit: string;
  readonly root: string;
  readonly locale: string;
  readonly blob: string;
  readonly tag: string;
}

/** A push that names an object which it does not bring. */
type Naming = (
  base: PushBase,
  hidden: Hidden,
) => { readonly tip: string; readonly entries: readonly Buffer[] };

/** A commit whose folder at a level has an entry that was not sent. */
function naming(base: PushBase, level: number, entry: RawEntry): ReturnType<Naming> {
  const objects = commitWith(base, level, rawTree(withEntries(base.folders[level], entry)));
  return { tip: objects.at(-1)?.oid ?? "", entries: objects.map((one) => entryOf(one)) };
}

function commitLines(tree: string, ...parents: readonly string[]): ReturnType<Naming> {
  const all = [`tree ${tree}`, ...parents.map((one) => `parent ${one}`), `author ${who}`, `committer ${who}`];
  const commit = rawCommit([...all, "", "x\n"]);
  return { tip: commit.oid, entries: [entryOf(commit)] };
}

/** What is stored as a difference to an object that was not sent. */
function based(base: PushBase, oid: string, from: number, object: GitObject): ReturnType<Naming> {
  const { tip, entries } = commitLines(rootOf(base).oid, base.main);
  return withBase(base, {
    tip,
    entries: [...entries, deltaTo(toName, Buffer.from(oid, "hex"), from, object)],
  });
}

/** Adds what is stored as a difference to a visible object, so that git needs one of the repository in any case. */
function withBase(base: PushBase, { tip, entries }: ReturnType<Naming>): ReturnType<Naming> {
  const root = rootOf(base);
  const from = splitObject(root.bytes).content.length;
  const delta = deltaTo(toName, Buffer.from(root.oid, "hex"), from, toGitObject("tree", new Uint8Array()));
  return { tip, entries: [...entries, delta] };
}

const hiddenBlob = toGitObject("blob", '[submodule "x"]\n\tpath = ../x\n\turl = -x\n');
const hiddenFolder = rawTree([{ mode: "100644", name: "no.txt", oid: hiddenBlob.oid }]);
const hiddenSize = splitObject(hiddenBlob.bytes).content.length;

const namings: readonly (readonly [string, Naming])[] = [
  ["the tip, a commit", (_, { commit }) => ({ tip: commit, entries: [entryOf(hiddenFolder)] })],
  ["the tip, a tag", (_, { tag }) => ({ tip: tag, entries: [] })],
  ["the tip, a tree", (_, { root }) => ({ tip: root, entries: [] })],
  ["the tip, a blob", (_, { blob }) => ({ tip: blob, entries: [] })],
  ["a parent", (base, { commit }) => commitLines(rootOf(base).oid, commit)],
  ["a second parent", (base, { commit }) => commitLines(rootOf(base).oid, base.main, commit)],
  ["a parent that is a tag", (base, { tag }) => commitLines(rootOf(base).oid, tag)],
  ["a tree", (base, { root }) => commitLines(root, base.main)],
  ["a tree that is a commit", (base, { commit }) => commitLines(commit, base.main)],
  [
    "a folder at the root",
    (base, { locale: oid }) => naming(base, 0, { mode: "40000", name: "locales", oid }),
  ],
  ["a folder of a locale", (base, { locale: oid }) => naming(base, 1, { mode: "40000", name: "fr", oid })],
  ["a folder of no locale", (base, { locale: oid }) => naming(base, 1, { mode: "40000", name: "xx", oid })],
  ["a folder that is a file", (base, { blob: oid }) => naming(base, 1, { mode: "40000", name: "fr", oid })],
  ["a file", (base, { blob: oid }) => naming(base, 2, { mode: "100644", name: "app.json.json", oid })],
  [
    "a file that is a folder",
    (base, { root: oid }) => naming(base, 2, { mode: "100644", name: "a.json", oid }),
  ],
  ["a README", (base, { blob: oid }) => naming(base, 0, { mode: "100644", name: "README.md", oid })],
  ["a link", (base, { blob: oid }) => naming(base, 2, { mode: "120000", name: "a.json", oid })],
  ["a submodule", (base, { commit: oid }) => naming(base, 0, { mode: "160000", name: "x", oid })],
  ...[".gitmodules", ".gitattributes", ".mailmap"].flatMap((name): (readonly [string, Naming])[] => [
    [name, (base, { blob: oid }) => naming(base, 0, { mode: "100644", name, oid })],
    [
      `${name}, beside a base`,
      (base, { blob: oid }) => withBase(base, naming(base, 0, { mode: "100644", name, oid })),
    ],
  ]),
  ["a base", (base, { blob }) => based(base, blob, hiddenSize, toGitObject("blob", "{}\n"))],
  ["a base of another size", (base, { blob }) => based(base, blob, 5, toGitObject("blob", "{}\n"))],
  ["a base of what is damaged", (base, { root }) => based(base, root, 1, toGitObject("tree", "x"))],
  ["a base that is a commit", (base, { commit }) => based(base, commit, 7, toGitObject("commit", "x"))],
];

describe("a push that names an object which it does not bring", () => {
  it("gets the same answer for one that is hidden, and for one that does not exist", () =>
    attack(async ({ base, repo, push }) => {
      const license = { mode: "100644", name: "LICENSE", oid: hiddenBlob.oid };
      const root = rawTree(withEntries(base.folders[0], license));
      const commit = commitOf(base, root.oid);
      const tag = toGitObject("tag", `object ${commit.oid}\ntype commit\ntag v9\ntagger ${who}\n\nx\n`);
      await repo.writeObjects([hiddenBlob, hiddenFolder, root, commit, tag]);
      const hidden: Hidden = {
        commit: commit.oid,
        root: root.oid,
        locale: hiddenFolder.oid,
        blob: hiddenBlob.oid,
        tag: tag.oid,
      };
      const other = (oid: string): string => oid.slice(20) + oid.slice(0, 20);
      const missing: Hidden = {
        commit: other(commit.oid),
        root: other(root.oid),
        locale: other(hiddenFolder.oid),
        blob: other(hiddenBlob.oid),
        tag: other(tag.oid),
      };
      for (const [name, make] of namings) {
        const answers: string[] = [];
        for (const names of [hidden, missing]) {
          const { tip, entries } = make(base, names);
          const answer = await push(tip, packWith(entries));
          answers.push(answer.replaceAll(/\b[0-9a-f]{10,40}\b|offset [0-9]+/g, "…"));
        }
        expect([name, answers[0]]).toEqual([name, answers[1]]);
      }
    }));
});

const forged: readonly (readonly [string, readonly string[], RegExp])[] = [
  ...[
    "utf-16le",
    "utf-16be",
    "UTF-16",
    "ucs-2",
    "iso-10646-ucs-2",
    "latin1",
    "iso-2022-jp",
    "x",
    "utf-8 x",
    "",
  ].map((name) => [`the encoding "${name}"`, ["", `encoding ${name}`], /is not in UTF-8/] as const),
  ["two encodings", ["", "encoding utf-8", "encoding utf-16le"], /is not in UTF-8/],
  ["bytes that are no UTF-8", ["Mallory <m@x\xff> 1700000000 +0000"], /is not in UTF-8/],
  ...[
    "Skep <skep@skep.invalid>",
    "Skep <SKEP@skep.invalid>",
    "x < skep@skep.invalid>",
    "x <skep@skep.invalid >",
    "x <\tskep@skep.invalid>",
    "<Skep@Skep.Invalid>",
  ].map((who) => [`the committer ${who}`, [`${who} 1700000000 +0000`], /names Skep|git refuses/] as const),
  [
    "Skep as its committer in another encoding",
    ["Skep <skep@skep.invalid> 1700000000 +0000", "encoding utf-16le"],
    /names Skep/,
  ],
  ["a second committer", ["", "committer Skep <skep@skep.invalid> 1700000000 +0000"], /names Skep/],
];

describe("a pushed commit", () => {
  it("is refused where it may be read as one of Skep's, or in another encoding than UTF-8", () =>
    attack(async ({ base, push }) => {
      for (const [name, [committer, ...more], words] of forged) {
        const commit = rawCommit([
          `tree ${rootOf(base).oid}`,
          `parent ${base.main}`,
          `author ${who}`,
          `committer ${committer || who}`,
          ...more,
          "",
          "Sync\n\nOperation: sync\nToken: x\nIdempotency-Key: y\n",
        ]);
        const answer = await push(commit.oid, packWith([entryOf(commit)]));
        expect([name, answer]).toEqual([name, expect.stringMatching(words)]);
      }
    }));
});
