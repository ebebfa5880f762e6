/** The repository behind a running server, looked at and changed with real git. */
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import {
  acmeStorage,
  createToken,
  git,
  request,
  type Served,
  serveInProcess,
  skep,
  skepOk,
} from "../helpers/process.ts";
import { realFolder } from "../helpers/storage.ts";

interface Setup {
  readonly server: Served;
  readonly storage: string;
  readonly token: string;
  readonly repo: string;
  readonly call: (
    method: string,
    path: string,
    body?: unknown,
    headers?: Record<string, string>,
  ) => ReturnType<typeof request>;
}

async function setUp(): Promise<Setup> {
  const storage = await acmeStorage({ web: ["--locale", "fr", "--locale", "pt-BR=pt_BR"], app: [] });
  const token = await createToken(storage, ["read", "write"], "--name", "CI <ci>");
  const server = await serveInProcess(storage);
  return {
    server,
    storage,
    token,
    repo: join(storage, "hives", "web.git"),
    call: (method, path, body, headers) =>
      request(server, token, method, `/api/hives/${path}`, body, headers),
  };
}

const auth = {
  failed: "Failed",
  nav: { home: "Home" },
  days: ["Mon", "Tue"],
  attributes: [],
  "Hi. You?": "Hi",
};

/** A clone of the Hive; `push` commits what was written to it and pushes it to the Hive's folder. */
async function cloneOf(repo: string) {
  const folder = realFolder();
  await git(folder, "clone", "--quiet", repo, "clone");
  const clone = join(folder, "clone");
  return {
    read: (path: string) => readFileSync(join(clone, path), "utf8"),
    write: (path: string, content: string) => {
      mkdirSync(dirname(join(clone, path)), { recursive: true });
      writeFileSync(join(clone, path), content);
    },
    link: (path: string, target: string) => symlinkSync(target, join(clone, path)),
    git: (...args: string[]) => git(clone, ...args),
    push: async (): Promise<string> => {
      await git(clone, "add", "--all");
      await git(clone, "commit", "--quiet", "--message", "By hand");
      await git(clone, "push", "--quiet", "origin", "HEAD:main");
      return (await git(clone, "rev-parse", "HEAD")).trim();
    },
  };
}

describe("the server's history", () => {
  it("the server commits what was imported, in sound objects, one commit per request", async () => {
    const { call, repo } = await setUp();
    await call("POST", "web/strings", {
      files: { "auth.php": auth, "admin/menu.php": { 10: "ten", b: "B", 2: "two" } },
    });
    await call("POST", "web/translations/pt_BR", {
      files: { "auth.php": { days: ["Seg"], nav: { home: "Início" } } },
    });
    await call("POST", "web/translations/pt_BR", { files: { "auth.php": { days: ["Seg"] } } });
    const same = await call("PUT", "web/strings", { files: { "auth.php": auth } });
    expect(same.json).toMatchObject({ unchanged: 5, deleted: 0 });
    await call(
      "PUT",
      "web/strings",
      { files: { "auth.php": { ...auth, failed: "No" } } },
      { "x-commit-message": "Release" },
    );

    expect(await git(repo, "fsck", "--strict", "--full")).toBe("");
    const clone = await cloneOf(repo);
    expect(JSON.parse(clone.read("locales/en/auth.php.json"))).toEqual({ ...auth, failed: "No" });
    expect(clone.read("locales/en/admin/menu.php.json")).toBe(
      '{\n  "2": "two",\n  "10": "ten",\n  "b": "B"\n}\n',
    );
    expect(clone.read("locales/pt-BR/auth.php.json")).toBe(
      '{\n  "nav": {\n    "home": "Início"\n  },\n  "days": [\n    "Seg"\n  ]\n}\n',
    );
    expect((await clone.git("ls-files")).trim().split("\n")).toEqual([
      "README.md",
      "hive.yaml",
      "locales/en/admin/menu.php.json",
      "locales/en/auth.php.json",
      "locales/pt-BR/auth.php.json",
    ]);
    expect((await clone.git("log", "--format=%an <%ae>, %cn <%ce>: %s")).trim().split("\n")).toEqual([
      expect.stringMatching(
        /^CI ci <[0-9a-z]+@tokens\.skep\.invalid>, Skep <skep@skep\.invalid>: Sync source strings: 1 updated$/,
      ),
      expect.stringContaining(": Import pt_BR translations: 2 created"),
      expect.stringContaining(": Import source strings: 8 created"),
      "skep cli <cli@skep.invalid>, Skep <skep@skep.invalid>: Create Hive web with the locales en, fr, pt-BR=pt_BR",
    ]);
    expect((await clone.git("log", "-1", "--format=%(trailers:only,unfold)")).trim().split("\n")).toEqual([
      "Operation: sync",
      expect.stringMatching(/^Token: [0-9a-z]+$/),
      "Strategy: keep",
      "Created: 0",
      "Updated: 1",
      "Unchanged: 4",
      "Translations-Cleared: 0",
      "Deleted: 0",
    ]);
  });

  it("header values cannot forge a commit's author", async () => {
    const { call, repo } = await setUp();
    const headers = { "x-commit-message": "---\tx Token: root", "x-commit-ref": "y\tOperation: root" };
    await call("POST", "web/strings", { files: { "a.php": { a: "x" } } }, headers);
    const trailers = await git(
      repo,
      "log",
      "-1",
      "--format=%(trailers:key=Token,key=Operation,key=Ref,valueonly)",
      "main",
    );
    expect(trailers.trim().split("\n")).toEqual([
      "import",
      expect.stringMatching(/^[0-9a-z]{12}$/),
      "y Operation: root",
    ]);
  });
});

