/** Files that were uploaded, and wait in memory for somebody who looks at what they would change. */
import { randomBytes } from "node:crypto";
import { SkepError } from "../../domain/errors.ts";
import { moduleCache, WeakCache } from "../../module-caches.ts";
import type { Caller } from "../access.ts";
import type { StorageBase } from "../storage.ts";
import { ownerOf } from "../work/claims.ts";
import type { FileUpload } from "./import-upload.ts";
import type { UploadedFile } from "./read-upload.ts";

/** A file of terms. A sync also removes the terms that the file does not have. */
export interface TermUpload {
  readonly kind: "terms";
  readonly file: UploadedFile;
  readonly mode: "merge" | "sync";
}

export type WaitingUpload = FileUpload | TermUpload;

/** For how long a file waits. */
const waitMs = 15 * 60_000;
/** How many wait of one person or token; a further one ends the oldest. */
const maxOfOne = 4;
/** How many bytes wait of a team. */
const maxOfTeam = 64 * 1024 * 1024;

interface Waiting {
  readonly team: string;
  readonly owner: string;
  readonly until: number;
  readonly bytes: number;
  readonly upload: WaitingUpload;
}

class Uploads {
  readonly #waiting = new Map<string, Waiting>();
  readonly #now: () => number;

  /** @param now in milliseconds since 1970. */
  constructor(now: () => number) {
    this.#now = now;
  }

  /**
   * Keeps an upload.
   * @returns what names it.
   * @throws SkepError `busy` where too much of the team waits already.
   */
  put(caller: Caller, upload: WaitingUpload): string {
    this.#end();
    const team = caller.team.name;
    const owner = ownerOf(caller);
    const bytes = upload.file.bytes.byteLength;
    const own = [...this.#waiting].filter(([, one]) => one.owner === owner && one.team === team);
    for (const [id] of own.slice(0, Math.max(0, own.length - maxOfOne + 1))) this.#waiting.delete(id);
    const held = [...this.#waiting.values()].filter((one) => one.team === team);
    if (held.reduce((sum, one) => sum + one.bytes, bytes) > maxOfTeam) {
      const problem =
        "Too many files of the team wait for their previews; apply or leave some, or try again later.";
      throw new SkepError("busy", problem, { retryAfter: 60 });
    }
    const id = randomBytes(16).toString("base64url");
    this.#waiting.set(id, { team, owner, until: this.#now() + waitMs, bytes, upload });
    return id;
  }

  /** An upload of a caller; undefined where it waits no more, or is somebody else's. */
  get(caller: Caller, id: string): WaitingUpload | undefined {
    this.#end();
    const one = this.#waiting.get(id);
    return one?.owner === ownerOf(caller) && one.team === caller.team.name ? one.upload : undefined;
  }

  /** Ends an upload of a caller that was applied. */
  drop(caller: Caller, id: string): void {
    if (this.get(caller, id) !== undefined) this.#waiting.delete(id);
  }

  #end(): void {
    for (const [id, { until }] of this.#waiting) if (until <= this.#now()) this.#waiting.delete(id);
  }
}

const byStorage = moduleCache(new WeakCache<StorageBase, Uploads>());

/** The files that wait in this process. */
export function uploadsOf(storage: StorageBase): Uploads {
  const known = byStorage.get(storage) ?? new Uploads(storage.now);
  byStorage.set(storage, known);
  return known;
}
