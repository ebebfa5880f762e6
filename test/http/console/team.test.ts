/** The page of the team. */
import { describe, expect, it } from "vitest";
import { toMirrorUrl } from "../../../src/domain/hives/mirror-url.ts";
import { toHiveSlug, toTeamName } from "../../../src/domain/names.ts";
import { addMirror } from "../../../src/service/admin/mirrors.ts";
import { updateTeam } from "../../../src/service/admin/teams.ts";
import { routes } from "../../../src/http/console/routes.ts";
import type { Storage } from "../../../src/service/storage.ts";
import { harness, makeHive, makeToken, memoryStorage } from "../../helpers/storage.ts";
import { browse, signedIn, type ConsoleBrowser, type Page } from "./browse.ts";

it("shows an admin the quota, tokens, mirrors with their addresses and errors, and deleted Hives", async () => {
  const storage = memoryStorage();
  await makeHive(storage, "web");
  await makeHive(storage, "gone");
  await updateTeam(storage, toTeamName("acme"), { maxStrings: 2000 });
  await addMirror(storage, toHiveSlug("web"), toMirrorUrl("https://git.example.org/secret-name.git"));
  const token = await makeToken(storage, { name: "Lead <b>", abilities: ["read", "write", "admin"] });
  await makeToken(storage, { name: "Luc", locales: ["fr"], lifetimeMs: 86_400_000 });
  await harness(storage, token).call("DELETE", "/api/hives/gone");
  const browser = browse(storage);
  await browser.signIn(token);
  const team = await browser.get("/team");
  expect(team.text).toContain("0 source strings in 1 Hive, of at most 2,000");
  expect(team.html).toContain('aria-label="0 of 2,000 are used"');
  const { text, html } = await browser.get("/team/tokens");
  expect(text).toMatch(/Lead <b> [0-9a-z]{12} read, write, admin all .* \d+ \w+ 2\d{3} never/);
  expect(text).toMatch(/Luc [0-9a-z]{12} read, write, only into fr all .* never seen \d+ \w+ 2\d{3}/);
  expect(html).not.toContain(token);
  expect((await browser.get("/team/mirrors")).text).toContain(
    "web https://git.example.org/secret-name.git main, tags has changes to get – –",
  );
  expect((await browser.get("/team/deleted")).text).toMatch(/Deleted Hives .* gone /);
});

it("shows other tokens only to tokens that may manage them, and hides Hives without access", async () => {
  const storage = memoryStorage();
  await makeHive(storage, "web");
  await makeHive(storage, "other");
  await updateTeam(storage, toTeamName("acme"), { maxStrings: 2000 });
  await makeToken(storage, { name: "Lead", abilities: ["read", "write", "admin"] });
  const browser = await signedIn(storage, { hives: ["web"], abilities: ["read"] });
  const { text } = await browser.get("/team");
  expect(text).toContain("in 1 Hive");
  expect(text).not.toMatch(/Lead|2,000|other/);
  for (const page of ["tokens", "mirrors", "webhooks", "engines", "deleted"])
    expect((await browser.get(`/team/${page}`)).status).toBe(403);
});

it("refuses every page and form below it to those who do not manage the team, or not all of its Hives", async () => {
  const storage = memoryStorage();
  await makeHive(storage, "web");
  const [reader, limited] = [browse(storage), browse(storage)];
  await reader.signIn(await makeToken(storage));
  await limited.signIn(await makeToken(storage, { hives: ["web"], abilities: ["admin"] }));
  const managed = routes.filter(({ path }) => /^\/(?:team\/|new-hive)/.test(path));
  expect(managed.length).toBeGreaterThan(15);
  for (const route of managed) {
    const send = async (browser: ConsoleBrowser): Promise<string> => {
      const path = route.path.replaceAll(/:\w+/g, "x");
      const { status } = route.kind === "team" ? await browser.get(path) : await browser.submit(path);
      return `${route.path} ${status === 403}`;
    };
    expect(await send(reader)).toBe(`${route.path} true`);
    const needsAll = /webhooks|engines|deleted|audit|new-hive/.test(route.path);
    expect(await send(limited)).toBe(`${route.path} ${needsAll}`);
  }
});

