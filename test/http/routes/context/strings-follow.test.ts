/** Whatever happens to strings, what belongs to one stays with it: after moves, deletions, merges and undos. */
import fc from "fast-check";
import { expect, it } from "vitest";
import { toBranchName } from "../../../../src/domain/commits/branch-name.ts";
import { toHiveSlug } from "../../../../src/domain/names.ts";
import { verify } from "../../../../src/service/operations/verify.ts";
import { runs } from "../../../helpers/runs.ts";
import type { Storage } from "../../../../src/service/storage.ts";
import { setUpWeb, type Call } from "../../../helpers/storage.ts";

const hive = "/api/hives/web";
const branches = [undefined, "b"] as const;
type Branch = (typeof branches)[number];

/** Texts by key, by file. Each text is that of one string, by which its notes and its translation are known. */
type Files = Record<string, Record<string, string>>;

const on = (path: string, branch: Branch, query = ""): string => {
  const params = [query, branch === undefined ? "" : `branch=${branch}`]
    .filter((one) => one !== "")
    .join("&");
  return `${hive}${path}${params === "" ? "" : `?${params}`}`;
};

interface Row {
  readonly file: string;
  readonly key: string;
  readonly source_value: string;
  readonly notes: unknown;
}

async function stringsIn(call: Call, branch: Branch): Promise<readonly Row[]> {
  return (await call("GET", on("/strings", branch, "include=notes"))).json.data;
}

const appNote = (text: string) => ({ note: `The app says of ${text}` });
const teamNote = (text: string) => ({ note: `The team says of ${text}` });
const french = (text: string): string => `${text} in French`;

/** The translations of the strings that are there, as `file key`. */
async function translationsIn(storage: Storage, of: Branch): Promise<ReadonlyMap<string, string>> {
  const slug = toHiveSlug("web");
  const place = of === undefined ? slug : { slug, branch: toBranchName(of) };
  const { source, translations } = await (await storage.hives.at(place).snapshot()).content("all");
  const rows = [...translations].flatMap(([, files]) =>
    [...files].flatMap(([name, texts]) =>
      Array.from(texts, ([at, text]): [string, string] => [`${name} ${at}`, text]),
    ),
  );
  const there = new Set(
    [...source].flatMap(([name, { texts: own }]) => Array.from(own.keys(), (at) => `${name} ${at}`)),
  );
  expect(rows.map(([at]) => at).filter((at) => !there.has(at))).toEqual([]);
  return new Map(rows);
}

/** Sends files with what the app says of their strings, says what the team says of each, and translates them. */
async function sync(call: Call, branch: Branch, files: Files, detectsMoves: boolean): Promise<void> {
  const notes = Object.fromEntries(
    Object.entries(files).map(([file, texts]) => [
      file,
      Object.fromEntries(Object.entries(texts).map(([key, text]) => [key, appNote(text)])),
    ]),
  );
  const query = detectsMoves ? "detect_moves=true" : "";
  const reply = await call("PUT", on("/strings", branch, query), { body: { files, notes } });
  expect(reply.status).toBe(200);
  const said: Record<string, Record<string, object>> = {};
  const translated: Files = {};
  for (const { file, key, source_value: text } of await stringsIn(call, branch)) {
    (said[file] ??= {})[key] = teamNote(text);
    (translated[file] ??= {})[key] = french(text);
  }
  expect((await call("PATCH", on("/notes", branch), { body: { files: said } })).status).toBe(200);
  const body = { files: translated, overwrite_strategy: "overwrite" };
  expect((await call("POST", on("/translations/fr", branch), { body })).status).toBe(200);
}

const key = fc.constantFrom("a", "b", "c", "n.a", "n.b");
const file = fc.constantFrom("x.json", "y.json");
const branch = fc.constantFrom(...branches);
const operations = fc.array(
  fc.oneof(
    fc.record({
      kind: fc.constant("sync"),
      branch,
      file,
      keys: fc.uniqueArray(key),
      detectsMoves: fc.boolean(),
    }),
    fc.record({ kind: fc.constant("move"), branch, file, key, toFile: file, toKey: key }),
    fc.record({ kind: fc.constant("rename"), branch, file, toFile: fc.constantFrom("x.json", "z.json") }),
    fc.record({ kind: fc.constant("merge"), into: branch, winner: fc.constantFrom("main", "branch") }),
    fc.record({ kind: fc.constant("undo"), branch, which: fc.nat(7) }),
  ),
  { minLength: 3, maxLength: 10 },
);
type Operation = typeof operations extends fc.Arbitrary<(infer One)[]> ? One : never;

