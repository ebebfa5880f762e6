/**
 * Forms of declared operations: their fields from the members of what is sent, the button of each operation, and the routes
 * that take them. What a form says is checked and done exactly as a request to the API.
 */
import { z } from "zod";
import type { Operation } from "../../../api/operation.ts";
import { failure } from "../../../domain/errors.ts";
import type { Implemented, OperationRoute } from "../../operations/implement.ts";
import { encode } from "../../../domain/json-codec.ts";
import { check } from "../../schemas/schemas.ts";
import { useReader } from "../requests/context.tsx";
import type { Form, FormState } from "../requests/form.ts";
import type {
  PageResult,
  PageRoute,
  TeamFormRequest,
  TeamNeeds,
  TeamRequest,
  View,
} from "../requests/page.ts";
import { t, textIn, textKey } from "../texts/texts.ts";
import type { FormField } from "./fields.tsx";
import { PageForm, teamForm, type TeamForm } from "./page-form.tsx";
import { Confirm, PostForm, Unseen } from "./post-form.tsx";

/** One of a noun, as the API answers with it. */
export type Entity = Readonly<Record<string, unknown>>;

export interface OperationPages {
  readonly implemented: Implemented<OperationRoute>;
  /** The address of the page, below the first page. */
  readonly path: string;
  /** Makes the page again, with the errors of a refused form. */
  readonly show: (request: TeamRequest, submitted?: FormState) => Promise<View>;
  /** What is shown after an operation was done. @param answer the one of the API. */
  readonly done: (operation: Operation, answer: Entity, request: TeamFormRequest) => Promise<PageResult>;
}

/** The hidden field that names what a form changes; of a button, the operation. */
const changeField = "change";

/** The routes of a page's forms: the one that creates or edits, and the buttons of each entity. */
export function operationForms(pages: OperationPages): readonly PageRoute[] {
  const { implemented, path, show, done } = pages;
  const { key } = implemented.noun;
  const take = async (request: TeamFormRequest, route: OperationRoute, id: string): Promise<PageResult> => {
    const { operation } = route;
    const given = bodyOf(operation, request.form);
    const body = operation.body === undefined ? {} : check(operation.body.schema, given, "body");
    const { storage, event, grant, context, session, access } = request;
    const param = (name: string): string => (name === key ? id : "");
    const { publicUrl } = access;
    const common = { event, storage, grant, context, publicUrl, caller: session.caller };
    const answer = await route.handler({ ...common, param, query: {}, body });
    return done(
      operation,
      z.record(z.string(), z.unknown()).parse(encode(route.response, answer.result)),
      request,
    );
  };
  const edited = (form: Form): OperationRoute =>
    routeOf(implemented, form.text(changeField) === "" ? "create" : "edit");
  return [
    teamForm(
      {
        ...formOf(pages),
        take: (request) => take(request, edited(request.form), request.form.text(changeField)),
      },
      show,
    ),
    {
      kind: "team-form",
      path: `/${path}/:${key}`,
      needs: needsOf(implemented),
      handler: async (request) => {
        const route = routeOf(implemented, request.form.text(changeField));
        if (!route.path.includes(`:${key}`)) throw noSuchForm();
        return take(request, route, request.param(key));
      },
    },
  ];
}

/** What a page of the noun's operations needs. */
export function needsOf({ noun }: Pick<Implemented, "noun">): TeamNeeds | undefined {
  if (noun.ability !== "admin") return undefined;
  return noun.allHives === true ? "admin-of-all-hives" : "admin";
}

function formOf({ implemented, path }: Pick<OperationPages, "implemented" | "path">): Omit<TeamForm, "take"> {
  return { path, button: "common.save", needs: needsOf(implemented) };
}

function routeOf({ routes }: Implemented<OperationRoute>, verb: string): OperationRoute {
  const route = Object.values(routes).find(({ operation }) => operation.verb === verb);
  if (route?.operation.form === undefined) throw noSuchForm();
  return route;
}

function noSuchForm(): Error {
  return failure("not-found", "There is no such form.");
}

/**
 * The form that creates one of the noun, or edits the one that is given.
 * @param props.hives the Hives that fields offer.
 * @param props.title of the form that edits.
 * @param props.hints what is said of fields here beside what is said of them everywhere.
 */
