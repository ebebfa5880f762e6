/** Moving source strings over HTTP: asked for, and detected by a sync. */
import { beforeEach, describe, expect, it } from "vitest";
import { toHiveSlug } from "../../../src/domain/names.ts";
import type { Storage } from "../../../src/service/storage.ts";
import { hiveAt } from "../../helpers/http/hive-api.ts";
import { harness, makeToken, type Call, prepareWeb } from "../../helpers/storage.ts";

const slug = toHiveSlug("web");
const base = "/api/hives/web";
let storage: Storage;
let call: Call;
let callWriteOnly: Call;
const { post, translate, head, put, undo, exported } = hiveAt(() => call);

const prepared = prepareWeb({ locales: ["fr", "de"] }, async (web) => {
  ({ call } = web);
  await post({ "a.php": { x: "X", n: { y: "Y" }, z: "Z" } });
  await translate("fr", { "a.php": { x: "FX", "n.y": "FY" } });
  return makeToken(web.storage, { abilities: ["write"] });
});
beforeEach(async () => {
  const web = await prepared();
  ({ storage, call } = web);
  ({ call: callWriteOnly } = harness(storage, web.made));
});

const sync = (files: unknown, query = "detect_moves=true", more: object = {}) =>
  put(files, { query, body: more });

/** `a.php: old -> b.php: new`; without keys the files. */
function toMove(text: string) {
  const [from = {}, to = {}] = text.split(" -> ").map((place) => {
    const [file, key] = place.split(": ");
    return { file, key };
  });
  return { from, to };
}

const move = (moves: string[], query = "", options: object = {}) =>
  call("POST", `${base}/keys/move${query}`, { body: { moves: moves.map(toMove) }, ...options });

async function strings(): Promise<Record<string, string>> {
  const { json } = await call("GET", `${base}/strings`);
  return Object.fromEntries(
    json.data.map((one: Record<string, string>) => [`${one.file}: ${one.key}`, one.source_value]),
  );
}

async function french(): Promise<Record<string, unknown>> {
  const { json } = await exported("locale=fr&names=hive");
  const read = Object.entries<string>(json.files).map(([file, text]) => [file, JSON.parse(text)]);
  return Object.fromEntries(read);
}

async function stale(): Promise<string[]> {
  const { json } = await call("GET", `${base}/stale`);
  return json.data.map((one: Record<string, string>) => `${one.locale} ${one.key} ${one.old_source_value}`);
}

const tree = async () => (await storage.hives.at(slug).snapshot()).tree.oid;

async function messageAtHead(): Promise<string> {
  return (await storage.hives.at(slug).revisions.history.readCommit(await head())).message;
}

