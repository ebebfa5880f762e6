/** The pictures of a Hive at one commit: `pictures/<hash>.json` describes the image `pictures/<hash>.png`. */
import { LRUCache } from "lru-cache";
import { parseStoredJson } from "../../domain/json.ts";
import type { Move } from "../../domain/move.ts";
import type { Oid } from "../../domain/names.ts";
import type { ImageType } from "../../domain/pictures/image-header.ts";
import {
  formatPicture,
  isPictureHash,
  parsePicture,
  type Picture,
  type Pictures,
} from "../../domain/pictures/picture.ts";
import { movedPictures, placedPictures } from "../../domain/pictures/picture-strings.ts";
import { withWrites, type FileWrite } from "../../domain/strings/hive-content.ts";
import { toContentInvalid, UnreadablePath } from "../../git/bare-repo.ts";
import type { GitObject } from "../../git/objects/git-object.ts";
import { emptyTree, fileIn, folderAt, type Tree } from "../../git/objects/tree.ts";
import type { SourceAndSettings, CommittedTree } from "./stored-values.ts";
import { moduleCache } from "../../module-caches.ts";

/** The folder of pictures in a Hive's repository. */
export const picturesFolder = "pictures";
const description = ".json";
const endings: Readonly<Record<ImageType, string>> = { png: ".png", webp: ".webp", jpeg: ".jpg" };

function picturePath(hash: string, ending: string): string {
  return `${picturesFolder}/${hash}${ending}`;
}

/** What is said about pictures, by the blobs of the description and of the image, which many commits share. */
const known = moduleCache(new LRUCache<string, Picture>({ max: 5_000 }));

export class StoredPictures {
  readonly #source: CommittedTree;
  readonly #folder: Tree;

  constructor(source: CommittedTree) {
    this.#source = source;
    this.#folder = folderAt(source.tree, [picturesFolder]) ?? emptyTree;
  }

  /** The object name of their folder: as long as it is the same, they are. */
  get version(): Oid {
    return this.#folder.oid;
  }

  /** @throws SkepError `content-invalid` when one of them cannot be read. */
  async read(): Promise<Pictures> {
    const { pictures, problems } = await this.readable();
    const [first] = problems;
    if (first !== undefined) throw toContentInvalid(this.#source.commit, first);
    return pictures;
  }

  /** Reads what can be read; pictures stand in nothing's way but their own. */
  async readable(): Promise<{
    readonly pictures: Pictures;
    readonly problems: readonly UnreadablePath[];
  }> {
    const pictures = new Map<string, Picture>();
    const problems: UnreadablePath[] = [];
    const images = new Set<string>();
    const names = [...this.#folder.entries.keys()];
    for (const name of names.filter((one) => one.endsWith(description))) {
      const path = `${picturesFolder}/${name}`;
      try {
        const picture = await this.#readOne(name.slice(0, -description.length), path);
        pictures.set(picture.hash, picture);
        images.add(picture.hash + endings[picture.type]);
      } catch (cause) {
        problems.push(cause instanceof UnreadablePath ? cause : new UnreadablePath(path, { cause }));
      }
    }
    for (const name of names) {
      const isKnown = name.endsWith(description) || images.has(name);
      if (!isKnown) problems.push(new UnreadablePath(`${picturesFolder}/${name}`));
    }
    return { pictures, problems };
  }

  async #readOne(hash: string, path: string): Promise<Picture> {
    const oid = fileIn(this.#folder, hash + description);
    if (oid === undefined || !isPictureHash(hash)) throw new UnreadablePath(path);
    for (const ending of Object.values(endings)) {
      const blob = fileIn(this.#folder, hash + ending);
      if (blob === undefined) continue;
      const name = `${oid} ${blob} ${hash}`;
      const before = known.get(name);
      if (before !== undefined) return before;
      const bytes = await this.#source.repo.readBlob(oid, path);
      const picture = parsePicture(parseStoredJson(bytes), { hash, blob });
      if (endings[picture.type] !== ending) throw new UnreadablePath(path);
      known.set(name, picture);
      return picture;
    }
    throw new UnreadablePath(path);
  }

  /** The bytes of an image. @throws SkepError `content-invalid` when it cannot be read. */
  async image({ hash, type, blob }: Picture): Promise<Uint8Array> {
    const path = picturePath(hash, endings[type]);
    return this.#source.repo.readBlob(blob, path).catch((cause: unknown) => {
      throw cause instanceof UnreadablePath ? toContentInvalid(this.#source.commit, cause) : cause;
    });
  }
}

/** The pictures that a commit changes. */
export interface PicturesWrite {
  /** What is said about them by their paths; undefined to remove the file. */
  readonly texts: ReadonlyMap<string, string | undefined>;
  /** The images likewise. */
  readonly images: ReadonlyMap<string, Oid | undefined>;
  /** Images that are new. */
  readonly objects: readonly GitObject[];
}

/** What becomes of pictures beside following their strings. */
export interface PictureChange {
  readonly change: (pictures: Pictures) => Pictures;
  readonly objects?: readonly GitObject[];
}

/**
 * The files of pictures that a change writes: they follow their strings, and go with the last of them. What cannot be
 * read stays as it is.
 * @param writes the files that the change writes.
 */
export async function changedPictures(
  snapshot: SourceAndSettings & { readonly pictures: StoredPictures },
  moves: readonly Move[],
  { change, objects = [] }: Partial<PictureChange> = {},
  writes: readonly FileWrite[],
): Promise<PicturesWrite | undefined> {
  const { settings, index } = snapshot;
  const source = writes.filter(({ locale }) => locale === settings.sourceLocale.code);
  if (change === undefined && source.length === 0) return undefined;
  const { pictures: before } = await snapshot.pictures.readable();
  const content = { settings, source: index.source, translations: new Map() };
  const { source: present } = withWrites(content, source);
  const moved = await movedPictures(before, moves, present);
  const wanted = change === undefined ? moved : change(moved);
  if (wanted.size === 0 && before.size === 0) return undefined;
  const after = await placedPictures(wanted, present);
  const texts = new Map<string, string | undefined>();
  const images = new Map<string, Oid | undefined>();
  for (const hash of new Set([...before.keys(), ...after.keys()])) {
    const [was, is] = [before.get(hash), after.get(hash)];
    const text = is && formatPicture(is);
    if (text === (was && formatPicture(was))) continue;
    texts.set(picturePath(hash, description), text);
    const { type } = is ?? was ?? {};
    if (type !== undefined) images.set(picturePath(hash, endings[type]), is?.blob);
  }
  return texts.size === 0 ? undefined : { texts, images, objects };
}
