/** Every value that the `code` of an error can have, and when it is answered. */
import { publicCodes } from "../../domain/errors.ts";

/** The codes of requests that Node refuses before the application sees them, by status. */
export const transportCodes = {
  400: "malformed_request",
  408: "request_timeout",
  417: "expectation_failed",
  431: "headers_too_large",
} as const;

export const internalCode = "internal_error";

export const errorCodes = [
  ...new Set([...Object.values(publicCodes).flat(), ...Object.values(transportCodes), internalCode] as const),
];

/** A value that the `code` of an error can have. */
type AnyCode = (typeof errorCodes)[number];

/** When each code is answered, for the OpenAPI document and docs/errors.md; in the order of their statuses. */
export const errorMeanings: Readonly<Record<AnyCode, string>> = {
  malformed_request: "The request is not valid HTTP, its URL cannot be read, or its body ended early",
  invalid_json: "The body is not JSON, or not UTF-8",
  authorization_pending: "The person has not allowed or refused the program yet; ask again",
  slow_down: "The program asks for its token more often than every `interval` seconds",
  access_denied: "The person refused the program",
  expired_code: "The code of a program has ended, was used, or was never given",
  missing_token: "The request has no token; a proxy may have dropped the `Authorization` header",
  invalid_token: "The token is unknown or was revoked",
  expired_token: "The token has expired",
  sign_in_needed: "The person of the token has not signed in at the identity provider for 30 days",
  missing_ability: "The token lacks the ability that the request needs",
  no_hive_access: "The token has write access to no such Hive",
  limited_token: "This needs a token for all Hives, without an end, or without a limit on locales or checks",
  own_text: "The locale needs two people, and the caller wrote the text that they would approve",
  no_person: "The token belongs to no person: only persons have tokens and sessions of their own",
  engines_off: "The Hive's texts are not sent to engines",
  push_refused: "The Hive or the server accepts no `git push`",
  forbidden: "The old (dumb) HTTP protocol of git is not supported",
  not_found: "Nothing has this address",
  unknown_hive: "The token has access to no such Hive",
  unknown_commit: "There is no such commit",
  unknown_file: "The Hive has no such file",
  unknown_token: "There is no such token, or the caller's token may not see it",
  unknown_person: "There is no such person whom the caller may manage",
  unknown_session: "The person of the token has no such session",
  unknown_deleted_hive: "The trash has no such Hive",
  unknown_channel: "The Hive has no such channel",
  unknown_picture: "The Hive has no such picture",
  unknown_term: "The glossary of the Hive has no such term",
  unknown_comment: "The Hive has no such comment",
  unknown_engine: "The team has no such engine",
  unknown_job: "The Hive has no such job of an engine",
  unknown_claim: "There is no such claim on strings: it has ended, or is another token's",
  unknown_branch: "The Hive has no such branch: 422 for a write with `?branch=`",
  method_not_allowed: "The address does not support the method; `Allow` lists the methods that it supports",
  not_acceptable: "`Accept` does not allow a stream of events",
  request_timeout: "The client sent the request too slowly",
  gone: "The link was already used, or has expired",
  branch_exists: "A branch has that name, or a name that cannot stand beside it",
  channel_exists: "A channel of the Hive has that name",
  engine_exists: "An engine of the team has that name",
  tag_exists: "A tag has that name",
  slug_taken: "A Hive has that slug",
  person_exists: "Somebody in the storage has that id, or had it",
  request_under_way: "A request with the same `Idempotency-Key` is being processed",
  base_conflict: "Strings have been changed differently since the base of a sync",
  expected_conflict: "Translations differ from the request's `expected`",
  merge_conflict: "`main` and the branch changed keys differently",
  undo_conflict: "Texts were changed after the commit that the request undoes",
  conflict: "Something else that exists is in the way, such as a tag `v1` for a tag `v1/x`",
  precondition_failed: "HEAD is not at the commit of `If-Match`, but at `commit`",
  body_too_large: "The body is larger than `--body-limit`",
  too_many_values:
    "The body holds more values than `--body-values`, or is a form with more than 20,000 fields",
  unsupported_media_type: "The body is not `application/json` in UTF-8, or is compressed",
  expectation_failed: "The request's `Expect` is not supported",
  invalid_request: "Something in the request is wrong; see `errors`",
  unknown_parameter: "The query parameter does not exist here",
  unknown_locale: "The Hive does not have that locale",
  unknown_revision: "No commit or tag has that name",
  unknown_keys: "With `?strict=true`: keys match no source string; see `unknown_keys`",
  check_failed: "Checks found errors in texts, and the Hive refuses these; see `findings`",
  too_many_deletions: "The request would delete more source strings than `max_deletions` allows",
  idempotency_key_reused: "The `Idempotency-Key` was used for a request with another body",
  quota_exceeded: "The team would have more source strings than it may",
  limit_reached: "The limit on tokens, Hives, deleted Hives, tags, branches, channels or claims is reached",
  too_many_attempts: "Too many attempts to sign in failed; `Retry-After` says when to try again",
  too_many_changes:
    "Too many tokens, persons, mirrors, webhooks or comments were made or changed; `Retry-After` says when to try again",
  headers_too_large: "The headers are larger than 64 KiB",
  internal_error: "A fault of Skep or of the disk; the log has the details under `request_id`",
  not_implemented:
    "The server lacks what this needs: git to clone and push, `--public-url` to sign in by code",
  engine_failed: "An engine that translates does not answer, or not as it should",
  busy: "The server is overloaded; try again after `Retry-After` seconds",
  lagging: "The commit that `min_commit` names has not arrived here within 5 s",
  not_ready: "The storage cannot be written to; see `/readyz`",
  read_only: "The storage is being moved into a database, or was",
  content_invalid: "The stored content is invalid, because something other than Skep changed it",
  storage_missing: "The storage does not exist, for example because its disk is not mounted",
  record_unavailable:
    "The database does not answer, or says why not; a write may have been made; `Retry-After`",
  disk_full: "The disk of the server or of its database is full; nothing was written",
};
