/** The errors that requests end with, in the words of the command line. */
import { jsonOrUndefined } from "../../domain/json.ts";
import { isRecord } from "../../domain/record.ts";
import { excerpt, toOneLine } from "../../domain/text.ts";
import { ClientError, type ClientErrorKind } from "./client-error.ts";
import { errorBody } from "./schemas.ts";
import type { HttpResponse } from "./transport.ts";

export interface Failure {
  readonly error: ClientError;
  /** How long to wait at least before the request is sent again; undefined where that would not help. */
  readonly retryAfterMs?: number;
  /** Whether the server may have done what was asked, although its answer is missing. */
  readonly mayBeDone: boolean;
}

/** How OpenSSL says that the answer is no TLS. */
const plainAnswer =
  /WRONG_VERSION_NUMBER|PACKET_LENGTH_TOO_LONG|HTTP_REQUEST|wrong version number|packet length too long/;
/** Codes of errors of connections that were never there: nothing was sent. */
const unsentCodes = new Set([
  "EAI_AGAIN",
  "ECONNREFUSED",
  "EHOSTUNREACH",
  "ENETUNREACH",
  "ENOTFOUND",
  "UND_ERR_CONNECT_TIMEOUT",
]);
/** Codes of errors about certificates, for which a retry is useless. */
const certificateCode = /CERT|SIGNATURE|ALTNAME|^ERR_(?:TLS|SSL)_/;

/** The failure of a request that got no complete response. */
export function networkFailure(server: string, thrown: unknown, timeoutMs: number): Failure {
  const isTimeout = thrown instanceof Error && thrown.name === "TimeoutError";
  if (isTimeout) {
    const error = unavailable(`${server} did not answer within ${timeoutMs / 1000} s.`, thrown);
    return { error, retryAfterMs: 0, mayBeDone: true };
  }
  const { cause = thrown } = thrown instanceof Error ? thrown : {};
  const code = cause instanceof Error && "code" in cause ? String(cause.code) : "";
  const why = (cause instanceof Error && cause.message !== "" ? cause.message : code) || String(cause);
  if (plainAnswer.test(`${code} ${why}`)) {
    const problem =
      "answers http, not https: give http://… as the server's URL, or let the server have https.";
    return { error: unavailable(`${server} ${problem}`, thrown), mayBeDone: false };
  }
  const message = `${server} could not be reached, or its answer was cut off: ${excerpt(why)}.`;
  if (!certificateCode.test(code)) {
    const mayBeDone = !unsentCodes.has(code);
    return { error: unavailable(message, thrown), retryAfterMs: 0, mayBeDone };
  }
  const hint = "NODE_EXTRA_CA_CERTS names the file of a private certificate authority.";
  return { error: unavailable(`${message} ${hint}`, thrown), mayBeDone: false };
}

function unavailable(message: string, cause: unknown): ClientError {
  return new ClientError("unavailable", message, { cause });
}

const kinds: Readonly<Record<number, ClientErrorKind>> = {
  401: "denied",
  403: "denied",
  404: "denied",
  408: "unavailable",
  409: "conflict",
  412: "conflict",
  429: "unavailable",
  502: "unavailable",
  503: "unavailable",
  504: "unavailable",
};

/** Kinds of codes that mean something else than their status usually does. */
const kindsOfCodes: ReadonlyMap<string, ClientErrorKind> = new Map([
  // The server was reached. Until somebody mends what is stored, the same command fails.
  ["content_invalid", "error"],
]);

/** The error for an answer that is none of Skep's. */
export function notSkep(kind: ClientErrorKind, server: string, status: number): ClientError {
  return new ClientError(kind, `${server} answered ${status}, but not as Skep does: is it the server's URL?`);
}

/** The error that a response of the server means. */
export function responseError(
  { server, path }: { readonly server: string; readonly path: string },
  { status, headers }: HttpResponse,
  text: string,
): ClientError {
  const kind = kinds[status] ?? "error";
  if (status >= 300 && status < 400) {
    const target = excerpt(headers.get("location") ?? "elsewhere");
    const problem = `${server} redirects to ${target}; give the URL that it leads to as the server's.`;
    return new ClientError("error", problem);
  }
  const sent = jsonOrUndefined(text);
  const { success, data } = errorBody.safeParse(sent);
  if (!success) return notSkep(kind, server, status);
  const { message, details, code = "", conflicts: keys, total } = data;
  const own = messages.get(code)?.({ server, path, message });
  const explanation = own ?? toOneLine(details === undefined ? message : `${message} ${details}`, 4_000);
  const conflicts = keys && { keys, total: total ?? keys.length };
  return new ClientError(kindsOfCodes.get(code) ?? kind, explanation, {
    code: data.code,
    status,
    conflicts,
    ...(isRecord(sent) && { sent }),
  });
}

interface Refusal {
  readonly server: string;
  readonly path: string;
  readonly message: string;
}

/** How the server begins to say that no address of its API is this one, in distinction to a thing that is not there. */
const unknownAddress = "There is nothing at this address.";

/** Messages for codes of the server whose own message speaks of HTTP. */
const messages = new Map<string, (refusal: Refusal) => string>(
  Object.entries({
    check_failed: ({ path, message }) =>
      `The Hive ${slugIn(path)} refuses what would break the app: ${message}. skep check lists all in the files here.`,
    unknown_hive: ({ server, path }: Refusal) =>
      `${server} has no Hive ${slugIn(path)} that this token can use. Correct its name in skep.yaml or --hive, take a token that may use it, or create it with skep hive create or skep push --create.`,
    not_found: ({ server, path, message }: Refusal) => {
      if (!message.startsWith(unknownAddress)) return toOneLine(message, 1_000);
      return server.endsWith("/api")
        ? `${server} is not the address of a Skep server: leave out /api at its end.`
        : olderServer({ server, path });
    },
    method_not_allowed: olderServer,
    unknown_parameter: ({ server, path, message }: Refusal) =>
      `${toOneLine(message, 1_000)} ${olderServer({ server, path })}`,
    invalid_token: ({ server }: Refusal) =>
      `${server} does not know the token, or it was revoked. The token is taken from --token-file, SKEP_TOKEN or skep login.`,
    missing_ability: ({ message }: Refusal) => `${message} Take a token that has it.`,
    merge_conflict: ({ message }: Refusal) =>
      `${toOneLine(message, 4_000)}. Change one of the texts, or choose a side with --on-conflict main or --on-conflict branch.`,
    expired_token: () =>
      "The token has expired: sign in with skep login, or take a new one, in SKEP_TOKEN or --token-file.",
    too_many_deletions: ({ message }: Refusal) =>
      toOneLine(message, 1_000)
        .replace(/^max_deletions: /, "--max-deletions: ")
        .replace(/send max_deletions=/, "give --max-deletions "),
  }),
);

/** The Hive that a request is about. */
function slugIn(path: string): string {
  return decodeURIComponent(path.split("/")[3] ?? "");
}

function olderServer({ server, path }: Pick<Refusal, "server" | "path">): string {
  return `${server} does not know this request of the client (${path}): it may be older than this skep.`;
}