describe("POST /keys/move", () => {
  it("moves strings, groups and files with translations and stale markers in one commit", async () => {
    await post({ "a.php": { x: "X2" }, "b.php": { b: "B", c: "C" } });
    const { status, json } = await move([
      "a.php: x -> a.php: deep.x",
      "a.php: n -> c.php: m",
      "b.php -> d.php",
    ]);
    expect([status, json]).toEqual([200, { moved: 4, translations_moved: 2, translations_deleted: 0 }]);
    expect(await strings()).toEqual({
      "a.php: deep.x": "X2",
      "a.php: z": "Z",
      "c.php: m.y": "Y",
      "d.php: b": "B",
      "d.php: c": "C",
    });
    expect(await french()).toMatchObject({ "a.php": { "deep.x": "FX" }, "c.php": { "m.y": "FY" } });
    expect(await stale()).toEqual(["fr deep.x X"]);
    expect((await messageAtHead()).replace(/^Token: .*\n/m, "")).toBe(
      [
        "Move 4 source strings with 2 translations\n",
        "Operation: move",
        "Moved: 4",
        "Translations-Moved: 2",
        "Translations-Deleted: 0",
        'Move: ["b.php","d.php"]',
        'Move: ["a.php","x","a.php","deep.x"]',
        'Move: ["a.php","n.y","c.php","m.y"]\n',
      ].join("\n"),
    );
  });

  it("lets strings change places, and writes nothing for no move", async () => {
    expect((await move(["a.php: x -> a.php: z", "a.php: z -> a.php: x"])).json.moved).toBe(2);
    expect(await strings()).toMatchObject({ "a.php: x": "Z", "a.php: z": "X" });
    expect(await french()).toMatchObject({ "a.php": { z: "FX" } });
    const before = await head();
    expect((await move([])).json).toEqual({ moved: 0, translations_moved: 0, translations_deleted: 0 });
    expect(await head()).toBe(before);
  });

  it.each<[string[], string, string]>([
    [["a.php: x -> a.php: q", "a.php: no -> a.php: r"], "moves[1].from.key", 'a.php has no key "no"'],
    [["no.php -> b.php"], "moves[0].from.file", 'there is no file "no.php"'],
    [["a.php: x -> a.php: z"], "moves[0].to", "a.php: z exists"],
    [["a.php: x -> a.php: x"], "moves[0].to", "a.php: x is where it is already"],
    [
      ["a.php: x -> a.php: q", "a.php: x -> a.php: r"],
      "moves[1].from",
      "a.php: x is moved by moves[0] already",
    ],
    [["a.php: x -> a.php: q", "a.php: z -> a.php: q"], "moves[1].to", "is where moves[0] moves to already"],
    [["a.php: n -> a.php: z", "a.php: n.y -> a.php: q"], "moves[1].from", "is moved by moves[0] already"],
    [["a.php -> b.php: q"], "moves[0]", "must have a key in both from and to, or in neither"],
    [["a.php: x -> .b: q"], "moves[0].to.file", "must have no part that starts with a dot"],
    [["a.php: x -> A.php: x"], "moves[0].to.file", "A.php differs from the file a.php only by case"],
    [["l.php: l.0 -> l.php: q"], "moves[0].from.key", "is an element of a list"],
    [["a.php: x -> l.php: l.2"], "moves[0].to.key", "would be an element of a list"],
  ])("refuses %j", async (moves, field, problem) => {
    await post({ "l.php": { l: ["one", "two"] } });
    const before = await head();
    const { status, json } = await move(moves);
    expect(status).toBe(422);
    expect(Object.keys(json.errors)).toContain(field);
    expect(json.errors[field].join()).toContain(problem);
    expect(await head()).toBe(before);
  });

  it("refuses what is no list of moves, and names the place", async () => {
    const { status, json } = await call("POST", `${base}/keys/move`, {
      body: { moves: [{ from: { file: "a.php", key: "x" }, to: { file: 1 } }] },
    });
    expect([status, Object.keys(json.errors)]).toEqual([422, ["moves.0.to.file"]]);
  });

  it("lists the moves of a dry run to callers that can read", async () => {
    const before = await head();
    const { json } = await move(["a.php: n -> b.php: m"], "?dry_run=true");
    expect(json).toEqual({
      moved: 1,
      translations_moved: 1,
      translations_deleted: 0,
      moves: [{ from: { file: "a.php", key: "n.y" }, to: { file: "b.php", key: "m.y" } }],
      commit: before,
      changes: [],
      changes_total: 0,
    });
    const body = { moves: [toMove("a.php: n -> b.php: m")] };
    const { json: told } = await callWriteOnly("POST", `${base}/keys/move?dry_run=true`, { body });
    expect(told).not.toHaveProperty("moves");
    expect(await head()).toBe(before);
  });

  it("obeys If-Match, and is done once under an Idempotency-Key", async () => {
    const refused = await move(["a.php: x -> a.php: q"], "", {
      headers: { "if-match": `"${"0".repeat(40)}"` },
    });
    expect(refused.status).toBe(412);
    const headers = { "idempotency-key": "once" };
    const first = await move(["a.php: x -> a.php: q"], "", { headers });
    const again = await move(["a.php: x -> a.php: q"], "", { headers });
    expect([again.status, again.json]).toEqual([200, first.json]);
  });

  it("needs the write ability", async () => {
    const { call: read } = harness(storage, await makeToken(storage, { abilities: ["read"] }));
    const { status } = await read("POST", `${base}/keys/move`, { body: { moves: [] } });
    expect(status).toBe(403);
  });

  it("names the plural forms that a torn plural string takes with it", async () => {
    await put({ "p.php": { p_one: "1", p_other: "n" } });
    await translate("fr", { "p.php": { p_one: "F1", p_many: "FM", p_other: "FN" } });
    const { json } = await move(["p.php: p_other -> p.php: rest"], "?dry_run=true");
    expect(json).toMatchObject({ translations_moved: 1, translations_deleted: 1 });
    expect(json.changes).toMatchObject([{ change: "deleted", locale: "fr", key: "p_many", before: "FM" }]);
    await move(["p.php: p -> q.php: q"]).then(({ status }) => expect(status).toBe(422));
    const whole = await move(["p.php: p_one -> q.php: q_one", "p.php: p_other -> q.php: q_other"]);
    expect(whole.json).toMatchObject({ moved: 2, translations_moved: 3, translations_deleted: 0 });
    expect(await french()).toMatchObject({ "q.php": { q_one: "F1", q_many: "FM", q_other: "FN" } });
  });
});

