/** Persons of a team, who sign in and write under their own name. */
import { z } from "zod";
import {
  abilityList,
  displayName,
  grantedRights,
  hivesOrAll,
  localeList,
  reviewRule,
  rightsFields,
} from "./management.ts";
import { signInMeans } from "../domain/access/person.ts";
import { roles, shownRoles } from "../domain/access/roles.ts";
import { jsonObject, named, nullableText, text } from "./objects.ts";
import { operations } from "./operation.ts";

const mail = text.meta({
  maxLength: 254,
  description: "Shown, and on commits if the team wants it. It is never used to recognise anybody.",
});

const role = z.enum(roles, `must be ${roles.slice(0, -1).join(", ")} or ${roles.at(-1)}`).meta({
  description:
    "A name for abilities, in place of these: `reader` can read; `translator` write, too; `reviewer` also approve; `lead` also administer.",
});

const shownRole = z.enum(shownRoles).meta({
  description: "The role that the abilities are of; `custom` where they are of none.",
});

const reviewed =
  "Whether their translations wait for a review: `always`, `never`, or with `null` only those that a model has made.";

/** Roles name abilities, so that a request has one of the two. */
function hasOneOfBoth(body: { readonly role?: unknown; readonly abilities?: unknown }): boolean {
  return body.role === undefined || body.abilities == null;
}
const notBoth = { path: ["role"], message: "must not be given together with abilities, which it names" };

export const personBody = jsonObject({
  id: text.meta({
    description:
      "What the person signs in with, and what names them in the history: lower-case letters, digits and hyphens. Nobody else can ever have it.",
    examples: ["anna"],
  }),
  name: displayName.nullish().meta({ description: "The author of their commits; the id if not given." }),
  mail: mail.nullish(),
  role: role.optional(),
  abilities: abilityList.nullish().meta({ description: "What they may do, instead of a role." }),
  hives: hivesOrAll.nullish().meta({ description: "The Hives that they can use; all if not given." }),
  locales: localeList
    .nullish()
    .meta({ description: "The target locales into which they may write; all if not given." }),
  review: reviewRule.nullish().meta({ description: reviewed }),
  invite: z.boolean("must be true or false").optional().meta({
    description: "Whether to invite them at once, as if by a request of its own: the answer has the link.",
  }),
  invite_by_mail: z.boolean("must be true or false").optional().meta({
    description:
      "Whether to invite them at once by a mail to their address, where the server sends mails: the answer has no link.",
  }),
})
  .refine(hasOneOfBoth, notBoth)
  .meta({ id: "NewPerson" });

export const personChangeBody = jsonObject({
  name: displayName.optional().meta({ description: "The author of their commits." }),
  mail: mail.nullish().meta({ description: "`null` removes it." }),
  role: role.optional(),
  abilities: abilityList.optional().meta({ description: "What they may do, instead of a role." }),
  hives: hivesOrAll.optional().meta({ description: "The Hives that they can use." }),
  locales: localeList
    .nullish()
    .meta({ description: "The target locales into which they may write; `null` for no limit." }),
  review: reviewRule.nullish().meta({ description: reviewed }),
  disabled: z.boolean("must be true or false").optional().meta({
    description: "`true` ends all sessions, and suspends the tokens of the person until it is `false`.",
  }),
})
  .refine(hasOneOfBoth, notBoth)
  .meta({ id: "PersonChange" });

/** The only response that contains the link. */
const invitation = named("Invitation", {
  url: z.string().meta({ description: "The link. Whoever has it can sign in as the person." }),
  ends: z.iso.datetime(),
  role: shownRole,
});

/** The link is in the mail alone. */
const mailedInvitation = named("MailedInvitation", {
  to: z.string().meta({ description: "The address of the person.", examples: ["anna@example.org"] }),
  ends: z.iso.datetime(),
  role: shownRole,
});

export const person = named("Person", {
  id: z.string(),
  name: z.string(),
  mail: nullableText,
  mail_confirmed: z.boolean().meta({
    description: "Whether they have shown that mails to the address reach them.",
  }),
  role: shownRole,
  ...grantedRights,
  disabled: z.boolean(),
  sign_in: z.array(z.enum(signInMeans)).meta({
    description: "How the person can sign in; nothing before they have used an invitation.",
  }),
  invited_until: z.iso.datetime().nullable().meta({
    description: "Until when they can use the invitation that they have; `null` where there is none.",
  }),
  created: z.iso.datetime(),
  removed: z.iso
    .datetime()
    .nullable()
    .meta({ description: "When the person was removed; only their id and name are left." }),
});
export type PersonAnswer = z.infer<typeof person>;

