/** Persons over HTTP, and what their names and rights do. */
import { ownerGrant } from "../../../helpers/people/tokens.ts";
import { describe, expect, it } from "vitest";
import { person as personAnswer } from "../../../../src/api/people.ts";
import { updateTeam } from "../../../../src/service/admin/teams.ts";
import { changePerson } from "../../../../src/service/people/people.ts";
import { toTeamName } from "../../../../src/domain/names.ts";
import { changeStored, makePerson, makePersonalToken } from "../../../helpers/people/people.ts";
import { makeHive, makeToken, setUpWeb } from "../../../helpers/storage.ts";

const strings = "/api/hives/web/strings";
const body = { files: { "a.php": { a: "A" } } };
const admin = { token: { abilities: ["admin"] } } as const;

describe("a person", () => {
  it("is made, shown, changed and removed; the id and the name stay", async () => {
    const { call } = await setUpWeb(admin);
    const made = await call("POST", "/api/people", {
      body: { id: "anna", name: "Anna", mail: "anna@example.org", abilities: ["read"], locales: ["fr"] },
    });
    expect(made.status).toBe(201);
    expect(personAnswer.strict().parse(made.json)).toMatchObject({ hives: "all", disabled: false });
    const changed = await call("PATCH", "/api/people/anna", {
      body: { abilities: ["read", "write"], locales: null, hives: ["web"], mail: null, name: "Anna B." },
    });
    expect(changed.json).toMatchObject({
      id: "anna",
      name: "Anna B.",
      mail: null,
      abilities: ["read", "write"],
      hives: ["web"],
      locales: null,
    });
    expect((await call("GET", "/api/people")).json.data).toEqual([changed.json]);
    expect((await call("DELETE", "/api/people/anna")).status).toBe(200);
    expect((await call("GET", "/api/people")).json.data).toEqual([]);
    const gone = await call("GET", "/api/people/anna");
    expect(gone.json).toMatchObject({ id: "anna", name: "Anna B.", abilities: [], mail: null });
    expect(gone.json.removed).not.toBeNull();
    const again = await call("POST", "/api/people", { body: { id: "anna", name: "Another" } });
    expect([again.status, again.json.code]).toEqual([409, "person_exists"]);
    expect((await call("PATCH", "/api/people/anna", { body: { disabled: false } })).status).toBe(404);
  });

  it("has an id that nobody has in another team either, even when both are made at once", async () => {
    const { call, storage } = await setUpWeb(admin);
    await makeHive(storage, "other", { team: "other" });
    const token = await makeToken(storage, { team: "other", abilities: ["admin"] });
    const make = (own: object) => call("POST", "/api/people", { body: { id: "anna", name: "Anna" }, ...own });
    const made = await Promise.all([make({}), make({ token })]);
    expect(made.map(({ status }) => status).toSorted()).toEqual([201, 409]);
  });

  it.each([
    ["id", { id: "Anna!" }],
    ["id", { id: "../teams/acme" }],
    ["name", { name: " " }],
    ["mail", { mail: "a b@example.org" }],
    ["mail", { mail: "anna" }],
    ["hives", { hives: ["nope"] }],
    ["abilities", { abilities: ["admin"], locales: ["fr"] }],
  ])("is refused with a wrong %s: %j", async (field, wrong) => {
    const { call } = await setUpWeb(admin);
    const reply = await call("POST", "/api/people", { body: { id: "anna", name: "Anna", ...wrong } });
    expect(reply.status).toBe(422);
    expect(Object.keys(reply.json.errors).map((name) => name.split(".")[0])).toEqual([field]);
  });
});

