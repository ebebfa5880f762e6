/** The page of the team. */
import { describe, expect, it } from "vitest";
import { toMirrorUrl } from "../../../src/domain/hives/mirror-url.ts";
import { toHiveSlug, toTeamName } from "../../../src/domain/names.ts";
import { addMirror } from "../../../src/service/admin/mirrors.ts";
import { setQuota } from "../../../src/service/admin/teams.ts";
import type { Storage } from "../../../src/service/storage.ts";
import { harness, makeHive, makeToken, memoryStorage } from "../../helpers/storage.ts";
import { browse, type ConsoleBrowser, type Page } from "./browse.ts";

it("shows an admin the quota, tokens, mirrors with their addresses and errors, and deleted Hives", async () => {
  const storage = memoryStorage();
  await makeHive(storage, "web");
  await makeHive(storage, "gone");
  await setQuota(storage, toTeamName("acme"), 2000);
  await addMirror(storage, toHiveSlug("web"), toMirrorUrl("https://git.example.org/secret-name.git"));
  const token = await makeToken(storage, { name: "Lead <b>", abilities: ["read", "write", "admin"] });
  await makeToken(storage, { name: "Luc", locales: ["fr"], lifetimeMs: 86_400_000 });
  await harness(storage, token).call("DELETE", "/api/hives/gone");
  const browser = browse(storage);
  await browser.signIn(token);
  const { text, html } = await browser.get("/team");
  expect(text).toContain("0 source strings in 1 Hive, of at most 2,000");
  expect(text).toMatch(/Lead <b> [0-9a-z]{12} read, write, admin all .* 2\d{3}-\d\d-\d\d never/);
  expect(text).toMatch(/Luc [0-9a-z]{12} read, write into fr alone all .* never seen 2\d{3}-\d\d-\d\d\b/);
  expect(text).toContain("web https://git.example.org/secret-name.git has changes to get – –");
  expect(text).toMatch(/Deleted Hives .* gone /);
  expect(html).not.toContain(token);
});

it("shows no token of others to one that may not manage them, nor what is in Hives that it does not reach", async () => {
  const storage = memoryStorage();
  await makeHive(storage, "web");
  await makeHive(storage, "other");
  await setQuota(storage, toTeamName("acme"), 2000);
  await makeToken(storage, { name: "Lead", abilities: ["read", "write", "admin"] });
  const browser = browse(storage);
  await browser.signIn(await makeToken(storage, { hives: ["web"], abilities: ["read"] }));
  const { text } = await browser.get("/team");
  expect(text).toContain("in 1 Hive");
  expect(text).not.toMatch(/Lead|2,000|other/);
});

it("is for those who are signed in", async () => {
  const { status, headers } = await browse(memoryStorage()).get("/team");
  expect([status, headers.get("location")]).toEqual([303, "./?to=team"]);
});

describe("a token", () => {
  const asAdmin = async () => {
    const storage = memoryStorage();
    await makeHive(storage, "web");
    await makeHive(storage, "elsewhere", { team: "other" });
    const token = await makeToken(storage, { name: "Lead", abilities: ["admin"] });
    const other = await makeToken(storage, { name: "Luc" });
    const browser = browse(storage);
    await browser.signIn(token);
    const idOf = (text: string): string => text.split("_")[1] ?? "";
    const revoke = async (by: ConsoleBrowser, text: string): Promise<Page> =>
      by.post("/team/revoke", { form_key: await by.formKey(), token: idOf(text) });
    return { storage, browser, token, other, revoke };
  };

  it("is revoked by a form that says what that means", async () => {
    const { storage, browser, other, revoke } = await asAdmin();
    const luc = browse(storage);
    await luc.signIn(other);
    expect((await browser.get("/team")).text).toContain("it cannot be brought back. Revoke Luc");
    expect((await revoke(browser, other)).headers.get("location")).toBe("../team");
    const { text } = await browser.get("/team");
    expect(text).toContain("Revoked. Nobody can use this token any more.");
    expect(text).not.toContain("Luc");
    expect((await luc.get("/hives/web")).status).toBe(303);
  });

  it("that one is signed in with is revoked with the session", async () => {
    const { browser, token, revoke } = await asAdmin();
    expect((await browser.get("/team")).text).toContain("so your session ends, too");
    await revoke(browser, token);
    expect((await browser.get("/team")).headers.get("location")).toBe("./?to=team");
  });

  it("is not revoked by those who may not, nor from another team", async () => {
    const { storage, browser, token, other, revoke } = await asAdmin();
    const luc = browse(storage);
    await luc.signIn(other);
    expect((await revoke(luc, token)).status).toBe(403);
    const stranger = browse(storage);
    await stranger.signIn(await makeToken(storage, { team: "other", abilities: ["admin"] }));
    expect((await revoke(stranger, token)).status).toBe(404);
    expect((await browser.get("/team")).status).toBe(200);
  });
});

describe("a deleted Hive", () => {
  it("is restored by a form, and shown with what did not come back", async () => {
    const { admin, restore } = await withDeletedHive();
    const { status, headers } = await restore(admin);
    expect([status, headers.get("location")]).toEqual([303, "../hives/gone"]);
    expect((await admin.get("/hives/gone")).text).toContain("Restored. Its mirrors");
    expect((await admin.get("/team")).text).toContain("There are none.");
  });

  it("is not restored over another one of its name", async () => {
    const { storage, admin, restore } = await withDeletedHive();
    await makeHive(storage, "gone");
    const { status, text } = await restore(admin);
    expect([status, text]).toEqual([409, expect.stringContaining("The name is taken")]);
  });

  it("is restored by tokens alone that may manage all of the team", async () => {
    const { storage, admin, restore } = await withDeletedHive();
    for (const less of [
      { abilities: ["read", "write"] },
      { abilities: ["admin"], hives: ["web"] },
      { abilities: ["admin"], team: "other" },
    ] as const) {
      const other = browse(storage);
      await other.signIn(await makeToken(storage, less));
      expect((await restore(other)).status).toBeGreaterThanOrEqual(403);
    }
    expect((await admin.get("/team")).text).toMatch(/Deleted Hives .* gone /);
  });
});

/** A team that has deleted a Hive, an admin of it, and the form that restores the Hive, as any browser can send it. */
async function withDeletedHive(): Promise<{
  readonly storage: Storage;
  readonly admin: ConsoleBrowser;
  readonly restore: (browser: ConsoleBrowser) => Promise<Page>;
}> {
  const storage = memoryStorage();
  await makeHive(storage, "web");
  await makeHive(storage, "elsewhere", { team: "other" });
  await makeHive(storage, "gone");
  const token = await makeToken(storage, { abilities: ["admin"] });
  await harness(storage, token).call("DELETE", "/api/hives/gone");
  const admin = browse(storage);
  await admin.signIn(token);
  const [, entry = ""] = /name="entry" value="([^"]+)"/.exec((await admin.get("/team")).html) ?? [];
  const restore = async (browser: ConsoleBrowser): Promise<Page> =>
    browser.post("/team/restore", { form_key: await browser.formKey(), entry });
  return { storage, admin, restore };
}
