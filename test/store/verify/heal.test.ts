/** What a crash, or anybody else, leaves behind is healed or named. */
import fs from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, it, vi } from "vitest";
import { addLocales } from "../../../src/service/admin/locales.ts";
import { toLocale } from "../../../src/domain/hives/locale.ts";
import { isFailure } from "../../../src/domain/errors.ts";
import { toHiveSlug, toTeamName } from "../../../src/domain/names.ts";
import { openLocalStorage, openStorage, type Storage } from "../../../src/service/storage.ts";
import { updateTeam } from "../../../src/service/admin/teams.ts";
import { verify, type FoundProblem } from "../../../src/service/operations/verify.ts";
import { DurableFs } from "../../../src/disk/durable-fs.ts";
import { Locks } from "../../../src/disk/locks/lock.ts";
import { png } from "../../domain/pictures/images.ts";
import { commitByHand } from "../../helpers/git/made-pushes.ts";
import { git } from "../../helpers/process.ts";
import { hiveAt } from "../../helpers/http/hive-api.ts";
import {
  harness,
  makeHive,
  makeToken,
  byCommand,
  realFolder,
  type Call,
  setUpRealWeb,
} from "../../helpers/storage.ts";

const web = toHiveSlug("web");
let folder: string;
let storage: Storage;
let call: Call;
let repo: string;
const { post, put, fill } = hiveAt(() => call);

beforeEach(async () => {
  ({ folder, storage, call } = await setUpRealWeb({ locales: ["fr"] }));
  repo = storage.hives.folderOf(web);
  await post({ "a.php": { a: "A", n: { b: "B" } } });
});

async function found(repair = false, slug?: ReturnType<typeof toHiveSlug>): Promise<FoundProblem[]> {
  const all: FoundProblem[] = [];
  // Opened anew, as the command does.
  for await (const one of verify(openLocalStorage(folder), { slug, repair })) all.push(one);
  return all;
}

const byHand = (files: Readonly<Record<string, string>>) => commitByHand(repo, files);

/** The files of main in a folder. */
async function filesIn(path: string): Promise<readonly string[]> {
  return (await git(repo, "ls-tree", "-r", "--name-only", "main", path)).trim().split("\n");
}

const age = (path: string) => fs.utimesSync(path, new Date(0), new Date(0));

describe("a damaged object", () => {
  it.each<[string, (whole: Buffer) => Buffer]>([
    ["truncated", (whole) => whole.subarray(0, whole.length >> 1)],
    ["empty", () => Buffer.alloc(0)],
  ])("%s is replaced when its content is written again", async (_, tear) => {
    const oid = (await git(repo, "rev-parse", "main:locales/en/a.php.json")).trim();
    await put({ "a.php": { other: "x" } });
    const path = join(repo, "objects", oid.slice(0, 2), oid.slice(2));
    const whole = fs.readFileSync(path);
    fs.rmSync(path);
    fs.writeFileSync(path, tear(whole), { mode: 0o444 });
    expect((await put({ "a.php": { a: "A", n: { b: "B" } } })).status).toBe(200);
    expect(fs.readFileSync(path)).toEqual(whole);
    expect(await git(repo, "fsck", "--full", "--strict")).toBe("");
  });
});

describe("a ref", () => {
  it.each(["", "ref: refs/heads/x\n", "x".repeat(40)])(
    "that is %j is reported, and affects nothing else",
    async (content) => {
      await makeHive(storage, "app");
      const commit = fs.readFileSync(join(repo, "refs/heads/main"), "utf8");
      fs.writeFileSync(join(repo, "refs/heads/main"), content);
      const reply = await call("GET", "/api/hives/web/strings");
      expect([reply.status, reply.json.message]).toEqual([
        503,
        "This Hive's refs/heads/main is not a commit; to repair it, remove it, then: git update-ref refs/heads/main <commit>",
      ]);
      expect((await call("GET", "/api/hives/app/strings")).status).toBe(200);
      expect((await found()).map(({ hive, problem }) => `${hive}: ${problem}`)).toContain(
        `web: ${reply.json.message}`,
      );
      fs.rmSync(join(repo, "refs/heads/main"));
      expect((await call("GET", "/api/hives/web/strings")).json.message).toBe(
        "This Hive has no branch main.",
      );
      await git(repo, "update-ref", "refs/heads/main", commit.trim());
      expect((await call("GET", "/api/hives/web/strings")).status).toBe(200);
    },
  );

  it("to a missing commit is reported", async () => {
    fs.writeFileSync(join(repo, "refs/heads/main"), `${"0".repeat(39)}1\n`);
    const reply = await call("GET", "/api/hives/web/strings");
    expect([reply.status, reply.json.message]).toEqual([
      503,
      `Hive content at ${"0".repeat(39)}1 is invalid: the commit`,
    ]);
  });
});

