/** Programs that ask for a token of a person, until the person answers: one small file for all servers of the storage. */
import { z } from "zod";
import { jsonOrUndefined } from "../../domain/json.ts";
import { isPersonId } from "../../domain/names.ts";
import type { Documents } from "../record/record.ts";
import { count, hash, textThat } from "./fields.ts";

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

/** A file that was damaged is as none: people ask again. */
function requestsIn(text: string | undefined, now: number): readonly DeviceRequest[] {
  const { data = [] } = z.array(request).safeParse(text && jsonOrUndefined(text));
  // What ends later was made by a clock that was wrong.
  return data.filter(({ ends }) => ends > now && ends <= now + 2 * deviceLifetimeMs);
}

const path = "device-codes.json";

/** The file is no part of a backup: what is in it ends within minutes. */
export class DeviceCodes {
  readonly #documents: Documents;

  constructor(documents: Documents) {
    this.#documents = documents;
  }

  /** The requests that have not ended. @param now in milliseconds since 1970. */
  async read(now: number): Promise<readonly DeviceRequest[]> {
    return requestsIn(await this.#documents.read(path), now);
  }

  /**
   * Changes the requests; those that have ended leave.
   * @param change gives the requests after it; what it throws leaves them as they were.
   * @throws SkepError `disk-full`, `busy`.
   */
  change(now: number, change: (before: readonly DeviceRequest[]) => readonly DeviceRequest[]): Promise<void> {
    return this.#documents.change(path, async (before) => {
      const after = change(requestsIn(before, now));
      return [`${JSON.stringify(after, null, 1)}\n`, undefined];
    });
  }
}
