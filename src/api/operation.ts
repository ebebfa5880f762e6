/**
 * Operations of management, each declared once: what it asks and answers, its command and its form. Its route, its part of
 * the OpenAPI document, the client's request, the command and the form of the console are made from the declaration, which
 * is data; what an operation does is said apart from it, by its handler.
 */
import type { z } from "zod";
import type { Ability } from "../domain/access/token.ts";
import type { ErrorCode } from "../domain/errors.ts";
import type { groups } from "./groups.ts";
import { pageOf } from "./objects.ts";
import type { CommandDocs, FormDocs, ToolDocs } from "./operation-docs.ts";
import { dryRunParam, pageQuery } from "./page.ts";

export interface Shown<Schema extends z.ZodType = z.ZodType> {
  readonly schema: Schema;
  readonly example: unknown;
}

/** Combines a schema with an example, which the compiler checks, and the tests check again. */
export function withExample<S extends z.ZodType>(schema: S, example: z.input<S>): Shown<S> {
  return { schema, example };
}

export interface Operation<
  Query extends z.ZodObject = z.ZodObject,
  Body extends z.ZodObject = z.ZodObject,
  Answer extends z.ZodType = z.ZodType,
  By extends Method = Method,
> {
  /** Unique among all operations; generated clients name their functions by it. */
  readonly id: string;
  /** `list`, `show`, `create`, `edit`, `set`, `delete`, or what an action is called in its path. */
  readonly verb: string;
  readonly method: By;
  /** With `:name` for a parameter. */
  readonly path: string;
  readonly summary: string;
  /** Further details, in Markdown. */
  readonly description?: string;
  readonly query?: Query;
  readonly body?: Shown<Body>;
  readonly response: Answer;
  readonly status?: 201 | 202;
  /** The status where what was to be made was there. */
  readonly repeatedStatus?: 200;
  /** Whether it takes an `Idempotency-Key`: its answer is the counts of its commit. */
  readonly isRepeatable?: true;
  /** Whether it has dry runs; their answers have further members. A query of its own has `dry_run`, too. */
  readonly hasDryRun?: true;
  /** Further error codes than all operations have. */
  readonly errors?: readonly ErrorCode[];
  /** Its group of the reference, if that is not the one of its noun. */
  readonly group?: keyof typeof groups;
  /** Whether its answer names a commit. */
  readonly hasCommit: boolean;
  /** Whether it is about the branch that `?branch=` names. */
  readonly takesBranch?: true;
  /** `none` for what no command does. */
  readonly command?: CommandDocs | "none";
  readonly form?: FormDocs;
  /** Without one, models do not use it. */
  readonly tool?: ToolDocs;
}

/** What the operations of one kind of thing have in common. */
export interface NounDocs<Entity extends z.ZodObject> {
  /** Also the name of its command. */
  readonly noun: string;
  /** What texts call one of them, if that is not the noun. */
  readonly called?: string;
  /** What its command is for, in a sentence of at most 60 characters. */
  readonly about: string;
  /** The path of the list. One that begins with that of a Hive (`:slug`) is about that Hive. */
  readonly path: string;
  /** The parameter of the path that names one of them. */
  readonly key: string;
  /** The member that names it, `id` if not given. */
  readonly names?: keyof z.output<Entity> & string;
  /** One of them in answers. Its id in the document names that of the list, too. */
  readonly entity: Entity;
  /** The member by which people know one of them. */
  readonly label: keyof z.output<Entity> & string;
  readonly group: keyof typeof groups;
  readonly ability: "read" | "admin";
  /** What its writes need, if not `write` or `admin`. With `read`, who may do what is decided by what they are about. */
  readonly writes?: "read" | "approve";
  /** Whether the caller must reach all Hives of the team, for what is not about one of them. */
  readonly allHives?: true;
  /** Whether answers name a commit, as those about the content of a Hive's repository do. */
  readonly hasCommit?: true;
  /** The members that a table has, in this order. */
  readonly columns: readonly (keyof z.output<Entity> & string)[];
  /** What a table has for a member that is `null`, if that means something. */
  readonly nulls?: Readonly<Partial<Record<keyof z.output<Entity> & string, string>>>;
}

type Method = "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
type WriteMethod = Exclude<Method, "GET">;

/** An operation before it has its id, which is the name that it is declared by. */
type Unnamed<
  Query extends z.ZodObject,
  Body extends z.ZodObject,
  Answer extends z.ZodType,
  By extends Method = Method,
> = Omit<Operation<Query, Body, Answer, By>, "id" | "hasCommit"> & {
  /** Whether its answer names a commit, if that differs from its noun. */
  readonly hasCommit?: boolean;
};

type Member<Schema extends z.ZodType> = keyof z.output<Schema> & string;

/** The query of a page of what filters let through. */
type Filtered<Filters extends z.ZodRawShape> = z.ZodObject<
  z.core.util.Extend<(typeof pageQuery)["shape"], Filters>,
  z.core.$strict
>;

/** What may be said of any operation. */
type CommonDocs = Pick<Operation, "summary" | "description" | "group" | "takesBranch" | "tool"> &
  Partial<Pick<Operation, "hasCommit">>;

