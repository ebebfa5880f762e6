/** Channels: what of a Hive anybody may read, without a token, below a public address. */
import type { BranchName } from "../commits/branch-name.ts";
import { invalid } from "../errors.ts";
import type { LocaleCode } from "../hives/locale.ts";
import { slugPattern, type Branded, type HiveSlug, type Oid } from "../names.ts";
import type { ExportState, MissingTexts } from "../review/exported-texts.ts";
import type { WantedTags } from "../notes/note-tags.ts";
import type { FailingTexts } from "./export.ts";
import type { Shape } from "./formats/formats.ts";

export type ChannelName = Branded<string, "ChannelName">;
/** The part of public addresses that stands for a Hive: random, and the same for all of its channels. */
export type PublicationId = Branded<string, "PublicationId">;

/** The place of content addresses, where the name of a channel would be. */
export const contentFolder = "c";
export const channelNamePattern = /^(?!c$)[a-z0-9](?:[a-z0-9-]{0,62}[a-z0-9])?$/;
const publicationIdPattern = /^[0-9a-f]{24}$/;

/** What a channel publishes: a branch as it is now, or a commit, with the name that it was given by. */
export type ChannelSource = { readonly branch: BranchName } | { readonly at: string; readonly commit: Oid };

export interface Channel {
  readonly name: ChannelName;
  readonly source: ChannelSource;
  /** All of the Hive's when undefined. */
  readonly locales?: readonly LocaleCode[];
  readonly shape: Shape;
  /** Texts that wait for a review are published, too, when undefined. */
  readonly state?: ExportState;
  /** Failing translations are published as they are when undefined. */
  readonly failing?: FailingTexts;
  /** Only strings with one of these tags in their notes; all when undefined. */
  readonly tags?: WantedTags;
  /** What stands where there is no translation; nothing when undefined. */
  readonly missing?: Exclude<MissingTexts, "leave">;
  /** The least percentage that must be translated of a locale that is published; all are when undefined. */
  readonly minComplete?: number;
  /** Whether pseudo-locales are published beside the locales. */
  readonly pseudo?: true;
  readonly public: boolean;
  /** When it was last set; ISO 8601, UTC. */
  readonly updated: string;
  /** 32 hexadecimal digits, with which its content addresses are signed. */
  readonly key: string;
}

export interface Publication {
  readonly id: PublicationId;
  readonly slug: HiveSlug;
  /** In the order in which they were first set. */
  readonly channels: readonly Channel[];
}

export function isChannelName(text: string): text is ChannelName {
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
