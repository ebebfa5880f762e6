/** Passkeys in the console: what is taken, and each way to cheat. */
import { ownerGrant } from "../../../helpers/people/tokens.ts";
import { beforeEach, describe, expect, it } from "vitest";
import type { AppOptions } from "../../../../src/http/pipeline/shared.ts";
import { toTeamName } from "../../../../src/domain/names.ts";
import { invitePerson } from "../../../../src/service/people/invitations.ts";
import { takesPasskeys } from "../../../../src/service/people/passkeys.ts";
import { changePerson } from "../../../../src/service/people/people.ts";
import type { Storage } from "../../../../src/service/storage.ts";
import { makeDevice, type Lies } from "../../../helpers/people/authenticator.ts";
import { makePerson, makeServers } from "../../../helpers/people/people.ts";
import { browse, type ConsoleBrowser, type Page } from "../browse.ts";

const publicUrl = "https://skep.example";
const manager = ownerGrant(toTeamName("acme"));
const clock = { now: 0 };
let storage: Storage;
/** Another server of the same storage. */
let another: () => Storage;

const open = (at = storage, options: Partial<AppOptions> = {}) => browse(at, { publicUrl, ...options });

beforeEach(async () => {
  ({ storage, another } = await makeServers(clock));
  await makePerson(storage);
});

async function invite(id = "anna"): Promise<string> {
  return new URL((await invitePerson(storage, manager, id, publicUrl)).url).searchParams.get("code") ?? "";
}

/** The options that a page gives to the browser. */
function optionsOf({ html }: Page) {
  const [, text = "{}"] = /data-passkey="([^"]*)"/.exec(html) ?? [];
  return JSON.parse(text.replaceAll("&quot;", '"'));
}

/** Uses an invitation with a device. */
async function enrol(device: ReturnType<typeof makeDevice>, lies?: Lies): Promise<Page> {
  const [browser, code] = [open(), await invite()];
  const options = optionsOf(await browser.get(`/invitation?code=${code}`));
  return browser.post("/invitation", { code, passkey: device.create(options, lies) });
}

async function signIn(
  browser: ConsoleBrowser,
  device: ReturnType<typeof makeDevice>,
  lies?: Lies,
): Promise<Page> {
  const options = optionsOf(await browser.get("/"));
  return browser.post("/sign-in/passkey", { passkey: device.get(options, lies) });
}

/** A device of Anna's that can sign in. */
async function enrolled(): Promise<ReturnType<typeof makeDevice>> {
  const device = makeDevice(publicUrl);
  expect((await enrol(device)).status).toBe(303);
  return device;
}

/** What an invitation refuses as a sign-in does. */
const wrong: readonly Lies[] = [
  { origin: "https://evil.example" },
  { origin: "http://skep.example" },
  { rpId: "evil.example" },
  { isVerified: false },
  { challenge: "AAAA" },
];