describe("PUT /strings?detect_moves", () => {
  it("moves a string that has another key, and counts it apart", async () => {
    const { json } = await sync({ "a.php": { x2: "X", n: { y: "Y" }, z: "Z2" } });
    expect(json).toEqual({
      created: 0,
      updated: 1,
      unchanged: 1,
      translations_cleared: 0,
      deleted: 0,
      moved: 1,
      ambiguous: 0,
    });
    expect(await french()).toMatchObject({ "a.php": { x2: "FX", "n.y": "FY" } });
    expect(await messageAtHead()).toContain("Sync source strings: 1 moved, 1 updated");
  });

  it("PUT /strings without detect_moves answers as ever", async () => {
    const { json } = await sync({ "a.php": { x2: "X", n: { y: "Y" }, z: "Z" } }, "");
    expect(json).toEqual({ created: 1, updated: 0, unchanged: 2, translations_cleared: 0, deleted: 1 });
    expect(await messageAtHead()).not.toContain("Move");
  });

  it("never guesses, and lists what may have been moved", async () => {
    await post({ "a.php": { x: "X", same: "X" } });
    const files = { "a.php": { x2: "X", n: { y: "Y" }, z: "Z" } };
    const dry = await sync(files, "detect_moves=true&dry_run=true");
    expect(dry.json).toMatchObject({
      moved: 0,
      ambiguous: 1,
      moves: [],
      ambiguous_moves: [
        {
          source_value: "X",
          from: [
            { file: "a.php", key: "x" },
            { file: "a.php", key: "same" },
          ],
          to: [{ file: "a.php", key: "x2" }],
        },
      ],
      deleted: 2,
      created: 1,
    });
    const { json } = await sync(files);
    expect(json.ambiguous_moves).toEqual(dry.json.ambiguous_moves);
    expect(await french()).toEqual({ "a.php": { "n.y": "FY" } });
  });

  it("tells callers that cannot read no names", async () => {
    await post({ "a.php": { x: "X", same: "X" } });
    const body = { files: { "a.php": { x2: "X", n: { y: "Y" } } } };
    const { json } = await callWriteOnly("PUT", `${base}/strings?detect_moves=1&dry_run=1`, { body });
    expect(json).toMatchObject({ moved: 0, ambiguous: 1, changes_total: 5 });
    for (const name of ["moves", "ambiguous_moves", "changes"]) expect(json).not.toHaveProperty(name);
  });

  it("takes a renamed file's keys by their names, other texts included", async () => {
    await post({ "a.php": { same: "Z" } });
    const { json } = await sync({ "a.php": {}, "b.php": { n: { y: "Y2" }, x: "X", z: "Z", same: "Z" } });
    expect(json).toMatchObject({ created: 0, updated: 1, unchanged: 0, deleted: 0, moved: 4, ambiguous: 0 });
    expect(await french()).toMatchObject({ "b.php": { x: "FX", "n.y": "FY" } });
    expect(await stale()).toEqual(["fr n.y Y"]);
    expect(await messageAtHead()).toContain('\nMove: ["a.php","b.php"]\n');
  });

  it("takes a move for no deletion", async () => {
    const query = "detect_moves=true&max_deletions=0";
    const moved = await sync({ "a.php": { x2: "X", n: { y: "Y" }, z: "Z" } }, query);
    expect([moved.status, moved.json.moved]).toEqual([200, 1]);
    expect((await sync({ "a.php": { x2: "X" } }, query)).json.code).toBe("too_many_deletions");
  });

  it("refuses a renamed file that cannot lie beside others", async () => {
    const { status, json } = await sync({
      "a.php": {},
      "B.php": { x: "X", n: { y: "Y" }, z: "Z" },
      "b.php": { b: "B" },
    });
    expect([status, Object.keys(json.errors)]).toEqual([422, [expect.stringMatching(/^files\.[bB]\.php$/)]]);
    expect((await sync({ "a.php": {}, "A.php": { x: "X", n: { y: "Y" }, z: "Z" } })).json.moved).toBe(3);
  });

  it("is answered again with its counts under an Idempotency-Key", async () => {
    const body = { files: { "a.php": { x2: "X", n: { y: "Y" }, z: "Z" } } };
    const options = { body, headers: { "idempotency-key": "k" } };
    const first = await call("PUT", `${base}/strings?detect_moves=1`, options);
    expect((await call("PUT", `${base}/strings?detect_moves=1`, options)).json).toEqual(first.json);
  });

  it("with a base moves what moved since the base, and follows moves since then", async () => {
    const start = await head();
    await move(["a.php: n -> b.php: m"]);
    await post({ "a.php": { w: "W" } });
    // The files know nothing of the move of `n`: they rename `x`, and change the text of `n.y`.
    const { status, json } = await sync(
      { "a.php": { x2: "X", n: { y: "Y2" }, z: "Z" } },
      `detect_moves=true&base=${start}`,
    );
    expect([status, json]).toMatchObject([200, { created: 0, updated: 1, deleted: 0, moved: 1 }]);
    expect(await strings()).toEqual({
      "a.php: w": "W",
      "a.php: x2": "X",
      "a.php: z": "Z",
      "b.php: m.y": "Y2",
    });
    expect(await french()).toMatchObject({ "a.php": { x2: "FX" }, "b.php": { "m.y": "FY" } });
  });

  it("with a base refuses a move of a string that has another name by now", async () => {
    const start = await head();
    await move(["a.php: x -> a.php: there"]);
    const files = { "a.php": { here: "X", n: { y: "Y" }, z: "Z" } };
    const { status, json } = await sync(files, `detect_moves=true&base=${start}`);
    expect([status, json.code]).toEqual([409, "base_conflict"]);
  });
});

