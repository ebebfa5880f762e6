/** Commits that come to a Hive through `git push`, by real git. */
import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { png } from "../domain/pictures/images.ts";
import { git } from "../helpers/process.ts";
import { contentOf, packOf, pushOf, sendPush, setUpPushes, thinPush } from "../helpers/git/pushes.ts";
import { toHiveSlug } from "../../src/domain/names.ts";
import { updateHive } from "../../src/service/admin/hives.ts";
import { byCommand, makeToken, realFolder } from "../helpers/storage.ts";

const en = "locales/en/app.json.json";
const fr = "locales/fr/app.json.json";
const french = { title: "Salut", nav: { home: "Accueil" } };

describe("an accepted push", () => {
  it("is one commit that merges what was pushed", async () => {
    const { clone, repo, call } = await setUpPushes();
    const before = (await git(repo, "rev-parse", "main")).trim();
    const { commit, push, git: run } = await clone();
    await commit({ [fr]: { title: "Bonjour !" } });
    const pushed = await commit({ [fr]: french, "README.md": "# Ours\n" });
    const { code, stderr } = await push();
    expect([code, stderr]).toEqual([
      0,
      expect.stringContaining("remote: Accepted 2 commits: 1 created, 1 updated."),
    ]);
    expect(stderr).not.toContain("error");
    expect(await run("status", "--branch", "--porcelain")).toBe("## main...origin/main");
    await run("pull", "--quiet", "--ff-only");
    expect(await run("rev-parse", "HEAD^1", "HEAD^2")).toBe(`${before}\n${pushed}`);
    expect(await run("diff", "HEAD^2", "HEAD")).toBe("");
    const message = await run("log", "-1", "--format=%an|%cn|%s|%(trailers:unfold,separator=%x2c)");
    expect(message).toMatch(
      /^Anna\|Skep\|Push: 1 created, 1 updated\|Operation: push,Token: \w+,Commits: 2,Created: 1,Updated: 1,Deleted: 0,Moved: 0$/,
    );
    expect(await git(repo, "fsck", "--strict")).toBe("");
    expect(await call("GET", "/export?locale=fr")).toEqual({
      files: { "app.json": '{\n  "title": "Salut",\n  "nav.home": "Accueil"\n}\n' },
    });
    expect(await call("GET", "/history")).toMatchObject({ data: [{ operation: "push" }, {}, {}, {}, {}] });
  });

  it("may change the source, and translations follow", async () => {
    const { clone, call } = await setUpPushes();
    const { commit, push, git: run } = await clone();
    await commit({
      [en]: { title: "Hello there", nav: { home: "Home" } },
      "locales/en/new.json.json": { x: "X" },
    });
    expect((await push()).stderr).toContain("1 created, 1 updated, 1 deleted");
    await run("pull", "--quiet");
    expect(await call("GET", "/stale")).toMatchObject({
      data: [{ locale: "fr", key: "title", old_source_value: "Hello", source_value: "Hello there" }],
    });
    await commit({ [fr]: { title: "Bonjour à tous" } });
    expect((await push()).code).toBe(0);
    expect(await call("GET", "/stale")).toMatchObject({ data: [] });
  });

  it("may come from a shallow clone", async () => {
    const { clone, server, token } = await setUpPushes();
    const whole = await clone();
    const folder = join(realFolder(), "shallow");
    const address = `${server.url.replace("//", `//x:${token}@`)}/hives/web.git`;
    await git(whole.folder, "clone", "--quiet", "--depth=1", address, folder);
    writeFileSync(join(folder, fr), `${JSON.stringify(french, null, 2)}\n`);
    await git(folder, "commit", "--quiet", "--all", "--message", "Shallow");
    expect(await git(folder, "push", "--porcelain")).toContain("Done");
  });

  it("need not change a text", async () => {
    const { clone, repo } = await setUpPushes();
    const { commit, push } = await clone();
    await commit({});
    expect((await push()).stderr).toContain("Accepted 1 commit: no text changed.");
    expect(await git(repo, "log", "-1", "--format=%s", "main")).toBe("Push: no text changed\n");
    expect((await push()).stderr).not.toContain("Accepted");
  });

  it("in one form alone is taken as it is", async () => {
    const { clone, repo } = await setUpPushes();
    await (await clone()).push();
    const { commit, push } = await clone();
    const tip = await commit({ [en]: { nav: { back: "Back", home: "Home" }, title: "Hello" } });
    expect((await push()).code).toBe(0);
    expect(await git(repo, "rev-parse", "main^{tree}")).toBe(await git(repo, "rev-parse", `${tip}^{tree}`));
  });
});

