/** What the operations of persons do. */
import { toPageOf } from "../../api/page.ts";
import { people } from "../../api/people.ts";
import { toPersonId } from "../../domain/names.ts";
import type { Person } from "../../domain/access/person.ts";
import { withoutNulls } from "../../domain/record.ts";
import { createInvitedPerson, invitePerson } from "../../service/people/invitations.ts";
import { addressOf, countMail, requireMailing } from "../../service/mail/mailing.ts";
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
      const { invite, invite_by_mail: byMail, abilities, ...given } = body;
      const wanted = { ...withoutNulls(given), id: toPersonId(body.id), abilities: abilities ?? [] };
      if (byMail === true) {
        const mailing = requireMailing(request.mailing, "invite_by_mail");
        const to = addressOf(wanted, "mail");
        countMail(storage, to);
        const { person, invitation } = await createInvitedPerson(storage, grant, wanted, publicUrl);
        await mailing.sendLink("invitation", to, { person, url: invitation.url });
        return { result: toPersonResponse(person, storage.now()) };
      }
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
    mailInvitation: async ({ storage, caller, grant, param, publicUrl, mailing: given }) => {
      const mailing = requireMailing(given, "id");
      const id = param("id");
      const person = await getPerson(storage, caller, id);
      const to = addressOf(person, "id");
      countMail(storage, to);
      const { url, ...invitation } = await invitePerson(storage, grant, id, publicUrl);
      await mailing.sendLink("invitation", to, { person, url });
      return { result: { ...invitation, to } };
    },
    removePerson: (request) =>
      answer(request, removePerson(request.storage, request.grant, request.param("id"))),
  },
  teamOfPerson,
);
