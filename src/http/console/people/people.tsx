/** The persons of a team: admins add, change, invite and remove those within their own reach. */
import type { Person } from "../../../domain/access/person.ts";
import { withoutNulls } from "../../../domain/record.ts";
import { toPersonId } from "../../../domain/names.ts";
import { invitePerson } from "../../../service/people/invitations.ts";
import {
  changePerson,
  createPerson,
  getPerson,
  listPeople,
  removePerson,
} from "../../../service/people/people.ts";
import { personBody, personChangeBody } from "../../schemas/people/people-schemas.ts";
import { toPersonResponse } from "../../schemas/people/person-response.ts";
import { check } from "../../schemas/schemas.ts";
import { Command } from "../parts/command.tsx";
import { Listing } from "../parts/listing.tsx";
import { teamPage, teamTabs } from "../parts/navigation.ts";
import { PageForm, teamForm, type TeamForm } from "../parts/page-form.tsx";
import { Confirm, HiddenFields, PostForm } from "../parts/post-form.tsx";
import { rightsFields, rightsIn } from "./rights-fields.ts";
import { Code, Name } from "../parts/text.tsx";
import type { FormState } from "../requests/form-state.ts";
import { manageTeam } from "../requests/manage.ts";
import type { FormOf, PageResult, PageRoute, SignedInRequest, View } from "../requests/page.ts";

async function list(request: SignedInRequest, submitted?: FormState): Promise<View> {
  const { storage, session, link, isCopy } = request;
  manageTeam(request, false);
  const people = await listPeople(storage, session.caller);
  return teamPage(
    request,
    "People",
    <>
      <p>A person signs in and writes under their own name. Disable or remove those who leave.</p>
      {people.length > 0 && (
        <Listing
          columns={["Person", "May", "Hives", "Signs in"]}
          rows={people.map((person) => ({
            cells: [
              <>
                <a href={link(["team", "people", person.id])}>
                  <Name name={person.name} />
                </a>{" "}
                <Code name={person.id} />
              </>,
              `${person.abilities.join(", ")}${person.locales === undefined ? "" : ` into ${person.locales.join(", ")} alone`}`,
              person.hives === "all" ? "all" : <Name name={person.hives.join(", ")} />,
              signsIn(person, storage.now()),
            ],
          }))}
        />
      )}
      {!isCopy && (
        <>
          <h2>New person</h2>
          <PageForm
            of={newPerson}
            request={request}
            submitted={submitted}
            fields={[
              {
                name: "id",
                label: "User name",
                required: true,
                placeholder: "anna",
                hint: "For signing in: lower-case letters, digits and hyphens. It can never be changed or used again.",
              },
              {
                name: "name",
                label: "Name",
                required: true,
                hint: "Shown in the history as the author of their commits.",
              },
              { name: "mail", label: "Mail address", hint: "Shown to admins. Skep sends no mail." },
              ...rightsFields(session.caller, "They"),
            ]}
          />
        </>
      )}
    </>,
  );
}

function signsIn(person: Person, now: number): string {
  const { sign_in: ways, invited_until: invited, disabled } = toPersonResponse(person, now);
  if (disabled) return "disabled";
  return [...ways, ...(invited === null ? [] : ["invited"])].join(", ") || "not yet";
}

const newPerson: TeamForm = {
  path: "team/people",
  button: "Add",
  take: async ({ form, ...request }) => {
    const { grant } = manageTeam(request, false);
    const body = {
      id: form.word("id") ?? "",
      name: form.word("name") ?? "",
      mail: form.word("mail"),
      ...rightsIn(form),
    };
    const wanted = check(personBody, body, "form");
    const { id } = wanted;
    await createPerson(request.storage, grant, { ...withoutNulls(wanted), id: toPersonId(id) });
    return { to: request.link(["team", "people", id]), notice: "created" };
  },
};

