/** The persons of a team: admins add, change, invite and remove those within their own reach. */
import type { Person } from "../../../domain/access/person.ts";
import { withoutNulls } from "../../../domain/record.ts";
import { toPersonId } from "../../../domain/names.ts";
import type { Caller } from "../../../service/access.ts";
import { invitePerson } from "../../../service/people/invitations.ts";
import {
  changePerson,
  createPerson,
  getPerson,
  listPeople,
  removePerson,
} from "../../../service/people/people.ts";
import { personBody, personChangeBody } from "../../../api/people.ts";
import { toPersonResponse } from "../../schemas/people/people-schemas.ts";
import { check } from "../../schemas/schemas.ts";
import { Command, Code, Name } from "../parts/text.tsx";
import { Listing, teamPage, teamTabs } from "../parts/navigation.tsx";
import { PageForm, teamForm, type TeamForm } from "../parts/page-form.tsx";
import type { FormField } from "../parts/fields.tsx";
import { Confirm, PostForm } from "../parts/post-form.tsx";
import { rightsCells, rightsFields, rightsIn } from "./rights.tsx";
import type { FormState } from "../requests/form.ts";
import type { PageResult, PageRoute, TeamRequest, View, TeamFormRequest } from "../requests/page.ts";
import { t } from "../texts/texts.ts";

const needs = "admin";

async function list(request: TeamRequest, submitted?: FormState): Promise<View> {
  const { storage, session, link } = request;
  const people = await listPeople(storage, session.caller);
  return teamPage(
    request,
    "People",
    <>
      <p>{t("people.a_person_signs")}</p>
      {people.length > 0 && (
        <Listing
          columns={["person", "may", "hives", "signs_in"]}
          rows={people.map((person) => ({
            cells: [
              <>
                <Name name={person.name} href={link(["team", "people", person.id])} />{" "}
                <Code name={person.id} />
              </>,
              ...rightsCells(request, person),
              signsIn(person, storage.now()),
            ],
          }))}
        />
      )}
      <PageForm of={newPerson} submitted={submitted} fields={newFields(session.caller)} />
    </>,
  );
}

function newFields(caller: Caller): readonly FormField[] {
  return [
    { name: "id", required: true, placeholder: "anna" },
    { name: "name", required: true },
    { name: "mail" },
    ...rightsFields(caller, "they"),
  ];
}

function signsIn(person: Person, now: number): string {
  const { sign_in: ways, invited_until: invited, disabled } = toPersonResponse(person, now);
  if (disabled) return t("people.disabled");
  return [...ways, ...(invited === null ? [] : [t("people.invited")])].join(", ") || t("people.not_yet");
}

const newPerson: TeamForm = {
  path: "team/people",
  title: "people.new_person",
  button: "common.add",
  needs,
  take: async ({ storage, grant, link, form }) => {
    const body = {
      id: form.word("id") ?? "",
      name: form.word("name") ?? "",
      mail: form.word("mail"),
      ...rightsIn(form),
    };
    const wanted = check(personBody, body, "form");
    const { id } = wanted;
    await createPerson(storage, grant, { ...withoutNulls(wanted), id: toPersonId(id) });
    return { to: link(["team", "people", id]), notice: "created" };
  },
};

async function show(
  request: TeamRequest,
  id: string,
  { submitted, invitation }: { submitted?: FormState; invitation?: string } = {},
): Promise<View> {
  const { storage, session, link, access } = request;
  const person = await getPerson(storage, session.caller, id);
  const { name, removed, disabled, identity } = person;
  const action = (path: string, button: string) => (
    <PostForm to={link(["team", "people", path])} hidden={{ person: id }}>
      <button>{button}</button>
    </PostForm>
  );
  const team = session.caller.team.name;
  return {
    title: name,
    above: [
      { label: team, href: link(["team"]) },
      { label: t("people.people"), href: link(["team", "people"]) },
    ],
    tabs: teamTabs(request, "People"),
    notice: invitation === undefined ? undefined : t("people.copy_the_link_now"),
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
            signsIn: removed === undefined ? signsIn(person, storage.now()) : "removed",
          })}
        </p>
        {removed === undefined && (
          <>
            <div class="actions">
              {identity === undefined &&
                !disabled &&
                access.publicUrl !== undefined &&
                action("invite", t("people.invite"))}
              {disabled ? action("enable", t("people.enable")) : action("disable", t("people.disable"))}
              <Confirm of="team/people/remove" what={name} hidden={{ person: id }} />
            </div>
            {access.publicUrl === undefined && <p class="notice">{t("people.you_cannot_invite_anybody")}</p>}
            <PageForm
              of={editPerson}
              submitted={submitted}
              fields={[
                { name: "name", required: true, value: name },
                { name: "mail", value: person.mail },
                ...(identity === undefined ? rightsFields(session.caller, "they", person) : []),
              ]}
              hidden={{ person: id }}
            >
              {identity !== undefined && <p>{t("people.the_groups_at_the_identity", { name })}</p>}
            </PageForm>
          </>
        )}
      </>
    ),
  };
}

const editPerson: TeamForm = {
  path: "team/people/edit",
  title: "common.change",
  button: "common.save",
  needs,
  take: async ({ storage, session, grant, link, form }) => {
    const id = form.text("person");
    const { identity } = await getPerson(storage, session.caller, id);
    const { abilities, hives, locales, review } = rightsIn(form);
    const { hives: own } = session.caller.principal;
    const rights = { abilities, hives: hives ?? own, locales: locales ?? null, review: review ?? null };
    const named = { name: form.word("name") ?? "", mail: form.word("mail") ?? null };
    const body = identity === undefined ? { ...named, ...rights } : named;
    await changePerson(storage, grant, id, check(personChangeBody, body, "form"));
    return { to: link(["team", "people", id]), notice: "saved" };
  },
};

async function invite(request: TeamFormRequest): Promise<PageResult> {
  const { storage, grant, access, form } = request;
  const id = form.text("person");
  const { url } = await invitePerson(storage, grant, id, access.publicUrl);
  return show(request, id, { invitation: url });
}

function setDisabled(disabled: boolean) {
  return async ({ storage, grant, link, form }: TeamFormRequest): Promise<PageResult> => {
    const id = form.text("person");
    await changePerson(storage, grant, id, { disabled });
    return { to: link(["team", "people", id]), notice: "saved" };
  };
}

async function remove({ storage, grant, link, form }: TeamFormRequest): Promise<PageResult> {
  await removePerson(storage, grant, form.text("person"));
  return { to: link(["team", "people"]), notice: "person-removed" };
}

const path = "/team/people";

export const peoplePages: readonly PageRoute[] = [
  { kind: "team", path, needs, handler: (request) => list(request) },
  { kind: "team", path: `${path}/:id`, needs, handler: (request) => show(request, request.param("id")) },
  teamForm(newPerson, list),
  teamForm(editPerson, (request, submitted) => show(request, submitted.values.person ?? "", { submitted })),
  { kind: "team-form", path: `${path}/invite`, needs, handler: invite },
  { kind: "team-form", path: `${path}/disable`, needs, handler: setDisabled(true) },
  { kind: "team-form", path: `${path}/enable`, needs, handler: setDisabled(false) },
  { kind: "team-form", path: `${path}/remove`, needs, handler: remove },
];
