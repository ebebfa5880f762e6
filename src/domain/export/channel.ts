/** Channels: what of a Hive anybody may read, without a token, below a public address. */
import { z } from "zod";
import { invalid } from "../errors.ts";
import { branchName, localeCode, oid, textThat, time } from "../hives/stored-fields.ts";
import type { Decoded } from "../json-codec.ts";
import { slugPattern, type Branded, type HiveSlug } from "../names.ts";
import { isTag } from "../notes/note.ts";
import { exportStates, missingTexts } from "../review/exported-texts.ts";
import { failingTexts } from "./export.ts";
import { shapes } from "./formats/formats.ts";

export type ChannelName = Branded<string, "ChannelName">;
/** The part of public addresses that stands for a Hive: random, and the same for all of its channels. */
export type PublicationId = Branded<string, "PublicationId">;

/** The place of content addresses, where the name of a channel would be. */
export const contentFolder = "c";
export const channelNamePattern = /^(?!c$)[a-z0-9](?:[a-z0-9-]{0,62}[a-z0-9])?$/;
const publicationIdPattern = /^[0-9a-f]{24}$/;

/** What a channel publishes: a branch as it is now, or a commit, with the name that it was given by. */
const channelSource = z.union([
  z.strictObject({ branch: branchName }),
  z.strictObject({ at: z.string(), commit: oid }),
]);
export type ChannelSource = Decoded<z.output<typeof channelSource>>;

export const storedChannel = z.strictObject({
  name: textThat(isChannelName),
  source: channelSource,
  /** All of the Hive's when undefined. */
  locales: z.array(localeCode).optional(),
  shape: z.enum(shapes),
  /** Texts that wait for a review are published, too, when undefined. */
  state: z.enum(exportStates).optional(),
  /** Failing translations are published as they are when undefined. */
  failing: z.enum(failingTexts).optional(),
  /** Only strings with one of these tags in their notes; all when undefined. */
  tags: z.array(z.string().refine(isTag)).optional(),
  /** What stands where there is no translation; nothing when undefined. */
  missing: z.enum(missingTexts).exclude(["leave"]).optional(),
  /** Whether pseudo-locales are published beside the locales. */
  pseudo: z.literal(true).optional(),
  public: z.boolean(),
  /** When it was last set. */
  updated: time,
  /** 32 hexadecimal digits, with which its content addresses are signed. */
  key: z.string().regex(/^[0-9a-f]{32}$/),
  /** The least percentage that must be translated of a locale that is published; all are when undefined. */
  min_complete: z.int().min(1).max(100).optional(),
});
export type Channel = Decoded<z.output<typeof storedChannel>>;

export interface Publication {
  readonly id: PublicationId;
  readonly slug: HiveSlug;
  /** In the order in which they were first set. */
  readonly channels: readonly Channel[];
}

function isChannelName(text: string): text is ChannelName {
  return channelNamePattern.test(text);
}

/** @throws SkepError `invalid` on `name` when the text cannot be the name of a channel. */
export function toChannelName(text: string): ChannelName {
  if (isChannelName(text)) return text;
  const rule = "must be 1 to 64 lower-case letters, digits and hyphens, with no hyphen at either end";
  throw invalid("name", slugPattern.test(text) ? `must not be ${text}, which has another meaning` : rule);
}

export function isPublicationId(text: string): text is PublicationId {
  return publicationIdPattern.test(text);
}

/** The publication with a channel set: the one of its name is replaced in its place, a new one comes last. */
export function withChannel(before: Publication, channel: Channel): Publication {
  const { channels } = before;
  const isThere = channels.some(({ name }) => name === channel.name);
  return {
    ...before,
    channels: isThere
      ? channels.map((other) => (other.name === channel.name ? channel : other))
      : [...channels, channel],
  };
}
