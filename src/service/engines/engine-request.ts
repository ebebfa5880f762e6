/** Asks engines over HTTP: bounded, with deadlines, and with errors that never show the key. */
import { isRecord } from "../../domain/record.ts";
import { jsonOrUndefined } from "../../domain/json.ts";
import { toOneLine } from "../../domain/text.ts";
import type { EngineFault } from "../../domain/engines/engine-use.ts";
import { sendingError, type OutgoingAnswer, type SendOutgoing } from "../outgoing-request.ts";
import { withTimeout } from "../../deadline.ts";

/** How much of an answer is read. */
const maxAnswerBytes = 2 * 1024 * 1024;
/** How much of what an engine says of a fault is shown. */
const maxQuoted = 200;

/** An engine did not answer as it should. */
export class EngineFailure extends Error {
  readonly fault: EngineFault;
  /** Of an HTTP answer. */
  readonly status: number | undefined;

  constructor(fault: EngineFault, status?: number) {
    super(fault.error);
    this.fault = fault;
    this.status = status;
  }
}

/** What a request to an engine has. */
export interface EnginePost {
  readonly url: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Sent as JSON, or as a form where it is URLSearchParams. */
  readonly body: object;
  readonly signal: AbortSignal;
  readonly timeoutMs: number;
  /** Never shown. */
  readonly key: string | undefined;
}

/** The address of a request below that of an engine. */
export function below(url: string, path: string): string {
  return `${url.replace(/\/+$/, "")}/${path}`;
}

/**
 * Sends a request.
 * @returns the JSON of an answer with a status of success.
 * @throws EngineFailure for any other, and where there is none; the reason of the signal where that was aborted.
 */
export async function postToEngine(
  send: SendOutgoing,
  { url, headers, body, signal, timeoutMs, key }: EnginePost,
): Promise<unknown> {
  const isForm = body instanceof URLSearchParams;
  const timed = withTimeout(signal, timeoutMs);
  let answer: OutgoingAnswer;
  try {
    answer = await send({
      url,
      headers: {
        accept: "application/json",
        "content-type": isForm ? "application/x-www-form-urlencoded" : "application/json",
        ...headers,
      },
      body: isForm ? body.toString() : JSON.stringify(body),
      signal: timed,
      maxBytes: maxAnswerBytes,
    });
  } catch (error) {
    signal.throwIfAborted();
    throw new EngineFailure({
      kind: "down",
      error: timed.aborted ? "it took too long" : sendingError(error),
    });
  }
  signal.throwIfAborted();
  const text = answer.body.toString("utf8");
  const { status } = answer;
  if (status < 200 || status >= 300) throw failureOf(answer, text, key);
  if (!answer.isWhole)
    throw new EngineFailure({ kind: "down", error: "its answer broke off, or is longer than 2 MiB" }, status);
  const json = jsonOrUndefined(text);
  if (json === undefined) throw new EngineFailure({ kind: "down", error: "its answer is not JSON" }, status);
  return json;
}

function failureOf(
  { status, headers }: OutgoingAnswer,
  text: string,
  key: string | undefined,
): EngineFailure {
  const redirect = status >= 300 && status < 400 ? "; redirects are not followed" : "";
  const said = saidBy(jsonOrUndefined(text));
  const quoted = said === undefined ? "" : `: ${toOneLine(withoutKey(said, key), maxQuoted)}`;
  const error = `it answered with ${status}${redirect}${quoted}`;
  // DeepL says so of its quota, and OpenAI of an account without money.
  const isSpent = status === 456 || status === 402 || (said?.includes("insufficient_quota") ?? false);
  const isAccess = status === 401 || status === 403;
  const kind = isSpent ? "spent" : isAccess ? "access" : "down";
  return new EngineFailure({ kind, error, retryAfterMs: retryAfterOf(headers["retry-after"]) }, status);
}

/** What an answer says of a fault, in the members where the protocols have it. */
function saidBy(json: unknown): string | undefined {
  if (!isRecord(json)) return undefined;
  const { error, message, explanation, detail } = json;
  const inner = isRecord(error) ? [error["code"], error["message"]] : [error];
  const all = [...inner, message, explanation, detail].filter((one) => typeof one === "string" && one !== "");
  return all.length === 0 ? undefined : all.join(", ");
}

function withoutKey(text: string, key: string | undefined): string {
  const whole = key === undefined || key === "" ? text : text.replaceAll(key, "…");
  // OpenAI quotes a part of a wrong key.
  return whole.replaceAll(/\b(?:sk|key)-[\w*-]{4,}/g, "…");
}

/** @returns milliseconds; undefined for what is not a number of seconds. */
function retryAfterOf(value: unknown): number | undefined {
  return typeof value === "string" && /^\d{1,6}$/.test(value) ? Number(value) * 1_000 : undefined;
}
