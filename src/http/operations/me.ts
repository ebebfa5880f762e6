/** What the operations of whoever asks do. */
import { toPageOf } from "../../api/page.ts";
import { myself, mySessions, myTokens } from "../../api/team/me.ts";
import { toTokenRequest } from "../../api/tokens.ts";
import type { Person } from "../../domain/access/person.ts";
import type { Caller } from "../../service/access.ts";
import { changeOneself } from "../../service/mail/own-mail.ts";
import {
  createPersonalToken,
  endOwnSession,
  listOwnSessions,
  listPersonalTokens,
  revokePersonalToken,
} from "../../service/people/own.ts";
import { implement } from "./implement.ts";
import { withExpired } from "./tokens.ts";

/** @param person of the caller, as they are stored. */
function toMe({ principal, team }: Caller, person: Person | undefined) {
  return {
    ...principal,
    team: team.name,
    token: principal.token ?? "",
    mail: person?.mail,
    mail_confirmed: person?.mailConfirmed === true,
    digest: person?.digest ?? ("off" as const),
    language: person?.language,
    languages: [...(person?.languages ?? [])],
    theme: person?.theme ?? ("system" as const),
  };
}

export const myOperations = implement(myself, {
  showMe: async ({ storage, caller }) => {
    const { person } = caller.principal;
    return { result: toMe(caller, person && (await storage.registry.person(person))) };
  },
  changeMe: async ({ storage, grant, caller, body, mailing }) => ({
    result: toMe(caller, await changeOneself(storage, grant, body, mailing)),
  }),
});

export const myTokenOperations = implement(myTokens, {
  listMyTokens: async ({ storage, grant, query }) => {
    const own = await listPersonalTokens(storage, grant);
    return { result: toPageOf(own, query, (each) => withExpired(each, storage.now())) };
  },
  createMyToken: async ({ storage, grant, body }) => {
    const made = await createPersonalToken(storage, grant, toTokenRequest(body));
    return { result: { ...withExpired(made.stored, storage.now()), token: made.token } };
  },
  revokeMyToken: async ({ storage, grant, param }) => {
    const revoked = await revokePersonalToken(storage, grant, param("id"));
    return { result: withExpired(revoked, storage.now()) };
  },
});

export const mySessionOperations = implement(mySessions, {
  listMySessions: async ({ storage, grant, query }) => ({
    result: toPageOf(listOwnSessions(storage, grant), query, (each) => each),
  }),
  endMySession: async ({ storage, grant, param }) => ({
    result: await endOwnSession(storage, grant, param("id")),
  }),
});