describe("the role of a person", () => {
  it.each([
    ["reader", ["read"]],
    ["translator", ["read", "write"]],
    ["reviewer", ["read", "write", "approve"]],
    ["lead", ["read", "write", "approve", "admin"]],
  ])("%s stands for %j, when they are made and when they are changed", async (role, abilities) => {
    const { call } = await setUpWeb(admin);
    const made = await call("POST", "/api/people", { body: { id: "anna", role } });
    expect([made.status, made.json]).toEqual([
      201,
      expect.objectContaining({ name: "anna", role, abilities }),
    ]);
    const custom = await call("PATCH", "/api/people/anna", { body: { abilities: ["read", "approve"] } });
    expect(custom.json).toMatchObject({ role: "custom", abilities: ["read", "approve"] });
    const changed = await call("PATCH", "/api/people/anna", { body: { role } });
    expect(changed.json).toMatchObject({ role, abilities });
    expect((await call("GET", "/api/people/anna")).json).toEqual(changed.json);
    expect((await call("GET", "/api/people")).json.data).toEqual([changed.json]);
  });

  it.each([
    ["together with abilities", { role: "reader", abilities: ["read"] }],
    ["that cannot be given", { role: "custom" }],
    ["that there is not", { role: "toString" }],
    ["that no locale may limit", { role: "lead", locales: ["fr"] }],
  ])("is refused where one is given %s", async (_, wrong) => {
    const { call, storage } = await setUpWeb(admin);
    await makePerson(storage, { id: "ben" });
    const replies = [
      await call("POST", "/api/people", { body: { id: "anna", ...wrong } }),
      await call("PATCH", "/api/people/ben", { body: wrong }),
    ];
    for (const { status, json } of replies)
      expect([status, Object.keys(json.errors)]).toEqual([422, ["role"]]);
  });

  it("cannot be changed where the identity provider decides", async () => {
    const { call, storage } = await setUpWeb(admin);
    await makePerson(storage, { identity: { iss: "https://login.example.org", sub: "1" } });
    const { status, json } = await call("PATCH", "/api/people/anna", { body: { role: "lead" } });
    expect([status, Object.keys(json.errors)]).toEqual([422, ["role"]]);
  });
});

describe("a person who is invited at once", () => {
  const publicUrl = "https://skep.example.org";

  it("has the link in the answer, as one who is invited later, and both events in the audit log", async () => {
    const { call } = await setUpWeb({ ...admin, app: { publicUrl } });
    const made = await call("POST", "/api/people", { body: { id: "anna", role: "reviewer", invite: true } });
    expect(made.status).toBe(201);
    const later = await call("POST", "/api/people/anna/invite");
    for (const { url, role } of [made.json.invitation, later.json])
      expect([url.split("=")[0], role]).toEqual([`${publicUrl}/invitation?code`, "reviewer"]);
    expect(made.json.invitation.ends).toBe(made.json.invited_until);
    const plain = await call("POST", "/api/people", { body: { id: "ben" } });
    expect(plain.json).not.toHaveProperty("invitation");
    const events = (await call("GET", "/api/audit?person=anna")).json.data;
    expect(events.map(({ event }: { event: string }) => event)).toEqual([
      "invited",
      "invited",
      "person_added",
    ]);
  });

  it("is not made where nobody can be invited", async () => {
    const { call } = await setUpWeb(admin);
    const { status, json } = await call("POST", "/api/people", { body: { id: "anna", invite: true } });
    expect([status, Object.keys(json.errors)]).toEqual([422, ["invite"]]);
    expect((await call("GET", "/api/people/anna")).status).toBe(404);
  });
});

describe("an admin of some Hives", () => {
  const limited = async () => {
    const { call, storage } = await setUpWeb(admin);
    await makeHive(storage, "app");
    const token = await makeToken(storage, { abilities: ["admin"], hives: ["web"] });
    await makePerson(storage, { id: "all" });
    await makePerson(storage, { id: "other", hives: ["app"] });
    await makePerson(storage, { id: "web", hives: ["web"] });
    return {
      storage,
      call: (method: string, path: string, sent?: object) => call(method, path, { token, body: sent }),
    };
  };

  it("sees and manages only those within the same Hives", async () => {
    const { call } = await limited();
    expect((await call("GET", "/api/people")).json.data.map(({ id }: { id: string }) => id)).toEqual(["web"]);
    for (const id of ["all", "other", "nobody"]) {
      expect((await call("GET", `/api/people/${id}`)).status).toBe(404);
      expect((await call("PATCH", `/api/people/${id}`, { disabled: true })).status).toBe(404);
      expect((await call("DELETE", `/api/people/${id}`)).status).toBe(404);
    }
    expect((await call("PATCH", "/api/people/web", { name: "Web" })).status).toBe(200);
  });

  it("cannot give a person more Hives", async () => {
    const { call } = await limited();
    for (const hives of ["all", ["app"], ["web", "app"]]) {
      expect((await call("PATCH", "/api/people/web", { hives })).status).toBe(422);
      expect((await call("POST", "/api/people", { id: "new", name: "New", hives })).status).toBe(422);
    }
    const made = await call("POST", "/api/people", { id: "new", name: "New" });
    expect(made.json.hives).toEqual(["web"]);
  });
});

