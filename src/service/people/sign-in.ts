/** Persons sign in with what they chose when they were invited; passwords are stored as hashes. */
import { isActive, type Person, type SessionMethod } from "../../domain/access/person.ts";
import { failure, SkepError, invalid } from "../../domain/errors.ts";
import { isPersonId } from "../../domain/names.ts";
import { startPersonSession } from "../sessions.ts";
import { knownDevice, signIn, type SignedIn, type Visitor } from "../sign-in.ts";
import type { AccessStorage } from "../storage.ts";
import { findPerson } from "./people.ts";
import { moduleCache } from "../../module-caches.ts";
import type * as Argon2Module from "@node-rs/argon2";
import { onDemand, once } from "../../on-demand.ts";
import { Semaphore } from "../../disk/semaphore.ts";

export interface PersonVisitor {
  readonly visitor: Visitor;
  /** The `User-Agent` of the browser. */
  readonly browser: string;
}

/** Counts attempts at what cannot be an id. An unknown id has a count of its own, as a known one has. */
export const nobody = ":nobody";

/**
 * Signs a person in with their password.
 * @param id as it was typed.
 * @throws SkepError `unauthenticated`, the same for an unknown person and a wrong password; `too-many-attempts`; `busy`.
 */
export async function signInWithPassword(
  storage: AccessStorage,
  { id, password }: { readonly id: string; readonly password: string },
  from: PersonVisitor,
): Promise<SignedIn> {
  const person = await findPerson(storage, id);
  return signInPerson(
    storage,
    isPersonId(id) ? id : nobody,
    person,
    { ...from, method: "password" },
    async () => {
      const isRight = await isPassword(person?.password, password);
      if (!isRight || person === undefined || !isActive(person)) {
        throw failure("unauthenticated", "Unauthenticated.");
      }
      return person;
    },
  );
}

/** Signs a person in. @param verify checks what they present. @throws SkepError as {@link signIn}. */
export async function signInPerson(
  storage: AccessStorage,
  name: string,
  person: Person | undefined,
  { visitor, browser, method }: PersonVisitor & { readonly method: SessionMethod },
  verify: () => Promise<Person>,
): Promise<SignedIn> {
  const about = person && { team: person.team, person: person.id };
  const reasonOf = ({ publicCode }: SkepError): string =>
    publicCode === "invalid_token" ? `wrong_${method}` : publicCode;
  const attempt = { name, method, reasonOf, visitor, ...about };
  const { verified } = await signIn(storage, attempt, async () => {
    const checked = await verify();
    return { verified: checked, team: checked.team, by: { person: checked.id } };
  });
  const session = await startPersonSession(storage, verified, { method, browser });
  return { ...session, device: await knownDevice(storage, verified.id, visitor) };
}

type Argon2 = typeof Argon2Module;

/** What OWASP recommends at least: 19 MiB, two passes, one lane. The library's usual algorithm is Argon2id. */
const cost: Argon2Module.Options = { memoryCost: 19_456, timeCost: 2, parallelism: 1 };
const shortest = 12;
const longest = 1024;

const loadArgon2 = moduleCache(onDemand(() => import("@node-rs/argon2")));

/** How many hashes are computed at once in this process, and how many more may wait. */
const hashing = new Semaphore(2);
const maxWaiting = 32;

/** @throws SkepError `busy` when too many wait. */
function bounded<T>(run: (argon2: Argon2) => Promise<T>): Promise<T> {
  if (hashing.waiting >= maxWaiting) {
    throw new SkepError("busy", "Too many people are signing in; try again soon.", { retryAfter: 2 });
  }
  return hashing.run(async () => run(await loadArgon2()));
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
const nobodys = once(async () => (await loadArgon2()).hash("", cost));

/**
 * Whether a password is the one that was hashed.
 * @param stored undefined where there is none: then the answer is no, and takes as long.
 * @throws SkepError `busy`.
 */
export async function isPassword(stored: string | undefined, password: string): Promise<boolean> {
  if (password.length > 2 * longest) return false;
  return bounded(async ({ verify }) => {
    const isRight = await verify(stored ?? (await nobodys()), normalized(password));
    return isRight && stored !== undefined;
  });
}
