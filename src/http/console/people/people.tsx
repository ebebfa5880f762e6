/** The persons of a team: admins add, change, invite and remove those within their own reach. */
import type { Person } from "../../../domain/access/person.ts";
import { personBody } from "../../../api/people.ts";
import { roleOf } from "../../../domain/access/roles.ts";
import { isRecord } from "../../../domain/record.ts";
import { getPerson, listPeople } from "../../../service/people/people.ts";
import { personOperations } from "../../operations/people.ts";
import { toPersonResponse } from "../../schemas/people/people-schemas.ts";
import { Command, Code, Name } from "../parts/text.tsx";
import { Listing, teamPage, teamTabs, ListWithForm } from "../parts/navigation.tsx";
import {
  needsOf,
  OperationButtons,
  OperationForm,
  operationForms,
  editedBy,
} from "../parts/operation-form.tsx";
import { rightsOffersOf } from "../parts/member-fields.ts";
import { rightsCells } from "./rights.tsx";
import type { FormState } from "../requests/form.ts";
import type { AccessOptions, PageRoute, TeamRequest, View } from "../requests/page.ts";
import { comma, t, textIn } from "../texts/texts.ts";

/** What the form of a person shows, whose rights an identity provider may manage. */
async function editingOf(request: TeamRequest, person: Person) {
  return {
    entity: { ...toPersonResponse(person, request.storage.now()) },
    offers: await rightsOffersOf(request, person.locales),
    members: person.identity === undefined ? undefined : ["name", "mail"],
  };
}

/** What a new person is asked for: nothing about invitations, or about mails, where there can be none. */
function membersOf({ publicUrl, mailing }: AccessOptions): readonly string[] {
  return Object.keys(personBody.shape).filter(
    (member) =>
      (member !== "invite" || publicUrl !== undefined) &&
      (member !== "invite_by_mail" || mailing !== undefined),
  );
}

const personPage = { implemented: personOperations, path: "team/people" };

async function list(request: TeamRequest, submitted?: FormState): Promise<View> {
  const { storage, session, link, access } = request;
  const people = await listPeople(storage, session.caller);
  return teamPage(
    request,
    "People",
    <>
      <p>{t("people.a_person_signs")}</p>
      <ListWithForm
        list={
          people.length > 0 && (
            <Listing
              columns={["person", "may", "hives", "signs_in"]}
              rows={people.map((person) => ({
                cells: [
                  <>
                    <Name name={person.name} href={link(["team", "people", person.id])} />{" "}
                    <Code name={person.id} />
                  </>,
                  ...rightsCells(request, person, textIn("role", roleOf(person))),
                  signsIn(person, storage.now()),
                ],
              }))}
            />
          )
        }
        form={
          <OperationForm
            page={personPage}
            offers={await rightsOffersOf(request)}
            members={membersOf(access)}
            submitted={submitted}
          />
        }
      />
    </>,
  );
}

function signsIn(person: Person, now: number): string {
  const { sign_in: ways, invited_until: invited, disabled } = toPersonResponse(person, now);
  if (disabled) return t("people.disabled");
  return (
    [...ways.map((way) => t(`way.${way}`)), ...(invited === null ? [] : [t("people.invited")])].join(
      comma(),
    ) || t("people.not_yet")
  );
}

async function show(
  request: TeamRequest,
  id: string,
  { submitted, invitation, isNew }: { submitted?: FormState; invitation?: string; isNew?: true } = {},
): Promise<View> {
  const { storage, session, link, access } = request;
  const person = await getPerson(storage, session.caller, id);
  const { name, removed, disabled, identity } = person;
  const { entity, offers, members } = await editingOf(request, person);
  const isInvited = identity === undefined && !disabled && access.publicUrl !== undefined;
  const isMailed = isInvited && access.mailing !== undefined && person.mail !== undefined;
  const team = session.caller.team.name;
  return {
    title: name,
    above: [
      { label: team, href: link(["team"]) },
      { label: t("people.people"), href: link(["team", "people"]) },
    ],
    tabs: teamTabs(request, "People"),
    notice:
      invitation === undefined
        ? undefined
        : t(isNew === true ? "people.created_copy_the_link_now" : "people.copy_the_link_now"),
    body: (
      <>
        {invitation !== undefined && (
          <>
            <Command label={t("people.the_link")} lines={[invitation]} />
            <p>{t("people.whoever_has_it_can_sign", { name })}</p>
          </>
        )}
        <p>
          {t("people.user_name_signs_in", {
            id: <Code name={id} />,
            signsIn: removed === undefined ? signsIn(person, storage.now()) : t("people.removed"),
          })}
        </p>
        {removed === undefined && (
          <>
            <div class="actions">
              <OperationButtons
                page={personPage}
                entity={entity}
                without={["edit", ...(isInvited ? [] : ["invite"]), ...(isMailed ? [] : ["mail"])]}
              />
            </div>
            {access.publicUrl === undefined && <p class="notice">{t("people.you_cannot_invite_anybody")}</p>}
            <OperationForm
              page={personPage}
              offers={offers}
              edited={entity}
              members={members}
              submitted={submitted}
            >
              {identity !== undefined && <p>{t("people.the_groups_at_the_identity", { name })}</p>}
            </OperationForm>
          </>
        )}
      </>
    ),
  };
}

const path = "/team/people";
const needs = needsOf(personOperations);

export const peoplePages: readonly PageRoute[] = [
  { kind: "team", path, needs, handler: (request) => list(request) },
  { kind: "team", path: `${path}/:id`, needs, handler: (request) => show(request, request.param("id")) },
  ...operationForms({
    ...personPage,
    show: (request, submitted) => {
      const id = editedBy(submitted);
      return id === undefined ? list(request, submitted) : show(request, id, { submitted });
    },
    editing: async (request, id) =>
      editingOf(request, await getPerson(request.storage, request.session.caller, id)),
    done: async ({ verb }, { id, url, invitation }, request) => {
      const { link } = request;
      if (isRecord(invitation))
        return show(request, String(id), { invitation: String(invitation["url"]), isNew: true });
      if (verb === "invite") return show(request, request.param("id"), { invitation: String(url) });
      if (verb === "mail")
        return { to: link(["team", "people", request.param("id")]), notice: "invitation-mailed" };
      if (verb === "delete") return { to: link(["team", "people"]), notice: "person-removed" };
      return { to: link(["team", "people", String(id)]), notice: verb === "create" ? "created" : "saved" };
    },
  }),
];