describe("an admin whose translations are always reviewed", () => {
  it("manages and makes only persons whose are, too", async () => {
    const { call, storage } = await setUpWeb(admin);
    const token = await makeToken(storage, { abilities: ["admin"], review: "always" });
    await makePerson(storage, { id: "free" });
    await makePerson(storage, { id: "reviewed", review: "always" });
    const statusOf = async (id: string, body: object) =>
      (await call("PATCH", `/api/people/${id}`, { token, body })).status;
    expect(await statusOf("free", { name: "Free" })).toBe(404);
    expect(await statusOf("reviewed", { name: "Reviewed" })).toBe(200);
    expect(await statusOf("reviewed", { review: "never" })).toBe(422);
    const body = { id: "new", name: "New" };
    expect((await call("POST", "/api/people", { token, body })).json.review).toBe("always");
  });
});

describe("what a person writes", () => {
  it("has their name and id, and is found by it after they are removed", async () => {
    const { call, storage, post, history } = await setUpWeb(admin);
    const token = await makePersonalToken(storage, { name: "Anna <x>\u202e Bauer" });
    const { headers } = await call("POST", strings, { token, body });
    const commit = headers.get("x-skep-commit");
    await post({ "a.php": { a: "A", b: "B" } });
    await call("DELETE", "/api/people/anna");
    const { json } = await history("person=anna");
    expect(json.data).toHaveLength(1);
    expect(json.data[0]).toMatchObject({
      commit,
      person: "anna",
      author: { name: "Anna x Bauer", email: "anna@people.skep.invalid" },
    });
    expect(json.data[0].token).not.toBeNull();
    expect((await history("person=nobody")).json.data).toEqual([]);
  });

  it("has their mail address only where their team wants it", async () => {
    const { call, storage, post, history } = await setUpWeb(admin);
    const acme = toTeamName("acme");
    const token = await makePersonalToken(storage, {});
    await call("PATCH", "/api/people/anna", { body: { mail: "anna@example.org" } });
    const emails: string[] = [];
    for (const [mailOnCommits, text] of [
      [true, "1"],
      [undefined, "2"],
      [false, "3"],
    ] as const) {
      await updateTeam(storage, acme, { mailOnCommits, maxStrings: Number(text) });
      await post({ "a.php": { a: text } }, { token });
      const { json } = await history();
      emails.push(json.data[0].author.email);
    }
    expect(emails).toEqual(["anna@example.org", "anna@example.org", "anna@people.skep.invalid"]);
  });

  it("is their own text, with whichever of their tokens they wrote it", async () => {
    const { call, storage, fill } = await setUpWeb(admin);
    await call("PATCH", "/api/hives/web/locales/fr", { body: { review: "all", two_people: true } });
    await call("POST", strings, { body });
    const anna = { abilities: ["read", "write", "approve"] } as const;
    const writer = await makePersonalToken(storage, anna);
    const other = await makePersonalToken(storage, anna);
    await fill("fr", { "a.php": { a: "fa" } }, { token: writer });
    const approve = (token: string) =>
      call("POST", "/api/hives/web/review/approve", {
        token,
        body: { locale: "fr", file: "a.php", keys: ["a"] },
      });
    expect((await approve(other)).json.code).toBe("own_text");
    const ben = await makePersonalToken(storage, { ...anna, id: "ben", name: "Ben" });
    expect((await approve(ben)).status).toBe(200);
  });
});