describe("a push that comes twice", () => {
  it("makes a branch once", async () => {
    const setUp = await setUpPushes();
    const { commit, git: run } = await setUp.clone();
    const main = await run("rev-parse", "HEAD");
    const after = await commit({ [fr]: { title: "Salut" } });
    const ref = "refs/heads/anna";
    const sent = pushOf([{ after, ref }], await packOf(run, after, `^${main}`));
    expect(await sendPush(setUp, sent)).toContain(`Accepted 1 commit`);
    const made = await contentOf(setUp.repo);
    const again = await sendPush(setUp, sent);
    expect(again).toContain("The branch has these commits already.");
    expect(again).toContain(`ok ${ref}`);
    expect(await contentOf(setUp.repo)).toBe(made);
    const other = await commit({ [fr]: { title: "Coucou" } });
    const more = pushOf([{ after: other, ref }], await packOf(run, other, `^${main}`));
    expect(await sendPush(setUp, more)).toContain(`ng ${ref} The branch anna is there already.`);
  });
});

describe("a push while others write", () => {
  it("is merged key by key", async () => {
    const setUp = await setUpPushes();
    const [one, other] = [await setUp.clone(), await setUp.clone()];
    const first = await one.commit({ [fr]: { title: "Bonjour", nav: { home: "Accueil" } } });
    const second = await other.commit({ [fr]: { title: "Salut" } });
    // Both have looked where main is before either of them comes.
    const [sent, sentToo] = [await thinPush(one, first), await thinPush(other, second)];
    const answers = await Promise.all([sendPush(setUp, sent), sendPush(setUp, sentToo)]);
    for (const answer of answers) expect(answer).toContain("ok refs/heads/main");
    await setUp.call("POST", "/translations/fr", { files: { "app.json": { "nav.back": "Retour" } } });
    expect(await setUp.call("GET", "/export?locale=fr")).toEqual({
      files: {
        "app.json": '{\n  "title": "Salut",\n  "nav.home": "Accueil",\n  "nav.back": "Retour"\n}\n',
      },
    });
    const log = await git(setUp.repo, "log", "--first-parent", "--format=%s", "-3", "main");
    expect(log.split("\n").toSorted()).toEqual([
      "",
      "Import fr translations: 1 created",
      "Push: 1 created",
      "Push: 1 updated",
    ]);
    expect(await git(setUp.repo, "fsck", "--strict")).toBe("");
    // The same push again brings nothing that is not there.
    expect(await sendPush(setUp, sent)).toContain("ok refs/heads/main");
    expect(await git(setUp.repo, "rev-list", "--count", "main")).toBe("9\n");
  });

  it("a push that changes what others have changed meanwhile is refused with both texts", async () => {
    const setUp = await setUpPushes();
    const { commit, push, git: run, folder } = await setUp.clone();
    const tip = await commit({
      [fr]: { title: "Salut" },
      [en]: { title: "Hi", nav: { home: "Home", back: "Back" } },
    });
    const sent = await thinPush({ git: run }, tip);
    const options = { files: { "app.json": { title: "Coucou" } }, overwrite_strategy: "overwrite" };
    await setUp.call("POST", "/translations/fr", options);
    await setUp.call("POST", "/strings", { files: { "app.json": { title: "Hey" } } });
    const before = await contentOf(setUp.repo);
    const answer = await sendPush(setUp, sent);
    expect(answer).toContain('en: app.json: title: is "Hey" here by now, and "Hi" in the push\n');
    expect(answer).toContain('fr: app.json: title: is "Coucou" here by now, and "Salut" in the push\n');
    expect(answer).toContain("ng refs/heads/main see what is said above");
    expect(await contentOf(setUp.repo)).toBe(before);
    // git itself says so to those who look later.
    expect((await push()).stderr).toContain("fetch first");
    expect(existsSync(join(folder, fr))).toBe(true);
  });

  it("a push finds what others have moved meanwhile", async () => {
    const setUp = await setUpPushes();
    const { commit, git: run } = await setUp.clone();
    const sent = await thinPush({ git: run }, await commit({ [fr]: { title: "Salut" } }));
    const move = { from: { file: "app.json", key: "title" }, to: { file: "app.json", key: "heading" } };
    await setUp.call("POST", "/keys/move", { moves: [move] });
    expect(await sendPush(setUp, sent)).toContain("ok refs/heads/main");
    expect(await setUp.call("GET", "/export?locale=fr")).toEqual({
      files: { "app.json": '{\n  "heading": "Salut"\n}\n' },
    });
  });

  it("a push against imports: none waits for the other for long, and nothing is lost", async () => {
    const setUp = await setUpPushes();
    const keys = Array.from({ length: 20 }, (_, i) => `k${i}`);
    const texts = Object.fromEntries(keys.map((key) => [key, key]));
    await setUp.call("POST", "/strings", { files: { "many.json": texts } });
    const { commit, git: run } = await setUp.clone();
    const sent = await thinPush({ git: run }, await commit({ "locales/de/many.json.json": texts }));
    const imports = keys.map((key) =>
      setUp.call("POST", "/translations/fr", { files: { "many.json": { [key]: `${key} (fr)` } } }),
    );
    const [answer] = await Promise.all([sendPush(setUp, sent), ...imports]);
    expect(answer).toContain("ok refs/heads/main");
    expect(await setUp.call("GET", "/strings?per_page=1")).toMatchObject({ meta: { total: 23 } });
    for (const locale of ["fr", "de"]) {
      const { files } = Object(await setUp.call("GET", `/export?locale=${locale}`));
      expect(Object.keys(JSON.parse(files["many.json"]))).toEqual(keys);
    }
    expect(await git(setUp.repo, "rev-list", "--first-parent", "--count", "main")).toBe("26\n");
  });
});

