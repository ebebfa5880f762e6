/** Jobs that replace texts: only those that a machine was the last to write and that nobody has approved. */
import { beforeEach, describe, expect, it } from "vitest";
import { modelOf } from "../../../helpers/engines/answering.ts";
import { openJobServer, type JobServer } from "../../../helpers/engines/job-server.ts";
import { makeToken } from "../../../helpers/storage.ts";

let server: JobServer;

beforeEach(async () => {
  server = await openJobServer({ a: "Hello {{name}}", b: "Bye" });
});

const work = (answer: object) =>
  server.call("POST", "/api/hives/web/work/done", {
    body: { locale: "fr", items: [{ file: "a.json", key: "a", ...answer }] },
  });
const seen = (source: string, text: string) => ({
  expected: { source: { other: source }, translation: { other: text } },
});
const [was, now] = ["Hello {{name}}", "Hi {{name}}"];
const machines = "Salut {{name}}";
const replaced = `[fr] ${now}`;

/** Stores a machine's text that nobody reviews. */
async function writeUnreviewed(text: string): Promise<void> {
  const token = await makeToken(server.storage, { abilities: ["read", "write"], review: "never" });
  const written = await server.translate(
    "fr",
    { "a.json": { a: text } },
    { headers: { "x-commit-origin": "model" }, token },
  );
  expect([written.status, (await server.call("GET", "/api/hives/web/review?locale=fr")).json.data]).toEqual([
    200,
    [],
  ]);
}

/** What becomes of the text of `a`, whose source text changes after all that happened to it. */
const histories: readonly (readonly [title: string, happened: () => Promise<unknown>, text: string])[] = [
  ["a machine's", () => server.write({ a: machines }, "model"), replaced],
  ["a person's", () => server.write({ a: machines }), machines],
  ["a script's", () => server.write({ a: machines }, "script"), machines],
  [
    "a machine's that somebody has changed",
    async () => {
      await server.write({ a: "Bonjour {{name}}" }, "model");
      await server.write({ a: machines });
    },
    machines,
  ],
  [
    "a person's that a machine has changed",
    async () => {
      await server.write({ a: "Bonjour {{name}}" });
      await server.write({ a: machines }, "model");
    },
    replaced,
  ],
  [
    "a machine's that somebody has approved",
    async () => {
      await server.write({ a: machines }, "model");
      await work({ approve: true, ...seen(was, machines) });
    },
    machines,
  ],
  ["a machine's that nobody reviews", () => writeUnreviewed(machines), replaced],
  [
    "a machine's that nobody reviews, and that somebody has confirmed",
    async () => {
      await writeUnreviewed(machines);
      await server.changeSource({ a: "Hey {{name}}" });
      await work({ confirm: true, ...seen("Hey {{name}}", machines) });
    },
    machines,
  ],
  [
    "a machine's that nobody reviews, and that was changed and brought back",
    async () => {
      await writeUnreviewed(machines);
      const changed = await server.write({ a: "Coucou {{name}}" });
      const commit = changed.headers.get("x-skep-commit");
      await server.undo(commit);
    },
    machines,
  ],
];

describe("a stale text", () => {
  it.each(histories)("of %s", async (_, happened, text) => {
    await happened();
    await server.changeSource({ a: now });
    const isReplaced = text === replaced;
    const dry = await server.call("POST", "/api/hives/web/translate?dry_run=true", {
      body: { locales: ["fr"], want: ["stale"] },
    });
    expect(dry.json).toEqual({ items: isReplaced ? 1 : 0, characters: isReplaced ? now.length : 0 });
    expect(await server.finished({ want: ["stale"] })).toMatchObject({
      state: "done",
      want: ["stale"],
      saved: isReplaced ? 1 : 0,
      requests: isReplaced ? 1 : 0,
    });
    expect(await server.french()).toEqual({ a: text });
    // What a machine has replaced is its own again, and waits.
    expect(await server.finished({ want: ["stale"] })).toMatchObject({ requests: 0 });
  });

  it("of a machine that nobody reviews is replaced, also where its string has moved", async () => {
    await writeUnreviewed(machines);
    const moves = [{ from: { file: "a.json", key: "a" }, to: { file: "a.json", key: "c" } }];
    expect((await server.call("POST", "/api/hives/web/keys/move", { body: { moves } })).status).toBe(200);
    for (const source of ["One {{name}}", "Two {{name}}"]) {
      await server.changeSource({ c: source });
      expect(await server.finished({ want: ["stale"] })).toMatchObject({ saved: 1 });
      expect(await server.french()).toEqual({ c: `[fr] ${source}` });
    }
  });

  it("stays where the job does not want it", async () => {
    await server.write({ a: machines }, "model");
    await server.changeSource({ a: now });
    expect(await server.finished()).toMatchObject({ want: ["missing"], saved: 1 });
    expect(await server.french()).toEqual({ a: machines, b: "[fr] Bye" });
  });

  it.each([
    ["approves", () => work({ approve: true, ...seen(now, machines) }), machines],
    ["writes", () => server.write({ a: "Coucou {{name}}" }), "Coucou {{name}}"],
    ["confirms", () => work({ confirm: true, ...seen(now, machines) }), machines],
  ])("stays where somebody %s it while the engine thinks", async (_, happens, text) => {
    await server.write({ a: machines }, "model");
    await server.changeSource({ a: now });
    const answers = server.engine.answer;
    server.engine.answer = async (request) => {
      expect((await happens()).status).toBe(200);
      return answers(request);
    };
    expect(await server.finished({ want: ["stale"] })).toMatchObject({ saved: 0, refused: 0, requests: 1 });
    expect(await server.french()).toEqual({ a: text });
  });
});

describe("a failing text", () => {
  it.each([
    ["a machine's", "model", `[fr] ${was}`],
    ["a person's", undefined, "Salut {{nom}}"],
  ] as const)("of %s", async (_, origin, text) => {
    await server.write({ a: "Salut {{nom}}", b: "Salut" }, origin);
    await server.finished({ want: ["missing", "stale", "failing"] });
    expect(await server.french()).toEqual({ a: text, b: "Salut" });
  });

  it("is left to people where the answer fails, too", async () => {
    await server.write({ a: "Salut {{nom}}", b: "Salut" }, "model");
    server.engine.answer = modelOf(() => "Salut {{autre}}");
    expect(await server.finished({ want: ["failing"] })).toMatchObject({ saved: 0, refused: 1, requests: 2 });
    expect(await server.finished({ want: ["failing"] })).toMatchObject({ refused: 0, requests: 0 });
    expect(await server.french()).toEqual({ a: "Salut {{nom}}", b: "Salut" });
  });
});

it("other states are refused by name", async () => {
  for (const want of [["review"], ["asked"], [], "stale"]) {
    const { status, json } = await server.call("POST", "/api/hives/web/translate", {
      body: { locales: ["fr"], want },
    });
    expect([status, Object.keys(json.errors)[0]]).toMatchObject([422, expect.stringMatching(/^want/)]);
  }
});
