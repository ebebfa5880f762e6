/** Very many hostile pushes, drawn at random, against one Hive: nothing but what is sound gets into it. */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { verify } from "../../src/service/operations/verify.ts";
import { hostilePushes } from "../helpers/git/hostile-pushes.ts";
import { pusherOn, setUpHostile } from "../helpers/git/made-pushes.ts";
import { git } from "../helpers/process.ts";

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
  it.each(hostilePushes)("with %s, %i of them, leave nothing that is not sound", async (_, numRuns, make) => {
    const { storage, repo, token, base } = await setUpHostile();
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
  });
});
