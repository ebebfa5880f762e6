/** Manages the channels of a Hive. */
import { randomBytes } from "node:crypto";
import { mainBranch, toBranchName, unknownBranch } from "../../domain/commits/branch-name.ts";
import { toRevision } from "../../domain/commits/revision.ts";
import { failure, invalid, isFailure } from "../../domain/errors.ts";
import {
  isPublicationId,
  toChannelName,
  withChannel,
  type Channel,
  type ChannelSource,
  type Publication,
  type PublicationId,
} from "../../domain/export/channel.ts";
import type { ExportState, MissingTexts } from "../../domain/review/exported-texts.ts";
import type { FailingTexts } from "../../domain/export/export.ts";
import type { Shape } from "../../domain/export/formats/formats.ts";
import { localesOf, requireLocale } from "../../domain/hives/hive-settings.ts";
import { codeOf, type LocaleCode } from "../../domain/hives/locale.ts";
import type { HiveSlug, Oid } from "../../domain/names.ts";
import { checkRoom } from "../../domain/plans/quota.ts";
import { checkLocales, type WriteContext } from "../../store/hives/write-context.ts";
import { versionOf } from "../content/branches.ts";
import type { Versioned } from "../content/queries.ts";
import { toWantedTags } from "../../domain/notes/note-tags.ts";
import { teamOf } from "../access.ts";
import type { ContentStorage, DeliveryStorage, Storage, StorageBase } from "../storage.ts";

export interface ChannelRequest {
  readonly name: string;
  /** The branch that it follows; main if `at` is not given either. */
  readonly branch?: string;
  /** The revision that it stands at. */
  readonly at?: string;
  /** By any of their codes; all of the Hive's if not given. */
  readonly locales?: readonly string[];
  /** `nested` if not given. */
  readonly shape?: Shape;
  /** Texts that wait for a review are published, too, if not given. */
  readonly state?: ExportState;
  /** Failing translations are published as they are if not given. */
  readonly failing?: FailingTexts;
  /** Tags of notes, separated by commas; strings without them are published, too, if not given. */
  readonly tag?: string;
  /** What stands where there is no translation; nothing if not given. */
  readonly missing?: MissingTexts;
  /** The least percentage that must be translated of a locale; all are published if not given. */
  readonly minComplete?: number;
  /** Pseudo-locales are not published if not given. */
  readonly pseudo?: boolean;
  readonly public: boolean;
}

export interface ChannelInfo {
  readonly name: string;
  readonly branch: string | null;
  readonly at: string | null;
  /** The commit that it publishes; null where its branch is gone. */
  readonly commit: Oid | null;
  /** The codes that the locales have now; null for all. */
  readonly locales: string[] | null;
  readonly shape: Shape;
  /** `approved` where the text that was approved last stands for one that waits; null for all texts. */
  readonly state: ExportState | null;
  /** What becomes of failing translations; null where they are published as they are. */
  readonly failing: FailingTexts | null;
  /** The tags of the strings that are published, separated by commas; null for all strings. */
  readonly tag: string | null;
  /** What stands where there is no translation; null for nothing. */
  readonly missing: MissingTexts | null;
  /** The least percentage that must be translated of a locale; null for all locales. */
  readonly minComplete: number | null;
  /** Whether pseudo-locales are published beside the locales. */
  readonly pseudo: boolean;
  readonly public: boolean;
  readonly updated: string;
  /** The path that its files are below, with a slash at its end. */
  readonly path: string;
}

/**
 * Makes a channel, or replaces what there is of its name.
 * @throws SkepError `invalid` on `name`, `branch`, `at` or `locales`; `not-found` when no team has the Hive; `quota` when
 * the Hive has as many channels as it may.
 */
export function setChannel(
  storage: ContentStorage & DeliveryStorage,
  slug: HiveSlug,
  request: ChannelRequest,
  context: WriteContext,
): Promise<ChannelInfo> {
  return save(storage, slug, request, context, () => {});
}

/** Makes a channel. @throws SkepError `conflict` when there is one of its name; as {@link setChannel}. */
export function createChannel(
  storage: ContentStorage & DeliveryStorage,
  slug: HiveSlug,
  request: ChannelRequest,
  context: WriteContext,
): Promise<ChannelInfo> {
  return save(storage, slug, request, context, (present) => {
    if (present === undefined) return;
    const message = `This Hive has a channel ${present.name} already.`;
    throw failure("conflict", message, { publicCode: "channel_exists" });
  });
}