const createdPerson = person
  .extend({
    invitation: invitation.optional().meta({ description: "With `invite`; only this answer has its link." }),
  })
  .meta({ id: "CreatedPerson" });

/** The fields of a role and of the abilities that may stand in its place. */
const roleFields = {
  role: { none: "people.custom", noneIsLast: true },
  abilities: { ...rightsFields.abilities, unless: "role" },
} as const;

export const people = operations(
  {
    noun: "person",
    about: "Create, change, invite, list and delete persons.",
    path: "/api/people",
    key: "id",
    entity: person,
    label: "name",
    group: "People",
    ability: "admin",
    columns: [
      "id",
      "role",
      "abilities",
      "hives",
      "locales",
      "review",
      "sign_in",
      "invited_until",
      "disabled",
      "name",
    ],
    nulls: { abilities: "none", locales: "all" },
  },
  (op) => ({
    listPeople: op.list({
      summary: "List persons",
      description: "The persons of the team whose Hives are all within the caller's own reach, by id.",
    }),
    createPerson: op.create({
      summary: "Create a person",
      description:
        "A person cannot be given more than the caller's own rights, and not by a token that ends. Without `hives`, they have the caller's Hives. They can sign in once they have used an invitation.",
      body: personBody,
      response: createdPerson,
      example: {
        id: "anna",
        name: "Anna Bauer",
        mail: "anna@example.org",
        role: "translator",
        locales: ["de"],
        invite: true,
      },
      errors: ["conflict", "quota", "too-many-attempts"],
      command: {
        args: ["id"],
        was: "add",
        prints: "invitation.url",
        printed:
          "Created {id}{place}. Whoever has this link can sign in as {id}, once, until {invitation.ends}. Send it safely:",
        done: "Created {id}{place}. They sign in once they have used an invitation: skep person invite {id}",
      },
      form: {
        title: "people.new_person",
        button: "common.add",
        fields: {
          ...rightsFields,
          ...roleFields,
          id: { placeholder: "anna" },
          role: { ...roleFields.role, initial: "translator" },
          invite: { initial: true },
        },
      },
    }),
    getPerson: op.show({
      summary: "Get a person",
      description: "Also one who was removed, whose name the history may have.",
    }),
    updatePerson: op.edit({
      summary: "Change a person",
      description:
        "Their sessions and tokens have the changed rights from the next request on. Members that are left out stay as they are. A token that ends cannot enable a person, or let them do more. What a person of the identity provider may do is decided there.",
      body: personChangeBody,
      example: { locales: ["de", "fr"], disabled: false },
      errors: ["too-many-attempts"],
      form: {
        title: "common.change",
        button: "common.save",
        members: ["name", "mail", "role", "abilities", "hives", "locales", "review"],
        fields: { ...rightsFields, ...roleFields },
        switches: [
          { member: "disabled", value: true, button: "people.disable" },
          { member: "disabled", value: false, button: "people.enable" },
        ],
      },
    }),
    invitePerson: op.act("invite", {
      summary: "Invite a person",
      description:
        "Makes a link that works once and for a day, by which the person chooses a passkey or a password. It replaces an earlier link, and using it what they signed in with before. The server needs `--public-url`, and the caller a token without an end.",
      status: 201,
      response: invitation,
      errors: ["too-many-attempts"],
      command: {
        prints: "url",
        done: "Whoever has this link can sign in as {id}, once, until {ends}. Send it safely:",
      },
      form: { button: "people.invite" },
    }),
    mailInvitation: op.act("mail", {
      summary: "Mail an invitation to a person",
      description:
        "As an invitation, but its link is mailed to the address of the person, whether that is confirmed or not, and the answer does not have it. The server needs `--smtp-url`; an address gets at most five mails an hour.",
      status: 201,
      response: mailedInvitation,
      errors: ["too-many-attempts"],
      command: { done: "Mailed an invitation of {id} to {to}. It can be used once, until {ends}." },
      form: { button: "people.mail_invitation" },
    }),
    removePerson: op.delete({
      summary: "Remove a person",
      description:
        "Ends their sessions and revokes their tokens. Their id and name stay for the history; nobody else can have the id.",
      command: { was: "remove", wasAsked: true },
      form: { button: "common.remove_2", confirms: true },
    }),
  }),
);
