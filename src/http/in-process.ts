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
import type { Operation } from "../api/operation.ts";
import type { TeamName } from "../domain/names.ts";
import type { Storage } from "../service/storage.ts";
import type { CallerRoute, HiveReadRoute, HiveWriteRoute, TeamRoute } from "./pipeline/route.ts";
import { statusOf, toErrorResponse } from "./responses/error-response.ts";

/** A route that answers the owner. One of a noun is a declared operation. */
export type AnsweredRoute = (CallerRoute | HiveReadRoute | HiveWriteRoute | TeamRoute) & {
  readonly operation?: Operation;
};

/** Routes that answer the owner, by their ids. */
export interface Answered {
  readonly routes: Readonly<Record<string, AnsweredRoute>>;
  /**
   * The team of what an id names, for routes that are about no Hive.
   * @throws SkepError `not-found` when there is none of that id.
   */
  readonly teamOf?: (storage: Storage, id: string) => Promise<TeamName>;
}

/** A request to one of them. */
export interface OwnRequest {
  /** The parts of the path that its parameters stand for, not encoded. */
  readonly params: Readonly<Record<string, string>>;
  readonly request: Request;
}

/** Answers requests of the owner. */
export type AnswerOwner = (route: AnsweredRoute, sent: OwnRequest, team: Team) => Promise<Response>;

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
      const response = ownerError(error);
      if (response === undefined) throw error;
      return response;
    }
  };
}

/** The response for an error; undefined for one of which callers over HTTP would see no more than a 500. */
export function ownerError(error: unknown): Response | undefined {
  return statusOf(error) === undefined ? undefined : toErrorResponse(error, "");
}
