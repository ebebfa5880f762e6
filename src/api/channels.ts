/** Channels of a Hive: what of it anybody may read. */
import { z } from "zod";
import { channelNamePattern } from "../domain/export/channel.ts";
import { maxLocales } from "../domain/hives/locale.ts";
import { failingField, minCompleteField, missingField, stateField } from "./export-fields.ts";
import { allOf, asRevision, commitName, listOf, named, nullableText, text } from "./objects.ts";
import { operations } from "./operation.ts";

const shape = z.enum(["flat", "nested"], "must be flat or nested").meta({
  description: "Whether the files are flat, or nested as their source files are.",
});

const isPublic = z.boolean("must be true or false").meta({
  description: "Whether the channel can be read. One that cannot keeps its settings and addresses.",
});

const pseudo = z.boolean("must be true or false").meta({
  description:
    "Whether the pseudo-locales `en-XA` (with accents, and longer) and `ar-XB` (from right to left) are published beside the locales.",
});

const members = {
  branch: text.nullish().meta({
    description: "The branch that the channel follows; `main` if neither this nor `at` is given.",
    examples: ["main"],
  }),
  at: text.nullish().meta({
    ...asRevision,
    description: "The revision that the channel stands at, as `?at=` takes it.",
    examples: ["v1.2"],
  }),
  locales: listOf(text, { max: maxLocales }).nullish().meta({
    description: "The locales that are published, by any of their codes; all of the Hive if not given.",
  }),
  shape: shape.nullish(),
  state: stateField.nullish(),
  failing: failingField.nullish(),
  tag: text.max(500, "must have at most 500 characters").nullish().meta({
    description: "Only strings that have one of these tags, separated by commas, in their notes.",
  }),
  missing: missingField.nullish(),
  min_complete: minCompleteField.nullish(),
  pseudo: pseudo.nullish(),
};

export const channelBody = named("ChannelUpdate", { ...members, public: isPublic });

/** A channel in an answer. */
export const channel = named("Channel", {
  name: z.string().meta({ pattern: channelNamePattern.source }),
  branch: nullableText.meta({ description: "The branch that it follows." }),
  at: nullableText.meta({ description: "The tag or commit that it stands at." }),
  commit: commitName
    .nullable()
    .meta({ description: "The commit that it publishes now; `null` if its branch was deleted." }),
  locales: z.array(z.string()).nullable().meta({ description: "`null` for all of the Hive." }),
  shape,
  state: stateField.nullable(),
  failing: failingField.nullable(),
  tag: nullableText.meta({ description: "The tags of the strings that are published; `null` for all." }),
  missing: missingField.nullable(),
  min_complete: minCompleteField.nullable(),
  pseudo,
  public: z.boolean(),
  updated: z.iso.datetime().meta({ description: "When it was last set." }),
  path: z.string().meta({ description: "Where its files are: `fr.json`, `manifest.json` and so on." }),
});

const fields = {
  at: { suggests: "states", placeholder: "v1.2" },
  branch: { placeholder: "main" },
  locales: { placeholder: "fr, pt_BR" },
  tag: { placeholder: "app" },
  shape: { initial: "nested" },
  state: { none: "channels.all_texts" },
  failing: { none: "channels.as_they_are" },
  min_complete: { placeholder: "90" },
  public: { initial: true },
} as const;

const asked = [
  "at",
  "branch",
  "locales",
  "tag",
  "shape",
  "state",
  "failing",
  "missing",
  "min_complete",
  "pseudo",
  "public",
] as const;

const help = `A channel follows main or a branch, or stands at a tag or a commit; skep channel edit moves it
forward or back. Its files need no token: <server><path>fr.json has all texts of a locale,
fr/auth.json the texts of one file, and manifest.json the addresses of files that caches may
keep for ever. docs/delivery.md describes the use with nginx, Varnish or a CDN.`;

export const channels = operations(
  {
    noun: "channel",
    about: "Publish Hives to apps and caches, without a token.",
    path: "/api/hives/:slug/channels",
    key: "channel",
    names: "name",
    entity: channel,
    label: "path",
    group: "Channels",
    ability: "admin",
    columns: [
      "name",
      "branch",
      "at",
      "commit",
      "locales",
      "shape",
      "state",
      "failing",
      "tag",
      "missing",
      "min_complete",
      "pseudo",
      "public",
      "path",
    ],
    nulls: { locales: "all" },
  },
  (op) => ({
    listChannels: op.listAll({ summary: "List channels", response: allOf("Channels", channel) }),
    createChannel: op.create({
      summary: "Create a channel",
      description: "It follows a branch, or stands at a revision, which is resolved once.",
      body: named("NewChannel", {
        name: text.meta({ pattern: channelNamePattern.source, description: "The name, such as production." }),
        ...members,
        public: isPublic
          .optional()
          .meta({ description: "Whether the channel can be read; `true` if not given." }),
      }),
      example: { name: "production", at: "v1.2" },
      errors: ["conflict", "quota"],
      command: { args: ["name"], prints: "path", done: "Created {name}{place}. Its files are below", help },
      form: {
        title: "channels.new_channel",
        button: "channels.set",
        members: ["name", ...asked],
        fields: { ...fields, name: { placeholder: "production" } },
      },
    }),
    getChannel: op.show({ summary: "Get a channel" }),
    setChannel: op.set({
      summary: "Create, change or move a channel",
      description:
        "Replaces the whole channel. It follows a branch, or stands at a revision, which is resolved once. Setting it to an earlier tag is a rollback.",
      body: channelBody,
      example: { at: "v1.2", public: true },
      errors: ["quota"],
      command: "none",
    }),
    updateChannel: op.edit({
      summary: "Change a channel",
      description:
        "Members that are left out stay as they are; `null` is what a new channel has. With `branch` or `at` it moves.",
      body: named("ChannelChange", { ...members, public: isPublic.optional() }),
      example: { at: "v1.2" },
      command: { help },
      form: { button: "channels.set", members: asked, fields, together: [["branch", "at"]] },
    }),
    removeChannel: op.delete({
      summary: "Remove a channel",
      description:
        "Its files and its content addresses are gone at once, and stay so when a channel of this name is created again. Caches keep what they hold.",
      response: named("RemovedChannel", { name: z.string() }),
      form: { button: "common.remove_2", confirms: true },
    }),
  }),
);
