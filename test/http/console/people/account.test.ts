/** The pages of persons: the account of whoever is signed in, and the persons of a team. */
import { ownerGrant } from "../../../helpers/people/tokens.ts";
import { beforeEach, describe, expect, it } from "vitest";
import type { Ability } from "../../../../src/domain/access/token.ts";
import { toTeamName } from "../../../../src/domain/names.ts";
import { invitePerson } from "../../../../src/service/people/invitations.ts";
import type { Storage } from "../../../../src/service/storage.ts";
import { makePerson } from "../../../helpers/people/people.ts";
import { harness, makeHive, makeToken, memoryStorage } from "../../../helpers/storage.ts";
import { browse, host, unescaped, type ConsoleBrowser } from "../browse.ts";

let storage: Storage;
const publicUrl = `http://${host}`;
const manager = ownerGrant(toTeamName("acme"));

beforeEach(async () => {
  storage = memoryStorage();
  await makeHive(storage, "web");
  await makeHive(storage, "app");
});

/** A person who has signed in with an invitation. */
async function signedIn(
  id = "anna",
  abilities: readonly Ability[] = ["read", "write"],
): Promise<ConsoleBrowser> {
  const { registry } = storage;
  if (!(await registry.people()).some((person) => person.id === id))
    await makePerson(storage, { id, name: `Name of ${id}`, abilities });
  const { url } = await invitePerson(storage, manager, id, publicUrl);
  const browser = browse(storage, { publicUrl });
  const code = new URL(url).searchParams.get("code") ?? "";
  await browser.post("/invitation", { code, password: "twelve letters" });
  return browser;
}

describe("the account", () => {
  it("lists the sessions, and ends another at once", async () => {
    const here = await signedIn();
    const there = browse(storage, { publicUrl });
    const agent = { "user-agent": "Firefox/140" };
    await there.post("/sign-in/password", { person: "anna", password: "twelve letters" }, agent);
    const { html, text } = await here.get("/account");
    expect(text).toContain("Firefox");
    expect(text).toContain("with your password");
    const [session = ""] = Array.from(html.matchAll(/name="session" value="([^"]*)"/g), ([, id]) => id);
    expect((await there.get("/hives/web")).status).toBe(200);
    expect((await here.submit("/account/sessions/end", { session })).status).toBe(303);
    expect((await there.get("/hives/web")).status).toBe(303);
    expect((await here.get("/hives/web")).status).toBe(200);
  });

  it.each([
    [
      "Mozilla/5.0 (X11; Linux x86_64; rv:149.0) Gecko/20100101 Firefox/149.0",
      "Firefox on Linux",
      "Firefox sous Linux",
    ],
    [
      "Mozilla/5.0 (iPhone; CPU iPhone OS 18_2 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.2 Mobile/15E148 Safari/604.1",
      "Safari on iOS",
      "Safari sous iOS",
    ],
    [
      "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/131.0.0.0 Safari/537.36 Edg/131.0.0.0",
      "Microsoft Edge on Windows",
      "Microsoft Edge sous Windows",
    ],
    [
      "Mozilla/5.0 (Linux; Android 10; K) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/131.0.0.0 Mobile Safari/537.36",
      "Chrome on Android",
      "Chrome sous Android",
    ],
    ["Firefox/140", "Firefox", "Firefox"],
    ["<b>nothing known", "<b>nothing known", "<b>nothing known"],
  ])("calls the browser of a session as people do, and keeps what it sent: %s", async (agent, en, fr) => {
    const here = await signedIn();
    const there = browse(storage, { publicUrl });
    const fields = { person: "anna", password: "twelve letters" };
    await there.post("/sign-in/password", fields, { "user-agent": agent });
    const { text, html } = await here.get("/account");
    expect(text).toContain(`${en} `);
    expect(text).toContain(`End ${en}`);
    expect(text.includes(agent)).toBe(agent === en);
    expect(unescaped(html)).toContain(`<span title="${agent}"`);
    expect((await here.get("/account", { "accept-language": "fr" })).text).toContain(fr);
  });

  it("ends no session of anybody else", async () => {
    const anna = await signedIn();
    const ben = await signedIn("ben");
    const [, session = ""] = /name="session" value="([^"]*)"/.exec((await anna.get("/account")).html) ?? [];
    expect((await ben.submit("/account/sessions/end", { session })).status).toBe(404);
    expect((await anna.get("/account")).status).toBe(200);
  });

  it("makes a token that is shown once and works in the person's name, and revokes it", async () => {
    const browser = await signedIn();
    const made = await browser.submit("/account/tokens", { name: "Laptop", abilities: "read" });
    const [token = "", id = ""] = /skep_(\w{12})_\w{32}/.exec(made.html) ?? [];
    expect((await harness(storage, token).call("GET", "/api/me")).json).toMatchObject({
      person: "anna",
      abilities: ["read"],
    });
    expect((await browser.get("/account")).html).not.toContain(token);
    const ben = await signedIn("ben");
    expect((await ben.submit("/account/tokens/revoke", { token: id })).status).toBe(404);
    expect((await browser.submit("/account/tokens/revoke", { token: id })).status).toBe(303);
    expect((await harness(storage, token).call("GET", "/api/me")).status).toBe(401);
  });

  it("makes no token that may do more than the person", async () => {
    const browser = await signedIn();
    const refused = await browser.submit("/account/tokens", { abilities: "admin" });
    expect([refused.status, refused.html.includes("you lack the admin ability yourself")]).toEqual([
      422,
      true,
    ]);
  });

  it("of a token says that it is nobody's", async () => {
    const browser = browse(storage);
    await browser.signIn(await makeToken(storage, { name: "Lead" }));
    const { text } = await browser.get("/account");
    expect(text).toContain("which belongs to no person");
    expect((await browser.submit("/account/tokens", { abilities: "read" })).status).toBe(403);
  });
});

