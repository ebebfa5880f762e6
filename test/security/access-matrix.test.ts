/** Every operation of the OpenAPI document, for every kind of person: who is let through to it, and who is not. */
import { beforeAll, describe, expect, it } from "vitest";
import { removedPerson } from "../../src/domain/access/person.ts";
import type { Ability } from "../../src/domain/access/token.ts";
import { toHiveSlug } from "../../src/domain/names.ts";
import { required } from "./access-rows.ts";
import { document } from "../helpers/http/described.ts";
import { changeStored, makePerson, makePersonalToken, signInAs } from "../helpers/people/people.ts";
import { harness, makeHive, memoryStorage, type Call } from "../helpers/storage.ts";

interface Operation {
  readonly method: string;
  readonly path: string;
  readonly ability: string;
  readonly isForAllHives: boolean;
}

// oxlint-disable-next-line typescript/no-explicit-any -- a document of JSON, looked into by name
const operations = Object.entries<Record<string, any>>(document.paths).flatMap(([path, item]) =>
  Object.entries(item).flatMap(([method, { description = "", responses }]): Operation[] => {
    const [, ability] = /Requires the \*\*(\w+)\*\* ability/.exec(description) ?? [];
    if (responses === undefined || ability === undefined) return [];
    const isForAllHives = description.includes("access to all Hives of the team");
    return [{ method: method.toUpperCase(), path, ability, isForAllHives }];
  }),
);

/** A person: what they may do, and what has become of them since they made a token for everything. */
interface Kind {
  readonly abilities?: readonly Ability[];
  /** The Hives that they reach; all if undefined. */
  readonly hives?: readonly string[];
  readonly team?: string;
  /** The code of every answer. */
  readonly refused?: string;
}

const kinds = {
  "may do nothing any more": { abilities: [] },
  reads: { abilities: ["read"] },
  writes: { abilities: ["read", "write"] },
  "only writes": { abilities: ["write"] },
  approves: { abilities: ["read", "approve"] },
  "reads one Hive": { abilities: ["read"], hives: ["web"] },
  "writes one Hive": { abilities: ["read", "write"], hives: ["web"] },
  "manages one Hive": { abilities: ["admin"], hives: ["web"] },
  "manages all Hives": { abilities: ["admin"] },
  "manages another team": { abilities: ["admin"], team: "rival" },
  "is disabled": { refused: "invalid_token" },
  "was removed": { refused: "invalid_token" },
  "has not signed in at the provider for 30 days": { refused: "sign_in_needed" },
} as const satisfies Record<string, Kind>;

let call: Call;
const tokens = new Map<string, string>();
const sessions = new Map<string, string>();

beforeAll(async () => {
  const clock = { now: Date.parse("2026-01-01T00:00:00Z") };
  const storage = memoryStorage({ now: () => clock.now });
  for (const slug of ["web", "app"]) await makeHive(storage, slug);
  await makeHive(storage, "theirs", { team: "rival" });
  let n = 0;
  for (const [name, kind] of Object.entries<Kind>(kinds)) {
    n++;
    const options = { id: `p${n}`, team: kind.team, abilities: ["admin"] } as const;
    const identity = name.includes("provider") ? { iss: "https://a.example", sub: "1" } : undefined;
    const person = await makePerson(storage, { ...options, identity });
    tokens.set(name, await makePersonalToken(storage, options));
    sessions.set(name, await signInAs(storage, person));
    const { abilities = person.abilities, hives } = kind;
    const now = {
      ...person,
      abilities,
      hives: hives?.map((slug) => toHiveSlug(slug)) ?? ("all" as const),
      disabled: name === "is disabled",
    };
    const removed = removedPerson(person, "2026-01-01T00:00:00.000Z");
    await changeStored(storage, name === "was removed" ? removed : now);
  }
  clock.now += 30 * 24 * 60 * 60 * 1000;
  ({ call } = harness(storage, undefined));
});

/** The code that refuses a person; undefined where they are let through. */
function refusalOf(
  { ability, path, isForAllHives }: Operation,
  slug: string,
  kind: Kind,
): string | undefined {
  if (kind.refused !== undefined) return kind.refused;
  const { abilities = [], hives, team } = kind;
  if (!abilities.some((own) => own === ability || own === "admin")) return "missing_ability";
  if (path.includes("{slug}")) {
    if (team === undefined && hives?.includes(slug) !== false) return undefined;
    return ability === "read" ? "unknown_hive" : "no_hive_access";
  }
  return isForAllHives && hives !== undefined ? "limited_token" : undefined;
}

/** Asks for an operation with a parameter that none has: whoever is let through changes nothing. */
async function ask({ method, path }: Operation, slug: string, token: string | null, cookie?: string) {
  const address = path.replace("{slug}", slug).replaceAll(/\{\w+\}/g, "x");
  const headers = cookie === undefined ? undefined : { cookie };
  const { status, json } = await call(method, `${address}?no_such_parameter=1`, { token, headers });
  return { status, code: json?.code };
}

it("has a row for each operation", () => {
  // oxlint-disable-next-line typescript/no-explicit-any -- see above
  const found = Object.values<Record<string, any>>(document.paths).flatMap((item) =>
    Object.values(item).flatMap(({ operationId, description = "", responses }): [string, string][] => {
      if (responses === undefined) return [];
      const [, ability = "nothing"] = /Requires the \*\*(\w+)\*\* ability/.exec(description) ?? [];
      const isForAllHives = description.includes("access to all Hives of the team");
      return [[operationId, isForAllHives ? `${ability} of all Hives` : ability]];
    }),
  );
  const rows = Object.entries(required).flatMap(([what, ids]) => ids.map((id) => [id, what]));
  expect(found.toSorted()).toEqual(rows.toSorted());
});

it("has operations for all abilities", () => {
  expect(new Set(operations.map(({ ability }) => ability))).toEqual(
    new Set(["read", "write", "approve", "admin"]),
  );
  expect(operations.length).toBeGreaterThan(80);
});

describe.each(operations)("$method $path", (operation) => {
  const slugs = operation.path.includes("{slug}") ? ["web", "app"] : ["web"];

  it("lets through who may, and tells all others why", async () => {
    for (const [name, kind] of Object.entries<Kind>(kinds)) {
      for (const slug of slugs) {
        const { status, code } = await ask(operation, slug, tokens.get(name) ?? "");
        const refused = refusalOf(operation, slug, kind);
        const place = `who ${name}, in ${slug}`;
        if (refused !== undefined) expect([place, code]).toEqual([place, refused]);
        else
          expect([place, [400, 404, 422].includes(status), code !== "unknown_hive"]).toEqual([
            place,
            true,
            true,
          ]);
      }
    }
  });

  it("is opened by no session, and not without a token", async () => {
    expect(await ask(operation, "web", null)).toEqual({ status: 401, code: "missing_token" });
    for (const [name, value] of sessions) {
      const { status } = await ask(operation, "web", null, `skep=${value}`);
      expect([name, status]).toEqual([name, 401]);
    }
  });
});
