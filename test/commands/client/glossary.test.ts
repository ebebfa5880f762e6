/** `skep glossary` and `skep style`, in an app's tree and outside of one. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import { makeApp, type AppTree } from "../../helpers/app-tree.ts";
import { skep } from "../../helpers/process.ts";
import { realFolder } from "../../helpers/storage.ts";

let app: AppTree;

beforeEach(async () => {
  app = await makeApp({ patterns: ["{ path: 'lang/{locale}.json' }"] });
});

describe("skep glossary", () => {
  const terms = async () => JSON.parse((await app.run("glossary list", "--json")).stdout);

  it("adds terms, lists them, and removes them", async () => {
    const added = await app.run(
      "glossary add",
      "file",
      "--locale",
      "fr=fichier",
      "--locale",
      "pt_BR=arquivo",
      "--accepted",
      "fr=document",
      "--forbidden",
      "fr=archive",
      "--meaning",
      "a document",
      "--part-of-speech",
      "noun",
      "--match",
      "prefix",
    );
    expect(added).toMatchObject({ code: 0, stdout: "1 term created, 0 updated, 0 unchanged.\n" });
    expect((await app.run("glossary add", "file", "--forbidden", "fr=dossier")).stdout).toContain(
      "1 updated",
    );
    expect(await terms()).toEqual([
      expect.objectContaining({
        source: "file",
        meaning: "a document",
        part_of_speech: "noun",
        match: "prefix",
        translations: {
          fr: { text: "fichier", accepted: ["document"], forbidden: ["dossier"], keep: false },
          pt_BR: { text: "arquivo", accepted: [], forbidden: [], keep: false },
        },
      }),
    ]);
    const listed = await app.run("glossary list", "--search", "FICH");
    expect(listed.stdout).toMatch(
      /^ID +TERM +MEANING +TRANSLATIONS\n[a-z0-9]+ +file +a document +fr: fichier; pt_BR: arquivo\n$/,
    );
    expect((await app.run("glossary list", "--search", "nothing", "--json")).stdout.trim()).toBe("[]");
    const [{ id }] = await terms();
    expect((await app.run("glossary remove", id)).stdout).toBe("Deleted the term.\n");
    expect((await app.run("glossary remove", id)).code).toBe(5);
    expect((await app.run("glossary add", "x", "--locale", "fr")).stderr).toContain(
      "It must be like fr=fichier",
    );
    expect((await app.run("glossary add", "x", "--locale", "de=y")).code).toBe(1);
  });

  it("exports and imports CSV and TBX, by the ending of the file", async () => {
    await app.run("glossary add", "file", "--locale", "fr=fichier", "--forbidden", "fr=archive");
    await app.run("glossary add", "=Skep", "--keep");
    const before = await terms();
    for (const ending of ["csv", "tbx"]) {
      const { stdout } = await app.run("glossary export", `--${ending}`);
      const file = join(app.folder, `terms.${ending}`);
      writeFileSync(file, stdout);
      await app.run("glossary add", "other");
      expect((await app.run("glossary import", file, "--sync", "--dry-run")).stdout).toBe(
        "Dry run: nothing was changed. 0 terms created, 0 updated, 1 deleted, 2 unchanged.\n",
      );
      expect((await app.run("glossary import", file)).stdout).toBe(
        "0 terms created, 0 updated, 2 unchanged.\n",
      );
      expect(JSON.parse((await app.run("glossary import", file, "--sync", "--json")).stdout)).toMatchObject({
        deleted: 1,
      });
      expect(await terms()).toEqual(before);
    }
  });

  it("names what the file forbids itself", async () => {
    const note = '<termNote type="administrativeStatus">deprecatedTerm-admn-sts</termNote>';
    const set = `<langSet xml:lang="en"><tig><term>old</term>${note}</tig></langSet>`;
    app.write({ "a.tbx": `<martif><text><body><termEntry>${set}</termEntry></body></text></martif>` });
    const { stderr } = await app.run("glossary import", join(app.folder, "a.tbx"));
    expect(stderr).toContain("a.tbx: left out what the file forbids itself: old\n");
  });

  it("names what it cannot read", async () => {
    app.write({
      "a.csv": "source,fr\n,x\n",
      "a.tbx": "<!DOCTYPE a [<!ENTITY b 'c'>]><martif/>",
      "a.txt.doc": "",
    });
    for (const [file, code, problem] of [
      ["a.csv", 1, "a.csv:2: has no source"],
      ["a.tbx", 1, "a.tbx:1: has a document type"],
      ["a.txt.doc", 2, "ends in .csv or .tbx"],
      ["none.csv", 2, "cannot be read"],
    ] as const) {
      const ran = await app.run("glossary import", join(app.folder, file));
      expect([ran.code, ran.stderr]).toEqual([code, expect.stringContaining(problem)]);
    }
  });

  it("needs no settings of an app", async () => {
    const token = join(realFolder(), "token");
    writeFileSync(token, app.token);
    const ran = await skep(
      "glossary",
      "list",
      "--server",
      app.url,
      "--hive",
      "web",
      "--token-file",
      token,
      "--json",
    );
    expect(ran).toMatchObject({ code: 0, stdout: expect.stringMatching(/^\[\]\s*$/) });
  });
});

describe("skep style", () => {
  it("sets the style of a locale from words or a file, shows it, and removes it", async () => {
    expect((await app.run("style", "fr")).stdout).toBe("It has no style.\n");
    expect((await app.run("style", "fr", "Vous.")).stdout).toBe("Set the style of fr.\n");
    expect((await app.run("style", "fr")).stdout).toBe("Vous.\n");
    app.write({ "style.md": "Tu.\n\nSans « ! ».\n" });
    await app.run("style", "fr", "--file", join(app.folder, "style.md"));
    expect(JSON.parse((await app.run("style", "fr", "--json")).stdout)).toEqual({
      locale: "fr",
      text: "Tu.\n\nSans « ! ».",
    });
    expect((await app.run("style", "fr", "")).stdout).toBe("Removed the style of fr.\n");
    expect((await app.run("style", "de", "x")).code).toBe(1);
    expect((await app.run("style", "fr", "x", "--file", "y")).code).toBe(2);
  });
});
