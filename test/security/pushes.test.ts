/** Attacks by `git push`: hostile packs, histories and requests. A refused push leaves every object and ref as it was. */
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setImmediate } from "node:timers/promises";
import { deflateSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { toHiveSlug, toTokenId } from "../../src/domain/names.ts";
import { revokeToken } from "../helpers/people/tokens.ts";
import { git, tryGit } from "../helpers/process.ts";
import {
  contentOf,
  packOf,
  pushOf,
  sendPush,
  setUpPushes,
  thinPush,
  type Clone,
  type Pushed,
} from "../helpers/git/pushes.ts";
import { blobType, deltaEntry, packEntry, packWith, toName } from "../helpers/git/packs.ts";
import { makeHive, makeToken, realFolder } from "../helpers/storage.ts";

const fr = "locales/fr/app.json.json";

interface Attack {
  readonly setUp: Pushed;
  readonly clone: Clone;
  /** Where main is. */
  readonly main: string;
  /** Makes a blob, or another object from its text. */
  readonly object: (content: string | Uint8Array, type?: string) => Promise<string>;
  /** Makes a tree from lines such as `100644 blob <name>\tpath`, whatever is in them. */
  readonly tree: (
    entries: readonly (readonly [mode: string, name: string, oid: string])[],
  ) => Promise<string>;
  /** Makes a commit of a tree on main. */
  readonly commit: (tree: string, ...parents: readonly string[]) => Promise<string>;
  /** The entries of main's tree. */
  readonly root: () => Promise<readonly [mode: string, name: string, oid: string][]>;
  /** Pushes a commit with all that it needs, and gives the answer. */
  readonly push: (tip: string) => Promise<string>;
}

/** Runs attacks on one Hive, and checks after each that nothing of it was kept. */
async function attack(run: (attack: Attack) => Promise<void>): Promise<void> {
  const setUp = await setUpPushes();
  const clone = await setUp.clone();
  const main = await clone.git("rev-parse", "HEAD");
  const made: Buffer[] = [];
  const object: Attack["object"] = async (content, type = "blob") => {
    const data = Buffer.from(content);
    made.push(packEntry(["commit", "tree", "blob"].indexOf(type) + 1, data));
    const bytes = Buffer.concat([Buffer.from(`${type} ${data.length}\0`), data]);
    const oid = createHash("sha1").update(bytes).digest("hex");
    const folder = join(clone.folder, ".git/objects", oid.slice(0, 2));
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, oid.slice(2)), deflateSync(bytes));
    return oid;
  };
  const tree: Attack["tree"] = (entries) =>
    object(
      Buffer.concat(
        entries.flatMap(([mode, name, oid]) => [Buffer.from(`${mode} ${name}\0`), Buffer.from(oid, "hex")]),
      ),
      "tree",
    );
  const who = "Mallory <mallory@example.org> 1700000000 +0000";
  const commit: Attack["commit"] = (oid, ...parents) =>
    object(
      `tree ${oid}\n${(parents.length > 0 ? parents : [main]).map((one) => `parent ${one}\n`).join("")}author ${who}\ncommitter ${who}\n\nAttack\n`,
      "commit",
    );
  const root = async (): Promise<[string, string, string][]> =>
    (await clone.git("ls-tree", "HEAD")).split("\n").map((line) => {
      const [mode = "", , oid = "", name = ""] = line.split(/[ \t]/);
      return [mode.replace(/^0/, ""), name, oid];
    });
  const push = async (tip: string): Promise<string> => {
    // Git packs nothing that it cannot read.
    const pack = await packOf(clone.git, tip, `^${main}`).catch(() => packWith(made));
    return sendPush(setUp, pushOf([{ before: main, after: tip }], pack));
  };
  const before = await contentOf(setUp.repo);
  await run({ setUp, clone, main, object, tree, commit, root, push });
  expect(await contentOf(setUp.repo)).toBe(before);
  expect(existsSync(join(setUp.repo, "quarantine"))).toBe(false);
  expect(await git(setUp.repo, "fsck", "--strict")).toBe("");
}

