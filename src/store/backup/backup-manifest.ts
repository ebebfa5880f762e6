/**
 * What says which state of a storage a backup holds: everything that changes, settings and refs, in one file that is
 * replaced as a whole. The objects that the refs need lie beside it and never change.
 */
import { z } from "zod";
import { failure } from "../../domain/errors.ts";
import { isHiveSlug, isOid, type HiveSlug, type Oid } from "../../domain/names.ts";
import type { Refs } from "../../git/refs/refs.ts";

/** A storage at one time, without its objects. */
export interface Backup {
  /** When it was begun, as ISO 8601: whatever was acknowledged before is in it. */
  readonly time: string;
  /** The files of teams, tokens and mirrors, by their paths in the storage. */
  readonly settings: ReadonlyMap<string, string>;
  readonly hives: ReadonlyMap<HiveSlug, Refs>;
}

const format = 1;
const settingsPath = z.string().regex(/^(?:teams|tokens|mirrors)\/[A-Za-z0-9][A-Za-z0-9.-]*\.yaml$/);
// What git takes, beyond ASCII anything; nothing else may become a line of `packed-refs`.
const refName = z.string().regex(/^refs\/(?:(?![~^:?*[\\])[!-}]|\P{ASCII})+$/u);
const slug = z.custom<HiveSlug>((value) => typeof value === "string" && isHiveSlug(value));
const oid = z.custom<Oid>((value) => typeof value === "string" && isOid(value));

const manifest = z.object({
  format: z.literal(format),
  /** Null until the first backup into this folder has come to its end. */
  backup: z
    .object({
      time: z.iso.datetime(),
      settings: z.array(z.tuple([settingsPath, z.string()])),
      hives: z.array(z.tuple([slug, z.array(z.tuple([refName, oid]))])),
    })
    .nullable(),
});

/** @throws SkepError `content-invalid` when it is no manifest, or one of a later version. */
export function parseManifest(text: string): Backup | undefined {
  try {
    const { backup } = manifest.parse(JSON.parse(text));
    if (backup === null) return undefined;
    return {
      time: backup.time,
      settings: new Map(backup.settings),
      hives: new Map(backup.hives.map(([name, refs]) => [name, new Map(refs)])),
    };
  } catch (cause) {
    throw failure("content-invalid", "This backup cannot be read by this version of Skep.", { cause });
  }
}

/** @param backup undefined while there is none. */
export function formatManifest(backup: Backup | undefined): string {
  const content = backup && {
    time: backup.time,
    settings: [...backup.settings],
    hives: Array.from(backup.hives, ([name, refs]) => [name, [...refs]]),
  };
  // What could not be read again must not take the place of what can.
  return `${JSON.stringify(manifest.parse({ format, backup: content ?? null }), null, 1)}\n`;
}
