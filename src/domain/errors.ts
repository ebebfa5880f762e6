/**
 * The class of all expected errors. Its code is the kind of error, its data what a response to that kind needs. The outer
 * layers choose HTTP statuses and exit codes.
 */
import type { Oid } from "./oid.ts";

/** One fault of an input: its field, and a sentence that names the place. */
export interface Issue {
  readonly field: string;
  readonly message: string;
}

/**
 * Why both sides' changes of a key cannot be had:
 * - `text`: both changed the text, differently;
 * - `deleted`: one changed what the other deleted;
 * - `confirmed`: one changed a translation that the other confirmed as still right;
 * - `path`: the other side's new key cannot stand beside a file or a key of this side;
 * - `moved`: one moved a string that the other moved elsewhere or deleted, or to whose new place it put another;
 * - `note`: both changed the same member of the team's note, differently.
 */
export const conflictReasons = ["text", "deleted", "confirmed", "path", "moved", "note"] as const;
export type ConflictReason = (typeof conflictReasons)[number];

/** A text that is not what a change takes for granted. */
export interface ConflictingText {
  /** Of a merge: the source text of a translation, if it has one. */
  readonly source?: string;
  readonly locale: string;
  readonly file: string;
  readonly key: string;
  /** Of a merge, what kind of conflict it is. */
  readonly reason?: ConflictReason;
  /** Of a merge, for callers who may read: the texts before both sides changed them, of main and of the branch. */
  readonly base?: string | null;
  readonly main?: string | null;
  readonly branch?: string | null;
  /** Of a merge: the file or the key beside which the text cannot stand. */
  readonly in_the_way?: string;
  /** Of a note, its member. */
  readonly member?: string;
}

/** A key under the file name that a caller gave. */
export interface SentKey {
  readonly file: string;
  readonly key: string;
}

export interface TextFault {
  /** The code that the Hive shows for the locale. */
  readonly locale: string;
  readonly file: string;
  readonly key: string;
  readonly form?: string;
  readonly check: string;
  readonly severity: "error" | "warning" | "hint";
  readonly message: string;
  readonly found?: string;
  readonly expected?: string;
  readonly range?: readonly [start: number, end: number];
}

export interface QuotaExcess {
  readonly details: string;
  readonly limit: number;
  readonly used: number;
  readonly requested: number;
}

export interface ErrorData {
  /** The body or the URL cannot be read at all. */
  malformed: undefined;
  unauthenticated: undefined;
  forbidden: undefined;
  "not-found": undefined;
  /** Something that was there, and is not any more. */
  gone: undefined;
  "method-not-allowed": { readonly allow: readonly string[] };
  /** The response has a media type that the caller does not accept. */
  "not-acceptable": undefined;
  conflict: undefined;
  /** HEAD is not at the commit that the caller expects, but at `commit`. */
  "precondition-failed": { readonly commit: Oid };
  /** The same request was done before, by a commit with these counts. */
  "done-before": { readonly commit: Oid; readonly counts: ReadonlyMap<string, number> };
  /** Texts are not what a change takes for granted; `total` counts those beyond the listed. */
  "text-conflict": { readonly conflicts: readonly ConflictingText[]; readonly total: number };
  /** Checks found errors in texts that a write adds or changes; `total` counts those beyond the listed. */
  "check-failed": { readonly findings: readonly TextFault[]; readonly total: number };
  "too-large": undefined;
  "unsupported-media-type": undefined;
  /** The input was understood and is wrong; `total` includes issues that are not listed. */
  invalid: { readonly issues: readonly Issue[]; readonly total: number };
  /**
   * Keys of a translation import that are to match source strings and do not; `total` counts those beyond the listed.
   */
  "unknown-keys": { readonly keys: readonly SentKey[]; readonly total: number };
  /** The message may be one that programs match; the data tells programs and people what it means here. */
  quota: QuotaExcess | undefined;
  /** A lock was not obtained in time. `retryAfter` is in seconds. */
  busy: { readonly retryAfter: number };
  /** Too many attempts to sign in failed, or too many changes of rights were made. `retryAfter` is in seconds. */
  "too-many-attempts": { readonly retryAfter: number };
  /** A lock was taken over by another process while it was held; nothing was written. */
  "lock-lost": { readonly name: string };
  /** The branch moved between reading it and writing to it; nothing was written. */
  "head-moved": undefined;
  /** The content at HEAD, or a settings file, cannot be read. */
  "content-invalid": undefined;
  "disk-full": undefined;
  /** The folder is no longer a storage, for example because its disk was unmounted, or it cannot be written to. */
  "storage-missing": undefined;
  /** The database that is the record does not answer, or its answer is unknown. `retryAfter` is in seconds. */
  /** `said` is why, for callers too; undefined where the database says nothing. */
  "record-unavailable": { readonly retryAfter: number; readonly problem?: string };
  /** The machine lacks a program that this needs. */
  "not-implemented": undefined;
  /** An engine that translates does not answer, or not as it should. */
  "engine-failed": undefined;
}