describe("a push that renames", () => {
  const site = "locales/en/site.json.json";

  it("keeps translations, also those of others, what is stale, and the history", async () => {
    const setUp = await setUpPushes();
    await setUp.call("POST", "/strings", { files: { "app.json": { title: "Hello there" } } });
    const { commit, git: run } = await setUp.clone();
    await run("mv", en, site);
    await run("mv", fr, "locales/fr/site.json.json");
    const sent = await thinPush({ git: run }, await commit({}));
    const others = { title: "Hallo", "nav.home": "Start" };
    await setUp.call("POST", "/translations/de", { files: { "app.json": others } });
    await setUp.call("POST", "/translations/fr", { files: { "app.json": { "nav.home": "Accueil" } } });
    expect(await sendPush(setUp, sent)).toContain("Accepted 1 commit: 3 moved.");
    expect(await setUp.call("GET", "/export?locale=de")).toEqual({
      files: { "site.json": '{\n  "title": "Hallo",\n  "nav.home": "Start"\n}\n' },
    });
    expect(await setUp.call("GET", "/stale")).toMatchObject({
      data: [{ locale: "fr", file: "site.json", key: "title", old_source_value: "Hello" }],
    });
    const { data } = Object(await setUp.call("GET", "/history?file=site.json&key=nav.home"));
    expect(data.map(({ operation }: { operation: string }) => operation)).toEqual([
      "push",
      "import-translations",
      "import-translations",
      "sync",
    ]);
    expect(await git(setUp.repo, "fsck", "--strict")).toBe("");
    const message = await git(setUp.repo, "log", "-1", "--format=%(trailers:key=Move,valueonly)", "main");
    expect(message.trim()).toBe('["app.json","site.json"]');
  });

  it("a key in the source alone carries its translations along", async () => {
    const { clone, call } = await setUpPushes();
    const { commit, push, git: run } = await clone();
    await commit({ [en]: { heading: "Hello", nav: { home: "Home", back: "Back" } } });
    expect((await push()).stderr).toContain("Accepted 1 commit: 1 moved.");
    await run("pull", "--quiet");
    expect(await run("show", `HEAD:${fr}`)).toBe('{\n  "heading": "Bonjour"\n}');
    expect(await call("GET", "/untranslated?locale=fr")).toMatchObject({ meta: { total: 2 } });
  });

  it("one of several strings with the same text moves none of them, and says so", async () => {
    const { clone, call } = await setUpPushes();
    await call("POST", "/strings", { files: { "app.json": { again: "Hello" } } });
    const { commit, push } = await clone();
    await commit({ [en]: { nav: { home: "Home", back: "Back" }, heading: "Hello" } });
    expect((await push()).stderr).toContain(
      'Not moved, since several strings have the text "Hello": app.json: title, app.json: again -> app.json: heading',
    );
  });
});

