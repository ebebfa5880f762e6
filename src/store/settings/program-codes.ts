/**
 * Codes by which programs get tokens of persons, in one small file a kind for all servers of the storage: those of programs
 * that wait until a person answers, and those that a browser carries to a program once its person has.
 */
import { z } from "zod";
import { abilities } from "../../domain/access/token.ts";
import { isPersonId } from "../../domain/names.ts";
import type { Documents } from "../record/record.ts";
import { count, hash, textThat } from "../../domain/hives/stored-fields.ts";
import { VolatileFiles } from "./volatile-files.ts";

/** How long a program may wait for an answer. */
export const deviceLifetimeMs = 10 * 60 * 1000;

const request = z.object({
  /** SHA-256 of the code that the program keeps. */
  device: hash,
  /** The code that the person types: letters. */
  user: z.string(),
  /** The network that it comes from. */
  place: z.string(),
  /** The address of the client, and the name that it gave its machine. */
  client: z.string().optional(),
  name: z.string(),
  /** In milliseconds since 1970. */
  ends: count,
  person: textThat(isPersonId).optional(),
  isDenied: z.literal(true).optional(),
});

export type DeviceRequest = Readonly<z.infer<typeof request>>;

/** The requests that have not ended. What is in the file ends within minutes. */
export class DeviceCodes {
  readonly #files: VolatileFiles<"device-codes", readonly DeviceRequest[]>;

  /** @param now the time in milliseconds since 1970. */
  constructor(documents: Documents, now: () => number) {
    this.#files = new VolatileFiles(documents, {
      pathOf: (name) => `${name}.json`,
      schema: z.array(request).readonly(),
      empty: [],
      // What ends later was made by a clock that was wrong.
      living: (all) => all.filter(({ ends }) => ends > now() && ends <= now() + 2 * deviceLifetimeMs),
      toJson: (all) => all,
    });
  }

  read(): Promise<readonly DeviceRequest[]> {
    return this.#files.read("device-codes");
  }

  /** As {@link VolatileFiles.update}. */
  update(change: (before: readonly DeviceRequest[]) => readonly DeviceRequest[]): Promise<unknown> {
    return this.#files.update("device-codes", change);
  }
}

/** How long a program may take to come for its token. */
export const codeLifetimeMs = 60 * 1000;

const code = z.object({
  /** SHA-256 of the code. */
  code: hash,
  person: textThat(isPersonId),
  /** What the program calls itself. */
  name: z.string(),
  /** SHA-256 of the client's id. */
  client: hash,
  redirect: z.string(),
  /** SHA-256 of what the program keeps, in base64url. */
  challenge: z.string(),
  abilities: z.array(z.enum(abilities)).readonly(),
  /** In milliseconds since 1970. */
  ends: count,
});

export type AuthorizationCode = Readonly<z.infer<typeof code>>;

/** The codes that have not ended. What is in the file ends within a minute. */
export class AuthorizationCodes {
  readonly #files: VolatileFiles<"authorization-codes", readonly AuthorizationCode[]>;

  /** @param now the time in milliseconds since 1970. */
  constructor(documents: Documents, now: () => number) {
    this.#files = new VolatileFiles(documents, {
      pathOf: (name) => `${name}.json`,
      schema: z.array(code).readonly(),
      empty: [],
      // What ends later was made by a clock that was wrong.
      living: (all) => all.filter(({ ends }) => ends > now() && ends <= now() + 2 * codeLifetimeMs),
      toJson: (all) => all,
    });
  }

  /** As {@link VolatileFiles.update}. */
  update(
    change: (before: readonly AuthorizationCode[]) => readonly AuthorizationCode[],
  ): Promise<readonly AuthorizationCode[]> {
    return this.#files.update("authorization-codes", change);
  }

  /** Takes a code away. @param wanted SHA-256 of it. @returns undefined when there is none, or another request has taken it. */
  take(wanted: string): Promise<AuthorizationCode | undefined> {
    return this.#files.change("authorization-codes", (all) => {
      const taken = all.find(({ code: own }) => own === wanted);
      return [taken === undefined ? all : all.filter((other) => other !== taken), taken];
    });
  }
}
