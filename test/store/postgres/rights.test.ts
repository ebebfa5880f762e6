/** Rights that are changed on one server, on all others with the same database: at their next request, whatever it is. */
import { ownerGrant } from "../../helpers/people/tokens.ts";
import { describe, expect, it } from "vitest";
import { toHiveSlug, toTeamName, toTokenId } from "../../../src/domain/names.ts";
import { deleteHive } from "../../../src/service/admin/hives.ts";
import { createTeam } from "../../../src/service/admin/teams.ts";
import { revokeToken } from "../../helpers/people/tokens.ts";
import { changePerson, removePerson } from "../../../src/service/people/people.ts";
import { endSessions, resumeSession } from "../../../src/service/sessions.ts";
import { openStorage, type Storage } from "../../../src/service/storage.ts";
import { makePerson, makePersonalToken, signInAs } from "../../helpers/people/people.ts";
import { isMissing } from "../../helpers/postgres/cluster.ts";
import { testDatabase } from "../../helpers/postgres/records.ts";
import { harness, makeHive, makeToken, type Call } from "../../helpers/storage.ts";

const manager = ownerGrant(toTeamName("acme"));
const strings = "/api/hives/web/strings";

interface Credentials {
  readonly token: string;
  readonly personal: string;
  readonly cookie: string;
}

/** What the holders of the tokens may: read, and write. */
async function rightsAt(call: Call, { token, personal }: Credentials): Promise<readonly number[]> {
  const body = { files: { "a.json": { a: "A" } } };
  return [
    (await call("GET", strings, { token })).status,
    (await call("POST", `${strings}?dry_run=true`, { token, body })).status,
    (await call("GET", strings, { token: personal })).status,
    (await call("POST", `${strings}?dry_run=true`, { token: personal, body })).status,
  ];
}

const all = [200, 200, 200, 200];

/** Changes on the first of three servers, all of which have just answered. */
const changes: readonly {
  readonly what: string;
  readonly change: (storage: Storage, credentials: Credentials) => Promise<unknown>;
  readonly rights: readonly number[];
  readonly isSignedIn: boolean;
}[] = [
  {
    what: "a revoked token is refused",
    change: (storage, { token }) => revokeToken(storage, toTokenId(token.split("_")[1] ?? "")),
    rights: [401, 401, 200, 200],
    isSignedIn: true,
  },
  {
    what: "a person has the rights that they were left",
    change: (storage) => changePerson(storage, manager, "anna", { abilities: ["read"] }),
    rights: [200, 200, 200, 403],
    isSignedIn: true,
  },
  {
    what: "a disabled person is refused",
    change: (storage) => changePerson(storage, manager, "anna", { disabled: true }),
    rights: [200, 200, 401, 401],
    isSignedIn: false,
  },
  {
    what: "a removed person is refused",
    change: (storage) => removePerson(storage, manager, "anna"),
    rights: [200, 200, 401, 401],
    isSignedIn: false,
  },
  {
    what: "a session is over that was ended",
    change: async (storage, { cookie }) => {
      const session = await resumeSession(storage, cookie);
      if (session !== undefined) await endSessions(storage, session, "this");
    },
    rights: all,
    isSignedIn: false,
  },
  {
    what: "a deleted Hive is gone",
    change: (storage) => deleteHive(storage, toHiveSlug("web")),
    rights: [404, 403, 404, 403],
    isSignedIn: true,
  },
  {
    what: "a Hive belongs to the team that has made it anew",
    change: async (storage) => {
      await deleteHive(storage, toHiveSlug("web"));
      await makeHive(storage, "web", { team: "other" });
    },
    rights: [404, 403, 404, 403],
    isSignedIn: true,
  },
];

describe.skipIf(isMissing())("on every server with one database, from the next request on,", () => {
  it.each(changes.map((one) => [one.what, one] as const))("%s", async (_, { change, rights, isSignedIn }) => {
    const { prepare } = await testDatabase();
    const prepared = await Promise.all([1, 2, 3].map(() => prepare()));
    const storages = prepared.map(({ options }) => openStorage(options));
    const [first] = storages;
    if (first === undefined) throw new Error("no server");
    await makeHive(first, "web");
    await createTeam(first, toTeamName("other"), undefined);
    const token = await makeToken(first);
    const person = await makePerson(first);
    const personal = await makePersonalToken(first);
    const credentials = { token, personal, cookie: await signInAs(first, person) };
    const servers = storages.map((storage) => ({ storage, call: harness(storage, token).call }));
    const signedIn = async (storage: Storage): Promise<boolean> => {
      await storage.refresh?.([]);
      return (await resumeSession(storage, credentials.cookie)) !== undefined;
    };
    for (const { storage, call } of servers) {
      expect([await rightsAt(call, credentials), await signedIn(storage)]).toEqual([all, true]);
    }
    await change(first, credentials);
    const after = await Promise.all(servers.map(({ call }) => rightsAt(call, credentials)));
    expect(after).toEqual(servers.map(() => rights));
    expect(await Promise.all(storages.map(signedIn))).toEqual(storages.map(() => isSignedIn));
  });
});
