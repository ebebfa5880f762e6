/** Programs that ask for a token of a person, until the person answers: one small file for all servers of the storage. */
import { join } from "node:path";
import { z } from "zod";
import { jsonOrUndefined } from "../../domain/json.ts";
import { isPersonId, type PersonId } from "../../domain/names.ts";
import type { DurableFs } from "../../disk/durable-fs.ts";
import type { Locks } from "../../disk/locks/lock.ts";
import { ParsedFile } from "../../disk/parsed-file.ts";
import { count, hash, textThat } from "./fields.ts";

/** How long a program may wait for an answer. */
export const deviceLifetimeMs = 10 * 60 * 1000;

export interface DeviceRequest {
  /** SHA-256 of the code that the program keeps. */
  readonly device: string;
  /** The code that the person types: letters. */
  readonly user: string;
  /** The network that it comes from. */
  readonly place: string;
  /** The address of the client, and the name that it gave its machine. */
  readonly client?: string;
  readonly name: string;
  /** In milliseconds since 1970. */
  readonly ends: number;
  /** Who allowed it. */
  readonly person?: PersonId;
  readonly isDenied?: true;
}

const requests: z.ZodType<readonly DeviceRequest[]> = z.array(
  z.object({
    device: hash,
    user: z.string(),
    place: z.string(),
    client: z.string().optional(),
    name: z.string(),
    ends: count,
    person: textThat(isPersonId).optional(),
    isDenied: z.literal(true).optional(),
  }),
);

/** A file that was damaged is as none: people ask again. */
function requestsIn(text: string): readonly DeviceRequest[] {
  return requests.safeParse(jsonOrUndefined(text)).data ?? [];
}

/** The file is no part of a backup: what is in it ends within minutes. */
export class DeviceCodes {
  readonly #fs: DurableFs;
  readonly #locks: Locks;
  readonly #path: string;
  readonly #file: ParsedFile<readonly DeviceRequest[]>;

  constructor(fs: DurableFs, locks: Locks, root: string) {
    this.#fs = fs;
    this.#locks = locks;
    this.#path = join(root, "device-codes.json");
    this.#file = new ParsedFile(fs.disk, this.#path, requestsIn);
  }

  /** The requests that have not ended. @param now in milliseconds since 1970. */
  read(now: number): readonly DeviceRequest[] {
    // What ends later was made by a clock that was wrong.
    return (this.#file.read() ?? []).filter(({ ends }) => ends > now && ends <= now + 2 * deviceLifetimeMs);
  }

  /**
   * Changes the requests; those that have ended leave.
   * @param change gives the requests after it; what it throws leaves them as they were.
   * @throws SkepError `disk-full`, `busy`.
   */
  change(now: number, change: (before: readonly DeviceRequest[]) => readonly DeviceRequest[]): Promise<void> {
    return this.#locks.hold("device-codes", async (lock) => {
      const after = change(this.read(now));
      await this.#fs.write(this.#path, `${JSON.stringify(after, null, 1)}\n`, lock);
    });
  }
}
