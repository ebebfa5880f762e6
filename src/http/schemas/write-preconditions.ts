/**
 * The options of writes: headers that every write takes, and query parameters of some.
 */
import { invalid } from "../../domain/errors.ts";
import { isOid, type Oid } from "../../domain/names.ts";

/**
 * The commit of an `If-Match` header, if there is one.
 * @throws SkepError `invalid` on `If-Match` for anything but one quoted commit.
 */
export function expectedHead(headers: Headers): Oid | undefined {
  const value = headers.get("if-match");
  if (value === null) return undefined;
  const [, commit = ""] = /^"([^"]*)"$/.exec(value.trim()) ?? [];
  if (isOid(commit)) return commit;
  throw invalid("If-Match", 'must be one commit as X-Skep-Commit gives it, in quotes: "<40 hex digits>"');
}

export const idempotencyKeyPattern = /^[!-~]{1,255}$/;

/** The key of an `Idempotency-Key` header, if there is one. @throws SkepError `invalid` on `Idempotency-Key`. */
export function idempotencyKey(headers: Headers): string | undefined {
  const key = headers.get("idempotency-key");
  if (key === null || idempotencyKeyPattern.test(key)) return key ?? undefined;
  throw invalid("Idempotency-Key", "must be 1 to 255 visible ASCII characters, without spaces");
}

/**
 * Refuses preconditions on writes that do not check them, since ignoring one could do harm.
 * @throws SkepError `invalid` on the header.
 */
export function refusePreconditions(headers: Headers): void {
  for (const name of ["If-Match", "Idempotency-Key"]) {
    if (headers.has(name)) throw invalid(name, "cannot be used here");
  }
}
