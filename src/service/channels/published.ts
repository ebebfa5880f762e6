/** What channels publish: files of a locale, and the manifest that names their content addresses. */
import {
  contentFolder,
  type Channel,
  type ChannelSource,
  type Publication,
} from "../../domain/export/channel.ts";
import { exportNames } from "../../domain/export/export-names.ts";
import { shownLeftOut } from "../../domain/export/completeness.ts";
import { exportLocale, exportWhole, type TextPieces } from "../../domain/export/export.ts";
import { pseudoKindOf, pseudoLocaleNamed, pseudoLocalesFor } from "../../domain/export/pseudo-locales.ts";
import { mainBranch, type HiveBranch } from "../../domain/commits/branch-name.ts";
import { failure, type SkepError, unlessFailed } from "../../domain/errors.ts";
import { ancestorsOf, localeNamed, localesOf } from "../../domain/hives/hive-settings.ts";
import { codeOf, type Locale } from "../../domain/hives/locale.ts";
import { stemOf, type HiveSlug, type TeamName } from "../../domain/names.ts";
import { type LocaleContent, readContent } from "../../store/content/content-objects.ts";
import {
  exportedContent,
  exportVersion,
  localesNeeded,
  type ExportRules,
} from "../../store/content/exported-content.ts";
import { outgoing, type Outgoing } from "../../store/content/locale-progress.ts";
import type { Snapshot } from "../../store/content/snapshot.ts";
import { atHead, type Versioned } from "../content/queries.ts";
import type { DeliveryStorage, StorageBase } from "../storage.ts";
import { parseContentAddress, toContentAddress } from "./content-address.ts";

/** A file that can be read without a token. Its version names the file, too. */
export interface PublishedFile extends Versioned<TextPieces> {
  readonly slug: HiveSlug;
  readonly team: TeamName;
  /** Whether making it may take long: it is not of a commit that a branch is at. */
  readonly isSlow: boolean;
}

const manifestName = "manifest.json";
const extension = ".json";

/** One error for all that is not published, so that it reveals nothing of what exists. */
export function notPublished(): SkepError {
  return failure("not-found", "Nothing is published at this address.");
}

/** Files are as a channel publishes them, or as they were when it did. */
type FileSource = Pick<PublishedFile, "isSlow" | "commit" | "heads" | "isImmutable">;

interface FileRequest {
  readonly slug: HiveSlug;
  readonly team: TeamName;
  readonly publication: Publication;
  /** The name of the file, with the locale's folder if it is one file of the Hive. */
  readonly file: string;
}

/**
 * Finds a published file.
 * @param id the publication's.
 * @param path the rest of the address: the channel, or `c` and a content address, then the file's name.
 * @throws SkepError `not-found` for all that is not published; `content-invalid`; `storage-missing`.
 */
export async function findPublished(
  storage: DeliveryStorage,
  id: string,
  [first = "", ...names]: readonly string[],
): Promise<PublishedFile> {
  const publication = await storage.publications.by(id);
  if (publication === undefined) throw notPublished();
  const { slug } = publication;
  const channels = publication.channels.filter((channel) => channel.public);
  const team = (await storage.registry.teams()).find(({ hives }) => hives.includes(slug))?.name;
  if (team === undefined) throw notPublished();
  const request = { slug, team, publication };
  if (first === contentFolder) {
    const [address = "", ...inner] = names;
    return findAddressed(storage, { ...request, file: inner.join("/") }, channels, address);
  }
  const channel = channels.find(({ name }) => name === first);
  if (channel === undefined) throw notPublished();
  return findInChannel(storage, { ...request, file: names.join("/") }, channel);
}

async function findInChannel(
  storage: StorageBase,
  request: FileRequest,
  channel: Channel,
): Promise<PublishedFile> {
  const { slug, team, file } = request;
  const { snapshot, ...source } = await snapshotOf(storage, slug, channel.source);
  const isOfMain = "branch" in channel.source && channel.source.branch === mainBranch;
  const cache = isOfMain ? storage.hives.at(slug).cache : undefined;
  const choose = (locales: readonly Locale[]) => outgoing(snapshot, locales, channel, cache);
  if (file === manifestName) return manifestOf(request, channel, snapshot, source, choose);
  const { code, only } = partsOf(file);
  const { settings } = snapshot;
  const locale = localeNamed(settings, code) ?? pseudoLocaleNamed(settings, code);
  if (locale === undefined || !publishes(channel, locale)) throw notPublished();
  const giver = (await choose([locale])).given.get(locale);
  if (giver === undefined) throw notPublished();
  const needed = localesNeeded(settings, giver, channel);
  const basis = [snapshot.version(needed), exportVersion(snapshot, locale, needed, channel)];
  return {
    ...source,
    // Each text of a pseudo-locale is parsed and checked.
    isSlow: source.isSlow || pseudoKindOf(locale) !== undefined,
    slug,
    team,
    version: JSON.stringify(["published", locale.code, giver.code, only, channel.shape, ...basis]),
    read: async () => {
      const content = await snapshot.content(needed);
      return render({ content, locale, values: snapshot.values }, channel, only, giver);
    },
  };
}