/** What is to change of a channel; what is undefined stays, and null is what a new channel has. */
export type ChannelChange = {
  readonly [Member in Exclude<keyof ChannelRequest, "name">]?: ChannelRequest[Member] | null;
};

/**
 * Changes a channel. With `branch` or `at` it moves.
 * @throws SkepError `not-found` when there is none of that name; as {@link setChannel}.
 */
export async function editChannel(
  storage: ContentStorage & DeliveryStorage,
  slug: HiveSlug,
  name: string,
  wanted: ChannelChange,
  context: WriteContext,
): Promise<ChannelInfo> {
  const {
    branch,
    at,
    locales,
    shape,
    state,
    failing,
    tag,
    missing,
    minComplete,
    pseudo,
    public: isPublic,
  } = wanted;
  const isMoved = branch !== undefined || at !== undefined;
  const source = isMoved
    ? await toSource(storage, slug, { branch: branch ?? undefined, at: at ?? undefined })
    : undefined;
  const publication = await storage.publications.of(slug);
  const before = publication?.channels.find((channel) => channel.name === name);
  if (before === undefined) throw unknownChannel();
  const published = await toLocales(storage, slug, source ?? before.source, locales ?? undefined);
  const tags = tag == null ? undefined : toWantedTags(tag);
  const saved = await change(storage, slug, context, (present) => {
    const channel = present.channels.find((other) => other.name === name);
    if (channel === undefined) throw unknownChannel();
    return withChannel(present, {
      ...channel,
      source: source ?? channel.source,
      locales: locales === undefined ? channel.locales : published,
      shape: shape === undefined ? channel.shape : (shape ?? "nested"),
      state: state === undefined ? channel.state : (state ?? undefined),
      failing: failing === undefined ? channel.failing : (failing ?? undefined),
      tags: tag === undefined ? channel.tags : tags,
      missing: missing === undefined ? channel.missing : toStored(missing),
      minComplete: minComplete === undefined ? channel.minComplete : (minComplete ?? undefined),
      pseudo: pseudo === undefined ? channel.pseudo : pseudo === true || undefined,
      public: isPublic ?? channel.public,
      updated: new Date(storage.now()).toISOString(),
    });
  });
  return named(await describe(storage, saved), name);
}

/** @param check is called under the lock with what there is of the name. */
async function save(
  storage: ContentStorage & DeliveryStorage,
  slug: HiveSlug,
  request: ChannelRequest,
  context: WriteContext,
  check: (present: Channel | undefined) => void,
): Promise<ChannelInfo> {
  const name = toChannelName(request.name);
  // The history may have to be read: not under the lock.
  const source = await toSource(storage, slug, request);
  const locales = await toLocales(storage, slug, source, request.locales);
  const { shape = "nested", state, failing, missing, minComplete, pseudo, public: isPublic } = request;
  const tags = request.tag === undefined ? undefined : toWantedTags(request.tag);
  const saved = await change(storage, slug, context, (before) => {
    const present = before.channels.find((channel) => channel.name === name);
    check(present);
    if (present === undefined) {
      checkRoom("This Hive", "channel", before.channels.length, storage.limits.maxChannels);
    }
    return withChannel(before, {
      name,
      source,
      locales,
      shape,
      state,
      failing,
      tags,
      missing: toStored(missing),
      minComplete,
      pseudo: pseudo === true || undefined,
      public: isPublic,
      updated: new Date(storage.now()).toISOString(),
      key: present?.key ?? randomBytes(16).toString("hex"),
    });
  });
  return named(await describe(storage, saved), name);
}

/**
 * Removes a channel with all its content addresses. The Hive keeps its public id.
 * @throws SkepError `not-found` when there is none of that name, or no team has the Hive.
 */
export async function removeChannel(
  storage: ContentStorage & DeliveryStorage,
  slug: HiveSlug,
  name: string,
  context: WriteContext,
): Promise<void> {
  await change(storage, slug, context, (before) => {
    const channels = before.channels.filter((channel) => channel.name !== name);
    if (channels.length === before.channels.length) throw unknownChannel();
    return { ...before, channels };
  });
}

/** The channels of a Hive, in the order in which they were first set. */
export async function listChannels(
  storage: DeliveryStorage,
  slug: HiveSlug,
): Promise<Versioned<readonly ChannelInfo[]>> {
  const publication = await storage.publications.of(slug);
  const channels = publication === undefined ? [] : await describe(storage, publication);
  return { version: versionOf(channels), read: () => channels };
}

