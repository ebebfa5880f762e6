/** Channels: set, list and remove them. */
import { z } from "zod";
import { channelNamePattern } from "../../domain/export/channel.ts";
import { maxLocales } from "../../domain/hives/locale.ts";
import { failingField, stateField } from "../schemas/check-schemas.ts";
import { asRevision, commitName } from "../schemas/schemas.ts";
import { named, nullableText, text, listOf } from "../../api/objects.ts";
import { findChannel, listChannels, removeChannel, setChannel } from "../../service/channels/channels.ts";
import { withExample } from "../../api/operation.ts";
import { hiveGroup, type HiveRoute } from "../pipeline/route.ts";
import { converted } from "../responses/respond.ts";
import { withoutNulls } from "../../domain/record.ts";

const shape = z.enum(["flat", "nested"], "must be flat or nested").meta({
  description: "Whether the files are flat, or nested as their source files are.",
});

export const channelBody = named("ChannelUpdate", {
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
  public: z.boolean("must be true or false").meta({
    description: "Whether the channel can be read. One that cannot keeps its settings and addresses.",
  }),
});

const channelResponse = named("Channel", {
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
  public: z.boolean(),
  updated: z.iso.datetime().meta({ description: "When it was last set." }),
  path: z.string().meta({ description: "Where its files are: `fr.json`, `manifest.json` and so on." }),
});
const channelsResponse = named("Channels", { data: z.array(channelResponse) });

const channelRemovedResponse = named("RemovedChannel", { name: z.string() });

/** A published file: texts by key, or the manifest. */
export const publishedResponse = z.record(z.string(), z.unknown()).meta({ id: "PublishedFile" });

const path = "/api/hives/:slug/channels";
const onePath = `${path}/:channel`;

const { hiveRead, hiveWrite } = hiveGroup("Channels", "admin", { hasCommit: false });

export const channelRoutes: readonly HiveRoute[] = [
  hiveRead("listChannels", path, {
    summary: "List channels",
    response: channelsResponse,
    async handler({ storage, hive: { slug } }) {
      return converted(await listChannels(storage, slug), (channels) => ({ data: [...channels] }));
    },
  }),
  hiveRead("getChannel", onePath, {
    summary: "Get a channel",
    response: channelResponse,
    handler: ({ storage, hive, param }) => findChannel(storage, hive.slug, param("channel")),
  }),
  hiveWrite("setChannel", "PUT", onePath, {
    summary: "Create, change or move a channel",
    description:
      "Replaces the whole channel. It follows a branch, or stands at a revision, which is resolved once. Setting it to an earlier tag is a rollback.",
    body: withExample(channelBody, { at: "v1.2", public: true }),
    response: channelResponse,
    errors: ["quota"],
    async handler({ storage, hive, param, body, context }) {
      const request = { ...withoutNulls(body), name: param("channel") };
      return { result: await setChannel(storage, hive.slug, request, context) };
    },
  }),
  hiveWrite("removeChannel", "DELETE", onePath, {
    summary: "Remove a channel",
    description:
      "Its files and its content addresses are gone at once, and stay so when a channel of this name is created again. Caches keep what they hold.",
    response: channelRemovedResponse,
    async handler({ storage, hive, param, context }) {
      const name = param("channel");
      await removeChannel(storage, hive.slug, name, context);
      return { result: { name } };
    },
  }),
];
