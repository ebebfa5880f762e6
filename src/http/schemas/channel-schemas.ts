/** The requests and responses of channels. */
import { z } from "zod";
import { channelNamePattern } from "../../domain/export/channel.ts";
import { maxLocales } from "../../domain/hives/locale.ts";
import { failingField, stateField } from "./finding-schemas.ts";
import { asRevision, commitName, listOf } from "./schemas.ts";
import { named, nullableText, text } from "./objects.ts";

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

export const channelResponse = named("Channel", {
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
export type ChannelResponse = z.infer<typeof channelResponse>;

export const channelsResponse = named("Channels", { data: z.array(channelResponse) });

export const channelRemovedResponse = named("RemovedChannel", { name: z.string() });

/** A published file: texts by key, or the manifest. */
export const publishedResponse = z.record(z.string(), z.unknown()).meta({ id: "PublishedFile" });