describe("a pushed tree", () => {
  it("with names that a system reads otherwise is refused", () =>
    attack(async ({ object, tree, commit, root, push }) => {
      const blob = await object('{\n  "title": "x"\n}\n');
      const inner = await tree([["100644", "config", blob]]);
      const names = [
        ".git",
        ".GIT",
        ".git ",
        "git~1",
        ".g\u200cit",
        "..",
        ".",
        "a/b",
        "",
        "aux.json",
        "a\\b.json",
        "x.json.",
      ];
      for (const name of names) {
        for (const [mode, oid] of [
          ["100644", blob],
          ["40000", inner],
        ] as const) {
          const fields = [mode, name, oid] as const;
          const locale = await tree([fields]);
          const locales = await tree([["40000", "fr", locale]]);
          const whole = (await root()).map((entry) =>
            entry[1] === "locales" ? (["40000", "locales", locales] as const) : entry,
          );
          expect([name, await push(await commit(await tree(whole)))]).toEqual([
            name,
            expect.stringMatching(/ng refs\/heads\/main|git refuses/),
          ]);
        }
      }
    }));

  it("with other things than plain files is refused", () =>
    attack(async ({ object, tree, commit, root, push, main }) => {
      const target = await object("/etc/passwd");
      const modes = [
        ["120000", "is a symbolic link", target],
        ["160000", "is a submodule", main],
        ["100755", "is executable", target],
        ["100664", "has the mode 100664", target],
        ["0100644", "git refuses", target],
        ["140000", "has the mode 140000", target],
      ] as const;
      for (const [mode, words, oid] of modes) {
        for (const name of ["a.json.json", "README.md", ".gitmodules", ".gitattributes"]) {
          const whole = [...(await root()).filter((entry) => entry[1] !== name), [mode, name, oid] as const];
          whole.sort((a, b) => (a[1] < b[1] ? -1 : 1));
          expect([mode, name, await push(await commit(await tree(whole)))]).toEqual([
            mode,
            name,
            expect.stringMatching(new RegExp(`${words}|git refuses|cannot be changed by a push`)),
          ]);
        }
      }
    }));

  it("that repeats itself, or has very many files, is refused in time", () =>
    attack(async ({ object, tree, commit, root, push }) => {
      const blob = await object('{\n  "title": "x"\n}\n');
      // Ten folders with ten folders each, twelve levels deep: few objects, and a million million files.
      let level = await tree([["100644", "x.json", blob]]);
      for (let i = 0; i < 12; i++) {
        const below = level;
        level = await tree(Array.from({ length: 10 }, (_, n) => ["40000", `d${n}`, below] as const));
      }
      const locales = await tree([["40000", "fr", level]]);
      const whole = (await root()).map((entry) =>
        entry[1] === "locales" ? (["40000", "locales", locales] as const) : entry,
      );
      // To go through them all would take longer than any test may.
      expect(await push(await commit(await tree(whole)))).toContain("too many files");
    }));
});