/** What a channel publishes now. @throws SkepError `not-found` when its branch is gone. */
async function snapshotOf(
  { hives }: StorageBase,
  slug: HiveSlug,
  source: ChannelSource,
): Promise<FileSource & { readonly snapshot: Snapshot }> {
  if ("branch" in source) {
    const branch: HiveBranch = source.branch === mainBranch ? slug : { slug, branch: source.branch };
    const snapshot = await unlessFailed(hives.at(branch).snapshot(), ["not-found"], () => {
      throw notPublished();
    });
    return { snapshot, isSlow: false, ...atHead(branch, snapshot) };
  }
  const { commit } = source;
  // A fault, and no decision: caches may go on with what they have.
  const snapshot = await unlessFailed(hives.at(slug).snapshotAt(commit, "at"), ["invalid"], (cause) => {
    throw failure("content-invalid", "What this channel publishes cannot be read.", { cause });
  });
  return { snapshot, isSlow: true, commit, heads: [] };
}

function findAddressed(
  storage: StorageBase,
  { slug, team, file }: FileRequest,
  channels: readonly Channel[],
  address: string,
): PublishedFile {
  const { code, only } = partsOf(file);
  const found = parseContentAddress(channels, code, address);
  if (found === undefined) throw notPublished();
  const { channel, content } = found;
  return {
    slug,
    team,
    isSlow: true,
    isImmutable: true,
    heads: [],
    version: JSON.stringify([
      "content",
      slug,
      channel.locales ?? null,
      channel.pseudo === true,
      code,
      only,
      address,
    ]),
    read: async () => {
      const read = await readContent(storage.hives.repo(slug), content, code);
      if (read === undefined || !publishes(channel, read.locale)) throw notPublished();
      return render(read, content, only);
    },
  };
}

function publishes({ locales, pseudo }: Channel, locale: Locale): boolean {
  if (pseudoKindOf(locale) !== undefined) return pseudo === true;
  return locales === undefined || locales.includes(locale.code);
}

/** The locale's code and the file of the Hive in a name: `fr.json` is of all files, `fr/auth.json` of one. */
function partsOf(file: string): { readonly code: string; readonly only: string | undefined } {
  const slash = file.indexOf("/");
  if (slash !== -1) return { code: file.slice(0, slash), only: file.slice(slash + 1) };
  return { code: file.endsWith(extension) ? file.slice(0, -extension.length) : "", only: undefined };
}

/** @throws SkepError `not-found` when the Hive has no such file. */
async function render(
  { content: stored, locale, ...source }: LocaleContent,
  { shape, state, failing, tags, missing }: ExportRules & Pick<Channel, "shape">,
  only: string | undefined,
  giver?: Locale,
): Promise<TextPieces> {
  const rules = { state, failing, tags, missing };
  const content = await exportedContent(source, stored, locale, rules, giver);
  if (only === undefined) return exportWhole(content, locale, shape);
  const text = (await exportLocale(content, locale, "json", { shape, only })).get(only);
  if (text === undefined) throw notPublished();
  return text;
}

async function manifestOf(
  { slug, team, publication: { id } }: FileRequest,
  channel: Channel,
  snapshot: Snapshot,
  basis: FileSource,
  choose: (locales: readonly Locale[]) => Promise<Outgoing>,
): Promise<PublishedFile> {
  const { shape, state, failing, tags, missing, minComplete } = channel;
  const all = [...localesOf(snapshot.settings), ...pseudoLocalesFor(snapshot.settings)];
  const chosen = all.filter((locale) => publishes(channel, locale));
  const { given, leftOut } = await choose(chosen);
  const files = Array.from(given, ([locale, giver]) => {
    const code = codeOf(locale);
    const address = toContentAddress(channel, code, {
      ...snapshot.objectsOf(giver.code),
      ancestors: ancestorsOf(snapshot.settings, giver).map((one) => snapshot.objectsOf(one.code)),
      shape,
      state,
      failing,
      tags,
      missing,
      isPseudo: pseudoKindOf(locale) !== undefined,
    });
    return [code + extension, `/p/${id}/${contentFolder}/${address}/${code}${extension}`] as const;
  });
  const names = exportNames([...snapshot.index.source.keys()], extension);
  const namespaces = [...names.values()].map(stemOf);
  const manifest = {
    files: Object.fromEntries(files),
    namespaces,
    left_out: minComplete === undefined ? undefined : leftOut.map(shownLeftOut),
  };
  const text = `${JSON.stringify(manifest, null, 2)}\n`;
  return { ...basis, slug, team, isSlow: false, version: text, read: () => [text] };
}
