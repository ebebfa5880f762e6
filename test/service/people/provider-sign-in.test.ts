/** People whom an identity provider vouches for: what they get, and when it ends. */
import { ownerGrant } from "../../helpers/people/tokens.ts";
import { beforeEach, describe, expect, it } from "vitest";
import type { ProviderRules } from "../../../src/domain/access/provider-rules.ts";
import { isFailure } from "../../../src/domain/errors.ts";
import { toHiveSlug, toPersonId, toTeamName } from "../../../src/domain/names.ts";
import { createTeam } from "../../../src/service/admin/teams.ts";
import { authorizeTeam } from "../../../src/service/access.ts";
import { createPersonalToken } from "../../../src/service/people/own.ts";
import { changePerson, createPerson, findPerson, removePerson } from "../../../src/service/people/people.ts";
import {
  packSignIn,
  signInAtProvider,
  signOutAtProvider,
  unpackSignIn,
} from "../../../src/service/people/provider-sign-in.ts";
import { Provider } from "../../../src/service/people/provider.ts";
import { resumeSession } from "../../../src/service/sessions.ts";
import type { Storage } from "../../../src/service/storage.ts";
import { clientId, madeProvider, type MadeProvider } from "../../helpers/people/made-provider.ts";
import { harness, makeHive, memoryStorage } from "../../helpers/storage.ts";

const day = 24 * 60 * 60 * 1000;
const [acme, other] = [toTeamName("acme"), toTeamName("other")];
const operator = ownerGrant(acme);
const rules: ProviderRules = {
  groups: [
    { group: "leads", team: acme, abilities: ["admin"], hives: "all" },
    { group: "translators", team: acme, abilities: ["read", "write"], hives: [toHiveSlug("web")] },
    { group: "movers", team: other, abilities: ["read"], hives: "all" },
    { group: "lost", team: toTeamName("nowhere"), abilities: ["read"], hives: "all" },
  ],
};

let clock: { now: number };
let storage: Storage;
let made: MadeProvider;
let provider: Provider;

beforeEach(async () => {
  clock = { now: Date.now() };
  storage = memoryStorage({ now: () => clock.now });
  await makeHive(storage, "web");
  await createTeam(storage, other, undefined);
  made = await madeProvider();
  provider = new Provider({ ...made.options, rules });
});

/** Signs in. @returns the value of the session. */
async function signIn(claims: object = {}, at = provider): Promise<string> {
  made.lies = { claims: (honest) => ({ ...honest, ...claims }) };
  const { url, request } = await at.begin();
  const search = made.authorize(url).toString();
  const visitor = { client: "192.0.2.1", device: undefined };
  return (await signInAtProvider(storage, at, { search, request, visitor, browser: "Firefox" })).value;
}

const isOpen = async (value: string): Promise<boolean> => (await resumeSession(storage, value)) !== undefined;
const isForbidden = (error: unknown): boolean => isFailure(error, "forbidden");
const log = async () => (await storage.audit.read({ offset: 0, limit: 100 })).entries.toReversed();

describe("somebody who signs in for the first time", () => {
  it("becomes a person with the rights of their first matching group", async () => {
    const value = await signIn({
      preferred_username: "Lea.Dupont@example.org",
      email: "lea@example.org",
      groups: ["translators", "movers"],
    });
    expect((await resumeSession(storage, value))?.caller).toMatchObject({
      team: { name: acme },
      principal: { person: "lea-dupont", name: "Lea", abilities: ["read", "write"], hives: ["web"] },
    });
    expect(await log()).toMatchObject([
      { event: "person_added", team: acme, person: "lea-dupont", method: "oidc", client: "192.0.2.1" },
      { event: "signed_in", team: acme, by: { person: "lea-dupont" }, method: "oidc" },
    ]);
  });

  it("is never taken for somebody of the same name, mail or user name", async () => {
    const names = { name: "Lea", preferred_username: "lea", email: "lea@example.org" };
    await createPerson(storage, operator, {
      id: toPersonId("lea"),
      name: "Lea",
      mail: "lea@example.org",
      abilities: ["admin"],
    });
    await signIn(names);
    await signIn({ ...names, sub: "2" });
    const people = await storage.registry.people();
    expect(people.map(({ id, identity, abilities }) => [id, identity?.sub, abilities])).toEqual([
      ["lea", undefined, ["admin"]],
      ["lea-2", "1", ["read", "write"]],
      ["lea-3", "2", ["read", "write"]],
    ]);
  });

  it("never gets the id of a person who was removed", async () => {
    await signIn({ preferred_username: "lea" });
    await removePerson(storage, operator, "lea");
    await signIn({ preferred_username: "lea" });
    expect((await storage.registry.people()).map(({ id }) => id)).toEqual(["lea-2"]);
  });

  it("is one person, however many browsers they sign in with at once", async () => {
    await Promise.all(Array.from({ length: 5 }, () => signIn({ preferred_username: "lea" })));
    expect(await storage.registry.people()).toHaveLength(1);
  });

  it.each([["none"], ["lost"]])("gets nothing with the group %s", async (group) => {
    await expect(signIn({ groups: [group] })).rejects.toSatisfy(isForbidden);
    expect(await storage.registry.people()).toEqual([]);
    expect((await log()).at(-1)).toMatchObject({ event: "sign_in_refused", method: "oidc" });
  });

  it.each([
    [
      "the claim is missing",
      undefined,
      'Example does not say which groups you have: its answer has no "groups".',
    ],
    ["the claim is empty", [], "None of your groups at Example gives you access here."],
  ])("is told why they get nothing where %s, and so is the log", async (_, groups, reason) => {
    await expect(signIn({ groups })).rejects.toThrow(reason);
    expect((await log()).at(-1)).toMatchObject({ event: "sign_in_refused", reason });
  });

  it("gets what strangers get, if they get anything", async () => {
    const strangers = { team: other, abilities: ["read"], hives: "all" } as const;
    const open = new Provider({ ...made.options, rules: { ...rules, strangers } });
    const value = await signIn({ groups: [] }, open);
    expect((await resumeSession(storage, value))?.caller.team.name).toBe(other);
  });

  it("finds no place in a team that is full", async () => {
    const full = { ...storage, limits: { ...storage.limits, maxTokens: 0 } };
    const { url, request } = await provider.begin();
    const search = made.authorize(url).toString();
    const visitor = { client: undefined, device: undefined };
    await expect(
      signInAtProvider(full, provider, { search, request, visitor, browser: "" }),
    ).rejects.toSatisfy((error) => isFailure(error, "quota"));
  });
});

