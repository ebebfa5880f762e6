import { beforeEach, describe, expect, it } from "vitest";
import { verify } from "../../../../src/service/operations/verify.ts";
import { jpeg, png, webp } from "../../../domain/pictures/images.ts";
import { hiveAt } from "../../../helpers/http/hive-api.ts";
import { makeToken, prepareWeb, type Call } from "../../../helpers/storage.ts";

const hive = "/api/hives/web";
const path = `${hive}/pictures`;
let web: Awaited<ReturnType<typeof prepared>>;
let call: Call;
const { put, head } = hiveAt(() => call);
const add = (content: Buffer, strings: readonly string[], more: object = {}, query = "") =>
  call("POST", path + query, {
    body: { name: "login.png", content: content.toString("base64"), strings, ...more },
  });
const strings = async (query = "") =>
  (await call("GET", path + query)).json.data.map((one: { readonly strings: unknown }) => one.strings);
const undo = async (commit: string) => (await web.undo(commit)).status;
const problems = async () => {
  const found: string[] = [];
  for await (const { problem } of verify(web.storage, { repair: false })) found.push(problem);
  return found;
};

const prepared = prepareWeb({ token: { abilities: ["admin"] } }, async (made) => {
  ({ call } = made);
  await put({ "auth.json": { login: { title: "Log in", name: "Your name" }, out: "Log out" } });
});
beforeEach(async () => {
  web = await prepared();
  ({ call } = web);
});

describe("POST /api/hives/{slug}/pictures", () => {
  it.each([
    ["png", png(640, 480)],
    ["webp", webp(640, 480)],
    ["jpeg", jpeg(640, 480)],
    ["png", png(640, 480, "<html><script>alert(1)</script>")],
  ])("adds a picture of the type %s, and says what it is", async (type, content) => {
    const { status, json } = await add(content, ["auth.json:login.*"]);
    expect([status, json]).toMatchObject([201, { type, width: 640, height: 480, name: "login.png" }]);
    const image = await call("GET", `${path}/${json.hash}`);
    expect(Object.fromEntries(image.headers)).toMatchObject({
      "content-type": `image/${type}`,
      "content-security-policy": "default-src 'none'; sandbox",
      "x-content-type-options": "nosniff",
      "cache-control": expect.stringContaining("private"),
    });
    expect(await problems()).toEqual([]);
  });

  it("unites the patterns of the same image, without a commit where nothing is new", async () => {
    await add(png(2, 2), ["auth.json:out"]);
    const again = await add(png(2, 2), ["auth.json:login.*"]);
    expect([again.status, again.json.strings]).toEqual([200, ["auth.json:out", "auth.json:login.*"]]);
    const before = await head();
    expect((await add(png(2, 2), ["auth.json:out"])).status).toBe(200);
    expect(await head()).toBe(before);
  });

  const out = ["auth.json:out"];
  it.each([
    ["HTML", "content", Buffer.from("<html><script>alert(1)</script>"), out, {}],
    ["SVG", "content", Buffer.from("<svg xmlns='http://www.w3.org/2000/svg'/>"), out, {}],
    ["a cut header", "content", png(2, 2).subarray(0, 18), out, {}],
    ["a JPEG without a frame", "content", jpeg(2, 2).subarray(0, 8), out, {}],
    ["too many pixels", "content", png(8_193, 1), out, {}],
    ["no pixels", "content", png(0, 1), out, {}],
    ["too many bytes", "content", png(2, 2, "x".repeat(300_000)), out, {}],
    ["a path as its name", "name", png(2, 2), out, { name: "../../x.png" }],
    ["a text direction in its name", "name", png(2, 2), out, { name: "a\u202egnp.png" }],
    ["no string", "strings", png(2, 2), [], {}],
    ["a pattern without a string", "strings.1", png(2, 2), [...out, "auth.json:in"], {}],
    ["a pattern without a file", "strings.0", png(2, 2), ["out"], {}],
    [
      "a box outside",
      "boxes.0",
      png(2, 2),
      out,
      { boxes: [{ string: out[0], x: 1, y: 0, width: 2, height: 1 }] },
    ],
  ])("refuses %s", async (_, field, content, patterns, more) => {
    const { status, json } = await add(content, patterns, more);
    expect([status, Object.keys(json.errors)]).toEqual([422, [field]]);
    expect(await strings()).toEqual([]);
  });

  it("is forbidden to a token for some locales", async () => {
    const limited = await makeToken(web.storage, { locales: ["fr"] });
    const content = png(2, 2).toString("base64");
    const body = { name: "a.png", content, strings: out };
    const { status } = await call("POST", path, { body, token: limited });
    expect(status).toBe(403);
  });
});