async function show(
  request: SignedInRequest,
  id: string,
  { submitted, invitation }: { readonly submitted?: FormState; readonly invitation?: string } = {},
): Promise<View> {
  const { storage, session, link, isCopy, access } = request;
  manageTeam(request, false);
  const person = await getPerson(storage, session.caller, id);
  const { name, removed, disabled, identity } = person;
  const action = (path: string, button: string) => (
    <PostForm session={session} to={link(["team", "people", path])}>
      <HiddenFields fields={{ person: id }} />
      <button>{button}</button>
    </PostForm>
  );
  const team = session.caller.team.name;
  return {
    title: name,
    above: [
      { label: team, href: link(["team"]) },
      { label: "People", href: link(["team", "people"]) },
    ],
    tabs: teamTabs(request, "People"),
    notice: invitation === undefined ? undefined : "Copy the link now: it is never shown again.",
    body: (
      <>
        {invitation !== undefined && (
          <>
            <Command label="The link" lines={[invitation]} />
            <p>Whoever has it can sign in as {name}, once, within a day. Send it safely.</p>
          </>
        )}
        <p>
          User name: <Code name={id} />. Signs in:{" "}
          {removed === undefined ? signsIn(person, storage.now()) : "removed"}.
        </p>
        {removed === undefined && !isCopy && (
          <>
            <div class="actions">
              {identity === undefined &&
                !disabled &&
                access.publicUrl !== undefined &&
                action("invite", "Invite")}
              {disabled ? action("enable", "Enable") : action("disable", "Disable")}
              <Confirm
                session={session}
                to={link(["team", "people", "remove"])}
                label="Remove…"
                what={name}
                button={`Remove ${name}`}
                fields={{ person: id }}
              >
                <p>This ends their sessions and revokes their tokens. You cannot undo it.</p>
              </Confirm>
            </div>
            {access.publicUrl === undefined && (
              <p class="notice">You cannot invite anybody: the server was started without --public-url.</p>
            )}
            <h2>Change</h2>
            <PageForm
              of={editPerson}
              request={request}
              submitted={submitted}
              fields={[
                { name: "name", label: "Name", required: true, value: name },
                { name: "mail", label: "Mail address", value: person.mail },
                ...(identity === undefined ? rightsFields(session.caller, "They", person) : []),
              ]}
            >
              <HiddenFields fields={{ person: id }} />
              {identity !== undefined && <p>The groups at the identity provider say what {name} may do.</p>}
            </PageForm>
          </>
        )}
      </>
    ),
  };
}

const editPerson: TeamForm = {
  path: "team/people/edit",
  button: "Save",
  take: async ({ form, ...request }) => {
    const { grant } = manageTeam(request, false);
    const { storage, session } = request;
    const id = form.text("person");
    const { identity } = await getPerson(storage, session.caller, id);
    const { abilities, hives, locales, review } = rightsIn(form);
    const { hives: own } = session.caller.principal;
    const rights = { abilities, hives: hives ?? own, locales: locales ?? null, review: review ?? null };
    const named = { name: form.word("name") ?? "", mail: form.word("mail") ?? null };
    const body = identity === undefined ? { ...named, ...rights } : named;
    await changePerson(storage, grant, id, check(personChangeBody, body, "form"));
    return { to: request.link(["team", "people", id]), notice: "saved" };
  },
};

async function invite({ form, ...request }: FormOf<SignedInRequest>): Promise<PageResult> {
  const { grant } = manageTeam(request, false);
  const id = form.text("person");
  const { url } = await invitePerson(request.storage, grant, id, request.access.publicUrl);
  return show(request, id, { invitation: url });
}

function setDisabled(disabled: boolean) {
  return async ({ form, ...request }: FormOf<SignedInRequest>): Promise<PageResult> => {
    const { grant } = manageTeam(request, false);
    const id = form.text("person");
    await changePerson(request.storage, grant, id, { disabled });
    return { to: request.link(["team", "people", id]), notice: "saved" };
  };
}

async function remove({ form, ...request }: FormOf<SignedInRequest>): Promise<PageResult> {
  const { grant } = manageTeam(request, false);
  await removePerson(request.storage, grant, form.text("person"));
  return { to: request.link(["team", "people"]), notice: "person-removed" };
}

const path = "/team/people";

export const peoplePages: readonly PageRoute[] = [
  { kind: "signed-in", path, handler: (request) => list(request) },
  { kind: "signed-in", path: `${path}/:id`, handler: (request) => show(request, request.param("id")) },
  teamForm(newPerson, list),
  teamForm(editPerson, (request, submitted) => show(request, submitted.values.person ?? "", { submitted })),
  { kind: "signed-in-form", path: `${path}/invite`, handler: invite },
  { kind: "signed-in-form", path: `${path}/disable`, handler: setDisabled(true) },
  { kind: "signed-in-form", path: `${path}/enable`, handler: setDisabled(false) },
  { kind: "signed-in-form", path: `${path}/remove`, handler: remove },
];