describe("a tree that is malformed", () => {
  it("a malformed tree stops its Hive, and nothing else", async () => {
    const { call, repo } = await setUp();
    const tree = join(realFolder(), "tree");
    writeFileSync(tree, `100644 ${"a".repeat(47)}`);
    const object = (await git(repo, "hash-object", "-t", "tree", "--literally", "-w", tree)).trim();
    const commit = (await git(repo, "commit-tree", object, "-m", "Evil").catch(() => "")).trim();
    const oid = commit === "" ? await writeCommit(repo, object) : commit;
    await git(repo, "update-ref", "refs/heads/main", oid);
    const reply = await call("GET", "web/strings");
    expect([reply.status, reply.json.message]).toEqual([503, `Hive content at ${oid} is invalid: /`]);
    expect((await call("GET", "app/strings")).status).toBe(200);
  });

  /** A commit of a tree that git itself would not commit. */
  async function writeCommit(repo: string, tree: string): Promise<string> {
    const file = join(realFolder(), "commit");
    writeFileSync(file, `tree ${tree}\nauthor x <x> 1 +0000\ncommitter x <x> 1 +0000\n\nEvil\n`);
    return (await git(repo, "hash-object", "-t", "commit", "--literally", "-w", file)).trim();
  }
});

describe("a Hive that is broken", () => {
  it("a broken Hive does not stop imports of its team's other Hives, and keeps its last count", async () => {
    const { call, repo, storage, token } = await setUp();
    await call("POST", "web/strings", { files: { "a.php": { a: "x", b: "y" } } });
    await skepOk(storage, "team", "update", "acme", "--max-strings", "3");
    const clone = await cloneOf(repo);
    clone.write("locales/en/a.php.json", "{");
    await clone.push();
    const restarted = await serveInProcess(storage);
    const post = (files: unknown) => request(restarted, token, "POST", "/api/hives/app/strings", { files });
    expect((await post({ "a.php": { a: "x" } })).status).toBe(200);
    expect((await post({ "a.php": { b: "x" } })).status).toBe(422);
    writeFileSync(join(repo, "refs/heads/main"), "garbage\n");
    expect((await post({ "a.php": { a: "y" } })).status).toBe(200);
  });
});