describe("a token of a person", () => {
  it("is made by the person, listed and revoked; others see none of it", async () => {
    const { call, storage } = await setUpWeb(admin);
    const token = await makePersonalToken(storage);
    const made = await call("POST", "/api/me/tokens", { token, body: { name: "Laptop" } });
    expect(made.json).toMatchObject({ person: "anna", name: "Laptop", abilities: ["read"] });
    expect((await call("GET", "/api/me", { token: made.json.token })).json).toMatchObject({
      person: "anna",
      name: "Anna Bauer",
      abilities: ["read"],
    });
    const ben = await makePersonalToken(storage, { id: "ben" });
    const revoke = (own: string) => call("DELETE", `/api/me/tokens/${made.json.id}`, { token: own });
    expect((await revoke(ben)).status).toBe(404);
    expect((await call("GET", "/api/me/tokens", { token })).json.data).toHaveLength(2);
    expect((await revoke(token)).status).toBe(200);
    expect((await call("GET", "/api/me", { token: made.json.token })).status).toBe(401);
  });

  it("lasts for 90 days, and not longer than the token that made it", async () => {
    const clock = { now: Date.parse("2026-01-01T00:00:00Z") };
    const { call, storage } = await setUpWeb({ ...admin, storage: { now: () => clock.now } });
    const token = await makePersonalToken(storage);
    const [own] = (await call("GET", "/api/me/tokens", { token })).json.data;
    expect(own.expires).toBe("2026-04-01T00:00:00.000Z");
    clock.now += 1_000;
    const made = await call("POST", "/api/me/tokens", { token, body: {} });
    expect(made.json.expires).toBe(own.expires);
    const later = await call("POST", "/api/me/tokens", { token, body: { expires: "2027-01-01T00:00:00Z" } });
    expect(later.status).toBe(422);
  });

  it("loses at the next request what the person loses", async () => {
    const { call, storage } = await setUpWeb(admin);
    await makeHive(storage, "app");
    const token = await makePersonalToken(storage, { abilities: ["admin"] });
    const write = (slug = "web") => call("POST", `/api/hives/${slug}/strings`, { token, body });
    expect((await write()).status).toBe(200);
    await call("PATCH", "/api/people/anna", { body: { hives: ["app"] } });
    expect([(await write()).status, (await write("app")).status]).toEqual([403, 200]);
    await call("PATCH", "/api/people/anna", { body: { abilities: ["read"] } });
    expect((await write("app")).status).toBe(403);
    expect((await call("GET", "/api/people", { token })).status).toBe(403);
  });

  it("sleeps while the person is disabled, and ends when they are removed", async () => {
    const { call, storage } = await setUpWeb(admin);
    const token = await makePersonalToken(storage);
    const read = async () => (await call("GET", strings, { token })).status;
    const disable = (disabled: boolean) => call("PATCH", "/api/people/anna", { body: { disabled } });
    expect(await read()).toBe(200);
    await disable(true);
    expect(await read()).toBe(401);
    await disable(false);
    expect(await read()).toBe(200);
    await call("DELETE", "/api/people/anna");
    expect(await read()).toBe(401);
    expect((await call("GET", "/api/tokens")).json.data).toHaveLength(1);
  });

  it("cannot make one that may do more than itself", async () => {
    const { call, storage } = await setUpWeb(admin);
    await makeHive(storage, "app");
    const token = await makePersonalToken(
      storage,
      { abilities: ["admin"] },
      { abilities: ["read"], hives: ["web"] },
    );
    for (const wanted of [{ abilities: ["write"] }, { hives: ["app"] }, { hives: "all" }])
      expect((await call("POST", "/api/me/tokens", { token, body: wanted })).status).toBe(422);
  });

  it("cannot make one that writes into more locales than itself", async () => {
    const { call, storage } = await setUpWeb(admin);
    const limits = { abilities: ["read", "write"], locales: ["fr"] } as const;
    const token = await makePersonalToken(storage, {}, limits);
    for (const wanted of [{ locales: ["de"] }, { locales: ["fr", "de"] }]) {
      const reply = await call("POST", "/api/me/tokens", { token, body: wanted });
      expect([reply.status, Object.keys(reply.json.errors)]).toEqual([422, ["locales"]]);
    }
    const made = await call("POST", "/api/me/tokens", { token, body: { abilities: ["write"] } });
    expect(made.json.locales).toEqual(["fr"]);
  });

  it("cannot be limited to some locales if it has the ability admin, by which it could lift the limit", async () => {
    const { call, storage } = await setUpWeb(admin);
    const token = await makePersonalToken(storage, { abilities: ["admin"] });
    const wanted = { abilities: ["admin"], locales: ["fr"] };
    expect((await call("POST", "/api/me/tokens", { token, body: wanted })).status).toBe(422);
  });

  it("follows the locales of the person who made it in a session", async () => {
    const { call, storage } = await setUpWeb(admin);
    const token = await makePersonalToken(storage, { locales: ["fr"] });
    const locales = async () => (await call("GET", "/api/me", { token })).json.locales;
    expect(await locales()).toEqual(["fr"]);
    await call("PATCH", "/api/people/anna", { body: { locales: ["fr", "de"] } });
    expect(await locales()).toEqual(["fr", "de"]);
  });

  it("is one of at most 50", async () => {
    const { call, storage } = await setUpWeb(admin);
    const token = await makePersonalToken(storage);
    for (let i = 1; i < 50; i++) await makePersonalToken(storage);
    const reply = await call("POST", "/api/me/tokens", { token, body: {} });
    expect([reply.status, reply.json.code]).toEqual([422, "limit_reached"]);
  });

  it("does not outlive a change of its person's team by hand", async () => {
    const { call, storage } = await setUpWeb(admin);
    await makeHive(storage, "other", { team: "other" });
    const token = await makePersonalToken(storage);
    const person = await makePerson(storage, { id: "ben" });
    await changeStored(storage, { ...person, id: "anna" as never, team: toTeamName("other") });
    expect((await call("GET", "/api/me", { token })).status).toBe(401);
  });
});

