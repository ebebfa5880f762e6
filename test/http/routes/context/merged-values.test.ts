/**
 * Merges and undos of every kind of value that follows strings: from one table, whichever side changes it, and
 * whichever moves the strings.
 */
import { beforeEach, describe, expect, it } from "vitest";
import { toBranchName, type HiveBranch } from "../../../../src/domain/commits/branch-name.ts";
import { toLocale } from "../../../../src/domain/hives/locale.ts";
import { toHiveSlug } from "../../../../src/domain/names.ts";
import type { Snapshot } from "../../../../src/store/content/snapshot.ts";
import { verify } from "../../../../src/service/operations/verify.ts";
import { png } from "../../../domain/pictures/images.ts";
import { prepareWeb, type Call } from "../../../helpers/storage.ts";
import { staleKind } from "../../../../src/domain/sidecars/stale.ts";
import { reviewKind } from "../../../../src/domain/sidecars/review.ts";
import { acceptedKind } from "../../../../src/domain/sidecars/accepted.ts";
import { notesKind } from "../../../../src/domain/notes/notes-kind.ts";
import { ownersKind, putValue, useMoreKinds, votesKind } from "../../../helpers/model/more-kinds.ts";
import { fileNamed } from "../../../helpers/hive.ts";
import type { Sidecar } from "../../../../src/domain/sidecars/sidecar.ts";

const hive = "/api/hives/web";
const slug = toHiveSlug("web");
type Side = "main" | "branch";
type Send = (
  method: string,
  path: string,
  body?: object,
  headers?: Record<string, string>,
) => Promise<string>;

const sendOn =
  (call: Call, side: Side): Send =>
  async (method, path, body, headers = {}) => {
    const query = side === "main" ? "" : `${path.includes("?") ? "&" : "?"}branch=b`;
    const { status, text } = await call(method, hive + path + query, { body, headers });
    expect(status, text).toBeLessThan(300);
    return text;
  };

const file = "a.php";
const translated = (texts: object) => ({ files: { [file]: texts }, overwrite_strategy: "overwrite" });
const translate = (send: Send, texts: object) => send("POST", "/translations/fr", translated(texts));
const byModel = (send: Send, texts: object) =>
  send("POST", "/translations/fr", translated(texts), { "x-commit-origin": "model" });
const accept = (send: Send, key: string) =>
  send("POST", "/checks/accept", { locale: "fr", file, key, check: "argument-extra" });
const note = (send: Send, key: string, text: string | null) =>
  send("PATCH", "/notes", { files: { [file]: { [key]: { note: text } } } });
const show = (send: Send, key: string, size: number) =>
  send("POST", "/pictures", {
    name: "a.png",
    content: png(size, size).toString("base64"),
    strings: [`${file}:${key}`],
    boxes: [{ string: `${file}:${key}`, x: 0, y: 0, width: 1, height: 1 }],
  });

useMoreKinds();

const prepared = prepareWeb(
  { locales: ["fr"], token: { abilities: ["admin"] } },
  async ({ call, storage }) => {
    const send = sendOn(call, "main");
    const texts = { old: "Old", waits: "Waits", wrong: "Wrong", more: "More", plain: "Plain" };
    await send("PUT", "/strings", { files: { [file]: texts } });
    const french = { old: "Vieux", waits: "Attend", wrong: "Faux :x", more: "Plus :x", plain: "Simple" };
    await translate(send, french);
    await send("POST", "/strings", { files: { [file]: { old: "Older" } } });
    await byModel(send, { waits: "Patiente" });
    await accept(send, "wrong");
    await note(send, "old", "Of wine");
    await show(send, "old", 2);
    await send("POST", "/pictures", {
      name: "pattern.png",
      content: png(4, 4).toString("base64"),
      strings: [`${file}:wro*`],
    });
    const old = { file: fileNamed(file), key: "old" };
    await putValue(storage, slug, votesKind, old, { text: "Vieux", by: "Bob" });
    await putValue(storage, slug, ownersKind, old, "Bob");
    await send("POST", "/branches", { name: "b" });
  },
);

let web: Awaited<ReturnType<typeof prepared>>;
const sides = {
  main: sendOn((...sent) => web.call(...sent), "main"),
  branch: sendOn((...sent) => web.call(...sent), "branch"),
};
beforeEach(async () => {
  web = await prepared();
});

const valuesOf = async <V>({ values }: Snapshot, kind: Sidecar<V>): Promise<readonly string[]> =>
  Array.from(await values.of(kind).files(toLocale("fr").code)).flatMap(([name, keys]) =>
    Array.from(keys, ([key, value]) => `${name} ${key}: ${JSON.stringify(kind.toJson(value))}`),
  );