interface Docs<Body extends z.ZodObject, Answer extends z.ZodType>
  extends CommonDocs, Pick<Operation, "status" | "repeatedStatus" | "isRepeatable" | "hasDryRun" | "errors"> {
  /** The entity if not given. */
  readonly response?: Answer;
  /** Its parameters, where it has others than a dry run. */
  readonly query?: z.ZodObject;
  readonly command?: CommandDocs<Member<Body>, Member<Answer>> | "none";
  readonly form?: FormDocs<Member<Body>>;
}

interface DocsWithBody<Body extends z.ZodObject, Answer extends z.ZodType> extends Docs<Body, Answer> {
  readonly body: Body;
  readonly example: z.input<Body>;
}

type AllOf<Entity extends z.ZodType> = z.ZodObject<{ readonly data: z.ZodArray<Entity> }>;

/** Makes the operations of a noun. */
interface Builder<Entity extends z.ZodObject> {
  /** All of them, page by page. */
  list(docs: CommonDocs): Unnamed<typeof pageQuery, z.ZodObject, ReturnType<typeof pageOf<Entity>>, "GET">;
  /** Those that the query wants. */
  list<Filters extends z.ZodRawShape>(
    docs: CommonDocs & { readonly query: Filters },
  ): Unnamed<Filtered<Filters>, z.ZodObject, ReturnType<typeof pageOf<Entity>>, "GET">;
  /** All of them at once, where they are few. The answer has them as `data`. */
  listAll<Answer extends AllOf<Entity>>(
    docs: CommonDocs & { readonly response: Answer },
  ): Unnamed<z.ZodObject, z.ZodObject, Answer, "GET">;
  show(docs: OfEntity<Docs<z.ZodObject, Entity>>): Unnamed<z.ZodObject, z.ZodObject, Entity, "GET">;
  show<Answer extends z.ZodObject>(
    docs: Answering<Docs<z.ZodObject, Answer>, Answer>,
  ): Unnamed<z.ZodObject, z.ZodObject, Answer, "GET">;
  /** Something else that is asked for, at a path of its own. */
  viewAt<Query extends z.ZodObject, Answer extends z.ZodObject>(
    verb: string,
    path: string,
    docs: CommonDocs & { readonly query: Query; readonly response: Answer },
  ): Unnamed<Query, z.ZodObject, Answer, "GET">;
  viewAt<Answer extends z.ZodObject>(
    verb: string,
    path: string,
    docs: CommonDocs & { readonly response: Answer },
  ): Unnamed<z.ZodObject, z.ZodObject, Answer, "GET">;
  create: Send<Entity>;
  edit: Send<Entity>;
  /** Makes the one of a name, or replaces it. */
  set: Send<Entity>;
  /** Changes the whole list by what is given. */
  changeAll<Query extends z.ZodObject, Body extends z.ZodObject, Answer extends z.ZodObject>(
    verb: string,
    method: WriteMethod,
    docs: Answering<DocsWithBody<Body, Answer>, Answer> & { readonly query: Query },
  ): Unnamed<Query, Body, Answer, WriteMethod>;
  changeAll<Body extends z.ZodObject, Answer extends z.ZodObject>(
    verb: string,
    method: WriteMethod,
    docs: Answering<DocsWithBody<Body, Answer>, Answer> & { readonly query?: undefined },
  ): Unnamed<z.ZodObject, Body, Answer, WriteMethod>;
  delete(docs: OfEntity<Docs<z.ZodObject, Entity>>): Unnamed<z.ZodObject, z.ZodObject, Entity, WriteMethod>;
  delete<Answer extends z.ZodObject>(
    docs: Answering<Docs<z.ZodObject, Answer>, Answer>,
  ): Unnamed<z.ZodObject, z.ZodObject, Answer, WriteMethod>;
  /** Deletes what the query names. */
  deleteWhere<Query extends z.ZodObject, Answer extends z.ZodObject>(
    docs: Answering<Docs<Query, Answer>, Answer> & { readonly query: Query },
  ): Unnamed<Query, z.ZodObject, Answer, WriteMethod>;
  /** Something else that is done with one of them. @param verb also the last part of its path. */
  act(
    verb: string,
    docs: OfEntity<Docs<z.ZodObject, Entity>>,
  ): Unnamed<z.ZodObject, z.ZodObject, Entity, WriteMethod>;
  act<Body extends z.ZodObject, Answer extends z.ZodObject>(
    verb: string,
    docs: Answering<DocsWithBody<Body, Answer>, Answer>,
  ): Unnamed<z.ZodObject, Body, Answer, WriteMethod>;
  act<Answer extends z.ZodObject>(
    verb: string,
    docs: Answering<Docs<z.ZodObject, Answer>, Answer>,
  ): Unnamed<z.ZodObject, z.ZodObject, Answer, WriteMethod>;
  /** Something that is done at a path of its own, with what is none of the list. */
  actAt<Body extends z.ZodObject, Answer extends z.ZodObject>(
    verb: string,
    path: string,
    docs: Answering<DocsWithBody<Body, Answer>, Answer>,
  ): Unnamed<z.ZodObject, Body, Answer, WriteMethod>;
  actAt<Answer extends z.ZodObject>(
    verb: string,
    path: string,
    docs: Answering<Docs<z.ZodObject, Answer>, Answer>,
  ): Unnamed<z.ZodObject, z.ZodObject, Answer, WriteMethod>;
}

