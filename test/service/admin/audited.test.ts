/** Which changes of rights are in the audit log, and that it has no secrets. */
import { expect, it } from "vitest";
import { toTeamName } from "../../../src/domain/names.ts";
import { createToken, revokeToken } from "../../helpers/people/tokens.ts";
import { endSessions, resumeSession, startSession } from "../../../src/service/sessions.ts";
import type { Storage } from "../../../src/service/storage.ts";
import type { AuditEntry } from "../../../src/domain/access/audit.ts";
import { harness, makeHive, makeToken, memoryStorage } from "../../helpers/storage.ts";

const acme = toTeamName("acme");

async function entries(storage: Storage): Promise<readonly AuditEntry[]> {
  return (await storage.audit.read({ offset: 0, limit: 100 })).entries.toReversed();
}

async function withHive(): Promise<Storage> {
  const storage = memoryStorage();
  await makeHive(storage, "web");
  return storage;
}

it("has tokens that commands create and revoke", async () => {
  const storage = await withHive();
  const { id, token } = await createToken(storage, {
    team: acme,
    name: "CI",
    abilities: ["write"],
    hives: [],
    lifetimeMs: 1000,
  });
  await revokeToken(storage, id);
  const log = await entries(storage);
  const facts = { id, name: "CI", abilities: ["write"], hives: "all", expires: expect.any(String) };
  expect(log).toEqual([
    expect.objectContaining({
      event: "token_created",
      team: acme,
      by: { command: "token create" },
      after: facts,
    }),
    expect.objectContaining({
      event: "token_revoked",
      team: acme,
      by: { command: "token delete" },
      before: facts,
    }),
  ]);
  expect(JSON.stringify(log)).not.toContain(token.split("_")[2]);
});

it("has tokens that callers create and revoke, by their own token", async () => {
  const storage = await withHive();
  const token = await makeToken(storage, { abilities: ["admin"] });
  const { call } = harness(storage, token);
  const { json: made } = await call("POST", "/api/tokens", { body: { abilities: ["read"] } });
  expect((await call("DELETE", `/api/tokens/${made.id}`)).status).toBe(200);
  const by = { token: token.split("_")[1] };
  expect((await entries(storage)).slice(1)).toMatchObject([
    { event: "token_created", by, after: { id: made.id } },
    { event: "token_revoked", by, before: { id: made.id } },
  ]);
});

it("has sessions that were ended", async () => {
  const storage = await withHive();
  const token = await makeToken(storage);
  const { value } = await startSession(storage, token);
  const session = await resumeSession(storage, value);
  if (session !== undefined) await endSessions(storage, session, "all");
  expect((await entries(storage)).at(-1)).toMatchObject({
    event: "session_ended",
    team: acme,
    by: { token: token.split("_")[1] },
    after: { sessions: "all" },
  });
});