describe("a push of texts that would break an app", () => {
  it("is told each by file, line and key, and stopped by none that is there already", async () => {
    const { clone, call, storage } = await setUpPushes();
    await call("POST", "/strings", {
      files: { "app.json": { title: "Hello {{name}}", nav: { home: "{{n}}" } } },
    });
    await call("POST", "/translations/de", { files: { "app.json": { title: "Hallo {{nam}}" } } });
    await updateHive(storage, toHiveSlug("web"), { checks: { level: "refuse" } }, byCommand);
    const { commit, push, git: run } = await clone();
    const before = await run("rev-parse", "HEAD");
    await commit({ [fr]: { title: "Salut {{nom}}", nav: { home: "{{k}}", back: "Retour" } } });
    const { code, stderr } = await push();
    expect(code).toBe(1);
    expect(stderr).toContain(`${fr}:2: title: {{nom}} is not in the source text, which has {{name}}`);
    expect(stderr).toContain(`${fr}:4: nav.home: {{k}} is not in the source text, which has {{n}}`);
    await run("fetch", "--quiet");
    expect(await run("rev-parse", "origin/main")).toBe(before);
    await commit({ [fr]: { title: "Salut {{name}}", nav: { home: "{{n}}", back: "Retour" } } });
    expect((await push("origin", "HEAD:anna")).code).toBe(0);
    expect((await push()).code).toBe(0);
  });
});

it("a push cannot change pictures, and is merged beside one that came meanwhile", async () => {
  const setUp = await setUpPushes();
  const { clone, call, repo } = setUp;
  const { commit, push, git: run } = await clone();
  const before = await run("rev-parse", "HEAD");
  await commit({ "pictures/x.png": "x" });
  expect((await push()).stderr).toContain("pictures: cannot be changed by a push; use skep picture");
  await run("reset", "--quiet", "--hard", before);
  const content = png(2, 2).toString("base64");
  const sent = await thinPush({ git: run }, await commit({ [fr]: { title: "Salut" } }));
  await call("POST", "/pictures", { name: "a.png", content, strings: ["app.json:title"] }, 201);
  expect(await sendPush(setUp, sent)).toContain("ok refs/heads/main");
  expect(await git(repo, "ls-tree", "--name-only", "main:pictures")).toMatch(/^\w{64}\.json\n\w{64}\.png\n$/);
});

