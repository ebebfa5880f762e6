/** File names that git itself would stumble over, tried against real git: fsck, a strict push, and a checkout. */
import fs from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { toHiveSlug } from "../../src/domain/names.ts";
import { git } from "../helpers/process.ts";
import { realFolder, setUpRealWeb } from "../helpers/storage.ts";

async function setUp() {
  const web = await setUpRealWeb({ locales: ["fr"] });
  return { ...web, repo: web.storage.hives.folderOf(toHiveSlug("web")) };
}

/** Passes when git takes the repository for sound in every way that git looks at one. */
async function expectSound(repo: string): Promise<string> {
  expect(await git(repo, "fsck", "--full", "--strict")).toBe("");
  const folder = realFolder();
  await git(folder, "init", "--quiet", "--bare", "remote.git");
  const remote = join(folder, "remote.git");
  await git(remote, "config", "receive.fsckObjects", "true");
  await git(repo, "push", "--quiet", remote, "main");
  await git(
    folder,
    "-c",
    "core.protectNTFS=true",
    "-c",
    "core.protectHFS=true",
    "clone",
    "--quiet",
    remote,
    "clone",
  );
  return join(folder, "clone");
}

/** What attackers name files, and why. */
const hostile: [string, string][] = [
  [".git/config", "git's own folder"],
  [".GIT/hooks/post-checkout", "git's own folder where case does not count"],
  ["a/.git/x", "git's own folder, deeper"],
  [".gitmodules/x", "the file of submodules"],
  [".gitattributes", "the file of attributes"],
  ["git~1", "the short name that NTFS gives .git"],
  ["GIT~1/x", "the short name in capitals"],
  ["gitmod~1", "the short name of .gitmodules"],
  ["gi7eba~1", "the fallback short name of .gitmodules"],
  [".g\u200cit/x", "a zero-width letter that HFS+ ignores"],
  [".git\u200d", "a zero-width letter at the end"],
  ["\u202e.git", "a direction mark before"],
  [".git ", "a space that Windows drops"],
  [".git.", "a dot that Windows drops"],
  [".git::$INDEX_ALLOCATION", "a stream of NTFS"],
  ["..\\..\\x", "the parent folder in Windows"],
  ["a\\.git\\config", "git's folder in Windows"],
  ["../x", "the parent folder"],
  ["a/../../x", "the parent folder, later"],
  ["/etc/passwd", "an absolute path"],
  ["C:/x", "a drive"],
  ["//host/share", "a share"],
  ["aux", "a device"],
  ["a/CON.php", "a device with an ending"],
  ["lpt1.a.b", "a device with two endings"],
  ["-rf", "an option"],
  ["--upload-pack=x", "an option of git"],
  ["a\nb", "a line break"],
  ["a\tb", "a tab"],
  ["a\0b", "a NUL"],
  ["e\u0301", "a letter that macOS writes in another way"],
  ["x".repeat(201), "a name too long to be checked out"],
  [Array.from({ length: 60 }, () => "abcd").join("/"), "a path too long to be checked out"],
  ["\ud83d", "half a character"],
];

describe("a hostile file name", () => {
  it.each(hostile)("the hostile file name %j is refused: %s", async (name) => {
    const { put, repo, fill } = await setUp();
    const reply = await put({ [name]: { a: "x" } });
    expect([200, 422]).toContain(reply.status);
    if (reply.status === 200)
      expect(fs.existsSync(join(await expectSound(repo), "locales/en", `${name}.json`))).toBe(true);
    else expect(Object.keys(reply.json.errors)[0]).toMatch(/^files\./);
    // As a name of translations it means nothing, and is no error either.
    const translated = await fill("fr", { [name]: { z: "x" } });
    expect([translated.status, translated.json.unknown]).toEqual([200, 1]);
  });

  it("that clashes with another is refused with it, and alone it is checked out", async () => {
    const { put, repo } = await setUp();
    for (const [one, other] of [
      ["Case.php", "case.php"],
      ["a.php", "a.php.json/x.php"],
      ["A.PHP", "a.php.json/y"],
      ["Straße", "STRASSE"],
    ]) {
      expect((await put({ [one ?? ""]: { a: "x" }, [other ?? ""]: { a: "x" } })).status).toBe(422);
      expect((await put({ [one ?? ""]: { a: "x" } })).status).toBe(200);
      expect((await put({ [one ?? ""]: {} })).status).toBe(200);
      expect((await put({ [other ?? ""]: { a: "x" } })).status).toBe(200);
      await put({ [other ?? ""]: {} });
    }
    await expectSound(repo);
  });
});

describe("a file name of anybody's", () => {
  it("a file name in any script, long, deep or odd, is checked out as it is", async () => {
    const { put, repo } = await setUp();
    const names = [
      "日本語/ファイル.php",
      "ünï/çödé.json",
      "a b/c d",
      "emoji 🐝.json",
      "x".repeat(200),
      "a/b/c/d/e/f/g",
      "a..b",
      "~a",
      "#a",
      "a,b;c",
      "(a)[b]{c}",
      "a'b",
      "a$b`c",
      "%41",
      "__proto__",
      "constructor.php",
    ];
    expect((await put(Object.fromEntries(names.map((name) => [name, { a: "x" }])))).status).toBe(200);
    const clone = await expectSound(repo);
    for (const name of names) expect(fs.existsSync(join(clone, "locales/en", `${name}.json`))).toBe(true);
  });
});