describe("a passkey", () => {
  it("is chosen with an invitation, in place of a password, and signs in on every server", async () => {
    const browser = open();
    const code = await invite();
    await browser.post("/invitation", { code, password: "twelve letters" });
    const device = await enrolled();
    clock.now += 1;
    const other = open(another());
    expect((await signIn(other, device)).status).toBe(303);
    expect((await other.get("/hives/web")).status).toBe(200);
    const refused = await open().post("/sign-in/password", { person: "anna", password: "twelve letters" });
    expect(refused.status).toBe(401);
  });

  it("works behind a proxy with TLS that nobody trusts: only the forms show that it is there", async () => {
    const [device, browser, code] = [makeDevice(publicUrl), open(), await invite()];
    const tls = { origin: publicUrl };
    const made = device.create(optionsOf(await browser.get(`/invitation?code=${code}`)));
    expect((await browser.post("/invitation", { code, passkey: made }, tls)).status).toBe(303);
    clock.now += 1;
    const other = open();
    const passkey = device.get(optionsOf(await other.get("/")));
    expect((await other.post("/sign-in/passkey", { passkey }, tls)).status).toBe(303);
  });

  it("asks the browser for one that it keeps, and for the user's verification", async () => {
    const options = optionsOf(await open().get(`/invitation?code=${await invite()}`));
    expect(options).toMatchObject({
      rp: { id: "skep.example" },
      attestation: "none",
      authenticatorSelection: { residentKey: "required", userVerification: "required" },
    });
    await enrolled();
    expect(optionsOf(await open().get("/"))).toMatchObject({
      rpId: "skep.example",
      userVerification: "required",
      allowCredentials: [],
    });
  });

  it("that lies is not taken from an invitation, which can still be used", async () => {
    const lies: readonly Lies[] = [...wrong, { type: "webauthn.get" }];
    for (const lie of lies) {
      const device = makeDevice(publicUrl);
      expect([lie, (await enrol(device, lie)).status]).toEqual([lie, 422]);
      expect([lie, (await enrol(device)).status]).toEqual([lie, 303]);
    }
  });

  it("that lies signs nobody in", async () => {
    await makePerson(storage, { id: "ben" });
    const device = await enrolled();
    const names = [{ userHandle: "ben" }, { userHandle: "nobody" }];
    const lies: readonly Lies[] = [...wrong, { type: "webauthn.create" }, ...names];
    for (const lie of lies) {
      clock.now += 1;
      expect([lie, (await signIn(open(), device, lie)).status]).toEqual([lie, 401]);
      expect([lie, (await signIn(open(), device)).status]).toEqual([lie, 303]);
    }
  });

  it("is bounded for an id that nobody has as for one that somebody has", async () => {
    const device = await enrolled();
    clock.now += 1;
    const attempts = async (...handles: readonly string[]): Promise<readonly number[]> => {
      const browser = open();
      const statuses: number[] = [];
      for (const userHandle of handles)
        statuses.push((await signIn(browser, device, { userHandle, challenge: "AAAA" })).status);
      return statuses;
    };
    const ten = (id: string): string[] => Array.from({ length: 10 }, () => id);
    expect(await attempts(...ten("nobody"), "nobody", "anna", "ben")).toEqual([
      ...Array.from({ length: 10 }, () => 401),
      429,
      401,
      401,
    ]);
  });

  it("of another device signs nobody in", async () => {
    await enrolled();
    expect((await signIn(open(), makeDevice(publicUrl))).status).toBe(401);
  });

  it("answers a challenge once, on all servers", async () => {
    const device = await enrolled();
    clock.now += 1;
    const browser = open();
    const options = optionsOf(await browser.get("/"));
    const cookies = new Map(browser.cookies);
    const passkey = device.get(options);
    const replay = (at: Storage): Promise<Page> => {
      const thief = open(at);
      for (const [name, value] of cookies) thief.cookies.set(name, value);
      return thief.post("/sign-in/passkey", { passkey });
    };
    const answers = await Promise.all([replay(storage), replay(another())]);
    expect(answers.map(({ status }) => status).toSorted()).toEqual([303, 401]);
    expect((await replay(another())).status).toBe(401);
  });

  it("does not answer in another browser, nor after five minutes", async () => {
    const device = await enrolled();
    clock.now += 1;
    const browser = open();
    const passkey = device.get(optionsOf(await browser.get("/")));
    expect((await open().post("/sign-in/passkey", { passkey })).status).toBe(401);
    clock.now += 5 * 60 * 1000;
    expect((await browser.post("/sign-in/passkey", { passkey })).status).toBe(401);
  });

  it("whose counter goes back may be a copy, and signs nobody in", async () => {
    const device = await enrolled();
    device.setCounter(7);
    clock.now += 1;
    expect((await signIn(open(), device)).status).toBe(303);
    clock.now += 1;
    device.setCounter(6);
    expect((await signIn(open(), device)).status).toBe(401);
    device.setCounter(8);
    expect((await signIn(open(), device)).status).toBe(303);
  });

  it("of a disabled person signs nobody in", async () => {
    const device = await enrolled();
    await makePerson(storage, { id: "ben" });
    clock.now += 1;
    const browser = open();
    const options = optionsOf(await browser.get("/"));
    await changePerson(storage, manager, "anna", { disabled: true });
    expect((await browser.post("/sign-in/passkey", { passkey: device.get(options) })).status).toBe(401);
  });

  it("is no other text", async () => {
    const browser = open(storage, { inviteWith: new Set(["passkey"]) });
    const code = await invite();
    await browser.get(`/invitation?code=${code}`);
    const empty = '{"id":"a","rawId":"a","type":"public-key","response":{}}';
    for (const passkey of ["", "{}", "[]", "null", "{", empty]) {
      expect([passkey, (await browser.post("/invitation", { code, passkey })).status]).toEqual([
        passkey,
        422,
      ]);
      const { status } = await browser.post("/sign-in/passkey", { passkey });
      expect([passkey, status]).toEqual([passkey, 401]);
    }
  });
});

describe("--invite-with", () => {
  it("leaves out passwords or passkeys, on the page and in the form", async () => {
    const code = await invite();
    const address = `/invitation?code=${code}`;
    const passkeys = open(storage, { inviteWith: new Set(["passkey"]) });
    expect((await passkeys.get(address)).html).not.toContain('name="password"');
    expect((await passkeys.post("/invitation", { code, password: "twelve letters" })).status).toBe(422);
    const passwords = open(storage, { inviteWith: new Set(["password"]) });
    expect((await passwords.get(address)).html).not.toContain("data-passkey");
    const passkey = makeDevice(publicUrl).create(optionsOf(await open().get(address)));
    expect((await passwords.post("/invitation", { code, passkey })).status).toBe(403);
  });
});

it.each([
  ["https://skep.example", true],
  ["https://skep.example:8443/texts", true],
  ["http://localhost:4488", true],
  ["http://skep.example", false],
  ["https://192.0.2.1", false],
  ["http://127.0.0.1:4488", false],
  ["http://[::1]:4488", false],
  [undefined, false],
])("browsers use passkeys at %s: %s", (url, expected) => {
  expect(takesPasskeys(url)).toBe(expected);
});