export function OperationForm(props: {
  pages: Pick<OperationPages, "implemented" | "path">;
  hives: readonly string[];
  edited?: Entity;
  title: string;
  hints?: Readonly<Record<string, string | undefined>>;
  submitted: FormState | undefined;
}) {
  const { pages, hives, edited, hints = {}, submitted } = props;
  const { operation } = routeOf(pages.implemented, edited === undefined ? "create" : "edit");
  const { form } = operation;
  return (
    <PageForm
      of={{ ...formOf(pages), button: textKey(form?.button ?? "") }}
      title={edited === undefined ? textOf(form?.title) : props.title}
      submitted={submitted}
      fields={fieldsOf(operation, hives, edited).map((field) =>
        Object.assign(field, { hint: hints[field.name] }),
      )}
      hidden={edited === undefined ? {} : { [changeField]: String(edited["id"]) }}
    />
  );
}

function textOf(name: string | undefined): string | undefined {
  return name === undefined ? undefined : t(textKey(name));
}

/** The fields of an operation's form: one for each member of its body. */
function fieldsOf(
  { body, form }: Operation,
  hives: readonly string[],
  values: Entity = {},
): readonly FormField[] {
  return Object.entries(body?.schema.shape ?? {}).map(([name, schema]): FormField => {
    const label = textIn("field", name) ?? name;
    const { options, none } = form?.fields?.[name] ?? {};
    const { [name]: given } = values;
    const value = typeof given === "string" || typeof given === "number" ? String(given) : undefined;
    const { pattern = "" } = z.globalRegistry.get(schema) ?? {};
    if (options === "hives") {
      const all = textOf(none);
      return { kind: "one", name, label, all, value, options: hives.map((slug) => [slug, slug] as const) };
    }
    const kinds = kindsIn(schema);
    if (kinds.includes("boolean")) return { kind: "switch", name, label, isOn: values[name] === true };
    const type = String(pattern).includes("https?:") ? "url" : undefined;
    const { placeholder = type && "https://…" } = form?.fields?.[name] ?? {};
    // Whoever edits sees the present value, and an empty field would say nothing.
    const required = !(schema instanceof z.ZodOptional) || value !== undefined;
    return { name, label, value, required, type, placeholder };
  });
}

function kindsIn(schema: z.core.$ZodType): readonly string[] {
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodNullable) return kindsIn(schema.unwrap());
  return [schema._zod.def.type];
}

/** What a form says as the body of a request: an empty field stands for `null` where that may be. */
function bodyOf({ body }: Operation, form: Form): Entity {
  const members = Object.entries(body?.schema.shape ?? {}).map(([name, schema]) => {
    if (kindsIn(schema).includes("boolean")) return [name, form.text(name) === "true"];
    const text = form.word(name);
    return [name, text ?? (z.safeParse(schema, null).success ? null : text)];
  });
  return Object.fromEntries(members.filter(([, value]) => value !== undefined));
}

/** The buttons of the operations that an entity has now. */
export function OperationButtons({
  pages: { implemented, path },
  entity,
}: {
  pages: Pick<OperationPages, "implemented" | "path">;
  entity: Entity;
}) {
  const { link } = useReader();
  const { label } = implemented.noun;
  const [id, what] = [String(entity["id"]), String(entity[label])];
  const to = link([...path.split("/"), id]);
  const shown = Object.values(implemented.routes).filter(({ operation: { verb, form } }) => {
    const isOfOne = form !== undefined && verb !== "create";
    return isOfOne && (form.states?.includes(String(entity["state"])) ?? true);
  });
  const plain = shown.filter(({ operation: { verb, form } }) => verb !== "edit" && form?.confirms !== true);
  return (
    <>
      {plain.length > 0 && (
        <PostForm to={to}>
          {plain.map(({ operation: { verb, form } }) => (
            <button name={changeField} value={verb}>
              {textOf(form?.button)} <Unseen name={what} />
            </button>
          ))}
        </PostForm>
      )}
      {shown.some(({ operation }) => operation.verb === "edit") && (
        <a href={link(path.split("/"), { [changeField]: id })}>
          {t("common.change")} <Unseen name={what} />
        </a>
      )}
      {shown.map(
        ({ operation: { verb, form } }) =>
          form?.confirms === true && (
            <Confirm
              to={to}
              what={what}
              explained={textIn("confirm", `${path}/${verb}`)}
              label={textOf(form.title)}
              button={textOf(form.button)}
              hidden={{ [changeField]: verb }}
            />
          ),
      )}
    </>
  );
}
