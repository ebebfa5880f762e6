/** Persons: list, create, change and remove those within the caller's own reach. */
import { toPersonId } from "../../../domain/names.ts";
import {
  changePerson,
  createPerson,
  getPerson,
  listPeople,
  removePerson,
} from "../../../service/people/people.ts";
import { invitePerson } from "../../../service/people/invitations.ts";
import { withExample } from "../../openapi/route-docs.ts";
import { teamRoute, type TeamRoute } from "../../pipeline/route.ts";
import { metaExample, toPage } from "../../schemas/page.ts";
import {
  invitationResponse,
  peopleResponse,
  personBody,
  personChangeBody,
  personResponse,
  type PersonResponse,
} from "../../schemas/people/people-schemas.ts";
import { toPersonResponse } from "../../schemas/people/person-response.ts";
import { pageQuery } from "../../schemas/schemas.ts";
import { withoutNulls } from "../../../domain/record.ts";

const path = "/api/people";
const one = `${path}/:id`;
const common = { ability: "admin", requiresAllHives: false, group: "People" } as const;

const personExample: PersonResponse = {
  id: "anna",
  name: "Anna Bauer",
  mail: "anna@example.org",
  abilities: ["read", "write"],
  hives: "all",
  locales: ["de"],
  review: null,
  disabled: false,
  sign_in: ["passkey"],
  invited_until: null,
  created: "2026-01-01T00:00:00.000Z",
  removed: null,
};

export const personRoutes: readonly TeamRoute[] = [
  teamRoute({
    id: "listPeople",
    method: "GET",
    path,
    ...common,
    summary: "List persons",
    description: "The persons of the team whose Hives are all within the caller's own reach, by id.",
    query: pageQuery,
    response: withExample(peopleResponse, { data: [personExample], meta: metaExample }),
    async handler({ storage, caller, query }) {
      const people = await listPeople(storage, caller);
      return { result: toPage(people, query, (person) => toPersonResponse(person, storage.now())) };
    },
  }),
  teamRoute({
    id: "createPerson",
    method: "POST",
    path,
    ...common,
    summary: "Create a person",
    description:
      "A person cannot be given more than the caller's own rights. Without `hives`, they have the caller's Hives. They can sign in once they have used an invitation.",
    body: withExample(personBody, {
      id: "anna",
      name: "Anna Bauer",
      mail: "anna@example.org",
      abilities: ["read", "write"],
      locales: ["de"],
    }),
    status: 201,
    response: withExample(personResponse, { ...personExample, sign_in: [] }),
    errors: ["conflict", "quota"],
    async handler({ storage, grant, body }) {
      const person = await createPerson(storage, grant, { ...withoutNulls(body), id: toPersonId(body.id) });
      return { result: toPersonResponse(person, storage.now()) };
    },
  }),
  teamRoute({
    id: "getPerson",
    method: "GET",
    path: one,
    ...common,
    summary: "Get a person",
    description: "Also one who was removed, whose name the history may have.",
    response: withExample(personResponse, personExample),
    async handler({ storage, caller, param }) {
      const person = await getPerson(storage, caller, param("id"));
      return { result: toPersonResponse(person, storage.now()) };
    },
  }),
  teamRoute({
    id: "updatePerson",
    method: "PATCH",
    path: one,
    ...common,
    summary: "Change a person",
    description:
      "Their sessions and tokens have the changed rights from the next request on. Members that are left out stay as they are. What a person of the identity provider may do is decided there.",
    body: withExample(personChangeBody, { locales: ["de", "fr"], disabled: false }),
    response: withExample(personResponse, { ...personExample, locales: ["de", "fr"] }),
    async handler({ storage, grant, param, body }) {
      const person = await changePerson(storage, grant, param("id"), body);
      return { result: toPersonResponse(person, storage.now()) };
    },
  }),
  teamRoute({
    id: "invitePerson",
    method: "POST",
    path: `${one}/invite`,
    ...common,
    summary: "Invite a person",
    description:
      "Makes a link that works once and for a day, by which the person chooses a passkey or a password. It replaces an earlier link, and using it what they signed in with before. The server needs `--public-url`.",
    status: 201,
    response: withExample(invitationResponse, {
      url: "https://skep.example.org/invitation?code=anna.…",
      ends: "2026-01-02T00:00:00.000Z",
    }),
    async handler({ storage, grant, param, publicUrl }) {
      return { result: await invitePerson(storage, grant, param("id"), publicUrl) };
    },
  }),
  teamRoute({
    id: "removePerson",
    method: "DELETE",
    path: one,
    ...common,
    summary: "Remove a person",
    description:
      "Ends their sessions and revokes their tokens. Their id and name stay for the history; nobody else can have the id.",
    response: withExample(personResponse, {
      ...personExample,
      mail: null,
      abilities: [],
      hives: [],
      locales: null,
      disabled: true,
      sign_in: [],
      removed: "2026-02-01T00:00:00.000Z",
    }),
    async handler({ storage, grant, param }) {
      const person = await removePerson(storage, grant, param("id"));
      return { result: toPersonResponse(person, storage.now()) };
    },
  }),
];
