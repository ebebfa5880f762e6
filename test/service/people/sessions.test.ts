/** Sessions of persons: when they end, and where. */
import { ownerGrant } from "../../helpers/people/tokens.ts";
import { beforeEach, describe, expect, it } from "vitest";
import type { Person } from "../../../src/domain/access/person.ts";
import {
  changePerson,
  findPerson,
  findPersonByIdentity,
  removePerson,
} from "../../../src/service/people/people.ts";
import { toTeamName } from "../../../src/domain/names.ts";
import { endSessions, resumeSession } from "../../../src/service/sessions.ts";
import type { Storage } from "../../../src/service/storage.ts";
import { makePerson, makeServers, signInAs } from "../../helpers/people/people.ts";

const clock = { now: 0 };
let storage: Storage;
/** Another server of the same storage. */
let another: () => Storage;
let anna: Person;
const manager = ownerGrant(toTeamName("acme"));

beforeEach(async () => {
  ({ storage, another } = await makeServers(clock));
  anna = await makePerson(storage);
});

const isOpen = async (value: string, at = storage): Promise<boolean> =>
  (await resumeSession(at, value)) !== undefined;

describe("a session of a person", () => {
  it("counts on every server, with the person's rights as they are at the request", async () => {
    const value = await signInAs(storage, anna);
    const other = another();
    await changePerson(storage, manager, "anna", { abilities: ["read"], name: "Anna B." });
    const session = await resumeSession(other, value);
    expect(session?.caller.principal).toMatchObject({ person: "anna", name: "Anna B.", abilities: ["read"] });
    expect(session?.caller.principal.token).toBeUndefined();
  });

  it.each([
    [
      "is disabled, also after they are enabled again",
      async () => {
        await changePerson(storage, manager, "anna", { disabled: true });
        await changePerson(storage, manager, "anna", { disabled: false });
      },
    ],
    ["is removed", () => removePerson(storage, manager, "anna")],
  ])("ends on every server at the next request when the person %s", async (_, end) => {
    const value = await signInAs(storage, anna);
    const other = another();
    expect(await isOpen(value, other)).toBe(true);
    await end();
    expect(await isOpen(value, other)).toBe(false);
    expect(await isOpen(value)).toBe(false);
    expect(other.personSessions.of(anna.id, clock.now)).toEqual([]);
  });

  it("ends on every server by signing out, and the person's others go on", async () => {
    const [value, kept] = [await signInAs(storage, anna), await signInAs(storage, anna)];
    const session = await resumeSession(storage, value);
    if (session !== undefined) await endSessions(storage, session, "this");
    expect([await isOpen(value, another()), await isOpen(kept, another())]).toEqual([false, true]);
  });

  it("ends with all others of the person by signing out everywhere", async () => {
    const values = [await signInAs(storage, anna), await signInAs(storage, anna)];
    const session = await resumeSession(storage, values[0] ?? "");
    if (session !== undefined) await endSessions(storage, session, "all");
    expect(await Promise.all(values.map((value) => isOpen(value)))).toEqual([false, false]);
  });

  it("is one of at most 20: a further one ends the oldest", async () => {
    const values: string[] = [];
    for (let i = 0; i < 21; i++) values.push(await signInAs(storage, anna));
    const open = await Promise.all(values.map((value) => isOpen(value)));
    expect(open).toEqual([false, ...Array.from({ length: 20 }, () => true)]);
  });

  it("ends after a week; for a person of the identity provider, after a day", async () => {
    const [value, short] = [
      await signInAs(storage, anna),
      await signInAs(
        storage,
        await makePerson(storage, { id: "ben", identity: { iss: "https://i", sub: "1" } }),
      ),
    ];
    clock.now += 24 * 60 * 60 * 1000;
    expect([await isOpen(value), await isOpen(short)]).toEqual([true, false]);
    clock.now += 6 * 24 * 60 * 60 * 1000;
    expect(await isOpen(value)).toBe(false);
  });

  it("does not count once the clock is set back by more than sessions last", async () => {
    clock.now += 30 * 24 * 60 * 60 * 1000;
    const value = await signInAs(storage, anna);
    clock.now -= 60 * 60 * 1000;
    expect(await isOpen(value)).toBe(true);
    clock.now -= 29 * 24 * 60 * 60 * 1000;
    expect(await isOpen(value)).toBe(false);
  });

  it.each([
    ["another person", (value: string) => value.replace("~anna", "~ben")],
    ["a token", (value: string) => value.replace("~anna", "anna")],
    ["a later end", (value: string) => value.replace(/\.[^.]+/, ".zzzzzz")],
    ["another session", (value: string) => value.replace(/\.[\w-]{22}\./, `.${"A".repeat(22)}.`)],
    ["no signature", (value: string) => value.replace(/\.[^.]+$/, `.${"A".repeat(43)}`)],
  ])("cannot be made into one of %s", async (_, change) => {
    await makePerson(storage, { id: "ben" });
    const forged = change(await signInAs(storage, anna));
    expect(await isOpen(forged)).toBe(false);
  });
});

describe("finding a person", () => {
  it("finds nobody who was removed, nor by an id that is none", async () => {
    expect(await findPerson(storage, "anna")).toEqual(anna);
    await removePerson(storage, manager, "anna");
    expect(await findPerson(storage, "anna")).toBeUndefined();
    expect(await findPerson(storage, "../tokens/x")).toBeUndefined();
  });

  it("by an identity takes both the issuer and the subject", async () => {
    const ben = await makePerson(storage, { id: "ben", identity: { iss: "https://id.test", sub: "1" } });
    expect(await findPersonByIdentity(storage, "https://id.test", "1")).toEqual(ben);
    expect(await findPersonByIdentity(storage, "https://other.test", "1")).toBeUndefined();
    expect(await findPersonByIdentity(storage, "https://id.test", "2")).toBeUndefined();
  });
});
