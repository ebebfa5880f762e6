/** Forms of declared operations as they were sent: the operation that each is for, and its request. */
import type { Operation } from "../../../api/operation.ts";
import { failure } from "../../../domain/errors.ts";
import type { HiveWriteOperationRoute, Implemented, OperationRoute } from "../../operations/implement.ts";
import { check } from "../../schemas/schemas.ts";
import type { Form } from "../requests/form.ts";
import { formBody, type Entity } from "./member-fields.ts";

/** The operations of a page's forms. */
export interface OperationPage {
  readonly implemented: Implemented;
  /** The address of the page, below the first page or below the Hive. */
  readonly path: string;
}

/** The hidden field that names what a form changes; of a button, the operation. */
export const changeField = "change";

/** A form as it was sent: the operation that it is for, with what it is about and what it says. */
interface Sending {
  readonly route: AnyRoute;
  readonly param: (name: string) => string;
  readonly query: Readonly<Record<string, unknown>>;
  readonly body: Readonly<Record<string, unknown>>;
  /** Whether it changes nothing. */
  readonly isIdle: boolean;
}

export type AnyRoute = OperationRoute | HiveWriteOperationRoute;

/** What is known of a form beside what it says. */
export interface About {
  /** What it is about, where no field names that. */
  readonly id?: string;
  /** The fields that its sender has changed, where that is known. */
  readonly changed?: ReadonlySet<string>;
}

/**
 * Reads a form of an operation.
 * @param complete adds to what the form says what its page knows better.
 * @throws SkepError `not-found` for a form that there is not; `invalid` as the API does.
 */
export async function sendingOf(
  { implemented }: OperationPage,
  form: Form,
  { id: about, changed: fields }: About,
  complete: (operation: Operation, body: Entity) => Promise<Entity> = (_, body) => Promise.resolve(body),
): Promise<Sending> {
  const { key } = implemented.noun;
  const changed = form.text(changeField);
  const verb = about === undefined ? (changed === "" ? "create" : "edit") : changed;
  const route = routeOf(implemented, verb);
  const isOfOne = route.path.includes(`:${key}`);
  if (about !== undefined && !isOfOne) throw noSuchForm();
  const id = about ?? changed;
  const { operation } = route;
  const schema = operation.body?.schema;
  const said = schema && (await complete(operation, formBody(schema, operation.form, form, fields)));
  const isIdle = fields !== undefined && Object.values(said ?? {}).every((one) => one === undefined);
  // Some operations refuse a body without members.
  const body = schema === undefined || isIdle ? {} : check(schema, said, "body");
  return { route, body, query: {}, param: (name) => (name === key ? id : ""), isIdle };
}

/** What is answered of one that nothing was to be changed of. */
export function unchanged(
  { implemented: { noun } }: OperationPage,
  { param }: Pick<Sending, "param">,
): Entity {
  return { [noun.names ?? "id"]: param(noun.key) };
}

/** The route of an operation that has a form. @throws SkepError `not-found`. */
export function routeOf({ routes }: Implemented, verb: string): AnyRoute {
  const route = Object.values(routes).find(({ operation }) => operation.verb === verb);
  if (route?.operation.form === undefined) throw noSuchForm();
  if (route.kind === "hive-read" || route.kind === "caller") throw noSuchForm();
  return route;
}

/** The error for a form that there is not. */
export function noSuchForm(): Error {
  return failure("not-found", "There is no such form.");
}
