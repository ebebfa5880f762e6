/** `skep tag`: the commands about tags of a Hive. */
import { beforeEach, describe, expect, it } from "vitest";
import { makeApp, type AppTree } from "../../helpers/app-tree.ts";
import { git, request } from "../../helpers/process.ts";

let app: AppTree;

const put = (texts: object) =>
  request(app, app.token, "PUT", "/api/hives/web/strings", { files: { "a.json": texts } });
const tag = (what: string, ...words: string[]) => app.run(`tag ${what}`, ...words);

beforeEach(async () => {
  app = await makeApp({ patterns: ["{ path: 'lang/{locale}.json' }"] });
  await put({ a: "A" });
});

describe("skep tag", () => {
  it("creates tags at main and at a revision, and lists them", async () => {
    await git(app.folder, "init", "--quiet");
    await git(app.folder, "commit", "--quiet", "--allow-empty", "--message", "First");
    expect(await tag("create", "v1", "--message", "Für Grüße")).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/^Created the tag v1 at [0-9a-f]{7}\.\n$/),
    });
    await put({ a: "A", b: "B" });
    expect((await tag("create", "v2")).code).toBe(0);
    expect((await tag("create", "v1-again", "--at", "v1")).code).toBe(0);
    const [first, again, second] = JSON.parse((await tag("list", "--json")).stdout);
    const ref = (await git(app.folder, "rev-parse", "HEAD")).trim();
    expect(first).toMatchObject({ name: "v1", message: "Für Grüße", ref });
    expect(again).toMatchObject({ name: "v1-again", commit: first.commit });
    expect(second.commit).not.toBe(first.commit);
    expect((await tag("list")).stdout).toMatch(
      /^TAG +COMMIT +CREATED +BY +MESSAGE\nv1 +[0-9a-f]{7} +\S+ +.*Für Grüße/,
    );
  });

  it("refuses a name that is taken or looks like a date, and an unknown revision", async () => {
    await tag("create", "v1");
    expect(await tag("create", "v1")).toMatchObject({ code: 4, stderr: expect.stringContaining("v1") });
    expect((await tag("create", "2026-01-01")).code).toBe(1);
    expect((await tag("create", "v2", "--at", "no-such-tag")).code).toBe(1);
  });
});
