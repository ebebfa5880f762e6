/** Programs that ask for a token of a person, until the person answers: one small file for all servers of the storage. */
import { z } from "zod";
import { isPersonId } from "../../domain/names.ts";
import type { Documents } from "../record/record.ts";
import { count, hash, textThat } from "./fields.ts";
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