describe("a person of the identity provider", () => {
  it("has tokens whose reads are cached for no longer than until they have to sign in again", async () => {
    const clock = { now: Date.parse("2026-01-01T00:00:00Z") };
    const { call, storage } = await setUpWeb({ ...admin, storage: { now: () => clock.now } });
    const token = await makePersonalToken(storage, { identity: { iss: "https://id.test", sub: "1" } });
    const [own] = (await call("GET", "/api/me/tokens", { token })).json.data;
    expect(own.expires).toBe("2026-04-01T00:00:00.000Z");
    const read = async () => (await call("GET", strings, { token })).status;
    clock.now += 30 * 24 * 60 * 60 * 1000 - 1;
    expect([await read(), await read()]).toEqual([200, 200]);
    clock.now += 1;
    expect(await read()).toBe(401);
  });

  it("has rights that nobody changes here", async () => {
    const { call, storage } = await setUpWeb(admin);
    await makePerson(storage, { identity: { iss: "https://id.test", sub: "1" } });
    expect((await call("PATCH", "/api/people/anna", { body: { abilities: ["admin"] } })).status).toBe(422);
    expect((await call("PATCH", "/api/people/anna", { body: { disabled: true } })).json.disabled).toBe(true);
  });
});

describe("a command", () => {
  it("manages persons of its team alone", async () => {
    const { storage } = await setUpWeb();
    await makeHive(storage, "other", { team: "other" });
    await makePerson(storage, { id: "ben", team: "other" });
    const change = changePerson(storage, ownerGrant(toTeamName("acme")), "ben", {
      disabled: true,
    });
    await expect(change).rejects.toMatchObject({ publicCode: "unknown_person" });
  });
});

describe("a Hive that is deleted", () => {
  it("is taken from persons, so that a later one of the same slug is out of their reach", async () => {
    const { call, storage } = await setUpWeb(admin);
    const token = await makePersonalToken(storage, { hives: ["web"] });
    await call("DELETE", "/api/hives/web");
    await makeHive(storage, "web");
    expect((await call("GET", strings, { token })).status).toBe(404);
    expect((await call("GET", "/api/people/anna")).json.hives).toEqual([]);
  });
});

describe("the audit log", () => {
  it("names who did what to whom, and never a secret", async () => {
    const { call, storage } = await setUpWeb(admin);
    await call("POST", "/api/people", { body: { id: "anna", name: "Anna" } });
    const token = await makePersonalToken(storage, {}, { abilities: ["read"] });
    for (const body of [{ abilities: ["admin"] }, { disabled: true }, { disabled: false }])
      await call("PATCH", "/api/people/anna", { body });
    await call("PATCH", "/api/people/anna", { token, body: { name: "Not allowed" } });
    await call("DELETE", "/api/people/anna");
    const { json } = await call("GET", "/api/audit?person=anna");
    expect(json.data.map(({ event }: { event: string }) => event).toReversed()).toEqual([
      "person_added",
      "token_created",
      "person_changed",
      "person_disabled",
      "person_enabled",
      "person_removed",
      "token_revoked",
    ]);
    expect(json.data.at(-3)).toMatchObject({
      before: { abilities: ["read"] },
      after: { abilities: ["admin"] },
    });
    expect(JSON.stringify(json)).not.toContain(token.slice(18));
  });
});
