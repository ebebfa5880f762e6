/** Very many hostile pushes, drawn at random, against one Hive: nothing but what is sound gets into it. */
import nodeFs, { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { toHiveSlug } from "../../src/domain/names.ts";
import { BareRepo } from "../../src/git/bare-repo.ts";
import { parseTree, toGitObject, type RawTreeEntry } from "../../src/git/objects/git-object.ts";
import { updateHive } from "../../src/service/admin/hive-settings.ts";
import { verify } from "../../src/service/operations/verify.ts";
import { openLocalStorage } from "../../src/service/storage.ts";
import { DurableFs } from "../../src/disk/durable-fs.ts";
import { hiddenText, wayToFile, type PushBase } from "../helpers/git/hostile-change.ts";
import { hostilePushes } from "../helpers/git/hostile-pushes.ts";
import { pusherOn } from "../helpers/git/made-pushes.ts";
import { git } from "../helpers/process.ts";
import { byCommand, harness, makeHive, makeToken, realFolder } from "../helpers/storage.ts";

async function setUp() {
  const folder = realFolder();
  const storage = openLocalStorage(folder);
  await makeHive(storage, "web", { locales: ["fr", "de"] });
  await updateHive(storage, toHiveSlug("web"), { push: "all" }, byCommand);
  const token = await makeToken(storage);
  const { call } = harness(storage, token);
  const files = { "app.json": { title: "Hello" } };
  expect((await call("PUT", "/api/hives/web/strings", { body: { files } })).status).toBe(200);
  const texts = { files: { "app.json": { title: "Bonjour" } } };
  expect((await call("POST", "/api/hives/web/translations/fr", { body: texts })).status).toBe(200);
  const repo = join(folder, "hives/web.git");
  return { storage, repo, token, base: await baseOf(repo) };
}

/** What pushes are made from, and a file that no ref reaches. */
async function baseOf(gitdir: string): Promise<PushBase> {
  const repo = new BareRepo(new DurableFs(nodeFs), gitdir);
  const hidden = toGitObject("blob", hiddenText);
  await repo.writeObjects([hidden]);
  const main = repo.main.read();
  let { tree } = await repo.readCommit(main);
  const folders: (readonly RawTreeEntry[])[] = [];
  for (const name of [...wayToFile, undefined]) {
    const entries = await repo.readAs(tree, "tree", parseTree);
    folders.push(entries);
    tree = entries.find((entry) => entry.name === name)?.oid ?? tree;
  }
  return { main, hidden: hidden.oid, folders };
}

/** All objects and refs of a repository, and whatever else lies there. */
function contentOf(repo: string): string {
  const refs = readdirSync(join(repo, "refs"), { recursive: true, withFileTypes: true });
  const values = refs.map((one) => {
    const path = join(one.parentPath, one.name);
    return one.isFile() ? `${path} ${readFileSync(path, "latin1")}` : path;
  });
  const objects = readdirSync(join(repo, "objects"), { recursive: true, encoding: "utf8" });
  return [...objects, ...readdirSync(repo), ...values].toSorted().join("\n");
}

describe("a thousand hostile pushes", () => {
  it.each(hostilePushes)(
    "a thousand hostile pushes with %s, %i of them, leave nothing that is not sound",
    async (_, numRuns, make) => {
      const { storage, repo, token, base } = await setUp();
      const { send, logged } = pusherOn(storage, token);
      let count = 0;
      // What the first push makes for all that follow.
      await send(Buffer.from("0000"));
      let content = contentOf(repo);
      const attack = fc.asyncProperty(fc.gen(), async (draw) => {
        const { body, maySucceed } = make({ draw, base, ref: `refs/heads/x${count++}` });
        const answer = await send(body);
        const text = await answer.text();
        expect(answer.status, text).toBeLessThan(500);
        const now = contentOf(repo);
        if (maySucceed) content = now;
        expect(now, text).toBe(content);
      });
      await fc.assert(attack, { numRuns, endOnFailure: true });
      expect(logged).toEqual([]);
      expect(existsSync(join(repo, "quarantine"))).toBe(false);
      expect(await git(repo, "fsck", "--strict", "--unreachable")).toBe(`unreachable blob ${base.hidden}\n`);
      for await (const { problem } of verify(storage, { repair: false })) expect.fail(problem);
    },
  );
});