describe("a push of several branches", () => {
  it("moves each that may move, and says of each other why it did not", async () => {
    const { clone, storage, repo, call } = await setUpPushes();
    await call("POST", "/strings", { files: { "app.json": { title: "Hello {{name}}" } } });
    await updateHive(storage, toHiveSlug("web"), { checks: { level: "refuse" } }, byCommand);
    const { commit, push, git: run } = await clone();
    const before = await run("rev-parse", "HEAD");
    await commit({ [fr]: { title: "Salut {{name}}" } });
    await run("branch", "good");
    await commit({ [fr]: { title: "Salut {{nom}}" } });
    const { code, stderr } = await push("origin", "HEAD:bad", "good", "good:refs/tags/v1", "good:main");
    expect(code).toBe(1);
    expect(stderr).toContain(`bad: ${fr}:2: title: {{nom}} is not in the source text`);
    expect(stderr).toMatch(/! \[remote rejected\] HEAD -> bad/);
    expect(stderr).toMatch(/! \[remote rejected\] good -> v1/);
    const refs = await git(repo, "for-each-ref", "--format=%(refname)", "refs/heads", "refs/tags");
    expect(refs).toBe("refs/heads/good\nrefs/heads/main\n");
    expect(await git(repo, "log", "--format=%H", "main")).toContain(before);
    expect(await git(repo, "show", "main:locales/fr/app.json.json")).toContain("Salut {{name}}");
    expect(await git(repo, "fsck", "--strict")).toBe("");
  });
});

describe("a push that deletes", () => {
  it("more strings than it may is refused with what allows it, and says nothing of parameters", async () => {
    const { clone, storage } = await setUpPushes();
    await updateHive(storage, toHiveSlug("web"), { maxDeletions: 1 }, byCommand);
    const { commit, push } = await clone();
    await commit({ [en]: { title: "Hello" } });
    const { stderr } = await push();
    expect(stderr).toContain("this would delete 2 source strings and may delete 1; nothing was written.");
    expect(stderr).toContain("If it is meant, have the limit raised: skep hive edit --max-deletions");
    expect(stderr).not.toContain("send max_deletions");
  });

  it("a string is refused where somebody has translated it meanwhile, and where somebody has deleted what it translates", async () => {
    const setUp = await setUpPushes();
    const { commit, git: run } = await setUp.clone();
    const deleting = await thinPush(
      { git: run },
      await commit({ [en]: { title: "Hello", nav: { back: "Back" } } }),
    );
    const other = await setUp.clone();
    const translating = await thinPush(other, await other.commit({ [fr]: french }));
    await setUp.call("POST", "/translations/de", { files: { "app.json": { "nav.home": "Start" } } });
    expect(await sendPush(setUp, deleting)).toContain(
      'de: app.json: nav.home: is "Start" here by now, and not there in the push',
    );
    await setUp.call("PUT", "/strings", { files: { "app.json": { title: "Hello" } } });
    expect(await sendPush(setUp, translating)).toContain(
      'fr: app.json: nav.home: is not there here by now, and "Accueil" in the push',
    );
  });
});

const refused: readonly (readonly [string, Record<string, unknown>, string])[] = [
  [
    "a key without a source string",
    { [fr]: { title: "Salut", nope: "?" } },
    `${fr}:3: nope: has no source string`,
  ],
  [
    "a key that the push itself has renamed in the source",
    { [en]: { heading: "Hello", nav: { home: "Home", back: "Back" } }, [fr]: french },
    `${fr}:2: title: has no source string; rename it as its string was renamed`,
  ],
  [
    "a file without a source file",
    { "locales/fr/x.json.json": { a: "A" } },
    "locales/fr/x.json.json: has no source file",
  ],
  ["another form", { [fr]: '{"title":"Salut"}\n' }, `${fr}:1: is not in canonical form; run skep format`],
  ["an empty text", { [fr]: { title: "" } }, `${fr}: has no texts; remove the file`],
  ["what is not JSON", { [fr]: '{\n  "title": "Salut"\n<<<<<<<\n}\n' }, `${fr}:3: is not JSON`],
  ["what is no text", { [fr]: { title: 1 } }, `${fr}:2: title: must be text, not number`],
  [
    "another locale",
    { "locales/it/app.json.json": { title: "Ciao" } },
    "locales/it: belongs to no locale of this Hive",
  ],
  ["the settings", { "hive.yaml": "name: x\nsource_locale: en\n" }, "hive.yaml: cannot be changed by a push"],
  ["stale markers", { "stale/fr/app.json.json": { title: "x" } }, "stale: cannot be changed by a push"],
  [
    "the glossary",
    { "glossary.json": { terms: [] } },
    "glossary.json: cannot be changed by a push; use skep glossary import",
  ],
  ["styles", { "style/fr.md": "Vous.\n" }, "style: cannot be changed by a push; use skep style"],
  ["another file", { LICENSE: "MIT" }, "LICENSE: cannot be changed by a push"],
  ["a name that no file has", { "locales/fr/app.txt": "x" }, "locales/fr/app.txt: is not the name of a file"],
  [
    "two files that differ by case",
    { "locales/en/APP.json.json": { a: "A" } },
    "locales/en/APP.json.json: differs from the file app.json only by case",
  ],
  ["a README of bytes", { "README.md": "a\u0000b" }, "README.md: is not plain text in UTF-8"],
  ["a long README", { "README.md": "x".repeat(65_537) }, "README.md: is larger than 65536 bytes"],
];

