/** Requests with a name and an end: each gets an id, and observers hear what became of it. */
import type { ServerRequest } from "srvx";
import { commitHeader } from "./responses/respond.ts";
import { beginTrace, note, requestIdHeader, type RequestObserver } from "./requests/trace.ts";

type Answer = (request: Request) => Response | Promise<Response>;

/** Answers as the application does, and tells observers. */
export function observed(answer: Answer, observers: readonly RequestObserver[]): Answer {
  return async (request: ServerRequest) => {
    const start = performance.now();
    const trace = beginTrace(request);
    const response = await answer(request);
    response.headers.set(requestIdHeader, trace.id);
    const commit = response.headers.get(commitHeader);
    if (commit !== null) note(request, { commit });
    const ms = performance.now() - start;
    for (const observer of observers) observer.answered(trace, response.status, ms);
    return response;
  };
}
