/** The tags of one repository, read as git stores them. A tag is created once and never moved. */
import type { Oid } from "../../domain/names.ts";
import { isTagName, type TagName } from "../../domain/commits/tag-name.ts";
import { RefFolder } from "./ref-folder.ts";
import type { NewRef, RefPlace } from "./ref.ts";

/** A tag and the object that it refers to. */
export interface TagTarget {
  readonly name: TagName;
  readonly target: Oid;
}

export class Tags {
  readonly #refs: RefFolder<TagName>;

  constructor(at: RefPlace) {
    this.#refs = new RefFolder(at, "refs/tags", isTagName);
  }

  /** The object that a tag refers to, a tag object or a commit; undefined when there is no such tag. */
  read(name: TagName): Oid | undefined {
    return this.#refs.ref(name).find();
  }

  /**
   * Whether a tag still refers to an object; checked once per tick of the event loop.
   * @throws the system's error when the disk fails.
   */
  isAt({ name, target }: TagTarget): boolean {
    return this.#refs.keptRef(name).recent() === target;
  }

  /** See {@link RefFolder.list}. */
  list(): Promise<ReadonlyMap<TagName, Oid>> {
    return this.#refs.list();
  }

  /** See {@link RefFolder.broken}. */
  broken(): Promise<readonly string[]> {
    return this.#refs.broken();
  }

  /** Creates a tag; see {@link RefFolder.create}. */
  create(name: TagName, created: NewRef, limit: number): Promise<void> {
    const taken = `The tag ${name} is there already, and tags never move.`;
    return this.#refs.create(name, created, limit, { kind: "tag", taken, takenCode: "tag_exists" });
  }
}
