/** Requests with a name and an end: each gets an id, and observers hear what became of it. */
import type { ServerRequest } from "srvx";
import type { KnownReads } from "./known-reads.ts";
import { commitHeader } from "./respond.ts";
import { beginTrace, keepTrace, note, requestIdHeader, type RequestObserver, type Trace } from "./trace.ts";

type Answer = (request: Request) => Response | Promise<Response>;

/**
 * Answers by what is known, in front of everything: what a read costs that was answered before is what the server can
 * do at all. All else goes to the application.
 */
export function observed(known: KnownReads, answer: Answer, observers: readonly RequestObserver[]): Answer {
  const tell = (trace: Trace, response: Response, ms?: number): void => {
    for (const observer of observers) observer.answered(trace, response.status, ms);
  };
  const answerAnew = async (request: ServerRequest, trace: Trace): Promise<Response> => {
    const start = performance.now();
    keepTrace(request, trace);
    const response = await answer(request);
    response.headers.set(requestIdHeader, trace.id);
    const commit = response.headers.get(commitHeader);
    if (commit !== null) note(request, { commit });
    tell(trace, response, performance.now() - start);
    return response;
  };
  return (request: ServerRequest) => {
    const trace = beginTrace(request);
    const response = known.answer(request, trace);
    if (response === undefined) return answerAnew(request, trace);
    tell(trace, response);
    return response;
  };
}