/** Sets a value of a kind that has no route, or removes it. */
const put =
  <V>(kind: Sidecar<V>, key: string, value: V | undefined) =>
  (_: Send, side: Side): Promise<unknown> =>
    putValue(web.storage, placeOf(side), kind, { file: fileNamed(file), key }, value);

interface Kind {
  /** What is stored, a row for each value. */
  readonly rows: (snapshot: Snapshot) => Promise<readonly string[]>;
  /** Adds a value. */
  readonly gives: (send: Send, side: Side) => Promise<unknown>;
  /** Takes back the value that both sides begin with. */
  readonly takes: (send: Send, side: Side) => Promise<unknown>;
  /** Another change of that value, which is a conflict. */
  readonly differs?: (send: Send) => Promise<unknown>;
}

const kinds: Readonly<Record<string, Kind>> = {
  stale: {
    rows: (snapshot) => valuesOf(snapshot, staleKind),
    gives: (send) => send("POST", "/strings", { files: { [file]: { plain: "Plainer" } } }),
    takes: (send) => send("POST", "/stale/confirm", { locale: "fr", file, keys: ["old"] }),
    differs: (send) => translate(send, { old: "Ancien" }),
  },
  accepted: {
    rows: (snapshot) => valuesOf(snapshot, acceptedKind),
    gives: (send) => accept(send, "more"),
    takes: (send) =>
      send("DELETE", "/checks/accept", { locale: "fr", file, key: "wrong", check: "argument-extra" }),
  },
  review: {
    rows: (snapshot) => valuesOf(snapshot, reviewKind),
    gives: (send) => byModel(send, { plain: "Ordinaire" }),
    takes: (send) => send("POST", "/review/approve", { locale: "fr", file, keys: ["waits"] }),
    differs: (send) => byModel(send, { waits: "Attendez" }),
  },
  notes: {
    rows: (snapshot) => valuesOf(snapshot, notesKind),
    gives: (send) => note(send, "plain", "Of cooking"),
    takes: (send) => note(send, "old", null),
    differs: (send) => note(send, "old", "Of cheese"),
  },
  "translations, declared here": {
    rows: (snapshot) => valuesOf(snapshot, votesKind),
    gives: put(votesKind, "plain", { text: "Simple", by: "Ann" }),
    takes: put(votesKind, "old", undefined),
  },
  "strings, declared here": {
    rows: (snapshot) => valuesOf(snapshot, ownersKind),
    gives: put(ownersKind, "plain", "Ann"),
    takes: put(ownersKind, "old", undefined),
  },
  pictures: {
    rows: async ({ pictures }) =>
      Array.from((await pictures.read()).values(), ({ strings, boxes, hash }) =>
        JSON.stringify([hash, strings, boxes]),
      ),
    gives: (send) => show(send, "plain", 3),
    takes: async (send) => {
      const { data } = JSON.parse(await send("GET", "/pictures"));
      return send("DELETE", `/pictures/${data[0].hash}`);
    },
  },
};

const placeOf = (side: Side): HiveBranch => (side === "main" ? slug : { slug, branch: toBranchName("b") });

async function rowsOn(side: Side, { rows }: Kind): Promise<readonly string[]> {
  return (await rows(await web.storage.hives.at(placeOf(side)).snapshot())).toSorted();
}

const merge = (body: object = {}) => web.call("POST", `${hive}/branches/b/merge`, { body });
const other = (side: Side): Side => (side === "main" ? "branch" : "main");

async function expectSound(): Promise<void> {
  const problems = [];
  for await (const { problem } of verify(web.storage, { repair: false })) problems.push(problem);
  expect(problems).toEqual([]);
}

const changes = Object.entries(kinds).flatMap(([name, kind]) =>
  (["gives", "takes"] as const).flatMap((what) =>
    (["main", "branch"] as const).map((side) => [name, what, side, kind] as const),
  ),
);

describe("an undo of a value", () => {
  it.each(changes.filter(([, , side]) => side === "main"))(
    "takes the change of %s (%s) back where its strings were moved since",
    async (_, what, __, kind) => {
      const before = await rowsOn("main", kind);
      await kind[what](sides.main, "main");
      const { json } = await web.history();
      await sides.main("POST", "/keys/move", { moves: [{ from: { file }, to: { file: "moved.php" } }] });
      await sides.main("POST", "/undo", { commit: json.data[0].commit });
      expect(await rowsOn("main", kind)).toEqual(
        before.map((row) => row.replaceAll(file, "moved.php")).toSorted(),
      );
      await expectSound();
    },
  );
});

