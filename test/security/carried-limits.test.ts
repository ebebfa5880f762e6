/** Whatever callers make or widen has the limits that they have themselves, at every door. */
import { beforeEach, describe, expect, it } from "vitest";
import type { Person } from "../../src/domain/access/person.ts";
import { isWithin } from "../../src/domain/access/principal.ts";
import type { Rights, Token } from "../../src/domain/access/token.ts";
import { toLocale } from "../../src/domain/hives/locale.ts";
import { toHiveSlug } from "../../src/domain/names.ts";
import { noLimits } from "../../src/domain/plans/quota.ts";
import { sessionCookie } from "../../src/http/console/requests/cookies.ts";
import { callerOf } from "../../src/service/access.ts";
import type { Storage } from "../../src/service/storage.ts";
import { makePersonalToken, makePerson, signInAs } from "../helpers/people/people.ts";
import { harness, makeHive, makeToken, memoryStorage } from "../helpers/storage.ts";
import { browse, host, type ConsoleBrowser } from "../http/console/browse.ts";

const publicUrl = `http://${host}`;
const hour = 60 * 60 * 1000;
const now = Date.parse("2026-01-01T00:00:00Z");
const end = new Date(now + hour).toISOString();
const [web, de] = [toHiveSlug("web"), toLocale("de").code];
let storage: Storage;

beforeEach(async () => {
  storage = memoryStorage({
    now: () => now,
    limits: { ...noLimits, mirrorAllow: ["https://git.example.org/"] },
  });
  for (const slug of ["web", "app"]) await makeHive(storage, slug);
});

interface Wanted {
  readonly abilities?: readonly string[];
  readonly hives?: readonly string[];
  readonly locales?: readonly string[];
  readonly review?: string;
  readonly expires?: string;
}

interface Limit {
  /** What the maker may do. */
  readonly rights: Rights;
  /** A wish beyond it, and what the refusal says of it. */
  readonly beyond: Wanted;
  readonly says: RegExp;
}

const limits = {
  end: {
    rights: { abilities: ["admin"], hives: "all", expires: end },
    beyond: { expires: "2027-01-01T23:59:59Z" },
    says: /must not be after this token's own, 2026-01-01T01:00/,
  },
  Hives: {
    rights: { abilities: ["admin"], hives: [web] },
    beyond: { hives: ["app"] },
    says: /no Hive "app"/,
  },
  review: {
    rights: { abilities: ["admin"], hives: "all", review: "always" },
    beyond: { review: "never" },
    says: /must be always/,
  },
  locales: {
    rights: { abilities: ["read", "write"], hives: "all", locales: [de] },
    beyond: { locales: ["fr"] },
    says: /limited to other locales/,
  },
  abilities: {
    rights: { abilities: ["read"], hives: "all" },
    beyond: { abilities: ["write"] },
    says: /lacks? the write ability/,
  },
} as const satisfies Record<string, Limit>;
const limitNames = Object.keys(limits) as readonly (keyof typeof limits)[];

/** Whoever makes something, and the door by which they ask. */
type Maker = (
  limit: Limit,
) => Promise<(made: Made, wanted: Wanted) => Promise<{ status: number; text: string }>>;
type Made = "token" | "personal token" | "person";

const paths: Readonly<Record<Made, { readonly rest: string; readonly form: string }>> = {
  token: { rest: "/api/tokens", form: "/team/tokens" },
  "personal token": { rest: "/api/me/tokens", form: "/account/tokens" },
  person: { rest: "/api/people", form: "/team/people" },
};

const named = (made: Made, wanted: Wanted) =>
  made === "person" ? { id: "new", name: "New", ...wanted, expires: undefined } : wanted;

function byRest(token: string): Awaited<ReturnType<Maker>> {
  const { call } = harness(storage, token, { publicUrl });
  return (made, wanted) => call("POST", paths[made].rest, { body: named(made, wanted) });
}