describe("somebody who signs in again", () => {
  it("has the rights of their groups then, also in other sessions", async () => {
    const first = await signIn();
    await signIn({ groups: ["leads"], name: "Lea D." });
    expect((await resumeSession(storage, first))?.caller.principal).toMatchObject({
      abilities: ["admin"],
      hives: "all",
      name: "Lea D.",
    });
    expect((await log()).filter(({ event }) => event === "person_changed")).toMatchObject([
      { before: { abilities: ["read", "write"] }, after: { abilities: ["admin"] } },
    ]);
  });

  it("loses everything when their groups are gone, and gets it back with them", async () => {
    const value = await signIn({ groups: ["leads"] });
    const session = await resumeSession(storage, value);
    const person = session?.caller.principal.person ?? toPersonId("none");
    const token = await personalToken(value);
    await expect(signIn({ groups: [] })).rejects.toSatisfy(isForbidden);
    expect(await isOpen(value)).toBe(false);
    expect((await harness(storage, token).call("GET", "/api/hives")).status).toBe(401);
    expect(await findPerson(storage, person)).toMatchObject({ abilities: [], hives: [] });
    const again = await signIn({ groups: ["translators"] });
    expect((await resumeSession(storage, again))?.caller.principal).toMatchObject({
      person,
      abilities: ["read", "write"],
    });
    expect(await isOpen(value)).toBe(false);
  });

  it("moves to another team with their group, without sessions and tokens of the old one", async () => {
    const value = await signIn({ groups: ["leads"] });
    const token = await personalToken(value);
    const moved = await signIn({ groups: ["movers"] });
    expect((await resumeSession(storage, moved))?.caller.team.name).toBe(other);
    expect(await isOpen(value)).toBe(false);
    expect((await harness(storage, token).call("GET", "/api/hives")).status).toBe(401);
    const [person] = await storage.registry.people();
    expect(person?.team).toBe(other);
    expect(person && storage.personSessions.of(person.id, storage.now())).toHaveLength(1);
  });

  it("is refused while an admin has disabled them, whatever their groups", async () => {
    const value = await signIn();
    const { id = "" } = (await storage.registry.people())[0] ?? {};
    await changePerson(storage, operator, id, { disabled: true });
    await expect(signIn({ groups: ["leads"] })).rejects.toSatisfy(isForbidden);
    expect(await isOpen(value)).toBe(false);
    expect(await findPerson(storage, id)).toMatchObject({ abilities: ["read", "write"], disabled: true });
  });
});

describe("somebody who never signs in again", () => {
  it("has no session after 24 hours, and no token that works after 30 days", async () => {
    const value = await signIn({ groups: ["leads"] });
    const token = await personalToken(value);
    clock.now += day;
    expect(await isOpen(value)).toBe(false);
    const { call } = harness(storage, token);
    clock.now += 28 * day;
    expect((await call("GET", "/api/hives")).status).toBe(200);
    clock.now += day;
    const refused = await call("GET", "/api/hives");
    expect([refused.status, refused.json.code]).toEqual([401, "sign_in_needed"]);
    await signIn({ groups: ["leads"] });
    expect((await call("GET", "/api/hives")).status).toBe(200);
  });
});