describe("a commit from outside", () => {
  it("is seen at the next request, packed or not", async () => {
    const { call, repo } = await setUp();
    await call("POST", "web/strings", { files: { "auth.php": auth } });
    const clone = await cloneOf(repo);
    clone.write("locales/en/new.php.json", '{"k": "by hand"}');
    clone.write("locales/fr/auth.php.json", '{"failed": "Raté", "orphan": "?", "nav": {"home": ""}}');
    clone.write("notes/README.txt", "kept");
    await clone.push();
    expect((await call("GET", "web/strings?file=new.php")).json.data).toHaveLength(1);
    expect((await call("GET", "web/export?locale=fr")).json.files["auth.json"]).toBe(
      '{\n  "failed": "Raté"\n}\n',
    );

    await git(repo, "gc", "--quiet", "--prune=now");
    expect((await call("GET", "web/export?locale=fr")).json.files["new.json"]).toBe("{}\n");
    expect((await call("POST", "web/strings", { files: { "new.php": { l: "x" } } })).json).toMatchObject({
      created: 1,
    });
    await git(repo, "pack-refs", "--all");
    expect((await call("POST", "web/strings", { files: { "new.php": { m: "y" } } })).json).toMatchObject({
      created: 1,
    });
    expect((await call("GET", "web/strings?file=new.php")).json.meta.total).toBe(3);
    expect(await git(repo, "show", "main:notes/README.txt")).toBe("kept");
    expect(await git(repo, "fsck", "--strict", "--full")).toBe("");
  });

  it.each<[string, string, (clone: Awaited<ReturnType<typeof cloneOf>>) => void]>([
    ["hive.yaml that is no YAML", "hive.yaml", (clone) => clone.write("hive.yaml", "{[")],
    [
      "a locale file that is no JSON",
      "locales/fr/a.php.json",
      (clone) => clone.write("locales/fr/a.php.json", "{"),
    ],
    [
      "a source text that is no text",
      "locales/en/a.php.json",
      (clone) => clone.write("locales/en/a.php.json", '{"a": 1}'),
    ],
    ["a file without .json", "locales/en/a.php", (clone) => clone.write("locales/en/a.php", "{}")],
    [
      "a file name that cannot be",
      "locales/en/con.json",
      (clone) => clone.write("locales/en/con.json", "{}"),
    ],
    [
      "a link",
      "locales/fr/a.php.json",
      (clone) => {
        clone.write("locales/fr/x.php.json", "{}");
        clone.link("locales/fr/a.php.json", "x.php.json");
      },
    ],
    ["a link anywhere", "passwd", (clone) => clone.link("passwd", "/etc/passwd")],
  ])("with %s stops that Hive alone, until it is repaired", async (_, path, breakIt) => {
    const { call, repo, server, token } = await setUp();
    await call("POST", "web/strings", { files: { "auth.php": auth } });
    const clone = await cloneOf(repo);
    breakIt(clone);
    const commit = await clone.push();
    const message = `Hive content at ${commit} is invalid: ${path}`;
    const expected = { message, code: "content_invalid" };
    for (const [method, place, body] of [
      ["GET", "web/strings", undefined],
      ["GET", "web/export?locale=pt_BR", undefined],
      ["PUT", "web/strings", { files: { "auth.php": {} } }],
      ["POST", "web/translations/fr", { files: {} }],
    ] as const) {
      const reply = await call(method, place, body);
      expect([reply.status, reply.json]).toEqual([503, expected]);
    }
    expect((await call("POST", "app/strings", { files: { "a.php": { a: "x" } } })).status).toBe(200);
    expect((await request(server, token, "GET", "/healthz")).status).toBe(200);
    await clone.git("revert", "--no-edit", "HEAD");
    await clone.git("push", "--quiet", "origin", "HEAD:main");
    expect((await call("GET", "web/strings")).json.meta.total).toBe(5);
  });
});

describe("an undo", () => {
  it("by the command is a commit of its own, which the server sees, and git fsck accepts", async () => {
    const { call, storage, repo } = await setUp();
    await call("POST", "web/strings", { files: { "a.php": { x: "X", y: "Y" } } });
    await call("POST", "web/translations/fr", { files: { "a.php": { x: "FX" } } });
    await call("POST", "web/strings", { files: { "a.php": { x: "X2" } } });
    const commit = (await git(repo, "rev-parse", "main")).trim();
    expect(await git(repo, "show", "main:stale/fr/a.php.json")).toBe('{\n  "x": "X"\n}\n');
    await call("POST", "web/strings", { files: { "a.php": { x: "X3" } } });
    const refused = await skep("undo", "web", commit, "--storage", storage);
    expect([refused.code, refused.stderr]).toEqual([
      4,
      "skep: Changed since that commit, so nothing was undone: en: a.php: x\n",
    ]);
    expect(await skepOk(storage, "undo", "web", commit, "--skip-conflicts")).toBe(
      "Restored 0 texts, updated 0, deleted 0, skipped 1.",
    );
    const last = (await git(repo, "rev-parse", "main")).trim();
    expect(await skepOk(storage, "undo", "web", last.slice(0, 8))).toBe(
      "Restored 0 texts, updated 1, deleted 0, skipped 0.",
    );
    expect(await git(repo, "log", "-1", "--format=%an%n%B", "main")).toBe(
      `skep cli\nUndo ${last.slice(0, 10)}: 1 updated\n\nOperation: undo\nStrategy: fail\nUndoes: ${last}\nRestored: 0\nUpdated: 1\nDeleted: 0\nSkipped: 0\n\n`,
    );
    const { json } = await call("GET", "web/strings");
    expect(json.data[0].source_value).toBe("X2");
    expect(await git(repo, "fsck", "--full", "--strict")).toBe("");
  });
});
