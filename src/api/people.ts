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
import { named, nullableText, text } from "./objects.ts";
import { operations } from "./operation.ts";

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
const invitation = named("Invitation", {
  url: z.string().meta({ description: "The link. Whoever has it can sign in as the person." }),
  ends: z.iso.datetime(),
});

export const person = named("Person", {
  id: z.string(),
  name: z.string(),
  mail: nullableText,
  ...grantedRights,
  disabled: z.boolean(),
  sign_in: z.array(z.enum(["password", "passkey", "oidc"])).meta({
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
      "abilities",
      "hives",
      "locales",
      "review",
      "sign_in",
      "invited_until",
      "disabled",
      "name",
    ],
    nulls: { locales: "all" },
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
      example: {
        id: "anna",
        name: "Anna Bauer",
        mail: "anna@example.org",
        abilities: ["read", "write"],
        locales: ["de"],
      },
      errors: ["conflict", "quota", "too-many-attempts"],
      command: {
        args: ["id"],
        was: "add",
        done: "Created {id}{place}. They sign in once they have used an invitation: skep person invite {id}",
      },
      form: {
        title: "people.new_person",
        button: "common.add",
        fields: { ...rightsFields, id: { placeholder: "anna" } },
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
        members: ["name", "mail", "abilities", "hives", "locales", "review"],
        fields: rightsFields,
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
    removePerson: op.delete({
      summary: "Remove a person",
      description:
        "Ends their sessions and revokes their tokens. Their id and name stay for the history; nobody else can have the id.",
      command: { was: "remove", wasAsked: true },
      form: { button: "common.remove_2", confirms: true },
    }),
  }),
);