describe("a pushed history", () => {
  it("hides nothing in commits before the last", () =>
    attack(async ({ clone, main, setUp }) => {
      const hidden: readonly Record<string, unknown>[] = [
        { "hive.yaml": "name: x\nsource_locale: fr\n" },
        { ".gitattributes": "* filter=x" },
        { [fr]: "no JSON" },
        { "README.md": "\u0000" },
        { "stale/fr/app.json.json": { title: "x" } },
      ];
      for (const files of hidden) {
        await clone.commit(files);
        await clone.git("revert", "--no-edit", "HEAD");
        const { code, stderr } = await clone.push();
        expect([code, stderr]).toEqual([
          1,
          expect.stringContaining(Object.keys(files)[0]?.split("/")[0] ?? ""),
        ]);
        await clone.git("reset", "--quiet", "--hard", main);
      }
      expect(setUp.repo).not.toBe("");
    }));

  it("never removes what was there, and begins no other", () =>
    attack(async ({ clone, main, commit, push, setUp }) => {
      const tree = await clone.git("rev-parse", "HEAD^{tree}");
      await clone.git("reset", "--quiet", "--hard", "HEAD~1");
      await clone.commit({ [fr]: { title: "Forced" } });
      expect((await clone.push("--force")).stderr).toContain("not based on the branch as it is");
      expect((await clone.push("--force", "origin", "HEAD~1:main")).stderr).toMatch(/not based on|already/);
      expect((await clone.push("origin", ":main")).stderr).toContain("cannot delete a branch");
      const deletion = pushOf([{ before: main }], Buffer.alloc(0));
      expect(await sendPush(setUp, deletion)).toContain("cannot delete a branch");
      const root = await clone.git("commit-tree", "-m", "Root", tree);
      const merge = await commit(tree, main, root);
      expect(await push(merge)).toContain("has no parent");
    }));

  it("cannot speak for Skep", () =>
    attack(async ({ clone, main, push, object }) => {
      const tree = await clone.git("rev-parse", "HEAD^{tree}");
      const author = "author Mallory <m@example.org> 1700000000 +0000";
      const forged = await object(
        `tree ${tree}\nparent ${main}\n${author}\ncommitter Skep <skep@skep.invalid> 1700000000 +0000\n\nSync\n\nOperation: sync\nToken: x\nIdempotency-Key: y\n`,
        "commit",
      );
      expect(await push(forged)).toContain("names Skep as its committer");
    }));

  it("of very many commits is refused", () =>
    attack(async ({ clone, main, push }) => {
      const lines = Array.from(
        { length: 1_001 },
        (_, i) =>
          `commit refs/heads/long\ncommitter A <a@b> ${1_700_000_000 + i} +0000\ndata 1\nx\n${i === 0 ? `from ${main}\n` : ""}\n`,
      );
      const file = join(realFolder(), "stream");
      writeFileSync(file, lines.join(""));
      await clone.git("-c", `alias.load=!git fast-import --quiet < ${file}`, "load");
      expect(await push("refs/heads/long")).toMatch(/not a valid request|no more than 1000 new commits/);
      const tip = await clone.git("rev-parse", "long");
      expect(await push(tip)).toContain("no more than 1000 new commits");
    }));
});

