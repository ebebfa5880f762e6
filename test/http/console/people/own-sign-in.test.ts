/** The password and the passkeys of a person, as they change them on their account. */
import { beforeEach, describe, expect, it } from "vitest";
import { toPersonId, toTeamName } from "../../../../src/domain/names.ts";
import { invitePerson } from "../../../../src/service/people/invitations.ts";
import type { Storage } from "../../../../src/service/storage.ts";
import { makeDevice } from "../../../helpers/people/authenticator.ts";
import { makePerson, makePersonalToken, makeServers, signInAs } from "../../../helpers/people/people.ts";
import { ownerGrant } from "../../../helpers/people/tokens.ts";
import { browse, type ConsoleBrowser, type Fields, type Page } from "../browse.ts";

const publicUrl = "https://skep.example";
const manager = ownerGrant(toTeamName("acme"));
const clock = { now: 0 };
const password = "twelve letters";
let storage: Storage;

beforeEach(async () => {
  ({ storage } = await makeServers(clock));
  await makePerson(storage);
});

const open = (): ConsoleBrowser => browse(storage, { publicUrl });

const optionsOf = ({ html }: Page) => {
  const [, text = "{}"] = /data-passkey="([^"]*)"/.exec(html) ?? [];
  return JSON.parse(text.replaceAll("&quot;", '"'));
};

/** A browser in which Anna has used an invitation. */
async function invited(chosen: "password" | ReturnType<typeof makeDevice>): Promise<ConsoleBrowser> {
  const code =
    new URL((await invitePerson(storage, manager, "anna", publicUrl)).url).searchParams.get("code") ?? "";
  const browser = open();
  const page = await browser.get(`/invitation?code=${code}`);
  const fields: Fields = chosen === "password" ? { password } : { passkey: chosen.create(optionsOf(page)) };
  expect((await browser.post("/invitation", { code, ...fields })).status).toBe(303);
  return browser;
}

async function signedIn(
  by: string | ReturnType<typeof makeDevice>,
): Promise<{ browser: ConsoleBrowser; status: number }> {
  const browser = open();
  const { status } =
    typeof by === "string"
      ? await browser.post("/sign-in/password", { person: "anna", password: by })
      : await browser.post("/sign-in/passkey", { passkey: by.get(optionsOf(await browser.get("/"))) });
  return { browser, status };
}

const isOpen = async (browser: ConsoleBrowser): Promise<boolean> =>
  (await browser.get("/account")).status === 200;
const person = async () => storage.registry.person(toPersonId("anna"));
const problemIn = ({ html }: Page, field: string): string | undefined =>
  new RegExp(`id="problem-account/password-${field}">(.*?)</p>`).exec(html)?.[1];
const reasons = async () => {
  const { entries } = await storage.audit.read({ offset: 0, limit: 100 });
  return entries.map(({ event, reason, after }) => [event, reason ?? after?.["sign_in"]]);
};

describe("the password", () => {
  it("is changed with the present one; other sessions end, and tokens stay", async () => {
    const here = await invited("password");
    const there = await signedIn(password);
    const token = await makePersonalToken(storage);
    const sent = { present: password, password: "thirteen letters" };
    const changed = await here.submit("/account/password", sent);
    expect([changed.status, changed.html]).toEqual([303, ""]);
    expect([await isOpen(here), await isOpen(there.browser)]).toEqual([true, false]);
    expect([(await signedIn(password)).status, (await signedIn("thirteen letters")).status]).toEqual([
      401, 303,
    ]);
    const program = open();
    await program.signIn(token);
    expect(await isOpen(program)).toBe(true);
    expect(await reasons()).toContainEqual(["person_changed", ["password", "new password"]]);
  });

  it.each([
    [{ present: "wrong", password: "thirteen letters" }, "present", "is not your password"],
    [{ present: "", password: "thirteen letters" }, "present", "is not your password"],
    [{ present: password, password: "short" }, "password", "must have at least 12 characters"],
    [{ present: password, password: "Anna Bauer  ".trim() }, "password", "must have at least 12 characters"],
  ])("stays where something is wrong, and stands on no page: %j", async (sent, field, problem) => {
    const browser = await invited("password");
    const before = await person();
    const refused = await browser.submit("/account/password", sent);
    expect([refused.status, problemIn(refused, field)]).toEqual([422, expect.stringContaining(problem)]);
    expect(refused.html).not.toContain("thirteen letters");
    expect(await person()).toEqual(before);
  });

  it("is guessed no more often than at a sign-in, which is recorded", async () => {
    const browser = await invited("password");
    const guess = async (present: string) =>
      (await browser.submit("/account/password", { present, password: "thirteen letters" })).status;
    const statuses: number[] = [];
    while (statuses.at(-1) !== 429 && statuses.length < 100) statuses.push(await guess("wrong"));
    expect(statuses.at(-1)).toBe(429);
    expect(await guess(password)).toBe(429);
    expect(await reasons()).toContainEqual(["sign_in_refused", "wrong_password"]);
  });
});

