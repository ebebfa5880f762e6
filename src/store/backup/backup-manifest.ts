/**
 * The manifest of a backup: everything that changes in a storage, settings and refs, in one file that is replaced as a
 * whole. The objects that the refs need are stored beside it and never change.
 */
import { z } from "zod";
import { failure } from "../../domain/errors.ts";
import type { HiveSlug } from "../../domain/names.ts";
import type { Refs } from "../../git/refs/refs.ts";
import { hiveSlug, oid, time } from "../settings/fields.ts";

/** A storage at one time, without its objects. */
export interface Backup {
  /** When the backup was begun, as ISO 8601: it contains everything that was acknowledged before. */
  readonly time: string;
  /** The files of teams, tokens, persons, mirrors, channels and webhooks, by their paths in the storage. */
  readonly settings: ReadonlyMap<string, string>;
  readonly hives: ReadonlyMap<HiveSlug, Refs>;
}

const format = 1;
const settingsPath = z
  .string()
  .regex(/^(?:teams|tokens|people|mirrors|channels|webhooks)\/[A-Za-z0-9][A-Za-z0-9.-]*\.yaml$/);
// What git accepts in ASCII, and anything beyond. Nothing else may become a line of `packed-refs`.
const refName = z.string().regex(/^refs\/(?:(?![~^:?*[\\])[!-}]|\P{ASCII})+$/u);

const manifest = z.object({
  format: z.literal(format),
  /** Null until the first backup into this folder is complete. */
  backup: z
    .object({
      time,
      settings: z.array(z.tuple([settingsPath, z.string()])),
      hives: z.array(z.tuple([hiveSlug, z.array(z.tuple([refName, oid]))])),
    })
    .nullable(),
});

/** @throws SkepError `content-invalid` when it is not a manifest, or one of a later version. */
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
  // An unreadable manifest must not replace a readable one.
  return `${JSON.stringify(manifest.parse({ format, backup: content ?? null }), null, 1)}\n`;
}
