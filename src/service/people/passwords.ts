/** Passwords of persons, by Argon2id, which is loaded when it is first needed. */
import type * as Argon2Module from "@node-rs/argon2";
import type { Person } from "../../domain/access/person.ts";
import { invalid, SkepError } from "../../domain/errors.ts";
import { Semaphore } from "../../disk/semaphore.ts";

type Argon2 = typeof Argon2Module;

/** What OWASP recommends at least: 19 MiB, two passes, one lane. The library's usual algorithm is Argon2id. */
const cost: Argon2Module.Options = { memoryCost: 19_456, timeCost: 2, parallelism: 1 };
const shortest = 12;
const longest = 1024;

/** How many hashes are computed at once in this process, and how many more may wait. */
const hashing = new Semaphore(2);
const maxWaiting = 32;

/** @throws SkepError `busy` when too many wait. */
function bounded<T>(run: (argon2: Argon2) => Promise<T>): Promise<T> {
  if (hashing.waiting >= maxWaiting) {
    throw new SkepError("busy", "Too many people are signing in; try again soon.", { retryAfter: 2 });
  }
  return hashing.run(async () => run(await import("@node-rs/argon2")));
}

/** The same text, however a keyboard composes its characters. */
function normalized(password: string): string {
  return password.normalize("NFKC");
}

/**
 * The hash of a new password.
 * @throws SkepError `invalid` on `password` when it is too short, too long, or the person's name; `busy`.
 */
export async function hashPassword(
  { id, name, mail }: Pick<Person, "id" | "name" | "mail">,
  password: string,
): Promise<string> {
  const text = normalized(password);
  const length = Array.from(text).length;
  if (length < shortest) throw invalid("password", `must have at least ${shortest} characters`);
  if (length > longest) throw invalid("password", `must have at most ${longest} characters`);
  const isName = [id, name, mail].some((own) => own?.toLowerCase() === text.toLowerCase());
  if (isName) throw invalid("password", "must not be your name");
  return bounded(({ hash }) => hash(text, cost));
}

/** The hash of no password that anybody has, so that an unknown person takes as long as a wrong password. */
let nobodys: Promise<string> | undefined;

/**
 * Whether a password is the one that was hashed.
 * @param stored undefined where there is none: then the answer is no, and takes as long.
 * @throws SkepError `busy`.
 */
export async function isPassword(stored: string | undefined, password: string): Promise<boolean> {
  if (password.length > 2 * longest) return false;
  return bounded(async ({ hash, verify }) => {
    nobodys ??= hash("", cost);
    const isRight = await verify(stored ?? (await nobodys), normalized(password));
    return isRight && stored !== undefined;
  });
}
