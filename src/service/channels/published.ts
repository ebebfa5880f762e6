/** What channels publish: files of a locale, and the manifest that names their content addresses. */
import {
  contentFolder,
  type Channel,
  type ChannelSource,
  type Publication,
} from "../../domain/export/channel.ts";
import { exportNames } from "../../domain/export/export-names.ts";
import { exportLocale, exportWhole, type TextPieces } from "../../domain/export/export.ts";
import { mainBranch, type HiveBranch } from "../../domain/commits/branch-name.ts";
import { failure, isFailure, type SkepError } from "../../domain/errors.ts";
import { localeNamed, localesOf } from "../../domain/hives/hive-settings.ts";
import { codeOf, type Locale } from "../../domain/hives/locale.ts";
import { stemOf, type HiveSlug, type TeamName } from "../../domain/names.ts";
import type { SourceFiles } from "../../domain/strings/hive-content.ts";
import { inSlices } from "../../slices.ts";
import type { LocaleContent } from "../../store/content/content-objects.ts";
import { exitContent, exitVersion } from "../../store/content/exit.ts";
import { readContent } from "../../store/content/content-objects.ts";
import type { Snapshot } from "../../store/content/snapshot.ts";
import { atHead, type Versioned } from "../content/queries.ts";
import type { Storage } from "../storage.ts";
import { parseContentAddress, toContentAddress } from "./content-address.ts";

/** A file that can be read without a token. Its version names the file, too. */
export interface PublishedFile extends Versioned<TextPieces> {
  readonly slug: HiveSlug;
  readonly team: TeamName;
  /** Whether making it may take long: it is not of a commit that a branch is at. */
  readonly isSlow: boolean;
}

/** The name of the file that has the content addresses. */
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
  storage: Storage,
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
  storage: Storage,
  request: FileRequest,
  channel: Channel,
): Promise<PublishedFile> {
  const { slug, team, file } = request;
  const { snapshot, ...source } = await snapshotOf(storage, slug, channel.source);
  if (file === manifestName) return manifestOf(request, channel, snapshot, source);
  const { code, only } = partsOf(file);
  const locale = localeNamed(snapshot.settings, code);
  if (locale === undefined || !publishes(channel, locale)) throw notPublished();
  const objects = snapshot.objectsOf(locale.code);
  const basis = [objects.settings, objects.source, objects.locale, exitVersion(snapshot, locale, channel)];
  return {
    ...source,
    slug,
    team,
    version: JSON.stringify(["published", locale.code, only, channel.shape, ...basis]),
    read: async () => {
      const content = await snapshot.content([locale.code]);
      const { accepted, review, notes } = snapshot;
      return render({ content, locale, accepted, review, notes }, channel, only);
    },
  };
}

/** What a channel publishes now. @throws SkepError `not-found` when its branch is gone. */
async function snapshotOf(
  { hives }: Storage,
  slug: HiveSlug,
  source: ChannelSource,
): Promise<FileSource & { readonly snapshot: Snapshot }> {
  if ("branch" in source) {
    const branch: HiveBranch = source.branch === mainBranch ? slug : { slug, branch: source.branch };
    try {
      const snapshot = await hives.at(branch).snapshot();
      return { snapshot, isSlow: false, ...atHead(branch, snapshot) };
    } catch (error) {
      throw isFailure(error, "not-found") ? notPublished() : error;
    }
  }
  const { commit } = source;
  try {
    const snapshot = await hives.at(slug).snapshotAt(commit, "at");
    return { snapshot, isSlow: true, commit, heads: [] };
  } catch (cause) {
    // A fault, and no decision: caches may go on with what they have.
    if (!isFailure(cause, "invalid")) throw cause;
    throw failure("content-invalid", "What this channel publishes cannot be read.", { cause });
  }
}

function findAddressed(
  storage: Storage,
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
    version: JSON.stringify(["content", slug, channel.locales ?? null, code, only, address]),
    read: async () => {
      const read = await readContent(storage.hives.repo(storage.hives.folderOf(slug)), content, code);
      if (read === undefined || !publishes(channel, read.locale)) throw notPublished();
      return render(read, content, only);
    },
  };
}

function publishes({ locales }: Channel, { code }: Locale): boolean {
  return locales === undefined || locales.includes(code);
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
  { shape, state, failing, tags }: Pick<Channel, "shape" | "state" | "failing" | "tags">,
  only: string | undefined,
): Promise<TextPieces> {
  const content = await exitContent(source, stored, locale, { state, failing, tags });
  if (only === undefined) return inSlices(exportWhole(content, locale, shape));
  const text = (await inSlices(exportLocale(content, locale, "json", { shape, only }))).get(only);
  if (text === undefined) throw notPublished();
  return text;
}

/** The names of the exported files of each locale. */
function namesOf(source: SourceFiles): readonly string[] {
  return [...exportNames([...source.keys()], extension).values()];
}

function manifestOf(
  { slug, team, publication: { id } }: FileRequest,
  channel: Channel,
  snapshot: Snapshot,
  basis: FileSource,
): PublishedFile {
  const { shape, state, failing, tags } = channel;
  const files = localesOf(snapshot.settings)
    .filter((locale) => publishes(channel, locale))
    .map((locale) => {
      const code = codeOf(locale);
      const address = toContentAddress(channel, code, {
        ...snapshot.objectsOf(locale.code),
        shape,
        state,
        failing,
        tags,
      });
      return [code + extension, `/p/${id}/${contentFolder}/${address}/${code}${extension}`] as const;
    });
  const namespaces = namesOf(snapshot.index.source).map(stemOf);
  const text = `${JSON.stringify({ files: Object.fromEntries(files), namespaces }, null, 2)}\n`;
  return { ...basis, slug, team, isSlow: false, version: text, read: () => [text] };
}