it("requires a session", async () => {
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
      by.submit(`/team/tokens/${idOf(text)}`, { change: "delete" });
    return { storage, browser, token, other, revoke };
  };

  it("is created with limits, and shown once", async () => {
    const { storage, browser } = await asAdmin();
    const create = async (fields: Record<string, string>): Promise<Page> =>
      browser.submit("/team/tokens", fields);
    const made = await create({
      name: "CI",
      abilities: "write",
      hives: "web",
      locales: "fr, de",
      expires: "2999-01-31",
    });
    const [token = ""] = /skep_[0-9A-Za-z_]+/.exec(made.text) ?? [];
    expect(made.text).toContain("Copy the token now: it is never shown again.");
    expect(made.text).toMatch(/CI [0-9a-z]{12} write, only into fr, de web/);
    expect((await browser.get("/team/tokens")).html).not.toContain(token);
    const { post, fill } = harness(storage, token);
    expect((await fill("fr", {})).status).toBe(200);
    expect((await post({ "a.json": { a: "b" } })).status).toBe(403);
    for (const [fields, problem] of [
      [{ abilities: "admin", locales: "fr" }, /id="token-name"[^]*abilities|admin/],
      [
        { name: "Bad", abilities: "read", expires: "2020-01-31" },
        /id="problem-team\/tokens-expires"><bdi>must be in the future/,
      ],
    ] as const) {
      const refused = await create(fields);
      expect([refused.status, refused.html]).toEqual([422, expect.stringMatching(problem)]);
    }
    expect((await create({ name: "Bad", abilities: "read", expires: "2020-01-31" })).html).toContain(
      'value="Bad"',
    );
  });

  it("is revoked by a form that explains the consequences", async () => {
    const { storage, browser, other, revoke } = await asAdmin();
    const luc = browse(storage);
    await luc.signIn(other);
    expect((await browser.get("/team/tokens")).text).toContain("it cannot be brought back. Revoke Luc");
    expect((await revoke(browser, other)).headers.get("location")).toBe("../../team/tokens");
    const { text } = await browser.get("/team/tokens");
    expect(text).toContain("Revoked. Nobody can use this token any more.");
    expect(text).not.toContain("Luc");
    expect((await luc.get("/hives/web")).status).toBe(303);
  });

  it("of the current session is revoked with the session", async () => {
    const { browser, token, revoke } = await asAdmin();
    expect((await browser.get("/team/tokens")).text).toContain("so your session ends, too");
    await revoke(browser, token);
    expect((await browser.get("/team")).headers.get("location")).toBe("./?to=team");
  });

  it("is not revoked without the right to, or from another team", async () => {
    const { storage, browser, token, other, revoke } = await asAdmin();
    const luc = browse(storage);
    await luc.signIn(other);
    expect((await revoke(luc, token)).status).toBe(403);
    const stranger = await signedIn(storage, { team: "other", abilities: ["admin"] });
    expect((await revoke(stranger, token)).status).toBe(404);
    expect((await browser.get("/team")).status).toBe(200);
  });
});

describe("a deleted Hive", () => {
  it("is restored by a form, which names what was not restored", async () => {
    const { admin, restore } = await withDeletedHive();
    const { status, headers } = await restore(admin);
    expect([status, headers.get("location")]).toEqual([303, "../hives/gone"]);
    expect((await admin.get("/hives/gone")).text).toContain("Restored, without its mirrors");
    expect((await admin.get("/team/deleted")).text).toContain("can be restored here for 30 days");
  });

  it("is not restored over another Hive with its slug", async () => {
    const { storage, admin, restore } = await withDeletedHive();
    await makeHive(storage, "gone");
    const { status, text } = await restore(admin);
    expect([status, text]).toEqual([409, expect.stringContaining("The name is taken")]);
  });

  it("is restored only by tokens that may manage the whole team", async () => {
    const { storage, admin, restore } = await withDeletedHive();
    for (const less of [
      { abilities: ["read", "write"] },
      { abilities: ["admin"], hives: ["web"] },
      { abilities: ["admin"], team: "other" },
    ] as const) {
      const other = await signedIn(storage, less);
      expect((await restore(other)).status).toBeGreaterThanOrEqual(403);
    }
    expect((await admin.get("/team/deleted")).text).toMatch(/Deleted Hives .* gone /);
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
  const [, entry = ""] = /name="entry" value="([^"]+)"/.exec((await admin.get("/team/deleted")).html) ?? [];
  const restore = async (browser: ConsoleBrowser): Promise<Page> =>
    browser.submit("/team/deleted", { entry });
  return { storage, admin, restore };
}