export type ErrorCode = keyof ErrorData;

/**
 * What programs are told of each code, in stable words: first the word for any error of the code, then those that an
 * error may carry instead, where callers have reason to tell cases apart.
 */
export const publicCodes = {
  malformed: [
    "malformed_request",
    "invalid_json",
    "authorization_pending",
    "slow_down",
    "access_denied",
    "expired_code",
  ],
  unauthenticated: ["invalid_token", "missing_token", "expired_token", "sign_in_needed"],
  forbidden: [
    "forbidden",
    "missing_ability",
    "no_hive_access",
    "limited_token",
    "own_text",
    "push_refused",
    "no_person",
    "engines_off",
  ],
  "not-found": [
    "not_found",
    "unknown_hive",
    "unknown_commit",
    "unknown_file",
    "unknown_token",
    "unknown_person",
    "unknown_session",
    "unknown_deleted_hive",
    "unknown_branch",
    "unknown_channel",
    "unknown_picture",
    "unknown_term",
    "unknown_claim",
    "unknown_comment",
    "unknown_engine",
    "unknown_job",
  ],
  gone: ["gone"],
  "method-not-allowed": ["method_not_allowed"],
  "not-acceptable": ["not_acceptable"],
  conflict: [
    "conflict",
    "person_exists",
    "tag_exists",
    "branch_exists",
    "channel_exists",
    "engine_exists",
    "slug_taken",
    "request_under_way",
  ],
  "precondition-failed": ["precondition_failed"],
  "done-before": ["internal_error"],
  "text-conflict": ["undo_conflict", "base_conflict", "expected_conflict", "merge_conflict"],
  "check-failed": ["check_failed"],
  "too-large": ["body_too_large", "too_many_values"],
  "unsupported-media-type": ["unsupported_media_type"],
  invalid: [
    "invalid_request",
    "unknown_parameter",
    "unknown_locale",
    "unknown_revision",
    "unknown_branch",
    "unknown_engine",
    "too_many_deletions",
    "idempotency_key_reused",
  ],
  "unknown-keys": ["unknown_keys"],
  quota: ["quota_exceeded", "limit_reached"],
  busy: ["busy", "not_ready", "read_only", "lagging"],
  "too-many-attempts": ["too_many_attempts", "too_many_changes"],
  "lock-lost": ["internal_error"],
  "head-moved": ["internal_error"],
  "content-invalid": ["content_invalid"],
  "disk-full": ["disk_full"],
  "storage-missing": ["storage_missing", "not_ready"],
  "record-unavailable": ["record_unavailable"],
  "not-implemented": ["not_implemented"],
  "engine-failed": ["engine_failed"],
} as const satisfies Record<ErrorCode, readonly [string, ...string[]]>;

export type PublicCode<C extends ErrorCode = ErrorCode> = (typeof publicCodes)[C][number];

export interface FaultOptions<C extends ErrorCode> extends ErrorOptions {
  /** The code's first one if not given. */
  readonly publicCode?: PublicCode<C>;
}

