/** Hashing a password takes a core for a while: an attempt is counted before anything is hashed, at every door. */
import { ownerGrant } from "../../../helpers/people/tokens.ts";
import { beforeEach, expect, it, vi } from "vitest";
import type * as Argon2Module from "@node-rs/argon2";
import { toTeamName } from "../../../../src/domain/names.ts";
import { invitePerson } from "../../../../src/service/people/invitations.ts";
import type { Storage } from "../../../../src/service/storage.ts";
import { makePerson, makeServers } from "../../../helpers/people/people.ts";
import { browse, host, type Fields } from "../browse.ts";

const counts = vi.hoisted(() => ({ hashed: 0 }));

vi.mock("@node-rs/argon2", async (load) => {
  const argon2 = await load<typeof Argon2Module>();
  const counted =
    <A extends readonly unknown[], R>(run: (...given: A) => R) =>
    (...given: A): R => {
      counts.hashed++;
      return run(...given);
    };
  return { ...argon2, hash: counted(argon2.hash), verify: counted(argon2.verify) };
});

const publicUrl = `http://${host}`;
const password = "twelve letters";
const clock = { now: 0 };
let storage: Storage;
let code: string;

beforeEach(async () => {
  ({ storage } = await makeServers(clock));
  await makePerson(storage);
  const { url } = await invitePerson(storage, ownerGrant(toTeamName("acme")), "anna", publicUrl);
  code = new URL(url).searchParams.get("code") ?? "";
  counts.hashed = 0;
});

/** Forms that hash a password. */
const doors: readonly [path: string, fields: () => Fields][] = [
  ["/sign-in/password", () => ({ person: "anna", password })],
  ["/invitation", () => ({ code, password })],
];
const send = (path: string, fields: Fields) => browse(storage, { publicUrl }).post(path, fields);

it.each(doors)("%s hashes nothing after too many attempts", async (path, fields) => {
  for (let i = 0; i < 10; i++) storage.attempts.begin("anna", "", clock.now);
  expect((await send(path, fields())).status).toBe(429);
  expect(counts.hashed).toBe(0);
});

it.each(doors)("%s hashes for at most 10 of many attempts at once", async (path, fields) => {
  const answers = await Promise.all(Array.from({ length: 30 }, () => send(path, fields())));
  expect(answers.filter(({ status }) => status === 429)).toHaveLength(20);
  // Where there is no password, one is hashed besides, so that a refusal takes as long.
  expect(counts.hashed).toBeLessThanOrEqual(11);
});

it("hashes where the attempt counts", async () => {
  for (const [path, fields] of doors.toReversed()) expect((await send(path, fields())).status).toBe(303);
  expect(counts.hashed).toBe(2);
});