/** One channel. @throws SkepError `not-found` when there is none of that name. */
export async function findChannel(
  storage: DeliveryStorage,
  slug: HiveSlug,
  name: string,
): Promise<Versioned<ChannelInfo>> {
  const { read } = await listChannels(storage, slug);
  const channel = named(await read(), name);
  return { version: versionOf(channel), read: () => channel };
}

function named(channels: readonly ChannelInfo[], name: string): ChannelInfo {
  const channel = channels.find((other) => other.name === name);
  if (channel === undefined) throw unknownChannel();
  return channel;
}

function unknownChannel(): Error {
  return failure("not-found", "This Hive has no such channel.", { publicCode: "unknown_channel" });
}

async function describe(storage: StorageBase, { id, slug, channels }: Publication): Promise<ChannelInfo[]> {
  const { settings } = await storage.hives.at(slug).settings();
  const shown = new Map(localesOf(settings).map((locale) => [locale.code, codeOf(locale)]));
  return channels.map(
    ({
      name,
      source,
      locales,
      shape,
      state,
      failing,
      tags,
      missing,
      minComplete,
      pseudo,
      public: isPublic,
      updated,
    }) => ({
      name,
      branch: "branch" in source ? source.branch : null,
      at: "at" in source ? source.at : null,
      commit: commitOf(storage, slug, source),
      locales: locales?.map((code) => shown.get(code) ?? code) ?? null,
      shape,
      state: state ?? null,
      failing: failing ?? null,
      tag: tags?.join(",") ?? null,
      missing: missing ?? null,
      minComplete: minComplete ?? null,
      pseudo: pseudo === true,
      public: isPublic,
      updated,
      path: `/p/${id}/${name}/`,
    }),
  );
}

function commitOf({ hives }: Pick<Storage, "hives">, slug: HiveSlug, source: ChannelSource): Oid | null {
  if ("commit" in source) return source.commit;
  try {
    return hives.at(source.branch === mainBranch ? slug : { slug, branch: source.branch }).head();
  } catch (error) {
    if (!isFailure(error, "not-found")) throw error;
    return null;
  }
}

async function toSource(
  { hives }: StorageBase,
  slug: HiveSlug,
  { branch, at }: Pick<ChannelRequest, "branch" | "at">,
): Promise<ChannelSource> {
  if (at === undefined) {
    const name = branch === undefined ? mainBranch : toBranchName(branch, "branch");
    if (name === mainBranch) hives.at(slug).head();
    else if (commitOf({ hives }, slug, { branch: name }) === null)
      throw invalid("branch", unknownBranch(name).message, { publicCode: "unknown_branch" });
    return { branch: name };
  }
  if (branch !== undefined) throw invalid("at", "must not be given for a channel that follows a branch");
  const found = await hives.at(slug).revisions.resolve(toRevision(at), "at", { tip: hives.at(slug).head() });
  await hives.at(slug).snapshotAt(found.commit, "at");
  return { at: found.tag === undefined ? found.commit : at, commit: found.commit };
}

/** @throws SkepError `invalid` on `locales` for a locale that the Hive does not have. */
async function toLocales(
  { hives }: StorageBase,
  slug: HiveSlug,
  source: ChannelSource,
  texts: readonly string[] | undefined,
): Promise<readonly LocaleCode[] | undefined> {
  if (texts === undefined) return undefined;
  const settings =
    "commit" in source
      ? (await hives.at(slug).snapshotAt(source.commit, "at")).settings
      : (await hives.at(slug).settings()).settings;
  return [...new Set(texts.map((text) => requireLocale(settings, text).code))];
}

/** Changes what a Hive publishes, under the Hive's lock. */
async function change(
  storage: ContentStorage & DeliveryStorage,
  slug: HiveSlug,
  context: WriteContext,
  to: (before: Publication) => Publication,
): Promise<Publication> {
  const { hives, writer, publications } = storage;
  await teamOf(storage, slug, context);
  return hives.lock(slug, async (lock) => {
    await context.caller.reauthorise();
    checkLocales(context, undefined);
    await writer.checkPreconditions(slug, context);
    const after = to((await publications.of(slug)) ?? { id: newId(), slug, channels: [] });
    await publications.save(after, lock);
    return after;
  });
}

/** To leave gaps is what channels do that say nothing. */
function toStored(missing: MissingTexts | null | undefined): Channel["missing"] {
  return missing === null || missing === "leave" ? undefined : missing;
}

function newId(): PublicationId {
  const id = randomBytes(12).toString("hex");
  if (!isPublicationId(id)) throw new Error("not an id of a publication");
  return id;
}
