/** Gives each request an id, and reports its outcome to observers. */
import type { ServerRequest } from "srvx";
import { commitHeader } from "./responses/respond.ts";
import { beginTrace, note, requestIdHeader, type RequestObserver } from "./requests/trace.ts";

type Answer = (request: Request) => Response | Promise<Response>;

/** Wraps a handler so that observers are called after each response. */
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
