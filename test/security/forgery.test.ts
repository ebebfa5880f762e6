/** Headers and token names that try to pass for trailers, authors or headers of a commit, read by real git. */
import { createHash } from "node:crypto";
import { describe, expect, it } from "vitest";
import { toHiveSlug } from "../../src/domain/names.ts";
import { openLocalStorage } from "../../src/service/storage.ts";
import { git } from "../helpers/process.ts";
import { harness, makeHive, makeToken, realFolder } from "../helpers/storage.ts";

async function commitWith(tokenName: string | undefined, headers: Record<string, string>) {
  const storage = openLocalStorage(realFolder());
  await makeHive(storage, "web", { locales: [] });
  const token = await makeToken(storage, tokenName === undefined ? {} : { name: tokenName });
  const { post } = harness(storage, token);
  const reply = await post({ "a.php": { a: "x" } }, { headers });
  expect(reply.status).toBe(200);
  const repo = storage.hives.folderOf(toHiveSlug("web"));
  const show = async (format: string) =>
    (await git(repo, "log", "-1", `--format=${format}`, "main")).trimEnd();
  expect(await git(repo, "fsck", "--full", "--strict")).toBe("");
  return { id: token.split("_")[1] ?? "", show };
}

/** Headers carry bytes: what a client sends as UTF-8 arrives as one character a byte. */
const utf8 = (text: string): string => Buffer.from(text, "utf8").toString("latin1");

const expectedTrailers = (id: string, ...more: string[]) =>
  [
    "Operation: import",
    `Token: ${id}`,
    "Strategy: keep",
    "Created: 1",
    "Updated: 0",
    "Unchanged: 0",
    "Translations-Cleared: 0",
    ...more,
  ].join("\n");

describe("a commit message of a caller's", () => {
  it.each([
    "Token: root",
    "Operation: undo\tToken: root",
    `Idempotency-Key: ${"0".repeat(64)}`,
    `x\u2029Idempotency-Key: ${"0".repeat(64)}\u2029Body-SHA-256: ${"0".repeat(64)}`,
    "x\u0085\u0085Token: root",
    "x\u2028\u2028Token: root",
    "x\u2029Token: root",
    "---",
    "--- a/x",
    "-- ",
    "# ------------------------ >8 ------------------------",
    "; ------------------------ >8 ------------------------",
    "diff --git a/x b/x",
    "gpgsig -----BEGIN PGP SIGNATURE-----",
    "author Eve <eve@example.org> 1 +0000",
    "Signed-off-by: Eve <eve@example.org>",
    "(cherry picked from commit 0123456789012345678901234567890123456789)",
    "x".repeat(5_000),
    "é\u202e\u200b🐝",
  ])("a caller's commit message cannot forge trailers: %j", async (message) => {
    const { id, show } = await commitWith(undefined, { "x-commit-message": utf8(message) });
    expect(await show("%(trailers:only,unfold)")).toBe(expectedTrailers(id));
    expect(await show("%s")).toBe("Import source strings: 1 created");
    expect(await show("%an <%ae> %cn <%ce>")).toBe(
      `${id} <${id}@tokens.skep.invalid> Skep <skep@skep.invalid>`,
    );
  });

  it("a caller's commit message cannot forge the record of an idempotent request, which does not show the key", async () => {
    const forged = `Idempotency-Key: ${"0".repeat(64)}`;
    const headers = { "x-commit-message": forged, "x-commit-ref": forged, "idempotency-key": "run-1" };
    const { id, show } = await commitWith(undefined, headers);
    const body = createHash("sha256").update('{"files":{"a.php":{"a":"x"}}}').digest("hex");
    const name = JSON.stringify([id, "POST", "/api/hives/web/strings", "", "run-1"]);
    const key = createHash("sha256").update(name).digest("hex");
    expect(await show("%(trailers:only,unfold)")).toBe(
      expectedTrailers(id, `Idempotency-Key: ${key}`, `Body-SHA-256: ${body}`, `Ref: ${forged}`),
    );
    expect(await show("%B")).not.toContain("run-1");
  });

  it("a caller's reference cannot forge trailers, and bytes that are not UTF-8 do no harm", async () => {
    const headers = {
      "x-commit-message": "\xff\xfe",
      "x-commit-ref": utf8("https://ci/1\u2028Token: root \u0007"),
    };
    const { id, show } = await commitWith(undefined, headers);
    expect(await show("%(trailers:only,unfold)")).toBe(expectedTrailers(id, "Ref: https://ci/1 Token: root"));
    expect(await show("%b")).toContain("\u{fffd}\u{fffd}");
  });
});

describe("a token's name", () => {
  it.each<[string, (id: string) => string]>([
    ["Eve <root@example.org> 1 +0000", () => "Eve root@example.org 1 +0000"],
    ["Eve\ncommitter Root <r> 1 +0000", () => "Evecommitter Root r 1 +0000"],
    ["Eve\n\nToken: root", () => "EveToken: root"],
    ["<>", (id) => id],
    ["<\u0000>".replace("\u0000", "\u0001"), (id) => id],
    ["Zoë 🐝", () => "Zoë 🐝"],
  ])("cannot forge an author: %j", async (name, expected) => {
    const { id, show } = await commitWith(name, {});
    expect(await show("%an|%ae|%cn")).toBe(`${expected(id)}|${id}@tokens.skep.invalid|Skep`);
    expect(await show("%(trailers:only,unfold)")).toBe(expectedTrailers(id));
  });
});
