/** The pictures of a Hive: lists, adds and deletes them. */
import { createHash } from "node:crypto";
import type { HiveBranch } from "../../domain/commits/branch-name.ts";
import { failure, invalid, Issues } from "../../domain/errors.ts";
import { isFileName } from "../../domain/names.ts";
import { pageOf, type OffsetLimit, type Page } from "../../domain/pagination.ts";
import { readImageHeader } from "../../domain/pictures/image-header.ts";
import {
  checkPicture,
  pictureLimits,
  type Box,
  type Picture,
  type Pictures,
} from "../../domain/pictures/picture.ts";
import { hasString, isSamePicture, pictureFinder, united } from "../../domain/pictures/picture-strings.ts";
import { excerpt } from "../../domain/text.ts";
import { toGitObject } from "../../git/objects/git-object.ts";
import { checkLocales, type CommitResult, type WriteContext } from "../../store/hives/write-context.ts";
import { snapshotOf, type Versioned, readAt } from "../content/queries.ts";
import type { ContentStorage, StorageBase } from "../storage.ts";

export interface PictureQuery extends OffsetLimit {
  /** Only pictures that show a string: both or none. */
  readonly file?: string;
  readonly key?: string;
  /** A revision; HEAD when undefined. */
  readonly at?: string;
  readonly signal?: AbortSignal;
}

/**
 * A part of a Hive's pictures, by their names.
 * @throws SkepError `invalid` on `at`, or on `key` without `file`; `content-invalid` when pictures cannot be read.
 */
export async function listPictures(
  { hives }: StorageBase,
  branch: HiveBranch,
  { file, key, at, signal, ...paging }: PictureQuery,
): Promise<Versioned<Page<Picture>>> {
  if ((file === undefined) !== (key === undefined))
    throw invalid(file === undefined ? "file" : "key", "must be given, too: file and key name a string");
  const { snapshot, ...basis } = await snapshotOf(hives, branch, at, signal);
  const read = async (): Promise<Page<Picture>> => {
    const all = await readAt(at, () => snapshot.pictures.read());
    const shown = key === undefined ? undefined : new Set(await hashesOf(all, file, key));
    const found = [...all.values()]
      .filter(({ hash }) => shown?.has(hash) ?? true)
      .toSorted((a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : a.hash < b.hash ? -1 : 1));
    return pageOf(found, paging);
  };
  return { ...basis, version: snapshot.pictures.version, read };
}

/** The pictures that show a string, as far as they can be read. */
export async function picturesOf(
  { hives }: StorageBase,
  branch: HiveBranch,
  { file, key }: { readonly file: string; readonly key: string },
): Promise<readonly Picture[]> {
  const { pictures } = await (await hives.at(branch).snapshot()).pictures.readable();
  return (await hashesOf(pictures, file, key)).flatMap((hash) => pictures.get(hash) ?? []);
}

async function hashesOf(pictures: Pictures, file = "", key: string): Promise<readonly string[]> {
  return isFileName(file) ? pictureFinder(pictures)({ file, key }) : [];
}

/**
 * The image of a picture.
 * @throws SkepError `not-found` when there is none; `content-invalid` when it cannot be read.
 */
export async function readImage(
  { hives }: StorageBase,
  branch: HiveBranch,
  hash: string,
): Promise<Versioned<Uint8Array> & Pick<Picture, "type">> {
  const { snapshot, ...basis } = await snapshotOf(hives, branch, undefined, undefined);
  const picture = (await snapshot.pictures.readable()).pictures.get(hash);
  if (picture === undefined) throw unknownPicture();
  const read = (): Promise<Uint8Array> => snapshot.pictures.image(picture);
  return { ...basis, version: picture.blob, read, type: picture.type };
}

export interface SentPicture extends Pick<Picture, "name" | "strings"> {
  readonly content: Uint8Array;
  readonly boxes: readonly Box[];
}

export interface AddedPicture {
  readonly picture: Picture;
  readonly isNew: boolean;
}

/**
 * Adds a picture, as one commit. Of an image that the Hive has, the patterns and boxes are added.
 * @throws SkepError `invalid` on the member that is wrong; `forbidden` for a token that is limited to some locales.
 */
export async function addPicture(
  { writer }: ContentStorage,
  branch: HiveBranch,
  { name, content, strings, boxes }: SentPicture,
  context: WriteContext,
): Promise<CommitResult<AddedPicture>> {
  checkLocales(context, undefined);
  if (content.byteLength > pictureLimits.bytes)
    throw invalid("content", `must be at most ${pictureLimits.bytes} bytes`);
  const header = readImageHeader(content);
  if (header === undefined) throw invalid("content", "must be a PNG, a WebP or a JPEG");
  const { type, width, height } = header;
  const sides = [width, height];
  if (sides.some((side) => side < 1 || side > pictureLimits.side))
    throw invalid("content", `must have 1 to ${pictureLimits.side} pixels a side`);
  const issues = new Issues();
  checkPicture({ name, strings, boxes, width, height }, issues);
  issues.throwIfAny();
  const hash = createHash("sha256").update(content).digest("hex");
  const object = toGitObject("blob", content);
  const given: Picture = { hash, blob: object.oid, name, type, width, height, strings, boxes };
  return writer.commit(branch, context, async (snapshot) => {
    const missing = new Issues();
    for (const [i, pattern] of strings.entries()) {
      const isThere = await hasString(pattern, snapshot.index.source);
      if (!isThere) missing.add(`strings.${i}`, `there is no string "${excerpt(pattern)}"`);
    }
    missing.throwIfAny();
    const pictures = await snapshot.pictures.read();
    const before = pictures.get(hash);
    const picture = before === undefined ? given : united(before, given);
    const problems = new Issues();
    checkPicture(picture, problems);
    if (before === undefined && pictures.size >= pictureLimits.count)
      problems.add("content", `a Hive has at most ${pictureLimits.count} pictures`);
    problems.throwIfAny();
    const result = { picture, isNew: before === undefined };
    if (isSamePicture(before, picture)) return { result };
    const metadata = {
      subject: `${before === undefined ? "Add" : "Change"} the picture ${name}`,
      operation: "add-picture",
      counts: before === undefined ? { Created: 1 } : { Updated: 1 },
    };
    const objects = before === undefined ? [object] : [];
    return {
      result,
      change: { metadata },
      pictures: { change: (all) => new Map(all).set(hash, picture), objects },
    };
  });
}

/**
 * Deletes a picture, as one commit.
 * @throws SkepError `not-found` when there is none.
 */
export async function deletePicture(
  { writer }: ContentStorage,
  branch: HiveBranch,
  hash: string,
  context: WriteContext,
): Promise<CommitResult<{ readonly deleted: number }>> {
  checkLocales(context, undefined);
  return writer.commit(branch, context, async (snapshot) => {
    const picture = (await snapshot.pictures.readable()).pictures.get(hash);
    if (picture === undefined) throw unknownPicture();
    const metadata = {
      subject: `Delete the picture ${picture.name}`,
      operation: "delete-picture",
      counts: { deleted: 1 },
    };
    const change = (all: ReadonlyMap<string, Picture>): ReadonlyMap<string, Picture> =>
      new Map([...all].filter(([one]) => one !== hash));
    return { result: { deleted: 1 }, change: { metadata }, pictures: { change } };
  });
}

function unknownPicture(): Error {
  return failure("not-found", "This Hive has no such picture.", { publicCode: "unknown_picture" });
}