describe("the page of a team's people", () => {
  it("adds, invites, changes, disables, enables and removes a person", async () => {
    const admin = await signedIn("lead", ["admin"]);
    const added = await admin.submit("/team/people", {
      id: "ben",
      name: "Ben",
      mail: "ben@example.org",
      abilities: "read",
      hives: "web",
      locales: "fr, de",
    });
    expect(added.status).toBe(303);
    const person = async () => (await storage.registry.people()).find(({ id }) => String(id) === "ben");
    expect(await person()).toMatchObject({ hives: ["web"], locales: ["fr", "de"], abilities: ["read"] });
    expect((await admin.get("/team/people")).text).toContain("not yet");
    const invited = await admin.submit("/team/people/ben", { change: "invite" });
    expect(invited.text).toContain(`${publicUrl}/invitation?code=ben.`);
    expect((await admin.get("/team/people/ben")).text).toContain("invited");
    await admin.submit("/team/people", { change: "ben", name: "Ben B.", abilities: "write" });
    const changed = await person();
    expect(changed).toMatchObject({ name: "Ben B.", abilities: ["write"], hives: "all" });
    expect([changed?.mail, changed?.locales]).toEqual([undefined, undefined]);
    await admin.submit("/team/people/ben", { change: "edit", members: "disabled", disabled: "true" });
    expect((await admin.get("/team/people")).text).toContain("disabled");
    await admin.submit("/team/people/ben", { change: "edit", members: "disabled", disabled: "" });
    expect(await person()).toMatchObject({ disabled: false });
    await admin.submit("/team/people/ben", { change: "delete" });
    expect(await person()).toBeUndefined();
    expect((await admin.get("/team/people/ben")).text).toContain("removed");
  });

  it("shows what is wrong beside the fields", async () => {
    const admin = await signedIn("lead", ["admin"]);
    const refused = await admin.submit("/team/people", { id: "Ben!", name: "Ben", abilities: "read" });
    expect(refused.status).toBe(422);
    expect(refused.text).toContain("lower-case letters, digits and hyphens");
    const taken = await admin.submit("/team/people", { id: "lead", name: "Ben", abilities: "read" });
    expect(taken.status).toBe(409);
  });

  it("is not for those who cannot manage the team", async () => {
    const browser = await signedIn();
    for (const path of ["/team/people", "/team/people/anna"])
      expect((await browser.get(path)).status).toBe(403);
    const sent = { id: "x", name: "X" };
    expect((await browser.submit("/team/people", sent)).status).toBe(403);
    for (const change of ["edit", "invite", "delete"])
      expect((await browser.submit("/team/people/anna", { ...sent, change })).status).toBe(403);
  });
});
