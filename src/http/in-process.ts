/**
 * Answers requests of commands on the storage's machine, whose caller is the owner of the storage. The same routes answer as
 * over HTTP; no server and no socket is needed.
 */
import { H3Event } from "h3";
import { ownerCaller, type Caller } from "../service/access.ts";
import type { Team } from "../domain/access/team.ts";
import { handleRoute } from "./pipeline/handle-route.ts";
import { makeShared } from "./pipeline/make-shared.ts";
import type { AppOptions } from "./pipeline/shared.ts";
import type { Implemented } from "./operations/implement.ts";
import { statusOf, toErrorResponse } from "./responses/error-response.ts";

/** A request to an operation. */
export interface OwnRequest {
  /** The parts of the path that its parameters stand for, not encoded. */
  readonly params: Readonly<Record<string, string>>;
  readonly request: Request;
}

/** Answers requests of the owner. */
export type AnswerOwner = (
  route: Implemented["routes"][string],
  sent: OwnRequest,
  team: Team,
) => Promise<Response>;

/**
 * @param command the command that sends the requests, for the audit log.
 * @returns a function that answers them. It throws errors of which callers over HTTP would see no more than a 500.
 */
export function answersOwner(options: AppOptions, command: string): AnswerOwner {
  const shared = makeShared(options);
  return async (route, { params, request }, team) => {
    const event = new H3Event(request);
    const encoded = Object.entries(params).map(([name, value]) => [name, encodeURIComponent(value)]);
    event.context.params = Object.fromEntries(encoded);
    const caller: Caller = ownerCaller(command, team);
    try {
      return await handleRoute(route, event, shared, caller);
    } catch (error) {
      return ownerError(error);
    }
  };
}

/** The response for an error. @throws it, if callers over HTTP would see no more than a 500. */
export function ownerError(error: unknown): Response {
  if (statusOf(error) === undefined) throw error;
  return toErrorResponse(error, "");
}