describe("POST /undo of moves", () => {
  it.each<[string, () => Promise<unknown>]>([
    ["moves", () => move(["a.php: x -> b.php: x", "a.php: n -> a.php: m"])],
    ["a moved file", () => move(["a.php -> b.php"])],
    ["a sync that moved and changed", () => sync({ "a.php": { x2: "X", n: { y: "Y2" }, w: "W" } })],
    ["a sync of a renamed file", () => sync({ "a.php": {}, "b.php": { z: "Z2", x: "X", n: { y: "Y" } } })],
  ])("POST /undo takes %s back, and its undo makes them again", async (_, run) => {
    const before = await tree();
    await run();
    const after = await tree();
    const first = await undo(await head());
    expect(first.status).toBe(200);
    expect(first.json.moved).toBeGreaterThan(0);
    expect(await tree()).toBe(before);
    const again = await undo(await head());
    expect([again.status, again.json.moved]).toEqual([200, first.json.moved]);
    expect(await tree()).toBe(after);
  });

  it("POST /undo of a move keeps what was translated since", async () => {
    await move(["a.php: x -> b.php: q"]);
    const commit = await head();
    await translate("de", { "b.php": { q: "DX" } });
    const { status, json } = await undo(commit);
    expect([status, json]).toEqual([200, { restored: 0, updated: 0, deleted: 0, skipped: 0, moved: 1 }]);
    const { json: german } = await exported("locale=de&names=hive");
    expect(JSON.parse(german.files["a.php"])).toMatchObject({ x: "DX" });
  });

  it("POST /undo of an older commit finds its strings where they were moved to since", async () => {
    await translate("fr", { "a.php": { x: "FX2" } });
    const commit = await head();
    await move(["a.php: x -> b.php: q"]);
    await move(["b.php: q -> c.php: r"]);
    const { status, json } = await undo(commit);
    expect([status, json]).toMatchObject([200, { updated: 1 }]);
    expect(await french()).toMatchObject({ "c.php": { r: "FX" } });
  });

  it("POST /undo of a move is refused when the string is no more, and skips it when asked to", async () => {
    await move(["a.php: x -> a.php: q"]);
    const commit = await head();
    await put({ "a.php": { n: { y: "Y" }, z: "Z" } });
    const refused = await undo(commit);
    expect([refused.status, refused.json.code]).toEqual([409, "undo_conflict"]);
    const { json } = await undo(commit, { body: { on_conflict: "skip" } });
    expect(json).toMatchObject({ restored: 0, deleted: 0, moved: 0 });
  });
});