/** Histories in which notes came from another side than their strings. */
const formerFaults: readonly (readonly Operation[])[] = [
  // A move that cannot be made, as another string has the new place: a merge keeps the branch's string at the old one.
  [
    { kind: "move", branch: undefined, file: "x.json", key: "a", toFile: "x.json", toKey: "n.b" },
    { kind: "sync", branch: "b", file: "x.json", keys: ["a", "n.b"], detectsMoves: false },
    { kind: "sync", branch: undefined, file: "x.json", keys: ["n.b", "a"], detectsMoves: false },
    { kind: "merge", into: "b", winner: "branch" },
  ],
  // A string that main deleted and the branch moved, beside one that only moved: a merge for main brought it back.
  [
    { kind: "rename", branch: "b", file: "x.json", toFile: "z.json" },
    { kind: "sync", branch: undefined, file: "x.json", keys: ["a"], detectsMoves: false },
    { kind: "merge", into: undefined, winner: "main" },
  ],
];

let texts = 0;

async function apply(call: Call, one: Operation): Promise<void> {
  if (one.kind === "sync") {
    const present = await stringsIn(call, one.branch);
    const here = new Map(
      present.filter((row) => row.file === one.file).map((row) => [row.key, row.source_value]),
    );
    const wanted = new Set<string>(one.keys);
    const gone = [...here].filter(([name]) => !wanted.has(name)).map(([, text]) => text);
    // A key keeps its text; of new keys some have the texts of those that go, and others are new.
    const sent = one.keys.map(
      (name, i) => [name, here.get(name) ?? (i % 2 === 0 ? gone.pop() : undefined) ?? `T${texts++}`] as const,
    );
    return sync(call, one.branch, { [one.file]: Object.fromEntries(sent) }, one.detectsMoves);
  }
  if (one.kind === "move" || one.kind === "rename") {
    const [from, to] =
      one.kind === "move"
        ? [
            { file: one.file, key: one.key },
            { file: one.toFile, key: one.toKey },
          ]
        : [{ file: one.file }, { file: one.toFile }];
    // Some moves cannot be made.
    await call("POST", on("/keys/move", one.branch), { body: { moves: [{ from, to }] } });
  } else if (one.kind === "merge") {
    const how = one.into === undefined ? "merge" : "update";
    await call("POST", `${hive}/branches/b/${how}`, { body: { on_conflict: one.winner } });
  } else {
    const { data } = (await call("GET", on("/history", one.branch))).json;
    const undoable = data.filter(
      ({ operation }: { operation: string }) =>
        !["note", "create-hive", "import-translations"].includes(operation),
    );
    const { commit } = undoable[one.which % Math.max(1, undoable.length)] ?? {};
    if (commit !== undefined)
      await call("POST", on("/undo", one.branch), { body: { commit, on_conflict: "skip" } });
  }
}

it("what is said about a string stays with it, and its translation", async () => {
  await fc.assert(
    fc.asyncProperty(operations, async (all) => {
      const { call, storage } = await setUpWeb({ locales: ["fr"] });
      await sync(call, undefined, { "x.json": { a: "A", "n.a": "NA" }, "y.json": { b: "B" } }, false);
      await call("POST", `${hive}/branches`, { body: { name: "b" } });
      for (const one of all) {
        await apply(call, one);
        for (const each of branches) {
          const translations = await translationsIn(storage, each);
          for (const { file: name, key: at, source_value: text, notes } of await stringsIn(call, each)) {
            expect(notes).toEqual({ app: appNote(text), team: teamNote(text) });
            expect(translations.get(`${name} ${at}`)).toBe(french(text));
          }
          expect((await call("GET", on("/stale", each, "locale=fr"))).json.meta.total).toBe(0);
        }
      }
      for await (const { problem } of verify(storage, { repair: false })) expect(problem).toBeUndefined();
    }),
    { numRuns: runs(15), examples: formerFaults.map((all): [Operation[]] => [[...all]]) },
  );
});
