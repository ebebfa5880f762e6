/** The YAML file of what a Hive publishes, `channels/<slug>.<id>.yaml`. */
import { z } from "zod";
import { isBranchName, type BranchName } from "../../domain/commits/branch-name.ts";
import {
  isChannelName,
  isPublicationId,
  type Channel,
  type ChannelName,
  type Publication,
} from "../../domain/export/channel.ts";
import { failingTexts } from "../../domain/export/export.ts";
import { isStoredLocaleCode, type LocaleCode } from "../../domain/hives/locale.ts";
import { isHiveSlug, isOid, type Oid } from "../../domain/names.ts";
import { formatStored, parseStored } from "./stored-settings.ts";

/** The Hive of a publication, and its id. */
export type PublicationName = Pick<Publication, "slug" | "id">;

/** The name of a publication's file. */
export function publicationFile({ slug, id }: PublicationName): string {
  return `${slug}.${id}.yaml`;
}

/** What the name of a file says; undefined for a name that {@link publicationFile} does not give. */
export function parsePublicationFile(name: string): PublicationName | undefined {
  const [slug = "", id = "", ...rest] = name.split(".");
  return rest.join() === "yaml" && isHiveSlug(slug) && isPublicationId(id) ? { slug, id } : undefined;
}

const channelName = z.custom<ChannelName>((value) => typeof value === "string" && isChannelName(value));
const branchName = z.custom<BranchName>((value) => typeof value === "string" && isBranchName(value));
const oid = z.custom<Oid>((value) => typeof value === "string" && isOid(value));
const localeCode = z.custom<LocaleCode>((value) => typeof value === "string" && isStoredLocaleCode(value));

const channelFields = z
  .strictObject({
    name: channelName,
    source: z.union([
      z.strictObject({ branch: branchName }),
      z.strictObject({ at: z.string(), commit: oid }),
    ]),
    locales: z.array(localeCode).optional(),
    shape: z.enum(["flat", "nested"]),
    failing: z.enum(failingTexts).optional(),
    public: z.boolean(),
    updated: z.iso.datetime(),
    key: z.string().regex(/^[0-9a-f]{32}$/),
  })
  .transform(({ locales, failing, ...channel }): Channel => {
    return { ...channel, ...(locales && { locales }), ...(failing && { failing }) };
  });

const publicationFields = z.strictObject({ channels: z.array(channelFields) });

/** @throws InvalidSettings when the file is invalid. */
export function parsePublication(name: PublicationName, text: string): Publication {
  return { ...name, ...parseStored("channels", publicationFields, text) };
}

/** @throws Error when {@link parsePublication} could not read it. */
export function formatPublication(publication: Publication): string {
  const { slug, id, channels } = publication;
  return formatStored({ channels }, publication, (text) => parsePublication({ slug, id }, text));
}