export class SkepError<C extends ErrorCode = ErrorCode> extends Error {
  override readonly name = "SkepError";
  readonly code: C;
  readonly publicCode: PublicCode;
  readonly data: ErrorData[C];

  constructor(code: C, message: string, data: ErrorData[C], options: FaultOptions<C> = {}) {
    super(message, options);
    this.code = code;
    this.publicCode = options.publicCode ?? publicCodes[code][0];
    this.data = data;
  }
}

type CodeWithoutData = { [C in ErrorCode]: undefined extends ErrorData[C] ? C : never }[ErrorCode];

/** Makes an error of a code that carries no data. */
export function failure<C extends CodeWithoutData>(
  code: C,
  message: string,
  options?: FaultOptions<C>,
): SkepError {
  return new SkepError<CodeWithoutData>(code, message, undefined, options);
}

export function isSkepError(error: unknown): error is SkepError {
  return error instanceof SkepError;
}

/** Whether an error is a SkepError of a code, whose data it then has. */
export function isFailure<C extends ErrorCode>(error: unknown, code: C): error is SkepError<C> {
  return error instanceof SkepError && error.code === code;
}

/**
 * The result, or what stands for an error that is expected.
 * @param codes of the expected errors; `any` for those of all codes.
 * @throws every other error.
 */
export async function unlessFailed<T, U>(
  result: Promise<T>,
  codes: readonly ErrorCode[] | "any",
  instead: (error: SkepError) => U,
): Promise<T | U> {
  try {
    return await result;
  } catch (error) {
    if (isSkepError(error) && (codes === "any" || codes.includes(error.code))) return instead(error);
    throw error;
  }
}

/** The result, or undefined for what cannot be read: it must not hold up what comes after it. */
export function unlessInvalid<T>(result: Promise<T>): Promise<T | undefined> {
  return unlessFailed(result, ["content-invalid"], () => undefined);
}

/** The message of something thrown. */
export function messageOf(thrown: unknown): string {
  return thrown instanceof Error ? thrown.message : String(thrown);
}

/** Makes the error for a single wrong input. `problem` follows the field: `page: must be a positive integer`. */
export function invalid(
  field: string,
  problem: string,
  options?: FaultOptions<"invalid">,
): SkepError<"invalid"> {
  const message = `${field}: ${problem}`;
  return new SkepError("invalid", message, { issues: [{ field, message }], total: 1 }, options);
}

const maxNamedFields = 20;

/** Collects the faults of an input, so that a caller sees more than the first, but never millions. */
export class Issues {
  static readonly limit = 50;
  readonly #issues: Issue[] = [];
  #total = 0;

  /** Adds a fault. Beyond the limit, faults are only counted, and their messages are not made. */
  add(field: string, problem: string | (() => string)): void {
    this.#total++;
    if (this.#issues.length >= Issues.limit) return;
    const text = typeof problem === "string" ? problem : problem();
    this.#issues.push({ field, message: `${field}: ${text}` });
  }

  get isEmpty(): boolean {
    return this.count === 0;
  }

  get count(): number {
    return this.#total;
  }

  /** Whether some fault is told with these words. */
  says(words: string): boolean {
    return this.#issues.some(({ message }) => message.includes(words));
  }

  /**
   * @param advice how to avoid the faults.
   * @param publicCode for when they are all of one kind.
   * @throws SkepError `invalid` when anything was noted; its message is the first fault, the number of others and the
   * fields of the first of these, since some clients show nothing else.
   */
  throwIfAny(advice?: string, publicCode?: PublicCode<"invalid">): void {
    const [first] = this.#issues;
    if (first === undefined) return;
    const fields = new Set(this.#issues.map(({ field }) => field));
    fields.delete(first.field);
    const others = [...fields].slice(0, maxNamedFields - 1).join(", ");
    const more = this.#total > 1 ? ` (and ${this.#total - 1} more)` : "";
    const message = `${first.message}${more}${others && `: ${others}`}${advice === undefined ? "" : `; ${advice}`}`;
    throw new SkepError("invalid", message, { issues: this.#issues, total: this.#total }, { publicCode });
  }
}