describe("a merge of values", () => {
  it.each(changes)("has the change of %s (%s) on %s", async (_, what, side, kind) => {
    const before = await rowsOn(side, kind);
    await kind[what](sides[side], side);
    await note(sides[other(side)], "more", "Something else");
    const changed = (await rowsOn(side, kind)).filter((row) => !row.includes("Something else"));
    expect(changed).not.toEqual(before);
    expect((await merge()).status).toBe(200);
    expect((await rowsOn("main", kind)).filter((row) => !row.includes("Something else"))).toEqual(changed);
    await expectSound();
  });

  it.each(changes)(
    "has the change of %s (%s) on %s, of strings that the other side moves",
    async (_, what, side, kind) => {
      await kind[what](sides[side], side);
      const moves = [{ from: { file }, to: { file: "moved.php" } }];
      await sides[other(side)]("POST", "/keys/move", { moves });
      const changed = await rowsOn(side, kind);
      expect((await merge()).status).toBe(200);
      expect(await rowsOn("main", kind)).toEqual(
        changed.map((row) => row.replaceAll(file, "moved.php")).toSorted(),
      );
      await expectSound();
    },
  );

  it.each(changes.filter(([, , side]) => side === "main"))(
    "has the change of %s (%s) that both sides made",
    async (_, what, __, kind) => {
      for (const both of ["main", "branch"] as const) await kind[what](sides[both], both);
      const changed = await rowsOn("main", kind);
      expect((await merge()).status).toBe(200);
      expect(await rowsOn("main", kind)).toEqual(changed);
      await expectSound();
    },
  );

  it.each(
    Object.entries(kinds)
      .flatMap(([name, kind]) => (["main", "branch"] as const).map((winner) => [name, winner, kind] as const))
      .filter(([, , { differs }]) => differs !== undefined),
  )(
    "is refused where both sides change the %s, and has that of %s where it wins",
    async (_, winner, kind) => {
      await kind.takes(sides.main, "main");
      await kind.differs?.(sides.branch);
      const won = await rowsOn(winner, kind);
      expect(await merge()).toMatchObject({ status: 409, json: { code: "merge_conflict", total: 1 } });
      expect((await merge({ on_conflict: winner })).status).toBe(200);
      expect(await rowsOn("main", kind)).toEqual(won);
      await expectSound();
    },
  );
});

describe("a merge of strings that one side has changed and the other deleted", () => {
  const changed = { old: "Oldest", waits: "Waiting", wrong: "Wronger" };
  const left = { more: "More", plain: "Plain" };

  it.each(
    Object.entries(kinds).flatMap(([name, kind]) =>
      (["main", "branch"] as const).flatMap((changing) =>
        (["main", "branch"] as const).map((winner) => [name, changing, winner, kind] as const),
      ),
    ),
  )("has the %s of the side that wins: changed on %s, of %s", async (_, changing, winner, kind) => {
    await sides[changing]("POST", "/strings", { files: { [file]: changed } });
    await sides[other(changing)]("PUT", "/strings", { files: { [file]: left } });
    const won = await rowsOn(winner, kind);
    expect((await merge({ on_conflict: winner })).status).toBe(200);
    expect(await rowsOn("main", kind)).toEqual(won);
    await expectSound();
  });
});

it.each([
  ["main", true],
  ["branch", true],
  ["main", false],
  ["branch", false],
] as const)(
  "a text that %s approves, and that the other side confirms for another source text, waits where that waits: %s",
  async (approving, isReviewed) => {
    await sides[approving]("POST", "/review/approve", { locale: "fr", file, keys: ["waits"] });
    const confirming = sides[other(approving)];
    await confirming("POST", "/strings", { files: { [file]: { waits: "Is waiting" } } });
    if (isReviewed) {
      // The confirmation is of a text that waits for its writer already; this one is new.
      await confirming("POST", "/review/approve", { locale: "fr", file, keys: ["waits"] });
      await confirming("POST", "/strings", { files: { [file]: { waits: "Still waits" } } });
    }
    await confirming(
      "POST",
      "/stale/confirm",
      { locale: "fr", file, keys: ["waits"] },
      isReviewed ? { "x-commit-origin": "model" } : {},
    );
    expect((await merge()).status).toBe(200);
    const waiting = JSON.parse(await sides.main("GET", "/review?locale=fr"));
    expect(waiting.data.map(({ key }: { key: string }) => key)).toEqual(isReviewed ? ["waits"] : []);
    expect(JSON.parse(await sides.main("GET", "/stale?locale=fr")).data).toMatchObject([{ key: "old" }]);
    await expectSound();
  },
);
