/** Makes routes of declared operations and their handlers. */
import { z } from "zod";
import { writeAbilityOf, type Noun, type Operation } from "../../api/operation.ts";
import type { Oid, TeamName } from "../../domain/names.ts";
import type { Encodable } from "../../domain/json-codec.ts";
import type { Storage } from "../../service/storage.ts";
import { orPreview } from "../../api/content/preview.ts";
import {
  hiveGroup,
  type Answer,
  type CallerRoute,
  type HiveReadRoute,
  type HiveRequest,
  type HiveWriteRoute,
  type TeamRequest,
  type TeamRoute,
  type WriteRequest,
} from "../pipeline/route.ts";
import type { Versioned } from "../../service/content/queries.ts";

/** What a handler is told of a request: the same whether it came to the API, from a form or from a command. */
export type OperationRequest<Params = Readonly<Record<string, unknown>>, Body = unknown> = Pick<
  TeamRequest<Params, Body>,
  "event" | "storage" | "param" | "query" | "body" | "caller" | "grant" | "context" | "publicUrl" | "mailing"
>;

/**
 * What a handler of a part of a Hive is told of a write: the same whether it came to the API, from a form or from a
 * command.
 */
export type HiveOperationRequest<Params = Readonly<Record<string, unknown>>, Body = unknown> = Pick<
  WriteRequest<Params, Body>,
  "event" | "storage" | "param" | "query" | "body" | "hive" | "branch" | "caller" | "canRead" | "context"
>;

type Input<Schema> = Schema extends z.ZodType ? z.output<Schema> : never;

/** Reads may take seconds; only requests to the API ask for them. */
type SlowReading = Pick<TeamRequest, "runSlowRead">;

/** What an operation does. */
type Handler<Declared> =
  Declared extends Operation<infer Query, infer Body, infer Answered, infer By>
    ? (
        request: ([By] extends ["GET"] ? SlowReading : unknown) & OperationRequest<Input<Query>, Input<Body>>,
      ) => Promise<Answer<Encodable<z.input<Answered>>>>
    : never;

/** What an operation on a part of a Hive does: one that reads, or one that writes. */
type HiveHandler<Declared> =
  Declared extends Operation<infer Query, infer Body, infer Answered, infer By>
    ? [By] extends ["GET"]
      ? (request: HiveRequest<Input<Query>>) => Promise<Versioned<Encodable<z.input<Answered>> | Uint8Array>>
      : (
          request: HiveOperationRequest<Input<Query>, Input<Body>>,
        ) => Promise<Answer<Encodable<z.input<Answered>>>>
    : never;

/** What an operation on a part of a Hive has beside its handler. */
type Beside<Declared> =
  Declared extends Operation<infer Query, infer Body, z.ZodType, infer By>
    ? [By] extends ["GET"]
      ? Pick<HiveReadRoute, "isSlow">
      : Pick<HiveWriteRoute, "changesBranchInPath"> & {
          /** See {@link HiveWriteRoute.repeated}. */
          repeated?(request: HiveOperationRequest<Input<Query>, Input<Body>>, commit: Oid): Promise<object>;
        }
    : never;

/** Of a read that may take seconds, whatever its query is. */
export const slow: Pick<HiveReadRoute, "isSlow"> = { isSlow: () => true };

/** What an operation that lists what a caller reaches does; its answer has an ETag. */
type CallerHandler<Declared> =
  Declared extends Operation<z.ZodObject, z.ZodObject, infer Answered>
    ? (...request: Parameters<CallerRoute["handler"]>) => Promise<Versioned<Encodable<z.input<Answered>>>>
    : never;

/** A declared operation of a team with what it does. */
export interface OperationRoute extends TeamRoute {
  readonly operation: Operation;
  handler(request: OperationRequest): Promise<Answer<unknown>>;
}

/** A declared operation that changes a part of a Hive, with what it does. */
export interface HiveWriteOperationRoute extends HiveWriteRoute {
  readonly operation: Operation;
  handler(request: HiveOperationRequest): ReturnType<HiveWriteRoute["handler"]>;
}

/** A declared operation on a part of a Hive with what it does. */
export type HiveOperationRoute =
  | (HiveReadRoute & { readonly operation: Operation })
  | HiveWriteOperationRoute;

/** A declared operation that lists what a caller reaches, with what it does. */
export type CallerOperationRoute = CallerRoute & { readonly operation: Operation };

type AnyRoute = OperationRoute | HiveOperationRoute | CallerOperationRoute;

/** The operations of a noun with what they do, by their ids. */
export interface Implemented<Route extends AnyRoute = AnyRoute> {
  readonly noun: Noun;
  readonly routes: Readonly<Record<string, Route>>;
  /**
   * The team of one of them, for the owner of the storage, who has no team.
   * @throws SkepError `not-found` when there is none of that id.
   */
  readonly teamOf?: (storage: Storage, id: string) => Promise<TeamName>;
}

/**
 * Joins the operations of a noun of a team with their handlers.
 * @param handlers one for each, by its id.
 * @param teamOf see {@link Implemented.teamOf}.
 */