// An answer that is not given is the entity: the compiler would take it for any object.
type OfEntity<Given> = Given & { readonly response?: undefined };
type Answering<Given, Answer> = Given & { readonly response: Answer };

/** Makes an operation that has a body. */
interface Send<Entity extends z.ZodObject> {
  <Body extends z.ZodObject>(
    docs: OfEntity<DocsWithBody<Body, Entity>>,
  ): Unnamed<z.ZodObject, Body, Entity, WriteMethod>;
  <Body extends z.ZodObject, Answer extends z.ZodObject>(
    docs: Answering<DocsWithBody<Body, Answer>, Answer>,
  ): Unnamed<z.ZodObject, Body, Answer, WriteMethod>;
}

/** The operations of a noun by their ids. */
type Named<Declared> = {
  readonly [Id in keyof Declared]: Declared[Id] extends Unnamed<
    infer Query,
    infer Body,
    infer Answer,
    infer By
  >
    ? Operation<Query, Body, Answer, By>
    : never;
};

/** A noun with its operations. */
export interface Noun<
  Operations extends Readonly<Record<string, Operation>> = Readonly<Record<string, Operation>>,
> extends NounDocs<z.ZodObject> {
  readonly operations: Operations;
}

type AnyDocs = Docs<z.ZodObject, z.ZodType> | DocsWithBody<z.ZodObject, z.ZodType>;

/**
 * Declares the operations of a noun.
 * @param declare makes them, each under its id.
 */
export function operations<
  Entity extends z.ZodObject,
  Declared extends Readonly<Record<string, Unnamed<z.ZodObject, z.ZodObject, z.ZodType>>>,
>(docs: NounDocs<Entity>, declare: (op: Builder<Entity>) => Declared): Noun<Named<Declared>>;
export function operations(
  docs: NounDocs<z.ZodObject>,
  declare: (
    op: Builder<z.ZodObject>,
  ) => Readonly<Record<string, Unnamed<z.ZodObject, z.ZodObject, z.ZodType>>>,
): Noun {
  const { path, key, entity } = docs;
  const one = `${path}/:${key}`;
  const made = (place: Pick<Operation, "verb" | "method" | "path" | "status">, given: AnyDocs) => {
    const { hasDryRun, query = hasDryRun === true ? dryRunParam : undefined, response = entity } = given;
    const asked = { ...place, ...given, response, ...(query !== undefined && { query }) };
    if (!("body" in asked)) return asked;
    const { body, example, ...others } = asked;
    return { ...others, body: withExample(body, example) };
  };
  // The compiler cannot follow which schemas each method hands on.
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion
  const builder = {
    list: (given: CommonDocs & { readonly query?: z.ZodRawShape }) => ({
      verb: "list",
      method: "GET",
      path,
      ...given,
      query: given.query === undefined ? pageQuery : pageQuery.extend(given.query),
      response: pageOf(`${idOf(entity)}Page`, entity),
    }),
    listAll: (given: AnyDocs) => made({ verb: "list", method: "GET", path }, given),
    show: (given: AnyDocs) => made({ verb: "show", method: "GET", path: one }, given),
    viewAt: (verb: string, at: string, given: AnyDocs) => made({ verb, method: "GET", path: at }, given),
    create: (given: AnyDocs) => made({ verb: "create", method: "POST", path, status: 201 }, given),
    edit: (given: AnyDocs) => made({ verb: "edit", method: "PATCH", path: one }, given),
    set: (given: AnyDocs) => made({ verb: "set", method: "PUT", path: one }, given),
    changeAll: (verb: string, method: WriteMethod, given: AnyDocs) => made({ verb, method, path }, given),
    delete: (given: AnyDocs) => made({ verb: "delete", method: "DELETE", path: one }, given),
    deleteWhere: (given: AnyDocs) => made({ verb: "delete", method: "DELETE", path }, given),
    act: (verb: string, given: AnyDocs) => made({ verb, method: "POST", path: `${one}/${verb}` }, given),
    actAt: (verb: string, at: string, given: AnyDocs) => made({ verb, method: "POST", path: at }, given),
  } as Builder<z.ZodObject>;
  const declared = declare(builder);
  const { hasCommit = false } = docs;
  const byId = Object.entries(declared).map(([id, each]) => [id, { id, hasCommit, ...each }] as const);
  return { ...docs, operations: Object.fromEntries(byId) };
}

/** What the writes of a noun need. */
export function writeAbilityOf({ ability, writes }: Pick<Noun, "ability" | "writes">): Ability {
  return writes ?? (ability === "read" ? "write" : "admin");
}

/** The name of a schema in the document. @throws Error where it has none. */
function idOf(schema: z.ZodType): string {
  const { id } = schema.meta() ?? {};
  if (id === undefined) throw new Error("the schema of an entity must have an id");
  return id;
}