describe("a pushed pack", () => {
  it("that is damaged, or lacks objects, is refused", () =>
    attack(async ({ clone, main, setUp, object, tree, commit, root }) => {
      const tip = await clone.commit({ [fr]: { title: "Salut" } });
      const pack = await packOf(clone.git, tip, `^${main}`);
      const send = (bytes: Uint8Array, after = tip): Promise<string> =>
        sendPush(setUp, pushOf([{ before: main, after }], bytes));
      for (let at = 12; at < pack.length; at += 67) {
        const damaged = Buffer.from(pack);
        damaged[at] = (damaged[at] ?? 0) ^ 0x55;
        expect(await send(damaged)).toMatch(/ng refs\/heads\/main/);
        expect(await send(pack.subarray(0, at))).toMatch(/ng refs\/heads\/main/);
      }
      expect(await send(Buffer.concat([pack, pack]))).toContain("damaged");
      expect(await send(Buffer.alloc(0))).toContain("damaged");
      // A pack without the commit; one without its files; one whose base is nowhere.
      expect(await send(await packOf(clone.git, main, `^${main}`))).toContain("ng refs/heads/main");
      const only = join(realFolder(), "only");
      writeFileSync(only, `${tip}\n`);
      const alone = await clone.git(
        "-c",
        `alias.one=!git pack-objects --stdout --quiet < ${only} | base64`,
        "one",
      );
      expect(await send(Buffer.from(alone, "base64"))).toContain("does not show");
      const base = Buffer.from("1".repeat(40), "hex");
      const orphan = packWith([deltaEntry(toName, base, Buffer.from([5, 5, 0x90, 5]))]);
      expect(await send(orphan)).toContain("git refuses");
      // A folder that is the object of a file, and a file that is that of a folder.
      const blob = await object("{}\n");
      const wrong = await tree([["40000", "fr", blob]]);
      const whole = (await root()).map((entry) =>
        entry[1] === "locales" ? (["40000", "locales", wrong] as const) : entry,
      );
      const mixed = await commit(await tree(whole));
      expect(await send(await packOf(clone.git, mixed, `^${main}`).catch(() => pack), mixed)).toContain(
        "ng refs",
      );
    }));

  it("may hold no more than the limits", async () => {
    const setUp = await setUpPushes();
    const clone = await setUp.clone();
    const main = await clone.git("rev-parse", "HEAD");
    const before = await contentOf(setUp.repo);
    const bomb = packWith([packEntry(blobType, Buffer.alloc(200 * 1024 * 1024))]);
    expect(bomb.length).toBeLessThan(300_000);
    const send = (pack: Uint8Array): Promise<string> =>
      sendPush(setUp, pushOf([{ before: main, after: main.replace(/^./, "0") }], pack));
    expect(await send(bomb)).toContain("are larger than 134217728 bytes together");
    const many = packWith([packEntry(blobType, Buffer.from("x"))], 4_000_000_000);
    expect(await send(many)).toContain("has 4000000000 objects, and may have no more than 20000");
    expect(await send(Buffer.alloc(17 * 1024 * 1024))).toMatch(/^413/);
    expect(await contentOf(setUp.repo)).toBe(before);
  });

  it("cannot show what the Hive hides", async () => {
    const setUp = await setUpPushes();
    const clone = await setUp.clone();
    const main = await clone.git("rev-parse", "HEAD");
    const title = '{\n  "title": "hidden"\n}\n';
    const file = join(realFolder(), "hidden");
    writeFileSync(file, title);
    await git(setUp.repo, "hash-object", "-w", file);
    const hidden = (await git(setUp.repo, "commit-tree", "-p", main, "-m", "Hidden", "main^{tree}")).trim();
    const before = await contentOf(setUp.repo);
    const send = (after: string, pack: Uint8Array): Promise<string> =>
      sendPush(setUp, pushOf([{ before: main, after }], pack));
    expect(await send(hidden, await packOf(clone.git, main, `^${main}`))).toContain("does not show");
    // A commit is sent without the file in it, which the Hive has.
    const tip = await clone.commit({ [fr]: title });
    const names = join(realFolder(), "names");
    const without = await clone.git("rev-parse", tip, `${tip}^{tree}`, `${tip}:locales`, `${tip}:locales/fr`);
    writeFileSync(names, `${without}\n`);
    const packed = await clone.git(
      "-c",
      `alias.some=!git pack-objects --stdout --quiet < ${names} | base64`,
      "some",
    );
    expect(await send(tip, Buffer.from(packed, "base64"))).toContain("does not show");
    expect(await contentOf(setUp.repo)).toBe(before);
    // What is sent in full may be what the Hive has already.
    expect(await send(tip, await packOf(clone.git, tip, `^${main}`))).toContain("ok refs/heads/main");
  });
});