describe("a push of notes", () => {
  const path = "notes/app.json.json";
  const noted = async () => {
    const pushes = await setUpPushes();
    const notes = { "app.json": { title: { note: "From the app" } } };
    const files = { "app.json": { title: "Hello", nav: { home: "Home", back: "Back" } } };
    await pushes.call("PUT", "/strings", { files, notes });
    return pushes;
  };
  const app = { note: "From the app" };

  it("changes what the team says, in any form, and is merged with what others said meanwhile", async () => {
    const pushes = await noted();
    const { clone, call } = pushes;
    const { commit, git: run } = await clone();
    const mine = { title: { team: { note: "Ours" }, app } };
    const sent = await thinPush({ git: run }, await commit({ [path]: JSON.stringify(mine) }));
    const theirs = { title: { tags: ["x"] }, "nav.home": { ask: "?" } };
    await call("PATCH", "/notes", { files: { "app.json": theirs } });
    expect(await sendPush(pushes, sent)).toContain("ok refs/heads/main");
    expect(await call("GET", "/notes")).toMatchObject({
      data: [
        { key: "title", app, team: { note: "Ours", tags: ["x"] } },
        { key: "nav.home", app: null, team: { ask: "?" } },
      ],
    });
    await run("fetch", "--quiet");
    await run("reset", "--quiet", "--hard", "origin/main");
    const stored: object = JSON.parse(await run("show", `HEAD:${path}`));
    const other = { ...stored, title: { app, team: { note: "Mine", tags: ["x"] } } };
    const late = await thinPush({ git: run }, await commit({ [path]: other }));
    await call("PATCH", "/notes", { files: { "app.json": { title: { note: "Theirs" } } } });
    expect(await sendPush(pushes, late)).toContain(
      'title: note: is "Theirs" here by now, and "Mine" in the push',
    );
  });

  it("that moves a string takes its notes with it, whether they were moved or not", async () => {
    const { clone, call } = await noted();
    const { commit, push, git: run } = await clone();
    await commit({ [en]: { heading: "Hello", nav: { home: "Home", back: "Back" } }, [fr]: undefined });
    expect((await push()).code).toBe(0);
    expect(await call("GET", "/notes")).toMatchObject({ data: [{ key: "heading", app, team: null }] });
    await run("pull", "--quiet");
    await commit({
      [en]: { top: "Hello", nav: { home: "Home", back: "Back" } },
      [path]: { top: { app, team: { note: "Moved" } } },
    });
    expect((await push()).code).toBe(0);
    expect(await call("GET", "/notes")).toMatchObject({
      data: [{ key: "top", app, team: { note: "Moved" } }],
    });
  });

  it.each<readonly [string, unknown, string]>([
    ["what the app says", { title: { app: { note: "Other" } } }, "title: app is what the app's files say"],
    [
      "a comment",
      { title: { app, team: { thread: [{ id: "1", by: "anna", text: "Said by nobody" }] } } },
      `${path}:1: title: thread is what people say`,
    ],
    ["a question", { title: { app, team: { ask: "Why?" } } }, "title: thread is what people say"],
    [
      "less of what the app says",
      { title: { team: { note: "x" } } },
      "title: app is what the app's files say",
    ],
    [
      "what the app says of others",
      { title: { app }, "nav.back": { app } },
      "nav.back: app is what the app's",
    ],
    [
      "a key without a string",
      { title: { app }, nope: { team: { note: "x" } } },
      "nope: has no source string",
    ],
    ["a picture", { title: { app, team: { pictures: ["x"] } } }, "title.team.pictures: is not a member"],
    [
      "100,000 tags",
      { title: { app, team: { tags: Array.from({ length: 100_000 }, (_, i) => `t${i}`) } } },
      "title.team.tags: must have at most 20 elements",
    ],
    ["what is not JSON", '{\n"title": ', `${path}:2: is not JSON`],
    ["a list", [1], "must be an object"],
  ])("is refused with %s", async (_, notes, problem) => {
    const { clone, repo } = await noted();
    const { commit, push } = await clone();
    const before = await contentOf(repo);
    await commit({ [path]: typeof notes === "string" ? notes : JSON.stringify(notes) });
    const { code, stderr } = await push();
    expect([code, stderr]).toEqual([1, expect.stringContaining(problem)]);
    expect(await contentOf(repo)).toBe(before);
  });

  it("is refused when it takes away what people say, or settles it", async () => {
    const { clone, call } = await noted();
    await call("PATCH", "/notes", { files: { "app.json": { "nav.home": { ask: "Which?" } } } });
    const { commit, push, git: run } = await clone();
    const stored = JSON.parse(await run("show", `HEAD:${path}`));
    const { thread } = stored["nav.home"].team;
    const settled = { "nav.home": { team: { thread: [{ ...thread[0], settled: true }] } } };
    for (const change of [{}, settled]) {
      await commit({ [path]: { title: { app }, ...change } });
      expect((await push()).stderr).toMatch(
        /notes\/app\.json\.json(:\d+)?: nav\.home: thread is what people/,
      );
    }
    expect(await call("GET", "/notes?key=nav.home")).toMatchObject({ data: [{ team: { ask: "Which?" } }] });
  });

  it("is refused for a file without a name of its own, and from tokens that are limited to locales", async () => {
    const { clone, storage } = await noted();
    const { commit, push } = await clone();
    await commit({ "notes/x.txt": "x" });
    expect((await push()).stderr).toContain("notes/x.txt: is not the name of a file");
    const limited = await clone(await makeToken(storage, { locales: ["fr"] }));
    await limited.commit({ [path]: { title: { app, team: { note: "x" } } } });
    expect((await limited.push()).stderr).toContain(`${path}: may not be changed with this token`);
  });
});