describe("a repository whose objects are missing", () => {
  it("is reported with the path that cannot be read", async () => {
    const oid = (await git(repo, "rev-parse", "main:locales/en/a.php.json")).trim();
    fs.rmSync(join(repo, "objects", oid.slice(0, 2), oid.slice(2)));
    const { call: fresh } = harness(openLocalStorage(folder), await makeToken(storage));
    const reply = await fresh("GET", "/api/hives/web/strings");
    expect(reply.status).toBe(503);
    expect(reply.json.message).toMatch(
      /^Hive content at [0-9a-f]{40} is invalid: locales\/en\/a\.php\.json$/,
    );
    expect((await found()).map(({ problem }) => problem).join("\n")).toContain(
      "cannot read locales/en/a.php.json",
    );
  });
});

describe("a hive.yaml that cannot be read", () => {
  it("verify --repair restores the last readable hive.yaml by a commit", async () => {
    await post({ "a.php": { later: "kept" } });
    await byHand({ "hive.yaml": "max_deletions: {" });
    await byHand({ "hive.yaml": "name: x\nsource_locale: en\nmax_deletions: 10000000000000000\n" });
    const readable = (await git(repo, "rev-parse", "main~2")).trim();
    expect((await call("GET", "/api/hives/web/strings")).status).toBe(503);
    const problem = expect.stringMatching(/^Hive content at [0-9a-f]{40} is invalid: hive.yaml$/);
    expect(await found()).toEqual([{ hive: "web", problem }]);
    const repaired = "went back to the last readable hive.yaml by a commit";
    expect(await found(true)).toEqual([{ hive: "web", problem, repaired }]);
    expect(await found()).toEqual([]);
    expect(await git(repo, "show", "main:hive.yaml")).toBe(await git(repo, "show", `${readable}:hive.yaml`));
    expect((await git(repo, "log", "-1", "--format=%an: %s", "main")).trim()).toBe(
      `skep cli: Repair hive.yaml: take it from ${readable.slice(0, 12)}`,
    );
    expect((await call("GET", "/api/hives/web/strings")).json.meta.total).toBe(3);
  });

  it("an unreadable hive.yaml is reported if no earlier one can be read", async () => {
    const clone = join(realFolder(), "clone");
    await git(folder, "clone", "--quiet", repo, clone);
    await git(clone, "checkout", "--quiet", "--orphan", "new");
    fs.writeFileSync(join(clone, "hive.yaml"), "x");
    await git(clone, "commit", "--quiet", "--all", "--message", "By hand");
    await git(clone, "push", "--quiet", "--force", "origin", "HEAD:main");
    expect(await found(true)).toEqual([
      { hive: "web", problem: expect.stringContaining("is invalid: hive.yaml") },
    ]);
  });
});

describe("an interrupted change of a setting", () => {
  const version = () => fs.readFileSync(join(folder, "settings-version"), "utf8");
  const cutOff = () => fs.writeFileSync(join(folder, "settings-version"), "changing 0123\n");

  it("is reported by verify, and ended by verify --repair or at a start", async () => {
    cutOff();
    const problem = "a change of a setting did not end: servers remember nothing";
    expect(await found()).toEqual([{ problem }]);
    const repaired = "ended it; each setting is as it was before the change or as it is after it";
    expect(await found(true)).toEqual([{ problem, repaired }]);
    expect(await found()).toEqual([]);
    cutOff();
    await openLocalStorage(folder).verifier.removeLeftovers();
    expect(version()).not.toContain("changing");
  });

  it("is ended by a server that meets it, but not while its process holds the lock", async () => {
    const locks = new Locks(new DurableFs(fs), join(folder, "locks"));
    await locks.hold("settings", async () => {
      cutOff();
      await call("GET", "/api/hives/web/strings");
      expect(version()).toContain("changing");
    });
    await vi.waitFor(() => expect(version()).not.toContain("changing"), { timeout: 60_000 });
    expect(storage.registry.version.recent()).toBe(version());
  });
});