describe("what a browser keeps meanwhile", () => {
  const request = { issuer: "https://a.example", state: "s", nonce: "n", verifier: "v" };

  it("is taken as this storage gave it, for ten minutes", async () => {
    const value = await packSignIn(storage, { request, to: "hives/web" });
    expect(unpackSignIn(storage, value)).toEqual({ request, to: "hives/web" });
    clock.now += 600_000;
    expect(unpackSignIn(storage, value)).toBeUndefined();
  });

  it("is refused when anybody else made or changed it", async () => {
    const value = await packSignIn(storage, { request, to: "" });
    const [content = "", signature = ""] = value.split(".");
    const changed = Buffer.from(content, "base64url").toString().replace('"to":""', '"to":"x"');
    const elsewhere = memoryStorage();
    await makeHive(elsewhere, "web");
    const wrong = [
      undefined,
      "",
      "x",
      content,
      `${content}.`,
      `.${signature}`,
      `${Buffer.from(changed).toString("base64url")}.${signature}`,
      await packSignIn(elsewhere, { request, to: "" }),
      "x".repeat(10_000),
    ];
    for (const each of wrong) expect(unpackSignIn(storage, each)).toBeUndefined();
  });

  it("is needed: an answer that reaches another browser is refused", async () => {
    const search = made.authorize((await provider.begin()).url).toString();
    const answer = { search, request: undefined, visitor: { client: "a", device: undefined }, browser: "" };
    await expect(signInAtProvider(storage, provider, answer)).rejects.toThrow(
      "did not begin in this browser",
    );
    expect((await log()).at(-1)).toMatchObject({ event: "sign_in_refused" });
  });
});

describe("attempts", () => {
  const attempt = (): Promise<unknown> =>
    signIn({ iss: "https://other.example.org" }).catch((error: unknown) => error);

  it("are bounded, and the log says why they were refused", async () => {
    for (let i = 0; i < 100; i++) expect(isFailure(await attempt(), "unauthenticated")).toBe(true);
    expect(isFailure(await attempt(), "too-many-attempts")).toBe(true);
    expect((await log())[0]).toMatchObject({
      event: "sign_in_refused",
      reason: expect.stringContaining('unexpected JWT "iss" (issuer) claim value'),
    });
  });

  it("are not counted while the provider is down", async () => {
    const { url, request } = await provider.begin();
    const search = made.authorize(url).toString();
    made.lies = {
      answer: (_, response) => {
        response.writeHead(500).end();
        return true;
      },
    };
    const answer = { search, request, visitor: { client: "a", device: undefined }, browser: "" };
    for (let i = 0; i < 12; i++) {
      await expect(signInAtProvider(storage, provider, answer)).rejects.toSatisfy((error) =>
        isFailure(error, "busy"),
      );
    }
    expect(await log()).toEqual([]);
  });
});

describe("signing out at the provider", () => {
  const logout = (at: number, who: object = { sub: "1" }): Promise<string> => {
    const iat = Math.floor(at / 1000);
    const events = { "http://schemas.openid.net/event/backchannel-logout": {} };
    return made.sign({ iss: made.issuer, aud: clientId, ...who, iat, exp: iat + 3600, jti: "a", events });
  };

  it("ends the sessions that began before, and no later one, however often it is told", async () => {
    clock.now -= 60_000;
    const before = await signIn();
    const stranger = await signIn({ sub: "2" });
    clock.now += 30_000;
    const token = await logout(clock.now);
    clock.now += 30_000;
    const after = await signIn();
    for (let i = 0; i < 2; i++) await signOutAtProvider(storage, provider, token);
    expect([await isOpen(before), await isOpen(after), await isOpen(stranger)]).toEqual([false, true, true]);
    const ended = (await log()).filter(({ event }) => event === "session_ended");
    expect(ended).toMatchObject([{ person: expect.any(String), method: "oidc" }]);
  });

  it.each<[string, object, readonly boolean[]]>([
    ["one session at the provider ends its sessions", { sid: "s1" }, [false, true, true, true]],
    ["a person ends all of theirs", { sub: "1" }, [false, false, false, true]],
    ["a session of a person leaves their other ones", { sub: "1", sid: "s1" }, [false, true, false, true]],
    ["a session of another person ends none", { sub: "2", sid: "s1" }, [true, true, true, true]],
  ])("with a token that names %s", async (_, who, open) => {
    clock.now -= 60_000;
    const values = [
      await signIn({ sid: "s1" }),
      await signIn({ sid: "s2" }),
      await signIn(),
      await signIn({ sub: "2", sid: "s3" }),
    ];
    clock.now += 30_000;
    await signOutAtProvider(storage, provider, await logout(clock.now, who));
    expect(await Promise.all(values.map(isOpen))).toEqual(open);
  });

  it("of somebody unknown changes nothing", async () => {
    const value = await signIn();
    await signOutAtProvider(storage, provider, await logout(clock.now, { sub: "nobody" }));
    expect(await isOpen(value)).toBe(true);
  });
});

/** A token of the person of a session. */
async function personalToken(value: string): Promise<string> {
  const session = await resumeSession(storage, value);
  if (session === undefined) throw new Error("there is no session");
  const grant = authorizeTeam(session.caller, "read", false);
  return (await createPersonalToken(storage, grant, { abilities: ["read"] })).token;
}
