/** The refs below one folder, such as all tags, loose or packed. */
import { boundedCache } from "../../bounded-cache.ts";
import { clashingName, isTagName, type TagName } from "../../domain/commits/ref-name.ts";
import { failure, type PublicCode } from "../../domain/errors.ts";
import type { Oid } from "../../domain/names.ts";
import { checkRoom } from "../../domain/plans/quota.ts";
import { mapInGroups } from "../../slices.ts";
import { looseRefNames, removeEmptyRefFolder } from "./ref-files.ts";
import { Ref, type NewRef, type RefPlace } from "./ref.ts";

/** How many refs are kept, so that their files are read again only when they have changed. */
const maxKept = 8_192;

/** The refs of a folder: their names, and what is said of one that cannot be created. */
export interface RefRules<Name extends string> {
  /** Such as `refs/tags`. */
  readonly folder: string;
  /** Whether the path of a ref in the folder is a name. Others are left out. */
  readonly isName: (path: string) => path is Name;
  /** What a ref is, such as `tag`. */
  readonly kind: string;
  /** How many of those that there are do not count. */
  readonly notCounted?: number;
  readonly taken: string;
  readonly takenCode: PublicCode<"conflict">;
  readonly besideCode?: PublicCode<"conflict">;
}

/** A tag is created once and never moved. */
export const tagRules: RefRules<TagName> = {
  folder: "refs/tags",
  isName: isTagName,
  kind: "tag",
  taken: "is there already, and tags never move.",
  takenCode: "tag_exists",
};

/** A tag, and the object that it refers to: a tag object or a commit. */
export interface TagTarget {
  readonly name: TagName;
  readonly target: Oid;
}

export class RefFolder<Name extends string> {
  readonly #at: RefPlace;
  readonly #rules: RefRules<Name>;
  readonly #prefix: string;
  readonly #kept = boundedCache<Name, Ref>(maxKept);

  constructor(at: RefPlace, rules: RefRules<Name>) {
    this.#at = at;
    this.#rules = rules;
    this.#prefix = `${rules.folder}/`;
  }

  /** A ref, which may be missing. */
  ref(name: Name): Ref {
    return this.#kept.get(name) ?? new Ref(this.#at, this.#prefix + name);
  }

  /** A ref that is asked for again. */
  keptRef(name: Name): Ref {
    const ref = this.ref(name);
    this.#kept.set(name, ref);
    return ref;
  }

  /** All refs and the objects they refer to. Files that are not refs are left out; `skep server verify` reports them. */
  async list(): Promise<ReadonlyMap<Name, Oid>> {
    // Packing refs writes packed-refs and then removes the loose files, so reading the loose files first misses nothing.
    const loose = await mapInGroups(await this.#looseNames(), (name) =>
      Promise.resolve([name, this.keptRef(name).find()] as const),
    );
    const refs = new Map<Name, Oid>();
    const packed = this.#at.packed.read();
    for (const name of this.#namesAmong(packed?.keys() ?? [])) {
      const oid = packed?.get(this.#prefix + name);
      if (oid !== undefined) refs.set(name, oid);
    }
    for (const [name, oid] of loose) {
      if (oid === undefined) refs.delete(name);
      else refs.set(name, oid);
    }
    return refs;
  }

  /** The full names of loose refs whose files do not hold an object name. */
  async broken(): Promise<readonly string[]> {
    const names = await this.#looseNames();
    return names.flatMap((name) => {
      const { isBroken, fullName } = this.ref(name);
      return isBroken ? [fullName] : [];
    });
  }

  /**
   * Creates a ref, durably. The caller holds the Hive's lock.
   * @param limit how many refs there may be.
   * @throws SkepError `conflict` when the name is taken, or cannot be stored beside another ref's; `quota` when the limit
   * is reached; `head-moved` when another process creates the same ref.
   */
  async create(name: Name, created: NewRef, limit: number): Promise<void> {
    const { kind, notCounted = 0, taken, takenCode, besideCode = "conflict" } = this.#rules;
    // Only names: reading what each ref refers to would take as long as all else that makes one.
    const packed = this.#namesAmong(this.#at.packed.read()?.keys() ?? []);
    const present = new Set([...(await this.#looseNames()), ...packed]);
    const other = clashingName(name, present);
    if (other === name) throw failure("conflict", `The ${kind} ${name} ${taken}`, { publicCode: takenCode });
    if (other !== undefined) {
      const problem = `The ${kind} ${name} cannot be stored beside the ${kind} ${other}.`;
      throw failure("conflict", problem, { publicCode: besideCode });
    }
    checkRoom("This Hive", kind, present.size - notCounted, limit);
    await removeEmptyRefFolder(this.#at.fs, this.#at.gitdir, this.#prefix + name);
    await this.ref(name).update({ ...created, expected: undefined });
  }

  async #looseNames(): Promise<Name[]> {
    const { fs, gitdir } = this.#at;
    return this.#namesAmong(await looseRefNames(fs, gitdir, this.#rules.folder));
  }

  /** The names of the refs among some that are in this folder. */
  #namesAmong(refs: Iterable<string>): Name[] {
    const inside = [...refs].filter((ref) => ref.startsWith(this.#prefix));
    return inside.map((ref) => ref.slice(this.#prefix.length)).filter(this.#rules.isName);
  }
}