describe("a settings file that is broken", () => {
  it("a broken settings file is reported, and stops only what needs it", async () => {
    const token = await makeToken(storage);
    const [, id = ""] = token.split("_");
    fs.writeFileSync(join(folder, "tokens", `${id}.yaml`), "{");
    const problem = `The settings file tokens/${id}.yaml is invalid: Flow map must end with a } at line 1, column 2.`;
    const fresh = harness(openLocalStorage(folder), undefined).call;
    const reply = await fresh("GET", "/api/hives/web/strings", { token });
    expect([reply.status, reply.json.message]).toEqual([503, problem]);
    expect((await fresh("GET", "/api/hives/web/strings", { token: await makeToken(storage) })).status).toBe(
      200,
    );
    expect(await found()).toEqual([{ problem }]);
  });
});

describe("skep server verify", () => {
  it("finds nothing in a sound storage that was changed in every way", async () => {
    await fill("fr", { "a.php": { a: "AA" } });
    await addLocales(storage, web, [toLocale("de")], byCommand);
    await put({ "a.php": { n: { b: "B2" } } });
    await git(repo, "gc", "--quiet");
    await post({ "new.php": { x: "X" } });
    expect(await found()).toEqual([]);
    expect(await found(false, web)).toEqual([]);
  });

  it("checks every branch, and repairs its content there", async () => {
    await call("POST", "/api/hives/web/branches", { body: { name: "feature/x" } });
    const files = { "locales/fr/a.php.json": '{"a": "AA", "gone": "?"}' };
    await commitByHand(repo, files, "feature/x");
    const problem = "on the branch feature/x: locales/fr/a.php.json holds 1 text without a source string";
    expect(await found()).toEqual([{ hive: "web", problem }]);
    expect(await found(true)).toEqual([{ hive: "web", problem, repaired: "repaired by a commit" }]);
    expect(await found()).toEqual([]);
    expect(await git(repo, "log", "-1", "--format=%s", "feature/x")).toBe("Repair 1 translation file\n");
    // Nor is anything said of a branch that is deleted, whose objects are still needed.
    await call("DELETE", "/api/hives/web/branches/feature%2Fx");
    const [needed = ""] = (await git(repo, "for-each-ref", "--format=%(objectname)", "refs/skep")).split(
      "\n",
    );
    expect(await found()).toEqual([]);
    const path = join(repo, "objects", needed.slice(0, 2), needed.slice(2));
    fs.rmSync(path, { force: true });
    fs.writeFileSync(path, "torn");
    const problems = (await found(true)).map((one) => one.problem);
    expect(problems).toContain(`object ${needed} is damaged, and the history needs it`);
  });

  it("finds leftovers of unfinished writes, and removes them", async () => {
    const left = [
      "teams/.tmp_skep_1",
      "hives/web.git/refs/heads/main.lock",
      "hives/web.git/objects/aa/tmp_obj_skep_2",
    ];
    fs.mkdirSync(join(repo, "objects/aa"), { recursive: true });
    fs.mkdirSync(join(folder, "hives/.new-x/objects"), { recursive: true });
    for (const path of left) fs.writeFileSync(join(folder, path), "x");
    for (const path of [...left, "hives/.new-x"]) age(join(folder, path));
    // One that is being written just now is nobody's leftover.
    fs.writeFileSync(join(folder, "tokens/.tmp_skep_3"), "x");
    const expected = [...left, "hives/.new-x"].map((path) => `${path} was left by a write that did not end`);
    expect((await found()).map(({ problem }) => problem).toSorted()).toEqual(expected.toSorted());
    expect((await found(true)).map(({ repaired }) => repaired)).toEqual([
      "removed it",
      "removed it",
      "removed it",
      "removed it",
    ]);
    expect(await found()).toEqual([]);
    expect(fs.existsSync(join(folder, "tokens/.tmp_skep_3"))).toBe(true);
  });

  it("removes damaged objects that no commit needs, and only those", async () => {
    const needed = (await git(repo, "rev-parse", "main:locales/en/a.php.json")).trim();
    const path = (oid: string) => join(repo, "objects", oid.slice(0, 2), oid.slice(2));
    const unneeded = "ab".repeat(20);
    fs.mkdirSync(join(repo, "objects", "ab"), { recursive: true });
    fs.writeFileSync(path(unneeded), "torn");
    fs.rmSync(path(needed));
    fs.writeFileSync(path(needed), "torn");
    const repaired = await found(true);
    expect(repaired).toContainEqual({
      hive: "web",
      problem: `object ${unneeded} is damaged; no commit needs it`,
      repaired: `removed the damaged object ${unneeded}`,
    });
    expect(repaired).toContainEqual({
      hive: "web",
      problem: `object ${needed} is damaged, and the history needs it`,
    });
    expect(fs.existsSync(path(needed))).toBe(true);
    expect(
      (await found()).map(({ problem }) => problem).some((problem) => problem.startsWith("git fsck: ")),
    ).toBe(true);
  });

  it("takes nothing for lost that is written while git looks", async () => {
    const [written, lost] = ["a".repeat(40), "b".repeat(40)];
    const answers = [`missing commit ${written}\nmissing blob ${lost}\n`, `missing blob ${lost}\n`];
    const inUse = openStorage({
      folder,
      disk: fs,
      git: { run: async () => ({ code: 2, stdout: answers.shift() ?? "", stderr: "" }) },
    });
    const problems: FoundProblem[] = [];
    for await (const one of verify(inUse, { slug: web, repair: false })) problems.push(one);
    expect(problems).toEqual([{ hive: "web", problem: `git fsck: missing blob ${lost}` }]);
    expect(answers).toEqual([]);
  });

  it("finds translations without a source string or in another shape, and repairs them by one commit", async () => {
    await fill("fr", { "a.php": { a: "AA", n: { b: "BB" } } });
    await byHand({
      "locales/fr/a.php.json": '{"n.b":"BB","a":"AA"}',
      "locales/fr/gone.php.json": '{"x":"?","y":"?"}',
      "locales/it/a.php.json": '{"a":"AA"}',
    });
    const expected = [
      "locales/it is not a locale of this Hive; add it with: skep locale create",
      "locales/fr/a.php.json does not have the shape of its source file",
      "locales/fr/gone.php.json holds 2 texts without a source string",
    ];
    expect((await found()).map(({ problem }) => problem)).toEqual(expected);
    expect((await found(true)).map(({ repaired }) => repaired)).toEqual([
      undefined,
      "repaired by a commit",
      "repaired together with the finding before it",
    ]);
    expect((await found()).map(({ problem }) => problem)).toEqual(expected.slice(0, 1));
    expect(await git(repo, "show", "main:locales/fr/a.php.json")).toBe(
      '{\n  "a": "AA",\n  "n": {\n    "b": "BB"\n  }\n}\n',
    );
    expect((await git(repo, "log", "-1", "--format=%an: %s", "main")).trim()).toBe(
      "skep cli: Repair 2 translation files",
    );
  });

  it("finds notes without a string, which it takes away, and those that cannot be read", async () => {
    const note = { team: { note: "x" } };
    await byHand({
      "notes/a.php.json": JSON.stringify({ a: note, gone: note }),
      "notes/gone.php.json": JSON.stringify({ x: note }),
      "notes/b.php.json": "[1]",
    });
    const unreadable = "notes/b.php.json cannot be read";
    const problems = [
      unreadable,
      "notes/a.php.json holds 1 note without a source string",
      "notes/gone.php.json holds 1 note without a source string",
    ];
    expect((await found(true)).map(({ problem }) => problem)).toEqual(problems);
    expect((await found()).map(({ problem }) => problem)).toEqual([unreadable]);
    expect(await filesIn("notes")).toEqual(["notes/a.php.json", "notes/b.php.json"]);
    expect(JSON.parse(await git(repo, "show", "main:notes/a.php.json"))).toEqual({ a: note });
  });

  it("finds accepted findings without a string, or of another locale, and those that cannot be read", async () => {
    const digest = "0".repeat(32);
    await byHand({
      "accepted/fr/a.php.json": `{"a":{"argument-extra":"${digest}"},"gone":{"tag-extra":"${digest}"}}`,
      "accepted/fr/gone.php.json": `{"x":{"tag-extra":"${digest}"}}`,
      "accepted/it/a.php.json": `{"a":{"tag-extra":"${digest}"}}`,
    });
    const problems = [
      "accepted/it does not belong to a target locale",
      "accepted/fr/a.php.json holds 1 accepted finding without a source string",
      "accepted/fr/gone.php.json holds 1 accepted finding without a source string",
    ];
    expect((await found(true)).map(({ problem }) => problem)).toEqual(problems);
    expect(await found()).toEqual([]);
    expect(await filesIn("accepted")).toEqual(["accepted/fr/a.php.json"]);
    await byHand({ "accepted/fr/a.php.json": "[" });
    expect((await found()).map(({ problem }) => problem)).toEqual([
      expect.stringContaining("accepted/fr/a.php.json"),
    ]);
  });

  it("finds a glossary and styles that cannot be read, or of another locale, and leaves them", async () => {
    await byHand({
      "glossary.json": '{"terms":[{}]}',
      "style/fr.md": "\u202e",
      "style/it.md": "Lei.",
    });
    for (const isRepair of [false, true]) {
      expect((await found(isRepair)).map(({ problem }) => problem)).toEqual([
        expect.stringMatching(/is invalid: glossary\.json$/),
        expect.stringMatching(/is invalid: style\/fr\.md$/),
        "style/it.md does not belong to a locale of this Hive",
      ]);
    }
  });

  it("finds pictures that are not whole, or show no string, and leaves them", async () => {
    const [torn, lost, added] = await Promise.all(
      [2, 3, 4].map(async (size) => {
        const content = png(size, size).toString("base64");
        const body = { name: "a.png", content, strings: ["a.php:n.*"] };
        return (await call("POST", "/api/hives/web/pictures", { body })).json.hash;
      }),
    );
    const about = await git(repo, "show", `main:pictures/${lost}.json`);
    const alone = "0".repeat(64);
    await byHand({
      [`pictures/${torn}.png`]: "torn",
      [`pictures/${lost}.json`]: about.replace("a.php:n.*", "gone.php:*"),
      [`pictures/${added}.json`]: "{",
      [`pictures/${alone}.json`]: about,
      "pictures/other.png": "x",
    });
    const problems = [
      `pictures/${torn} is not the image that its name says`,
      `pictures/${lost} names strings that there are not`,
      `pictures/${added}.json does not belong to a picture`,
      `pictures/${added}.png does not belong to a picture`,
      `pictures/${alone}.json does not belong to a picture`,
      "pictures/other.png does not belong to a picture",
    ].toSorted();
    for (const isRepair of [false, true])
      expect((await found(isRepair)).map(({ problem }) => problem).toSorted()).toEqual(problems);
  });

  it.each([
    ["stale", '{"a":"A"}'],
    ["accepted", `{"a":{"tag-extra":"${"0".repeat(32)}"}}`],
    ["review", '{"a":{"text":"AA","approved":null,"by":"x"}}'],
  ])(
    "removes the folder %s of a locale that the Hive does not have, unless it has translations",
    async (folder, file) => {
      await byHand({ [`${folder}/it/a.php.json`]: file });
      const problem = `${folder}/it does not belong to a target locale`;
      expect(await found(true)).toEqual([{ hive: "web", problem, repaired: "repaired by a commit" }]);
      expect(await found()).toEqual([]);
      await byHand({ [`${folder}/it/a.php.json`]: file, "locales/it/a.php.json": '{"a":"AA"}' });
      expect((await found(true)).find((one) => one.problem === problem)).not.toHaveProperty("repaired");
      expect(await filesIn(folder)).toEqual([`${folder}/it/a.php.json`]);
    },
  );

  it("finds markers of reviews that name another text, and removes them by one commit", async () => {
    await fill("fr", { "a.php": { a: "AA", "n.b": "BB" } });
    const write = (markers: unknown) => byHand({ "review/fr/a.php.json": JSON.stringify(markers) });
    const valid = { "n.b": { text: "BB", approved: null, by: "x" } };
    await write(valid);
    expect(await found()).toEqual([]);
    await write({
      ...valid,
      a: { text: "old", approved: "AA", by: "x" },
      gone: { text: "", approved: null, by: "x" },
    });
    const problem = "review/fr/a.php.json holds 2 markers of another text";
    expect((await found(true)).map((one) => one.problem)).toEqual([problem]);
    expect(await found()).toEqual([]);
    expect(JSON.parse(await git(repo, "show", "main:review/fr/a.php.json"))).toEqual(valid);
    await write({ a: 1 });
    expect((await found()).map((one) => one.problem)).toEqual([
      expect.stringContaining("review/fr/a.php.json"),
    ]);
  });

  it("finds markers without a stale translation, and repairs them by one commit", async () => {
    await fill("fr", { "a.php": { a: "AA" } });
    await post({ "a.php": { a: "A2" } });
    expect(await found()).toEqual([]);
    expect(await git(repo, "show", "main:stale/fr/a.php.json")).toBe('{\n  "a": "A"\n}\n');
    await byHand({
      "stale/fr/a.php.json": '{"a":"A","n.b":"untranslated","gone":"?"}',
      "stale/fr/gone.php.json": '{"x":"?"}',
      "stale/it/a.php.json": '{"a":"A"}',
      "stale/de/a.php.json": '{"a":"A"}',
      "locales/de/a.php.json": '{"a":"AD"}',
    });
    const expected = [
      "locales/de is not a locale of this Hive; add it with: skep locale create",
      "stale/de does not belong to a target locale",
      "stale/it does not belong to a target locale",
      "stale/fr/a.php.json holds 2 markers without a stale translation",
      "stale/fr/gone.php.json holds 1 marker without a stale translation",
    ];
    const repaired = await found(true);
    expect(repaired.map(({ problem }) => problem)).toEqual(expected);
    expect(repaired.map((one) => one.repaired)).toEqual([
      undefined,
      undefined,
      "repaired by a commit",
      "repaired together with the finding before it",
      "repaired together with the finding before it",
    ]);
    expect((await found()).map(({ problem }) => problem)).toEqual(expected.slice(0, 2));
    expect(await filesIn("stale")).toEqual(["stale/de/a.php.json", "stale/fr/a.php.json"]);
    expect(await git(repo, "show", "main:stale/fr/a.php.json")).toBe('{\n  "a": "A"\n}\n');
  });

  it("names markers that cannot be read, and what else is wrong", async () => {
    await byHand({ "stale/fr/a.php.json": "{", "locales/fr/a.php.json": '{"gone":"?"}' });
    expect((await found(true)).map(({ problem, repaired }) => [problem, repaired])).toEqual([
      ["locales/fr/a.php.json holds 1 text without a source string", "repaired by a commit"],
      [expect.stringMatching(/^Hive content at .* is invalid: stale\/fr\/a\.php\.json$/), undefined],
    ]);
  });

  it("finds settings that contradict what is stored", async () => {
    await makeHive(storage, "app");
    await makeHive(storage, "left");
    const token = (await makeToken(storage, { hives: ["app"] })).split("_")[1] ?? "";
    await updateTeam(storage, toTeamName("acme"), { maxStrings: 1 });
    fs.rmSync(join(folder, "hives/app.git"), { recursive: true });
    const team = join(folder, "teams/acme.yaml");
    fs.writeFileSync(team, fs.readFileSync(team, "utf8").replace("  - left\n", ""));
    const tokenFile = join(folder, "tokens", `${token}.yaml`);
    fs.writeFileSync(tokenFile, fs.readFileSync(tokenFile, "utf8").replace("  - app", "  - app\n  - gone"));
    fs.writeFileSync(join(folder, "settings-version"), "changed by hand\n");
    const problems = (await found()).filter(({ hive }) => hive === undefined).map(({ problem }) => problem);
    expect(problems).toEqual([
      "the Hive app is in a team's list and has no repository",
      "hives/left.git is in no team's list",
      `the token ${token} lists the Hive gone, which its team does not have`,
      "the team acme holds 2 strings, and its quota is 1",
    ]);
    const repaired = (await found(true)).map((one) => one.repaired).filter((done) => done !== undefined);
    expect(repaired).toEqual([
      expect.stringMatching(/^moved it to trash\/left\..*\.git$/),
      "took it from the token",
    ]);
  });

  it("leaves a Hive where it is while the list of its team cannot be read", async () => {
    fs.writeFileSync(join(folder, "teams/acme.yaml"), "name: [\n");
    for (const isRepaired of [false, true]) {
      const about = (await found(isRepaired)).filter(({ problem }) => problem.startsWith("hives/"));
      expect(about).toEqual([{ problem: "hives/web.git is in no team's list that can be read" }]);
    }
    expect(fs.existsSync(join(folder, "hives/web.git"))).toBe(true);
  });

  it("takes the repository of a listed Hive that has none from the trash", async () => {
    await makeHive(storage, "app");
    const app = toHiveSlug("app");
    const id = await storage.hives.lock(app, (lock) => storage.lifecycle.setAside(app, lock));
    const problem = "the Hive app is in a team's list and has no repository";
    expect((await found(true)).find((one) => one.problem === problem)?.repaired).toBe(
      `moved it back from trash/${id}`,
    );
    expect(await found()).toEqual([]);
    expect((await storage.hives.at(app).snapshot()).index.stringCount).toBe(0);
  });

  it("refuses an unknown Hive", async () => {
    await expect(found(false, toHiveSlug("nope"))).rejects.toSatisfy((error) =>
      isFailure(error, "not-found"),
    );
  });
});