describe("a picture", () => {
  it.each(["..%2F..%2Fhive.yaml", "%2Fetc%2Fpasswd", `${"0".repeat(64)}.json`, "0".repeat(64), "%00"])(
    "is found by its hash alone, not by %s",
    async (hash) => {
      await add(png(2, 2), ["auth.json:out"]);
      for (const method of ["GET", "DELETE"])
        expect([404, 405, 422]).toContain((await call(method, `${path}/${hash}`)).status);
      expect(await strings()).toEqual([["auth.json:out"]]);
    },
  );

  it("is found by its strings, and listed at a commit", async () => {
    await add(png(2, 2), ["auth.json:login.*"]);
    await add(png(3, 3), ["*:out"]);
    expect(await strings("?file=auth.json&key=login.title")).toEqual([["auth.json:login.*"]]);
    expect(await strings("?file=auth.json&key=out")).toEqual([["*:out"]]);
    expect(await strings("?file=auth.json&key=no")).toEqual([]);
    expect((await call("GET", `${path}?key=out`)).status).toBe(422);
  });

  const group = (name: string, count: number): object =>
    Object.fromEntries(
      Array.from({ length: count }, (_, i) => [`${name}.t${i}`, `Text ${i} of the picture`]),
    );
  const moveGroup = (count: number, to: (i: number) => string, from = "login") =>
    call("POST", `${hive}/keys/move`, {
      body: {
        moves: Array.from({ length: count }, (_, i) => ({
          from: { file: "a.json", key: `${from}.t${i}` },
          to: { file: "a.json", key: to(i) },
        })),
      },
    });

  it.each([
    ["a group that is renamed", "a.json:login.*", (i: number) => `signin.t${i}`, ["a.json:signin.*"]],
    [
      "a group that goes into another",
      "a.json:login.*",
      (i: number) => `user.login.t${i}`,
      ["a.json:user.login.*"],
    ],
    ["a group in any file", "*a.json:login.*", (i: number) => `signin.t${i}`, ["*a.json:signin.*"]],
    [
      "two groups that it becomes",
      "a.json:login.*",
      (i: number) => `${i % 2 === 0 ? "a" : "b"}.t${i}`,
      ["a.json:a.*", "a.json:b.*"],
    ],
    [
      "a group beside other strings",
      "a.json:login.*",
      (i: number) => `other.t${i}`,
      Array.from({ length: 20 }, (_, i) => `a.json:other.t${i}`),
    ],
  ])("follows %s, with 30 strings", async (_, pattern, to, expected) => {
    await put({ "a.json": { ...group("login", 30), "other.x": "Not of the picture" } });
    await add(png(2, 2), [pattern]);
    expect((await moveGroup(30, to)).status).toBe(200);
    expect(await strings()).toEqual([expected]);
    await undo(await head());
    expect(await strings()).toEqual([expect.arrayContaining([pattern])]);
  });

  it("takes one string that leaves its group for that string alone", async () => {
    await put({ "a.json": group("login", 3) });
    await add(png(2, 2), ["a.json:login.*"]);
    await moveGroup(1, () => "header.t0");
    expect(await strings()).toEqual([["a.json:login.*", "a.json:header.t0"]]);
  });

  it("follows the end of keys, and as many groups as it may have patterns", async () => {
    const names = Array.from({ length: 20 }, (_, i) => `g${i}`);
    await put({ "a.json": Object.assign({}, ...names.map((name) => group(name, 2))) });
    await add(
      png(2, 2),
      names.map((name) => `a.json:${name}.*`),
    );
    const moves = names.flatMap((name) =>
      [0, 1].map((i) => ({
        from: { file: "a.json", key: `${name}.t${i}` },
        to: { file: "a.json", key: `new.${name}.t${i}` },
      })),
    );
    expect((await call("POST", `${hive}/keys/move`, { body: { moves } })).status).toBe(200);
    expect(await strings()).toEqual([names.map((name) => `a.json:new.${name}.*`)]);
  });

  it("follows the keys and the file of its strings", async () => {
    const boxes = [{ string: "auth.json:out", x: 0, y: 0, width: 1, height: 1 }];
    await add(png(2, 2), ["auth.json:out", "auth.json:login.*"], { boxes });
    await put(
      { "auth.json": { signin: { title: "Log in" }, login: { name: "Your name" }, exit: "Log out" } },
      { query: "detect_moves=true" },
    );
    expect(await strings()).toEqual([["auth.json:exit", "auth.json:login.*", "auth.json:signin.title"]]);
    await put(
      {
        "auth.json": {},
        "user.json": { signin: { title: "Log in" }, login: { name: "Your name" }, exit: "Log out" },
      },
      { query: "detect_moves=true" },
    );
    const { json } = await call("GET", path);
    expect(json.data[0].strings).toEqual(["user.json:exit", "user.json:signin.title", "user.json:login.*"]);
    expect(json.data[0].boxes[0].string).toBe("user.json:exit");
    expect(await problems()).toEqual([]);
  });

  it("goes with its last string, and comes back with an undo", async () => {
    const { json } = await add(png(2, 2), ["auth.json:out", "auth.json:login.title"]);
    await put({ "auth.json": { out: "Log out" } });
    expect(await strings()).toEqual([["auth.json:out"]]);
    await put({ "auth.json": { other: "Other" } });
    expect(await strings()).toEqual([]);
    expect((await call("GET", `${path}/${json.hash}`)).status).toBe(404);
    expect(await undo(await head())).toBe(200);
    expect(await strings()).toEqual([["auth.json:out"]]);
    expect((await call("GET", `${path}/${json.hash}`)).status).toBe(200);
    expect(await problems()).toEqual([]);
  });

  it("is deleted, which an undo takes back, as it does an addition", async () => {
    const { json } = await add(png(2, 2), ["auth.json:out"]);
    const added = await head();
    expect((await call("DELETE", `${path}/${json.hash}`)).json).toEqual({ deleted: 1 });
    expect((await call("DELETE", `${path}/${json.hash}`)).json.code).toBe("unknown_picture");
    expect(await undo(await head())).toBe(200);
    expect(await strings()).toEqual([["auth.json:out"]]);
    expect(await undo(added)).toBe(200);
    expect(await strings()).toEqual([]);
  });

  it("comes with a merge, whose sides may both have changed it, and a key that was renamed meanwhile", async () => {
    await add(png(2, 2), ["auth.json:out"]);
    await call("POST", `${hive}/branches`, { body: { name: "work" } });
    await add(png(2, 2), ["auth.json:login.title"], {}, "?branch=work");
    await add(png(3, 3), ["auth.json:login.name"], { name: "b.png" }, "?branch=work");
    await add(png(2, 2), ["auth.json:login.*"]);
    const moved = { login: { title: "Log in", first: "Your name" }, out: "Log out" };
    await put({ "auth.json": moved }, { query: "detect_moves=true" });
    expect((await call("POST", `${hive}/branches/work/merge`, { body: {} })).status).toBe(200);
    expect(await strings()).toEqual([
      ["auth.json:login.first"],
      ["auth.json:out", "auth.json:login.*", "auth.json:login.title"],
    ]);
    expect(await problems()).toEqual([]);
  });

  it.each([
    ["branch", ["auth.json:out"]],
    ["main", ["auth.json:leave"]],
  ])("shows no other string that has come to the place of its own: settled for %s", async (winner, shown) => {
    const boxes = [{ string: "auth.json:out", x: 0, y: 0, width: 1, height: 1 }];
    await add(png(2, 2), ["auth.json:out"], { boxes });
    await call("POST", `${hive}/branches`, { body: { name: "work" } });
    const move = { from: { file: "auth.json", key: "out" }, to: { file: "auth.json", key: "leave" } };
    await call("POST", `${hive}/keys/move`, { body: { moves: [move] } });
    expect(await strings()).toEqual([["auth.json:leave"]]);
    const files = { "auth.json": { leave: "Take leave" } };
    await call("POST", `${hive}/strings?branch=work`, { body: { files } });
    const merge = await call("POST", `${hive}/branches/work/merge`, { body: { on_conflict: winner } });
    expect(merge.status).toBe(200);
    expect(await strings()).toEqual([shown]);
    const [{ boxes: left }] = (await call("GET", path)).json.data;
    expect(left.map((one: { readonly string: string }) => one.string)).toEqual(shown);
  });

  it("is in the notes of its strings", async () => {
    const { json } = await add(png(2, 2), ["auth.json:login.*"]);
    const files = { "auth.json": { "login.title": { note: "A verb" }, out: { note: "A verb" } } };
    await call("PATCH", `${hive}/notes`, { body: { files } });
    const notes = await call("GET", `${hive}/notes`);
    expect(notes.json.data).toEqual([
      { file: "auth.json", key: "login.title", app: null, team: { note: "A verb" }, pictures: [json.hash] },
      { file: "auth.json", key: "out", app: null, team: { note: "A verb" } },
    ]);
    const listed = await call("GET", `${hive}/strings?include=notes`);
    expect(
      listed.json.data.map(
        ({ notes: own }: { readonly notes: { readonly pictures?: unknown } | null }) => own?.pictures,
      ),
    ).toEqual([[json.hash], [json.hash], undefined]);
  });
});
