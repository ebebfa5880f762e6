/** The errors of commands for an app's repository, and the exit code of each kind. */

import { messageOf } from "../../domain/errors.ts";
import type { ConflictingKey } from "./schemas.ts";

/** The exit code of each kind of error; 0 is done. */
export const exitCodes = {
  /** Anything that no other kind is for. */
  error: 1,
  /** Arguments or `skep.yaml` cannot be used. */
  misuse: 2,
  /** A required condition does not hold, such as `--strict`. */
  gate: 3,
  /** The state on the server is not the one that the request expects (409, 412). */
  conflict: 4,
  /** The token is invalid or not allowed to do this, or a Hive, branch or locale does not exist (401, 403, 404). */
  denied: 5,
  /** The server cannot be reached or asks to wait: the same command may succeed later. */
  unavailable: 6,
} as const;

export type ClientErrorKind = keyof typeof exitCodes;

/** What each exit code means, as the help of every client command shows it. */
export const exitCodesHelp = `
Exit codes:
  0  done
  1  error
  2  arguments or skep.yaml cannot be used
  3  a required condition is not met, such as that of --strict
  4  conflict with what is on the server
  5  not allowed, or no such Hive
  6  the server cannot be reached, or is busy: try again`;

/** A place in a file of the app's tree. Lines and columns are counted from 1. */
export interface FilePosition {
  /** The file's path on the disk. */
  readonly file: string;
  readonly line?: number;
  readonly column?: number;
}

/** Where a command works. */
export type Place = { readonly server: string } | { readonly storage: string };

export interface Conflicts {
  /** The first of them. */
  readonly keys: readonly ConflictingKey[];
  readonly total: number;
}

/** An error that is reported in one line, and ends the command with the exit code of its kind. */
export class ClientError extends Error {
  override readonly name = "ClientError";
  readonly kind: ClientErrorKind;
  /** Where the fault is, if it is in a file. */
  readonly position: FilePosition | undefined;
  /** The server's code for the error, such as `quota_exceeded`. */
  readonly code: string | undefined;
  /** The status of the server's response, if there was one. */
  readonly status: number | undefined;
  /** The keys that made a conflict, as the server lists them. */
  readonly conflicts: Conflicts | undefined;
  /** The error as the server sent it; undefined for one that it did not send. */
  readonly sent: Readonly<Record<string, unknown>> | undefined;
  /** The server or the storage that the command worked on, where it could have been either. */
  readonly place: Place | undefined;

  constructor(
    kind: ClientErrorKind,
    message: string,
    options: ErrorOptions & {
      readonly position?: FilePosition;
      readonly code?: string;
      readonly status?: number;
      readonly conflicts?: Conflicts;
      readonly sent?: Readonly<Record<string, unknown>>;
      readonly place?: Place;
    } = {},
  ) {
    super(message, options);
    this.kind = kind;
    this.position = options.position;
    this.code = options.code;
    this.status = options.status;
    this.conflicts = options.conflicts;
    this.sent = options.sent;
    this.place = options.place;
  }
}

/** Makes the error for a file that cannot be read. */
export function unreadable(kind: ClientErrorKind, file: string, cause: unknown): ClientError {
  return fileError(kind, { file }, `cannot be read: ${messageOf(cause)}`, { cause });
}

/** Makes the error for something wrong in a file; its message begins with the place. */
export function fileError(
  kind: ClientErrorKind,
  position: FilePosition,
  problem: string,
  options?: ErrorOptions,
): ClientError {
  const { file, line, column } = position;
  const place = [file, line, line === undefined ? undefined : column].filter((part) => part !== undefined);
  return new ClientError(kind, `${place.join(":")}: ${problem}`, { ...options, position });
}