describe("a tag", () => {
  const tag = (name: string) => call("POST", "/api/hives/web/tags", { body: { name } });

  it("is valid for git, and survives a reset of the branch", async () => {
    expect((await tag("release/1")).status).toBe(201);
    expect(
      await git(repo, "for-each-ref", "--format=%(objecttype) %(refname) %(*objecttype)", "refs/tags"),
    ).toBe("tag refs/tags/release/1 commit\n");
    const marked = (await git(repo, "rev-parse", "main")).trim();
    await post({ "a.php": { a: "later" } });
    await git(repo, "update-ref", "refs/heads/main", `${marked}~1`);
    expect(await found()).toEqual([]);
    expect((await call("GET", `/api/hives/web/strings?at=${marked}`)).json.meta.total).toBe(2);
    expect((await call("GET", "/api/hives/web/strings")).json.meta.total).toBe(0);
    await git(repo, "gc", "--quiet", "--prune=now");
    expect((await call("GET", "/api/hives/web/strings?at=release/1")).json.meta.total).toBe(2);
  });

  it("is read when it is packed, cannot be moved then either, and can replace a folder", async () => {
    await tag("v1");
    await tag("old/1");
    await git(repo, "pack-refs", "--all");
    expect((await call("GET", "/api/hives/web/tags")).json.meta.total).toBe(2);
    expect((await tag("v1")).status).toBe(409);
    expect((await tag("V1")).status).toBe(409);
    expect((await tag("old")).status).toBe(409);
    await git(repo, "tag", "-d", "old/1");
    fs.mkdirSync(join(repo, "refs/tags/old/empty"), { recursive: true });
    expect((await tag("old")).status).toBe(201);
    await git(repo, "tag", "light", "main~1");
    const { data } = (await call("GET", "/api/hives/web/tags")).json;
    expect(data.map(({ name }: { name: string }) => name)).toEqual(["light", "old", "v1"]);
    expect(data[0]).toMatchObject({ time: null, tagger: null, message: null });
    expect((await call("GET", "/api/hives/web/strings?at=light")).json.meta.total).toBe(0);
    expect(await found()).toEqual([]);
  });

  it("that git is creating is waited for, and one that leads to no commit is reported", async () => {
    await tag("v1");
    const target = fs.readFileSync(join(repo, "refs/tags/v1"), "utf8").trim();
    fs.writeFileSync(join(repo, "refs/tags/torn"), "");
    await git(repo, "update-ref", "refs/tags/blob", "main:hive.yaml");
    fs.writeFileSync(join(repo, "objects", target.slice(0, 2), target.slice(2)), "torn", { flag: "r+" });
    const problems = (await found()).map(({ problem }) => problem);
    expect(problems).toEqual(
      expect.arrayContaining([
        "refs/tags/torn is not the name of an object",
        "the tag blob leads to no commit that can be read",
        "the tag v1 leads to no commit that can be read",
        `object ${target} is damaged, and the history needs it`,
      ]),
    );
    for (const name of ["v1", "torn", "blob"]) {
      expect((await call("GET", `/api/hives/web/strings?at=${name}`)).status).toBe(422);
    }
    expect((await call("GET", "/api/hives/web/tags")).json.data).toEqual([]);
  });

  it("an unfinished tag leaves files that `skep server verify` removes", async () => {
    const paths = ["refs/tags/.tmp_skep_0", "refs/tags/v9.lock", "refs/tags/release/.tmp_skep_1"];
    fs.mkdirSync(join(repo, "refs/tags/release"), { recursive: true });
    for (const path of paths) {
      fs.writeFileSync(join(repo, path), "");
      age(join(repo, path));
    }
    expect((await found()).filter(({ problem }) => problem.includes("refs/tags")).length).toBe(3);
    await found(true);
    expect(paths.filter((path) => fs.existsSync(join(repo, path)))).toEqual([]);
    expect(await found()).toEqual([]);
  });
});