describe("a passkey", () => {
  it("is added with the password, signs in, and is removed", async () => {
    const browser = await invited("password");
    const device = makeDevice(publicUrl);
    const there = await signedIn(password);
    const passkeyOn = (page: Page): string => device.create(optionsOf(page));
    const add = (present: string, passkey: string) =>
      browser.submit("/account/passkeys", { present, passkey });
    const refused = await add("wrong", passkeyOn(await browser.get("/account")));
    expect([refused.status, refused.text]).toEqual([422, expect.stringContaining("is not your password")]);
    expect((await add(password, passkeyOn(refused))).status).toBe(303);
    expect(await isOpen(there.browser)).toBe(false);
    expect((await signedIn(device)).status).toBe(303);
    const [passkey] = (await person())?.passkeys ?? [];
    const page = await browser.get("/account");
    expect(page.html).toContain(`<option value="${passkey?.id ?? ""}"`);
    expect(optionsOf(page).excludeCredentials).toEqual([{ type: "public-key", id: passkey?.id }]);
    const removal = { passkey: passkey?.id ?? "", present: password };
    expect((await browser.submit("/account/passkeys/remove", { ...removal, present: "" })).status).toBe(422);
    expect((await browser.submit("/account/passkeys/remove", removal)).status).toBe(303);
    expect((await signedIn(device)).status).toBe(401);
    expect((await browser.submit("/account/passkeys/remove", removal)).status).toBe(422);
  });

  it("needs a fresh sign-in where there is no password, and the last one stays", async () => {
    const [device, second] = [makeDevice(publicUrl), makeDevice(publicUrl)];
    const browser = await invited(device);
    const [first] = (await person())?.passkeys ?? [];
    expect((await browser.submit("/account/passkeys/remove", { passkey: first?.id ?? "" })).status).toBe(422);
    expect((await person())?.passkeys).toEqual([first]);
    clock.now += 11 * 60_000;
    const stale = await browser.get("/account");
    expect([stale.text.includes("sign in again"), stale.html.includes("data-passkey")]).toEqual([
      true,
      false,
    ]);
    const fresh = await signedIn(device);
    expect(fresh.status).toBe(303);
    const answer = second.create(optionsOf(await fresh.browser.get("/account")));
    expect((await browser.submit("/account/passkeys", { passkey: answer })).status).toBe(422);
    expect((await fresh.browser.submit("/account/passkeys", { passkey: answer })).status).toBe(303);
    expect(
      (await fresh.browser.submit("/account/passkeys/remove", { passkey: first?.id ?? "" })).status,
    ).toBe(303);
    expect([(await signedIn(device)).status, (await signedIn(second)).status]).toEqual([401, 303]);
  });
});

it("is for persons who were invited, in a session of their own", async () => {
  const program = open();
  await program.signIn(await makePersonalToken(storage));
  expect((await program.get("/account")).text).not.toContain("How you sign in");
  const sent = { present: password, password: "thirteen letters" };
  expect((await program.submit("/account/password", sent)).status).toBe(403);
  const ofProvider = await makePerson(storage, {
    id: "ben",
    identity: { iss: "https://id.example", sub: "1" },
  });
  const browser = open();
  browser.cookies.set("skep", await signInAs(storage, ofProvider, "oidc"));
  expect((await browser.get("/account")).text).not.toContain("How you sign in");
  expect((await browser.submit("/account/password", sent)).status).toBe(403);
  const closed = browse(storage, { publicUrl, inviteWith: new Set(["passkey"]) });
  const anna = await invited("password");
  for (const [name, value] of anna.cookies) closed.cookies.set(name, value);
  expect((await closed.get("/account")).html).not.toContain('action="./account/password"');
  expect((await closed.submit("/account/password", sent)).status).toBe(403);
});