export function implement<Operations extends Readonly<Record<string, Operation>>>(
  noun: Noun<Operations>,
  handlers: { readonly [Id in keyof Operations]: Handler<Operations[Id]> },
  teamOf?: Implemented["teamOf"],
): Implemented<OperationRoute> & { readonly routes: Readonly<Record<keyof Operations, OperationRoute>> };
export function implement(
  noun: Noun,
  handlers: Readonly<Record<string, Handler<Operation>>>,
  teamOf?: Implemented["teamOf"],
): Implemented<OperationRoute> {
  const { ability, allHives: requiresAllHives = false } = noun;
  const routes = eachOf(noun, handlers).map(([id, operation, handler]): [string, OperationRoute] => {
    const docs = docsOf(noun, operation);
    return [id, { kind: "team", ...docs, ability, requiresAllHives, handler, operation }];
  });
  return { noun, routes: Object.fromEntries(routes), teamOf };
}

/**
 * Joins the operations on a part of a Hive with their handlers. Those that GET read, and the others write.
 * @param beside what some of them have beside it.
 */
export function implementOnHive<Operations extends Readonly<Record<string, Operation>>>(
  noun: Noun<Operations>,
  handlers: { readonly [Id in keyof Operations]: HiveHandler<Operations[Id]> },
  beside?: { readonly [Id in keyof Operations]?: Beside<Operations[Id]> },
): Implemented<HiveOperationRoute>;
export function implementOnHive(
  noun: Noun,
  // oxlint-disable-next-line typescript/no-explicit-any -- whether it reads or writes is known by its method alone
  handlers: Readonly<Record<string, any>>,
  beside: Readonly<Record<string, object | undefined>> = {},
): Implemented<HiveOperationRoute> {
  const routes = eachOf(noun, handlers).map(([id, operation, handler]): [string, HiveOperationRoute] => {
    const { method, path, group, ...docs } = docsOf(noun, operation);
    const { hiveRead, hiveWrite } = hiveGroup(group, writeAbilityOf(noun));
    const spec = { ...docs, response: answerOf(operation), handler };
    const route =
      method === "GET"
        ? hiveRead(id, path, { ...spec, isSlow: readsHistory, ...beside[id] })
        : hiveWrite(id, method, path, { ...spec, hasDryRun: operation.hasDryRun, ...beside[id] });
    return [id, Object.assign(route, { operation })];
  });
  return { noun, routes: Object.fromEntries(routes) };
}

/** Joins operations that list what a caller reaches with their handlers. */
export function implementForCaller<Operations extends Readonly<Record<string, Operation>>>(
  noun: Noun<Operations>,
  handlers: { readonly [Id in keyof Operations]: CallerHandler<Operations[Id]> },
): Implemented<CallerOperationRoute>;
export function implementForCaller(
  noun: Noun,
  handlers: Readonly<Record<string, CallerHandler<Operation>>>,
): Implemented<CallerOperationRoute> {
  const routes = eachOf(noun, handlers).map(([id, operation, handler]): [string, CallerOperationRoute] => {
    const docs = docsOf(noun, operation);
    return [id, { kind: "caller", ...docs, ability: "read", hasETag: true, handler, operation }];
  });
  return { noun, routes: Object.fromEntries(routes) };
}

/** A noun with some of its operations, to join these with their handlers. */
export function partOf<Operations extends Readonly<Record<string, Operation>>, Id extends keyof Operations>(
  noun: Noun<Operations>,
  ...ids: readonly Id[]
): Noun<Pick<Operations, Id>>;
export function partOf(noun: Noun, ...ids: readonly string[]): Noun {
  const chosen = Object.entries(noun.operations).filter(([id]) => ids.includes(id));
  return { ...noun, operations: Object.fromEntries(chosen) };
}

/** All operations of a noun, whose parts were joined with their handlers one by one. @throws Error where one is missing. */
export function joined(noun: Noun, ...parts: readonly Implemented[]): Implemented {
  const routes = Object.assign({}, ...parts.map((part) => part.routes));
  const inOrder = eachOf<AnyRoute>(noun, routes).map(([id, , route]) => [id, route] as const);
  return { noun, routes: Object.fromEntries(inOrder) };
}

/** Whether a query is about an earlier state, which may take seconds to read. */
function readsHistory({ at }: OperationRequest["query"]): boolean {
  return at !== undefined;
}

/** The answer of an operation on a Hive, with what a dry run adds. @throws Error for another schema than that of an object. */
function answerOf({ id, hasDryRun, response }: Operation): z.ZodObject {
  if (!(response instanceof z.ZodObject)) throw new Error("the answer of an operation must be an object");
  return hasDryRun === true ? orPreview(response, response.meta()?.id ?? id) : response;
}

function eachOf<Handling>(
  { operations }: Noun,
  handlers: Readonly<Record<string, Handling>>,
): readonly (readonly [id: string, Operation, Handling])[] {
  return Object.entries(operations).map(([id, operation]) => {
    const { [id]: handler } = handlers;
    if (handler === undefined) throw new Error(`${id} has no handler`);
    return [id, operation, handler];
  });
}

/** What a route has of its operation. */
function docsOf(noun: Noun, operation: Operation) {
  const { group = noun.group, ...others } = operation;
  const { id, method, path, summary, description, query, body, response, status, errors } = others;
  const docs = { id, method, path, group, summary, description, query, body, response, status, errors };
  const { hasCommit, takesBranch, repeatedStatus, isRepeatable } = others;
  return { ...docs, hasCommit, takesBranch, repeatedStatus, isRepeatable };
}

/** The routes of nouns, in the order of their operations. */
export function routesOf<Route extends AnyRoute>(...nouns: readonly Implemented<Route>[]): readonly Route[] {
  return nouns.flatMap(({ routes }) => Object.values(routes));
}
