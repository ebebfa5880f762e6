/** The texts of a stored file by their keys, and which of them differ between two versions, without flattening the file. */
import { parseStoredJson } from "../json.ts";
import { isStepDone, pause } from "../../slices.ts";
import { textAt } from "./text-diff.ts";

/** The bytes of a stored file, which are parsed when they are needed for the first time. */
export class StoredFile {
  readonly bytes: Uint8Array;
  #parsed: { readonly value: unknown } | undefined;

  constructor(bytes: Uint8Array) {
    this.bytes = bytes;
  }

  /** The value of its JSON; undefined for what is no JSON. */
  parse(): unknown {
    if (this.#parsed === undefined) {
      try {
        this.#parsed = { value: parseStoredJson(this.bytes) };
      } catch {
        this.#parsed = { value: undefined };
      }
    }
    return this.#parsed.value;
  }

  /** The text of a flattened key; undefined where there is none. */
  textAt(key: string): string | undefined {
    return textAt(this.parse(), key);
  }
}

/** In files that are nested deeper, keys are not compared. */
const maxDepth = 100;

/**
 * The keys that may have other texts in one version of a file than in another.
 * @param signal stops it.
 * @returns undefined where this may be any key.
 * @throws the signal's reason.
 */
export async function differingKeys(
  before: StoredFile | undefined,
  after: StoredFile | undefined,
  signal?: AbortSignal,
): Promise<readonly string[] | undefined> {
  const keys: string[] = [];
  const compare = (old: unknown, now: unknown, path: string, depth: number): boolean => {
    if (old === now) return true;
    if (typeof old === "string" || typeof now === "string") keys.push(path);
    if (depth > maxDepth) return false;
    const [was, is] = [toMembers(old), toMembers(now)];
    return namesOf(was, is).every((name) =>
      compare(ownMember(was, name), ownMember(is, name), `${path}.${name}`, depth + 1),
    );
  };
  const [was, is] = [toMembers(before?.parse()), toMembers(after?.parse())];
  for (const name of namesOf(was, is)) {
    if (isStepDone()) await pause(signal);
    if (!compare(ownMember(was, name), ownMember(is, name), name, 1)) return undefined;
  }
  return keys;
}

/** The names of the members of both objects: the former ones, then the added ones. */
function namesOf(was: object, is: object): readonly string[] {
  const [former, present] = [Object.keys(was), Object.keys(is)];
  const isSame = former.length === present.length && former.every((name, i) => name === present[i]);
  return isSame ? former : [...former, ...present.filter((name) => !Object.hasOwn(was, name))];
}

const noMembers: object = {};

function toMembers(node: unknown): object {
  return typeof node === "object" && node !== null ? node : noMembers;
}

function ownMember(node: object, name: string): unknown {
  const member: unknown = Reflect.get(node, name);
  // No inherited member is a string, so most members are looked up once.
  return typeof member === "string" || Object.hasOwn(node, name) ? member : undefined;
}
