/** What the operations of persons do. */
import { toPageOf } from "../../api/page.ts";
import { people } from "../../api/people.ts";
import { toPersonId } from "../../domain/names.ts";
import type { Person } from "../../domain/access/person.ts";
import { withoutNulls } from "../../domain/record.ts";
import { createInvitedPerson, invitePerson } from "../../service/people/invitations.ts";
import {
  changePerson,
  createPerson,
  getPerson,
  listPeople,
  removePerson,
  teamOfPerson,
} from "../../service/people/people.ts";
import { toPersonResponse } from "../schemas/people/people-schemas.ts";
import { implement, type OperationRequest } from "./implement.ts";

async function answer({ storage }: OperationRequest, person: Promise<Person>) {
  return { result: toPersonResponse(await person, storage.now()) };
}

export const personOperations = implement(
  people,
  {
    listPeople: async ({ storage, caller, query }) => {
      const all = await listPeople(storage, caller);
      return { result: toPageOf(all, query, (person) => toPersonResponse(person, storage.now())) };
    },
    createPerson: async (request) => {
      const { storage, grant, body, publicUrl } = request;
      const { invite, abilities, ...given } = body;
      const wanted = { ...withoutNulls(given), id: toPersonId(body.id), abilities: abilities ?? [] };
      if (invite !== true) return answer(request, createPerson(storage, grant, wanted));
      const { person, invitation } = await createInvitedPerson(storage, grant, wanted, publicUrl);
      return { result: { ...toPersonResponse(person, storage.now()), invitation } };
    },
    getPerson: (request) => answer(request, getPerson(request.storage, request.caller, request.param("id"))),
    updatePerson: (request) =>
      answer(request, changePerson(request.storage, request.grant, request.param("id"), request.body)),
    invitePerson: async ({ storage, grant, param, publicUrl }) => ({
      result: await invitePerson(storage, grant, param("id"), publicUrl),
    }),
    removePerson: (request) =>
      answer(request, removePerson(request.storage, request.grant, request.param("id"))),
  },
  teamOfPerson,
);