describe("GET /history of a moved key", () => {
  async function history(query: string): Promise<string[]> {
    const { json } = await call("GET", `${base}/history?${query}`);
    return json.data.map(({ operation, changes, moves }: HistoryItem) =>
      [
        operation,
        ...changes.map((one) => `${one.locale} ${one.file} ${one.key} ${one.before} ${one.after}`),
        ...(moves ?? []).map(({ from, to }) => `${from.file} ${from.key} to ${to.file} ${to.key}`),
      ].join(", "),
    );
  }

  interface HistoryItem {
    readonly operation: string;
    readonly changes: readonly Record<string, string | null>[];
    readonly moves?: readonly Record<"from" | "to", Record<string, string>>[];
  }

  it("GET /history?key= goes on through moves in both directions", async () => {
    await move(["a.php: x -> b.php: q"]);
    await translate("fr", { "b.php": { q: "FQ" } });
    await sync({ "b.php": {}, "c.php": { r: "X" } });
    await translate("fr", { "c.php": { r: "FR" } });
    const expected = [
      "import-translations, fr c.php r FQ FR",
      "sync, en b.php q X null, en c.php r null X, fr b.php q FQ null, fr c.php r null FQ, b.php q to c.php r",
      "import-translations, fr b.php q FX FQ",
      "move, en a.php x X null, en b.php q null X, fr a.php x FX null, fr b.php q null FX, a.php x to b.php q",
      "import-translations, fr a.php x null FX",
      "import, en a.php x null X",
    ];
    expect(await history("key=x")).toEqual(expected);
    expect(await history("key=q")).toEqual(expected);
    expect(await history("key=r&file=c.php")).toEqual(expected);
    expect(await history("key=x&locale=fr&operation=sync")).toEqual([
      "sync, fr b.php q FQ null, fr c.php r null FQ, b.php q to c.php r",
    ]);
  });

  it("GET /history?key= goes on through a renamed file", async () => {
    await move(["a.php -> b.php"]);
    expect(await history("key=n.y&file=b.php&locale=en")).toEqual([
      "move, en a.php n.y Y null, en b.php n.y null Y, a.php n.y to b.php n.y",
      "import, en a.php n.y null Y",
    ]);
  });

  it("GET /history?key= does not follow a string that came to the place of another", async () => {
    await move(["a.php: x -> a.php: q"]);
    await post({ "a.php": { x: "new" } });
    await move(["a.php: z -> a.php: w", "a.php: x -> a.php: z"]);
    expect(await history("key=w&locale=en")).toEqual([
      "move, en a.php w null Z, en a.php z Z new, a.php z to a.php w",
      "import, en a.php z null Z",
    ]);
  });

  it("GET /history?key= goes on through an undo of a move", async () => {
    await move(["a.php: x -> a.php: q"]);
    await undo(await head());
    expect((await history("key=q&locale=en")).map((one) => one.split(",")[0])).toEqual([
      "undo",
      "move",
      "import",
    ]);
  });

  it("GET /history?key= finds the moves of a commit that made too many to name", async () => {
    const keys = Array.from({ length: 1100 }, (_, i) => i);
    const strings = (prefix: string) => Object.fromEntries(keys.map((i) => [prefix + i, `text ${i}`]));
    await post({ "many.php": strings("k") });
    expect((await sync({ "many.php": strings("n") })).json.moved).toBe(1100);
    expect(await messageAtHead()).not.toContain("Move:");
    expect(await history("key=n5&locale=en")).toEqual([
      "sync, en many.php k5 text 5 null, en many.php n5 null text 5, many.php k5 to many.php n5",
      "import, en many.php k5 null text 5",
    ]);
    const undone = await undo(await head());
    expect(undone.json.moved).toBe(1100);
  });
});
