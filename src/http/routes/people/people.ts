/** Persons within the caller's own reach, and the audit log. */
import type { Person } from "../../../domain/access/person.ts";
import { toPersonId } from "../../../domain/names.ts";
import {
  changePerson,
  createPerson,
  getPerson,
  listPeople,
  removePerson,
} from "../../../service/people/people.ts";
import { invitePerson } from "../../../service/people/invitations.ts";
import { withExample } from "../../../api/operation.ts";
import { teamGroup, type TeamRequest, type TeamRoute } from "../../pipeline/route.ts";
import { pageQuery, toPageOf, toPage, toOffsetLimit } from "../../../api/page.ts";
import {
  personResponse,
  toPersonResponse,
  auditQuery,
  auditResponse,
  toAuditEntry,
} from "../../schemas/people/people-schemas.ts";
import { withoutNulls } from "../../../domain/record.ts";
import { z } from "zod";
import { abilityList, displayName, hivesOrAll, localeList, reviewRule } from "../../../api/management.ts";
import { named, pageOf, text } from "../../../api/objects.ts";

const mail = text.meta({
  maxLength: 254,
  description: "Shown, and on commits if the team wants it. It is never used to recognise anybody.",
});

export const personBody = named("NewPerson", {
  id: text.meta({
    description:
      "What the person signs in with, and what names them in the history: lower-case letters, digits and hyphens. Nobody else can ever have it.",
    examples: ["anna"],
  }),
  name: displayName.meta({ description: "The author of their commits." }),
  mail: mail.nullish(),
  abilities: abilityList.nullish().transform((given) => given ?? []),
  hives: hivesOrAll.nullish(),
  locales: localeList.nullish(),
  review: reviewRule.nullish(),
});

export const personChangeBody = named("PersonChange", {
  name: displayName.optional(),
  mail: mail.nullish().meta({ description: "`null` removes it." }),
  abilities: abilityList.optional(),
  hives: hivesOrAll.optional(),
  locales: localeList.nullish().meta({ description: "`null` for no limit." }),
  review: reviewRule.nullish().meta({ description: "`null` for reviews of what models have made." }),
  disabled: z.boolean("must be true or false").optional().meta({
    description: "`true` ends all sessions, and suspends the tokens of the person until it is `false`.",
  }),
});

/** The only response that contains the link. */
const invitationResponse = named("Invitation", {
  url: z.string().meta({ description: "The link. Whoever has it can sign in as the person." }),
  ends: z.iso.datetime(),
});

const peopleResponse = pageOf("PersonPage", personResponse);

async function answer({ storage }: TeamRequest, person: Promise<Person>) {
  return { result: toPersonResponse(await person, storage.now()) };
}

const path = "/api/people";
const one = `${path}/:id`;
const teamRoute = teamGroup("People", { ability: "admin", requiresAllHives: false });

export const personRoutes: readonly TeamRoute[] = [
  teamRoute("listPeople", "GET", path, {
    summary: "List persons",
    description: "The persons of the team whose Hives are all within the caller's own reach, by id.",
    query: pageQuery,
    response: peopleResponse,
    async handler({ storage, caller, query }) {
      const people = await listPeople(storage, caller);
      return { result: toPageOf(people, query, (person) => toPersonResponse(person, storage.now())) };
    },
  }),
  teamRoute("createPerson", "POST", path, {
    summary: "Create a person",
    description:
      "A person cannot be given more than the caller's own rights, and not by a token that ends. Without `hives`, they have the caller's Hives. They can sign in once they have used an invitation.",
    body: withExample(personBody, {
      id: "anna",
      name: "Anna Bauer",
      mail: "anna@example.org",
      abilities: ["read", "write"],
      locales: ["de"],
    }),
    status: 201,
    response: personResponse,
    errors: ["conflict", "quota", "too-many-attempts"],
    handler(request) {
      const { storage, grant, body } = request;
      const id = toPersonId(body.id);
      return answer(request, createPerson(storage, grant, { ...withoutNulls(body), id }));
    },
  }),
  teamRoute("getPerson", "GET", one, {
    summary: "Get a person",
    description: "Also one who was removed, whose name the history may have.",
    response: personResponse,
    handler: (request) => answer(request, getPerson(request.storage, request.caller, request.param("id"))),
  }),
  teamRoute("updatePerson", "PATCH", one, {
    summary: "Change a person",
    description:
      "Their sessions and tokens have the changed rights from the next request on. Members that are left out stay as they are. A token that ends cannot enable a person, or let them do more. What a person of the identity provider may do is decided there.",
    body: withExample(personChangeBody, { locales: ["de", "fr"], disabled: false }),
    response: personResponse,
    errors: ["too-many-attempts"],
    handler: (request) =>
      answer(request, changePerson(request.storage, request.grant, request.param("id"), request.body)),
  }),
  teamRoute("invitePerson", "POST", `${one}/invite`, {
    summary: "Invite a person",
    description:
      "Makes a link that works once and for a day, by which the person chooses a passkey or a password. It replaces an earlier link, and using it what they signed in with before. The server needs `--public-url`, and the caller a token without an end.",
    status: 201,
    response: invitationResponse,
    errors: ["too-many-attempts"],
    async handler({ storage, grant, param, publicUrl }) {
      return { result: await invitePerson(storage, grant, param("id"), publicUrl) };
    },
  }),
  teamRoute("removePerson", "DELETE", one, {
    summary: "Remove a person",
    description:
      "Ends their sessions and revokes their tokens. Their id and name stay for the history; nobody else can have the id.",
    response: personResponse,
    handler: (request) => answer(request, removePerson(request.storage, request.grant, request.param("id"))),
  }),
  teamGroup("Management", { ability: "admin", requiresAllHives: true })("listAuditLog", "GET", "/api/audit", {
    summary: "List the audit log",
    description:
      "Who signed in, who was refused, and who changed what others of the team may do, newest first. Entries are kept for 400 days, and at most 1 GiB of them. Sign-ins with unknown tokens belong to no team: `skep audit` shows them on the server's machine.",
    query: auditQuery,
    response: auditResponse,
    async handler({ storage, grant, query, runSlowRead }) {
      const { event, person, since, until, ...page } = query;
      const wanted = { team: grant.team, event, person, since, until, ...toOffsetLimit(page) };
      const entries = await runSlowRead((signal) => storage.audit.read(wanted, signal));
      return { result: toPage(entries, page, toAuditEntry) };
    },
  }),
];