describe("a push to a branch", () => {
  it("leaves main as it is, and is merged like other changes", async () => {
    const { clone, call, repo } = await setUpPushes({ policy: "branches" });
    await call("POST", "/branches", { name: "feature/login" }, 201);
    const { commit, push, git: run } = await clone();
    const main = await run("rev-parse", "main");
    await run("checkout", "--quiet", "feature/login");
    await commit({
      [en]: { title: "Hello", nav: { home: "Home", back: "Back" }, login: "Log in" },
      [fr]: french,
    });
    expect((await push()).stderr).toContain("Accepted 1 commit: 2 created, 1 updated.");
    expect((await git(repo, "rev-parse", "main")).trim()).toBe(main);
    expect(await call("GET", "/branches/feature%2Flogin/changes")).toMatchObject({ meta: { total: 3 } });
    await call("POST", "/branches/feature%2Flogin/merge", { on_conflict: "fail" });
    expect(await call("GET", "/strings?per_page=1")).toMatchObject({ meta: { total: 4 } });
    // main comes into the branch by a merge of the person's own, too.
    await call("POST", "/strings", { files: { "app.json": { later: "Later" } } });
    await run("pull", "--quiet");
    await run("merge", "--quiet", "--no-edit", "origin/main");
    expect(await push()).toMatchObject({ code: 0 });
    expect(await call("GET", "/strings?branch=feature/login&per_page=1")).toMatchObject({
      meta: { total: 5 },
    });
    expect(await git(repo, "fsck", "--strict")).toBe("");
  });

  it("a push makes a branch that begins where its commits leave main", async () => {
    const { clone, call, repo } = await setUpPushes({ policy: "branches" });
    const { commit, push, git: run } = await clone();
    const base = await run("rev-parse", "main");
    await run("checkout", "--quiet", "-b", "ours/new");
    const tip = await commit({ [fr]: french });
    await call("POST", "/strings", { files: { "app.json": { later: "Later" } } });
    expect((await push("origin", "HEAD")).stderr).toContain("Accepted 1 commit: 1 created, 1 updated.");
    expect(await git(repo, "log", "-1", "--format=%P %s", "ours/new")).toBe(
      `${base} ${tip} Push: 1 created, 1 updated\n`,
    );
    expect(await call("GET", "/branches/ours%2Fnew/changes")).toMatchObject({ meta: { total: 2 } });
    // A name that is there already in another form, and one that begins at main itself.
    expect((await push("origin", "HEAD:Ours/new")).stderr).toContain(
      "cannot be stored beside the branch ours/new",
    );
    expect((await push("origin", "origin/main:refs/heads/same")).code).toBe(0);
    expect(await git(repo, "rev-parse", "same")).toBe(`${base}\n`);
    expect((await push("origin", "HEAD:refs/heads/2024-01-01")).stderr).toContain(
      "must not look like a date",
    );
    expect(await git(repo, "fsck", "--strict")).toBe("");
  });

  it("a push of the commits of another branch is told as such", async () => {
    const { clone, call } = await setUpPushes();
    const { commit, push, git: run } = await clone();
    await commit({ [fr]: { title: "Salut" } });
    expect((await push("origin", "HEAD:refs/heads/anna")).stderr).toContain("Accepted 1 commit: 1 updated.");
    await run("fetch", "--quiet");
    const { stderr } = await push("origin", "origin/anna:main");
    expect(stderr).toContain("Accepted the commits of another branch: 1 updated.");
    expect(await call("GET", "/export?locale=fr")).toMatchObject({
      files: { "app.json": '{\n  "title": "Salut"\n}\n' },
    });
  });

  it("a push makes no branch with a token of some locales", async () => {
    const { clone, storage, repo } = await setUpPushes();
    const { commit, push } = await clone(await makeToken(storage, { locales: ["fr"] }));
    const before = await contentOf(repo);
    await commit({ [fr]: french });
    expect((await push("origin", "HEAD:refs/heads/x")).stderr).toContain(
      "this token may not create branches",
    );
    expect(await contentOf(repo)).toBe(before);
  });

  it("a push to main is refused unless the Hive takes it", async () => {
    const { clone } = await setUpPushes({ policy: "branches" });
    const { commit, push } = await clone();
    await commit({ [fr]: french });
    expect((await push()).stderr).toContain(
      "main takes no pushes; its owner can allow them: skep hive edit web --push all",
    );
  });
});

describe("a refused push", () => {
  it("is told the place, and leaves nothing behind", async () => {
    const { clone, repo } = await setUpPushes();
    const before = await contentOf(repo);
    const { commit, push, git: run } = await clone();
    for (const [what, files, words] of refused) {
      await commit(files);
      const { code, stderr } = await push();
      expect([what, code, stderr]).toEqual([what, 1, expect.stringContaining(`remote: ${words}`)]);
      expect(stderr).toContain("! [remote rejected] main -> main");
      await run("reset", "--quiet", "--hard", "origin/main");
    }
    expect(await contentOf(repo)).toBe(before);
    expect(existsSync(join(repo, "quarantine"))).toBe(false);
  });
});