describe("a request to push", () => {
  it("another kind of ref is refused by itself, and all of them where they are to move all or none", () =>
    attack(async ({ clone, main, setUp }) => {
      const tip = await clone.commit({ [fr]: { title: "Salut" } });
      const pack = await packOf(clone.git, tip, `^${main}`);
      const many = Array.from({ length: 21 }, (_, i) => ({ after: tip, ref: `refs/heads/x${i}` }));
      expect(await sendPush(setUp, pushOf(many, pack))).toMatch(/push 20 branches at a time.*ng .*\/x20 /s);
      expect((await clone.push("--atomic", "origin", "HEAD:main", "HEAD:x")).stderr).toContain(
        "several branches are not moved all or none",
      );
      expect(await git(setUp.repo, "rev-parse", "main")).toBe(`${main}\n`);
      const refs = [
        "refs/tags/v1",
        "HEAD",
        "refs/skep/deleted/1/x",
        "refs/heads/../x",
        "refs/heads/main.lock",
        "refs/heads/-x",
        "../../config",
        "refs/heads/\u202ex",
        "refs/replace/x",
      ];
      for (const ref of refs) {
        const answer = await sendPush(setUp, pushOf([{ before: main, after: tip, ref }], pack));
        expect([ref, answer]).toEqual([ref, expect.stringMatching(/200 .*ng /s)]);
      }
    }));

  it("needs a token that can read and write this Hive", async () => {
    const setUp = await setUpPushes();
    await makeHive(setUp.storage, "secret", { team: "rival" });
    const { clone, server, repo, storage } = setUp;
    const own = await clone();
    const before = await contentOf(repo);
    await own.commit({ [fr]: { title: "Salut" } });
    const tokens = [
      [403, await makeToken(storage, { abilities: ["read"] })],
      [403, await makeToken(storage, { abilities: ["write"] })],
      [404, await makeToken(storage, { team: "rival" })],
      [401, "nonsense"],
    ] as const;
    for (const [status, token] of tokens) {
      const headers = {
        authorization: `Bearer ${token}`,
        "content-type": "application/x-git-receive-pack-request",
      };
      const refs = await fetch(`${server.url}/hives/web.git/info/refs?service=git-receive-pack`, { headers });
      expect(refs.status).toBe(status);
      const answer = await fetch(`${server.url}/hives/web.git/git-receive-pack`, {
        method: "POST",
        headers,
        body: "0000",
      });
      expect(answer.status).toBe(status);
      const address = `${server.url.replace("//", `//x:${token}@`)}/hives/web.git`;
      expect((await tryGit(own.folder, ["push", address, "HEAD:main"])).code).not.toBe(0);
    }
    expect(await contentOf(repo)).toBe(before);
  });

  it("is refused when its token is revoked before it has the Hive's lock", async () => {
    const setUp = await setUpPushes();
    const { clone, storage, repo, token } = setUp;
    const { commit, git: run } = await clone();
    const sent = await thinPush({ git: run }, await commit({ [fr]: { title: "Salut" } }));
    const before = await contentOf(repo);
    const answer = await storage.hives.lock(toHiveSlug("web"), async () => {
      const pushing = sendPush(setUp, sent);
      while (!existsSync(join(repo, "quarantine"))) await setImmediate();
      const [, id = ""] = token.split("_");
      await revokeToken(storage, toTokenId(id));
      return { pushing };
    });
    expect(await answer.pushing).toMatch(/^401/);
    expect(await contentOf(repo)).toBe(before);
  });

  it("with a token of one locale changes that locale alone", async () => {
    const setUp = await setUpPushes();
    const token = await makeToken(setUp.storage, { locales: ["fr"] });
    const before = await contentOf(setUp.repo);
    const { commit, push, git: run } = await setUp.clone(token);
    const others = [
      { "locales/de/app.json.json": { title: "Hallo" } },
      { "locales/en/app.json.json": { title: "Hi", nav: { home: "Home", back: "Back" } } },
      { "README.md": "mine" },
      { [fr]: undefined, "locales/de/app.json.json": { title: "Hallo" } },
    ];
    for (const files of others) {
      await commit(files);
      expect((await push()).stderr).toMatch(
        /locale that this token may not change|may not be changed with this token/,
      );
      await run("reset", "--quiet", "--hard", "origin/main");
    }
    expect(await contentOf(setUp.repo)).toBe(before);
    await commit({ [fr]: { title: "Salut" } });
    expect((await push()).code).toBe(0);
  });

  it("with a reviewed token makes the texts wait that it changes, and changes no review itself", async () => {
    const setUp = await setUpPushes();
    const token = await makeToken(setUp.storage, { review: "always" });
    const { commit, push, git: run } = await setUp.clone(token);
    await commit({ [fr]: { title: "Salut", nav: { home: "Accueil" } } });
    expect((await push()).code).toBe(0);
    const waiting = async () => (await setUp.call("GET", "/review")) as { readonly data: readonly object[] };
    const texts = [
      { key: "title", translation: "Salut", approved: "Bonjour" },
      { key: "nav.home", translation: "Accueil", approved: null },
    ];
    expect((await waiting()).data).toMatchObject(texts);
    await run("pull", "--quiet");
    for (const markers of [undefined, {}, { title: { text: "Salut", approved: "Evil", by: "x" } }]) {
      await commit({ "review/fr/app.json.json": markers });
      expect((await push()).stderr).toContain("review: cannot be changed by");
      await run("reset", "--quiet", "--hard", "origin/main");
    }
    expect((await waiting()).data).toMatchObject(texts);
    await setUp.call("POST", "/translations/fr", {
      files: { "app.json": { title: "Bonjour" } },
      overwrite_strategy: "overwrite",
    });
    expect((await waiting()).data).toMatchObject(texts.slice(1));
  });

  it("with a token of one locale takes nothing else from another commit of the Hive", async () => {
    const setUp = await setUpPushes();
    const old = (await git(setUp.repo, "rev-parse", "main")).trim();
    await setUp.call("POST", "/translations/de", { files: { "app.json": { title: "Hallo" } } });
    await setUp.call("POST", "/strings", { files: { "app.json": { title: "Hi" } } });
    const owner = await setUp.clone();
    await owner.commit({ "README.md": "ours" });
    expect((await owner.push()).code).toBe(0);
    const before = await contentOf(setUp.repo);
    const { push, git: run } = await setUp.clone(await makeToken(setUp.storage, { locales: ["fr"] }));
    const main = await run("rev-parse", "HEAD");
    for (const path of ["README.md", "locales/de/app.json.json", "locales/en/app.json.json", "."]) {
      // The merge has that path from the older commit, as a merge may.
      await run("checkout", "--quiet", main);
      await run("rm", "-r", "--quiet", "--ignore-unmatch", path);
      await run("checkout", old, "--", path).catch(() => "it was not there");
      const tree = await run("write-tree");
      const merge = await run("commit-tree", "-p", main, "-p", old, "-m", "Merge", tree);
      await run("reset", "--quiet", "--hard", merge);
      expect([path, (await push("origin", "HEAD:main")).stderr]).toEqual([
        path,
        expect.stringMatching(/locale that this token may not change|may not be changed with this token/),
      ]);
      expect(await contentOf(setUp.repo)).toBe(before);
    }
  });

  it.each([["none"], ["branches"]] as const)(
    "to main is refused where the Hive takes: %s",
    async (policy) => {
      const setUp = await setUpPushes({ policy });
      const before = await contentOf(setUp.repo);
      const { commit, push } = await setUp.clone();
      await commit({ [fr]: { title: "Salut" } });
      const { code, stderr } = await push();
      expect([code === 0, stderr]).toEqual([false, expect.stringMatching(/takes no pushes/)]);
      expect(await contentOf(setUp.repo)).toBe(before);
    },
  );

  it("runs no hook and heeds no setting of the repository", async () => {
    const setUp = await setUpPushes();
    const mark = join(realFolder(), "mark");
    mkdirSync(join(setUp.repo, "hooks"), { recursive: true });
    for (const hook of ["pre-receive", "update", "post-receive", "post-update", "reference-transaction"]) {
      writeFileSync(join(setUp.repo, "hooks", hook), `#!/bin/sh\ntouch ${mark}\nexit 1\n`, { mode: 0o755 });
    }
    await git(setUp.repo, "config", "receive.denyCurrentBranch", "refuse");
    await git(setUp.repo, "config", "transfer.fsckObjects", "false");
    const { commit, push } = await setUp.clone();
    await commit({ [fr]: { title: "Salut" } });
    expect((await push()).code).toBe(0);
    expect(existsSync(mark)).toBe(false);
  });
});