function byForm(browser: ConsoleBrowser): Awaited<ReturnType<Maker>> {
  return (made, wanted) => {
    const { abilities = ["read"], hives = [], locales = [], ...rest } = named(made, wanted);
    const fields = Object.entries({
      ...rest,
      locales: locales.join(", "),
      expires: wanted.expires?.slice(0, 10),
    });
    const lists = [...abilities.map((each) => ["abilities", each]), ...hives.map((each) => ["hives", each])];
    const form = new URLSearchParams();
    for (const [name = "", value] of [...fields, ...lists]) if (value !== undefined) form.append(name, value);
    return browser.formKey().then((key) => {
      form.append("form_key", key);
      return browser.send(paths[made].form, form);
    });
  };
}

async function tokenOfNobody({ rights }: Limit): Promise<string> {
  const { hives, expires, ...rest } = rights;
  return makeToken(storage, {
    ...rest,
    hives: hives === "all" ? [] : hives,
    lifetimeMs: expires === undefined ? undefined : hour,
  });
}

/** A token of a person who has no limits themselves. */
function tokenOfPerson({ rights }: Limit): Promise<string> {
  const { expires, ...rest } = rights;
  const at = expires === undefined ? undefined : Date.parse(expires);
  return makePersonalToken(storage, { id: "lea", abilities: ["admin"] }, { ...rest, expires: at });
}

async function signedIn(person: Person): Promise<ConsoleBrowser> {
  const browser = browse(storage, { publicUrl });
  const [, name = "", value = ""] =
    /^([^=]+)=([^;]+)/.exec(sessionCookie(await signInAs(storage, person), 60, false)) ?? [];
  browser.cookies.set(name, value);
  return browser;
}

async function sessionOf(token: string): Promise<ConsoleBrowser> {
  const browser = browse(storage, { publicUrl });
  await browser.signIn(token);
  return browser;
}

const makers: Readonly<Record<string, Maker>> = {
  "a token of nobody, over REST": async (limit) => byRest(await tokenOfNobody(limit)),
  "a token of nobody, in the console": async (limit) => byForm(await sessionOf(await tokenOfNobody(limit))),
  "a token of a person, over REST": async (limit) => byRest(await tokenOfPerson(limit)),
  "a token of a person, in the console": async (limit) => byForm(await sessionOf(await tokenOfPerson(limit))),
  "a person, in the console": async ({ rights }) =>
    byForm(await signedIn(await makePerson(storage, { id: "lea", ...rights }))),
};

const cases = Object.keys(makers).flatMap((maker) =>
  (Object.keys(paths) as readonly Made[]).flatMap((made) =>
    limitNames
      // What a person may do has no end.
      .filter((limit) => maker !== "a person, in the console" || limit !== "end")
      .filter(() => made !== "personal token" || !maker.includes("nobody"))
      .map((limit) => ({ maker, made, limit })),
  ),
);

/** The tokens and persons of the storage. */
async function all(): Promise<readonly (Token | Person)[]> {
  return [...(await storage.registry.tokens()), ...(await storage.registry.people())];
}

describe.each(cases)("$maker: a $made, and the limit of $limit", ({ maker, made, limit: name }) => {
  const limit: Limit = limits[name];
  const isAdmin = limit.rights.abilities.includes("admin");
  // A token of a person always has an end.
  const ends = name === "end" || maker.includes("token of a person");
  const isRefused = made === "person" ? ends || !isAdmin : made === "token" && !isAdmin;

  it("is carried where nothing is asked for", async () => {
    const ask = await makers[maker]?.(limit);
    const before = new Set((await all()).map(({ id }) => id));
    const answer = await ask?.(made, { abilities: ["read"] });
    const [one, ...others] = (await all()).filter(({ id }) => !before.has(id));
    expect(others).toEqual([]);
    if (isRefused) {
      expect([answer?.status, one]).toEqual([403, undefined]);
      expect(answer?.text).toMatch(isAdmin ? /ends on 2026-/ : /the admin ability/);
      return;
    }
    const principal = one && (await callerOf(storage, one))?.principal;
    expect(principal && isWithin(principal, limit.rights)).toBe(true);
    if (name === "end") expect(principal?.expires).toBe(end);
  });

  it("is named to whoever asks for more", async () => {
    const ask = await makers[maker]?.(limit);
    const before = await all();
    const answer = await ask?.(made, limit.beyond);
    expect(await all()).toHaveLength(before.length);
    expect(answer?.status).toBe(isRefused ? 403 : 422);
    if (!isRefused) expect(answer?.text.replaceAll('\\"', '"')).toMatch(limit.says);
  });
});

