/** Makes routes of declared operations and their handlers. */
import type { z } from "zod";
import type { Noun, Operation } from "../../api/operation.ts";
import type { TeamName } from "../../domain/names.ts";
import type { Encodable } from "../../domain/json-codec.ts";
import type { Storage } from "../../service/storage.ts";
import type { Answer, TeamRequest, TeamRoute } from "../pipeline/route.ts";

/** What a handler is told of a request: the same whether it came to the API, from a form or from a command. */
export type OperationRequest<Params = Readonly<Record<string, unknown>>, Body = unknown> = Pick<
  TeamRequest<Params, Body>,
  "event" | "storage" | "param" | "query" | "body" | "caller" | "grant" | "context"
>;

type Input<Schema> = Schema extends z.ZodType ? z.output<Schema> : never;

/** What an operation does. */
type Handler<Declared> =
  Declared extends Operation<infer Query, infer Body, infer Answered>
    ? (request: OperationRequest<Input<Query>, Input<Body>>) => Promise<Answer<Encodable<z.input<Answered>>>>
    : never;

type Handlers<Operations> = { readonly [Id in keyof Operations]: Handler<Operations[Id]> };

/** A declared operation with what it does. */
export interface OperationRoute extends TeamRoute {
  readonly operation: Operation;
  handler(request: OperationRequest): Promise<Answer<unknown>>;
}

/** The operations of a noun with what they do, by their ids. */
export interface Implemented<Operations extends object = Readonly<Record<string, Operation>>> {
  readonly noun: Noun;
  readonly routes: Readonly<Record<keyof Operations & string, OperationRoute>>;
  /**
   * The team of one of them, for the owner of the storage, who has no team.
   * @throws SkepError `not-found` when there is none of that id.
   */
  readonly teamOf: (storage: Storage, id: string) => Promise<TeamName>;
}

/**
 * Joins the operations of a noun with their handlers.
 * @param handlers one for each, by its id.
 * @param teamOf see {@link Implemented.teamOf}.
 */
export function implement<Operations extends Readonly<Record<string, Operation>>>(
  noun: Noun<Operations>,
  handlers: Handlers<Operations>,
  teamOf: Implemented["teamOf"],
): Implemented<Operations>;
export function implement(
  noun: Noun,
  handlers: Handlers<Readonly<Record<string, Operation>>>,
  teamOf: Implemented["teamOf"],
): Implemented {
  const { group, ability, allHives: requiresAllHives = false, operations } = noun;
  const routes = Object.entries(operations).map(([id, operation]): [string, OperationRoute] => {
    const { method, path, summary, description, query, body, response, status, errors } = operation;
    const handler = handlers[id];
    if (handler === undefined) throw new Error(`${id} has no handler`);
    const docs = { id, method, path, summary, description, query, body, response, status, errors };
    return [id, { kind: "team", ...docs, group, ability, requiresAllHives, handler, operation }];
  });
  return { noun, routes: Object.fromEntries(routes), teamOf };
}

/** The routes of a noun, in the order of its operations. */
export function routesOf({ routes }: Implemented): readonly TeamRoute[] {
  return Object.values(routes);
}
