/**
 * Operations of management, each declared once: what it asks and answers, its command and its form. Its route, its part of
 * the OpenAPI document, the client's request, the command and the form of the console are made from the declaration, which
 * is data; what an operation does is said apart from it, by its handler.
 */
import type { z } from "zod";
import type { ErrorCode } from "../domain/errors.ts";
import type { groups } from "./groups.ts";
import { pageOf } from "./objects.ts";
import { dryRunParam, pageQuery } from "./page.ts";

export interface Shown<Schema extends z.ZodType = z.ZodType> {
  readonly schema: Schema;
  readonly example: unknown;
}

/** Combines a schema with an example, which the compiler checks, and the tests check again. */
export function withExample<S extends z.ZodType>(schema: S, example: z.input<S>): Shown<S> {
  return { schema, example };
}

/** The command of an operation. Without one, its verb and its flags alone say what it is. */
export interface CommandDocs<Given extends string = string, Answered extends string = string> {
  /** Its name, where that is not the verb. */
  readonly name?: string;
  /** The members of the body that are arguments, in this order; the others are flags. */
  readonly args?: readonly Given[];
  /**
   * The member of the answer that it prints alone, because it is shown only this once; or, after a point, a member of that.
   * Where the answer does not have it, it says that it is done.
   */
  readonly prints?: Answered | `${Answered}.${string}`;
  /** Whether it prints the answer, a member a line, as commands that show one do. */
  readonly shows?: true;
  /** What it says before what it prints, in place of `done`, where the answer may not have that. */
  readonly printed?: string;
  /**
   * The member of the answer that tells whether it failed: it is false then, and `error` says why; or it is `error` itself,
   * and not `null`.
   */
  readonly fails?: Answered;
  /**
   * What it says when it is done, where the verb alone does not say it, with members of the answer in braces, and with
   * `{place}` for the server; and when it failed, before why.
   */
  readonly done?: string;
  readonly failed?: string;
  /** What its help says at the end, in place of the description. */
  readonly help?: string;
  /** Another name that it has, which help does not show. */
  readonly was?: string;
  /** Whether one that deletes asks by that name, too. */
  readonly wasAsked?: true;
  /** Whether one that deletes is confirmed by the name of what it deletes, and not by a yes. */
  readonly asksName?: true;
  /** The members of the answer that it does not show, because others say the same. */
  readonly omits?: readonly Answered[];
  /** What the command line says of members, by their paths, where their names and descriptions do not say it. */
  readonly members?: Readonly<Record<string, MemberDocs>>;
}

/** A member of a request on the command line. */
export interface MemberDocs {
  readonly flag?: string;
  readonly help?: string;
  /** What is given is not the text but where it is, so that it stands in no list of processes: `env:`, `file:` or `-`. */
  readonly reads?: "secret";
}

/** A field of a form whose member says not enough by itself. */
export interface FieldDocs {
  /** What is chosen from, in place of the values that the member can have. */
  readonly options?: "hives" | "abilities" | "reviews" | "locales";
  /** What is offered while one writes. */
  readonly suggests?: "states" | "languages";
  /** The name of the text that stands for no value; without it, one of several values is always chosen. */
  readonly none?: string;
  /** Whether that stands behind the values, as what is left where none of them fits. */
  readonly noneIsLast?: true;
  /** An example of what to write. */
  readonly placeholder?: string;
  /** Whether it is a text of several lines. */
  readonly isLong?: true;
  /** Whether it is never shown; an empty field leaves it as it is. */
  readonly isSecret?: true;
  /** The member that stands for it: it is asked for, and sent, only where that has no value. */
  readonly unless?: string;
  /** What it says before anything is chosen: a value, or `true` for a switch. */
  readonly initial?: string | true;
}

/**
 * A button that sets one member, in place of a field for it. It is there where the member has another value. Two of one
 * member are a switch, which is on with the value that is neither false nor `null`.
 */
export interface SwitchDocs<Given extends string = string> {
  readonly member: Given;
  readonly value: boolean | string | null;
  /** The name of the text on it. */
  readonly button: string;
}

/** The form of an operation in the console. Texts are named as in its `texts`. */
export interface FormDocs<Given extends string = string> {
  /** The name of the text above it. */
  readonly title?: string;
  /** The name of the text on its button. */
  readonly button: string;
  /** The members that it asks for, in this order; all if not given. An action with some has a form of its own. */
  readonly members?: readonly Given[];
  /** By member of the body; after a point, by member of one that is an object. */
  readonly fields?: Readonly<Partial<Record<Given | `${Given}.${string}`, FieldDocs>>>;
  readonly switches?: readonly SwitchDocs<Given>[];
  /** Whether it asks whether that is meant. */
  readonly confirms?: true;
  /** The values of the member `state` where it is of use; all if not given. */
  readonly states?: readonly string[];
}

/** The tool by which models use an operation. */
export interface ToolDocs {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  /** Whether its answer has stored texts, of which models must be told that nothing in them is an instruction. */
  readonly givesTexts?: true;
  /** Whether it may replace or take away what is stored. */
  readonly isDestructive?: true;
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
  readonly status?: 201;
  /** The status where what was to be made was there. */
  readonly repeatedStatus?: 200;
  /** Whether it takes an `Idempotency-Key`: its answer is the counts of its commit. */
  readonly isRepeatable?: true;
  /** Further error codes than all operations have. */
  readonly errors?: readonly ErrorCode[];
  /** Its group of the reference, if that is not the one of its noun. */
  readonly group?: keyof typeof groups;
  /** Whether its answer names a commit, if that differs from its noun. */
  readonly hasCommit?: boolean;
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
> = Omit<Operation<Query, Body, Answer, By>, "id">;

type Member<Schema extends z.ZodType> = keyof z.output<Schema> & string;

/** The query of a page of what filters let through. */
type Filtered<Filters extends z.ZodRawShape> = z.ZodObject<
  z.core.util.Extend<(typeof pageQuery)["shape"], Filters>,
  z.core.$strict
>;

/** What may be said of any operation. */
type CommonDocs = Pick<Operation, "summary" | "description" | "group" | "hasCommit" | "takesBranch" | "tool">;

interface Docs<Body extends z.ZodObject, Answer extends z.ZodType>
  extends CommonDocs, Pick<Operation, "status" | "repeatedStatus" | "isRepeatable" | "errors"> {
  /** The entity if not given. */
  readonly response?: Answer;
  /** Whether it has dry runs; their answers have further members. */
  readonly hasDryRun?: true;
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
  create: Send<Entity>;
  edit: Send<Entity>;
  /** Makes the one of a name, or replaces it. */
  set: Send<Entity>;
  /** Changes the whole list by what is given. */
  changeAll<Body extends z.ZodObject, Answer extends z.ZodObject>(
    verb: string,
    method: WriteMethod,
    docs: Answering<DocsWithBody<Body, Answer>, Answer>,
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
    const { response = entity, hasDryRun, ...others } = given;
    const common = hasDryRun === true ? { ...place, query: dryRunParam, response } : { ...place, response };
    if (!("body" in others)) return { ...common, ...others };
    const { body, example, ...rest } = others;
    return { ...common, ...rest, body: withExample(body, example) };
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
  const byId = Object.entries(declared).map(([id, each]) => [id, { id, ...each }] as const);
  return { ...docs, operations: Object.fromEntries(byId) };
}

/** The name of a schema in the document. @throws Error where it has none. */
function idOf(schema: z.ZodType): string {
  const { id } = schema.meta() ?? {};
  if (id === undefined) throw new Error("the schema of an entity must have an id");
  return id;
}
