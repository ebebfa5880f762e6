/** Known reads, answered on node's own objects: making others of them costs more than finding the answer. */
import type { ServerResponse } from "node:http";
import type { NodeServerRequest } from "srvx";
import type { Cors } from "./cors.ts";
import type { ReadFastPath } from "./read-fast-path.ts";
import { isHeld } from "./respond.ts";
import { requestIdHeader, toRequestId, type RequestObserver } from "../requests/trace.ts";

/** Answers a request if that can be done at once. @returns whether it did; otherwise both are as they were. */
export type AnswerAtOnce = (request: NodeServerRequest, response: ServerResponse) => boolean;

/**
 * Answers what is known with the bytes that the application would answer, and tells observers what it would tell them.
 * @param observers hear of what was answered, and of nothing else.
 * @param cors where pages of other origins may read answers.
 */
export function answerKnown(
  known: ReadFastPath,
  observers: readonly RequestObserver[],
  cors: Cors | undefined,
): AnswerAtOnce {
  return (request, response) => {
    const found = known.find(request);
    if (found === undefined) return false;
    const { answer, read } = found;
    const { headers, method = "", url = "" } = request;
    const id = toRequestId(headers[requestIdHeader]);
    const isNotModified = isHeld(answer.etag, headers["if-none-match"]);
    const status = isNotModified ? 304 : 200;
    const own = isNotModified ? read.headers.notModified : read.headers.whole;
    // No reason phrase, as in all other answers.
    const all = [...own, requestIdHeader, id];
    // A second `Vary` is as good as a longer one.
    if (cors !== undefined) all.push(...cors.headersFor(headers.origin).flat());
    response.writeHead(status, "", all);
    response.end(isNotModified ? undefined : answer.body);
    const trace = { id, method, target: url, node: request, findings: read.findings };
    for (const observer of observers) observer.answered(trace, status, undefined);
    return true;
  };
}