describe("a token that ends", () => {
  const ben = { id: "ben", name: "Ben", hives: ["web"], locales: ["de"], review: "always" } as const;
  const changes = [
    ["more abilities", "PATCH", "", { abilities: ["read", "write", "approve"] }, 403],
    ["more Hives", "PATCH", "", { hives: ["web", "app"] }, 403],
    ["more locales", "PATCH", "", { locales: ["de", "fr"] }, 403],
    ["no limit of locales", "PATCH", "", { locales: null }, 403],
    ["no review", "PATCH", "", { review: "never" }, 403],
    ["a review by origin", "PATCH", "", { review: null }, 403],
    ["access again", "PATCH", "", { disabled: false }, 403],
    ["an invitation", "POST", "/invite", undefined, 403],
    ["fewer abilities", "PATCH", "", { abilities: ["read"] }, 200],
    ["a name", "PATCH", "", { name: "Ben B." }, 200],
    ["an end", "DELETE", "", undefined, 200],
  ] as const;

  it.each(changes)("and a person: %s", async (_, method, path, body, status) => {
    await makePerson(storage, ben);
    const manager = harness(storage, await makeToken(storage, { abilities: ["admin"] }), { publicUrl });
    if (status === 403) await manager.call("PATCH", "/api/people/ben", { body: { disabled: true } });
    const before = await storage.registry.people();
    const { call } = harness(storage, await tokenOfNobody(limits.end), { publicUrl });
    const answer = await call(method, `/api/people/ben${path}`, { body });
    expect(answer.status).toBe(status);
    if (status !== 403) return;
    expect(answer.json.code).toBe("limited_token");
    expect(answer.text).toContain(`ends on ${end}`);
    expect(await storage.registry.people()).toEqual(before);
  });

  it("disables a person", async () => {
    await makePerson(storage, ben);
    const { call } = harness(storage, await tokenOfNobody(limits.end));
    expect((await call("PATCH", "/api/people/ben", { body: { disabled: true } })).status).toBe(200);
  });
});

describe("a program's sign-in", () => {
  it.each(limitNames.filter((name) => name !== "end"))(
    "carries the limit of %s of a person",
    async (name) => {
      const { rights }: Limit = limits[name];
      const { call } = harness(storage, undefined, { publicUrl });
      const browser = await signedIn(await makePerson(storage, { id: "lea", ...rights }));
      const { device_code, user_code: code } = (await call("POST", "/api/device", { body: {} })).json;
      await browser.submit("/device/answer", { code, answer: "allow" });
      const { token } = (await call("POST", "/api/device/token", { body: { device_code } })).json;
      const made = (await storage.registry.tokens()).find(({ id }) => String(token).includes(id));
      const principal = made && (await callerOf(storage, made))?.principal;
      expect(principal && isWithin(principal, rights)).toBe(true);
    },
  );

  it.each(limitNames)("is not for a session of a token with a limit of %s", async (name) => {
    const { call } = harness(storage, undefined, { publicUrl });
    const browser = await sessionOf(await tokenOfPerson(limits[name]));
    const { user_code: code } = (await call("POST", "/api/device", { body: {} })).json;
    expect((await browser.submit("/device/answer", { code, answer: "allow" })).status).toBe(403);
  });
});

/** They belong to the team and let nobody in, so they go on after their maker. */
describe.each([
  ["mirror", "/api/mirrors", { url: "https://git.example.org/app.git", hive: "app" }, 422],
  ["webhook", "/api/webhooks", { url: "https://example.org/hook", hive: "app" }, 403],
])("a %s", (_, path, body, status) => {
  it("cannot be made for a Hive that the maker does not reach", async () => {
    const { call } = harness(storage, await tokenOfNobody(limits.Hives));
    expect((await call("POST", path, { body })).status).toBe(status);
  });

  it("is a setting of the team, which a token that ends can make", async () => {
    const { call } = harness(storage, await tokenOfNobody(limits.end));
    expect((await call("POST", path, { body })).status).toBe(201);
  });
});
