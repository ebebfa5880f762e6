/**
 * The names of an object's members, also of very large objects. `Object.keys` of 200,000 members takes 60 ms in one
 * go, each time. So the names of a large object are cached; code that makes an object in steps caches them as it goes.
 */

/** The names of objects with at least this many members are cached. */
const many = 4096;

const kept = new WeakMap<object, readonly string[]>();

/** The names of an object's members, or the indices of a list's elements, in their order; as `Object.keys` gives them. */
export function memberNames(object: object): readonly string[] {
  const known = kept.get(object);
  if (known !== undefined) return known;
  const names = Object.keys(object);
  if (!Array.isArray(object)) keep(object, names);
  return names;
}

function keep(object: object, names: readonly string[]): void {
  if (names.length >= many) kept.set(object, names);
}

/** Names that JavaScript sorts before all others. */
function isIndex(name: string): boolean {
  // For most names the first character decides.
  return name.charCodeAt(0) <= 0x39 && /^\d+$/.test(name);
}

/** Makes an object member by member. After `end` the object must not be changed. */
export class ObjectWriter<T> {
  readonly #object: Record<string, T>;
  readonly #names: string[];
  /** Whether the names are in the object's own order. */
  #isOrdered = true;

  /** @param object gets further members; an empty one without a prototype if not given. */
  constructor(object: Record<string, T> = Object.create(null)) {
    this.#object = object;
    this.#names = Object.keys(object);
  }

  get size(): number {
    return this.#names.length;
  }

  get(name: string): T | undefined {
    return Object.hasOwn(this.#object, name) ? this.#object[name] : undefined;
  }

  /** Sets a member; an existing one keeps its position. */
  set(name: string, value: T): void {
    if (!Object.hasOwn(this.#object, name)) {
      this.#names.push(name);
      if (isIndex(name)) this.#isOrdered = false;
    }
    if (name === "__proto__") {
      const member = { value, writable: true, enumerable: true, configurable: true };
      Object.defineProperty(this.#object, name, member);
    } else this.#object[name] = value;
  }

  /** The object, with all its members. */
  end(): Record<string, T> {
    if (this.#isOrdered) keep(this.#object, this.#names);
    return this.#object;
  }
}
