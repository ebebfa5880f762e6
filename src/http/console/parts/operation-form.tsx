/**
 * Forms of declared operations: their fields from the members of what is sent, the button of each operation, and the routes
 * that take them. What a form says is checked and done exactly as a request to the API.
 */
import type { Child } from "hono/jsx";
import { z } from "zod";
import { writeAbilityOf, type Noun, type Operation } from "../../../api/operation.ts";
import { isFailure } from "../../../domain/errors.ts";
import { encode } from "../../../domain/json-codec.ts";
import type { Implemented } from "../../operations/implement.ts";
import { useLink } from "../requests/context.tsx";
import { refusedBy, type Form, type FormState } from "../requests/form.ts";
import type {
  HiveFormRequest,
  HiveRequest,
  PageResult,
  PageRoute,
  TeamFormRequest,
  TeamNeeds,
  TeamRequest,
  View,
} from "../requests/page.ts";
import { t, textIn, textKey } from "../texts/texts.ts";
import { formFields, membersField, textOf, type Editing, type Entity, type Offers } from "./member-fields.ts";
import { hiveForm, PageForm, teamForm } from "./page-form.tsx";
import { Confirm, PostForm, Unseen } from "./post-form.tsx";
import {
  changeField,
  noSuchForm,
  routeOf,
  sendingOf,
  unchanged,
  type About,
  type AnyRoute,
  type OperationPage,
} from "./sent-operation.ts";

interface Answering<Shown, Sent> {
  /** Makes the page again, with the errors of a refused form. */
  readonly show: (request: Shown, submitted?: FormState) => Promise<View>;
  /** What the form of an id shows by now; undefined where there is none. Needed where others change the same. */
  readonly editing?: (request: Shown, id: string) => Promise<Editing | undefined>;
  /** Adds to what a form says what the page knows better. */
  readonly complete?: (operation: Operation, body: Entity, request: Sent) => Promise<Entity>;
  /** What is shown after an operation was done. @param answer the one of the API. */
  readonly done: (operation: Operation, answer: Entity, request: Sent) => Promise<PageResult>;
}

/** The id of what a refused form edits; undefined for one that creates. */
export function editedBy(submitted: FormState | undefined): string | undefined {
  return submitted?.values[changeField] || undefined;
}

/** The routes of a page's forms: the one that creates or edits, and the buttons of each entity. */
export function operationForms(
  page: OperationPage & Answering<TeamRequest, TeamFormRequest>,
): readonly PageRoute[] {
  const needs = needsOf(page.implemented);
  const take = async (request: TeamFormRequest, about: About): Promise<PageResult> => {
    const { route, isIdle, ...sent } = await sendingOf(page, request.form, about);
    if (route.kind !== "team") throw noSuchForm();
    if (isIdle) return page.done(route.operation, unchanged(page, sent), request);
    const { storage, event, grant, context, session, access } = request;
    const { publicUrl, mailing } = access;
    const common = { event, storage, grant, context, publicUrl, mailing, caller: session.caller };
    const { result } = await route.handler({ ...common, ...sent });
    return page.done(route.operation, asJson(route, result), request);
  };
  const { path } = page;
  return [
    teamForm(
      {
        path,
        needs,
        button: "common.save",
        present: presentOf(page),
        take: (request, changed) => take(request, { changed }),
      },
      page.show,
    ),
    {
      kind: "team-form",
      path: `/${path}/:${page.implemented.noun.key}`,
      needs,
      handler: async (request) => {
        const id = request.param(page.implemented.noun.key);
        try {
          return await take(request, { id });
        } catch (error) {
          const own = actionForms(page.implemented).find(
            ({ verb }) => verb === request.form.text(changeField),
          );
          if (own === undefined || isFailure(error, "not-found")) throw error;
          const { state, status } = refusedBy(error, actionPath(page, id), request.form);
          return { ...(await page.show(request, state)), status };
        }
      },
    },
  ];
}

/** The routes of the forms of a page of a Hive; see {@link operationForms}. */
export function hiveOperationForms(
  page: OperationPage & Answering<HiveRequest, HiveFormRequest>,
): readonly PageRoute[] {
  const { noun } = page.implemented;
  const ability = writeAbilityOf(noun);
  const take = async (request: HiveFormRequest, about: About): Promise<PageResult> => {
    const { complete } = page;
    const { route, isIdle, ...sent } = await sendingOf(
      page,
      request.form,
      about,
      complete && ((operation, body) => complete(operation, body, request)),
    );
    if (route.kind !== "hive-write") throw noSuchForm();
    if (isIdle) return page.done(route.operation, unchanged(page, sent), request);
    const { storage, event, hive, branch, context, session } = request;
    // Pages are for those who may read.
    const common = { event, storage, hive, branch, context, caller: session.caller, canRead: true };
    const { result } = await route.handler({ ...common, ...sent });
    return page.done(route.operation, asJson(route, result), request);
  };
  const { path } = page;
  const ofAll = hiveForm(
    {
      path,
      ability,
      isBesideCommits: noun.hasCommit !== true,
      button: "common.save",
      present: presentOf(page),
      take: (request, changed) => take(request, { changed }),
    },
    page.show,
  );
  if (!Object.values(page.implemented.routes).some(hasButton)) return [ofAll];
  return [
    ofAll,
    {
      kind: "hive-form",
      path: `/hives/:slug/${path}/:${noun.key}`,
      ability,
      handler: (request) => take(request, { id: request.param(noun.key) }),
    },
  ];
}

/** The fields of the form that edits, by the present state. */
function presentOf<Shown, Sent extends Shown & { readonly form: Form }>(
  page: OperationPage & Answering<Shown, Sent>,
) {
  const { editing } = page;
  if (editing === undefined) return undefined;
  return async (request: Sent) => {
    const id = request.form.text(changeField);
    const edited = id === "" ? undefined : await editing(request, id);
    return edited && fieldsOf(page, "edit", edited);
  };
}

/** The fields of the form of an operation. */
function fieldsOf(
  { path, implemented }: OperationPage,
  verb: string,
  edited: Omit<Editing, "entity"> & { readonly entity?: Entity },
) {
  const { form, body } = routeOf(implemented, verb).operation;
  return formFields(body?.schema ?? z.object(), form, { path, values: edited.entity, ...edited });
}

/** The actions whose forms ask for something. */
function actionForms({ routes }: Implemented): readonly Operation[] {
  return Object.values(routes)
    .map(({ operation }): Operation => operation)
    .filter(({ verb, form }) => verb !== "create" && verb !== "edit" && form?.members !== undefined);
}

/** The address of the forms of actions, by which {@link FormState} names them. */
export function actionPath({ path }: Pick<OperationPage, "path">, id: string): string {
  return `${path}/${id}`;
}

/** Whether an operation has buttons at each of a noun. */
function hasButton({ operation: { verb, form } }: { readonly operation: Operation }): boolean {
  if (form === undefined) return false;
  return (verb !== "create" && verb !== "edit") || form.switches !== undefined;
}

/** An answer as the API gives it. */
function asJson({ response }: AnyRoute, result: unknown): Entity {
  return z.record(z.string(), z.unknown()).parse(encode(response, result));
}

/** What a page of the noun's operations needs. */
export function needsOf({ noun }: Pick<Implemented, "noun">): TeamNeeds | undefined {
  if (noun.ability !== "admin") return undefined;
  return noun.allHives === true ? "admin-of-all-hives" : "admin";
}

/**
 * The form that creates one of the noun, or edits the one that is given, or does something with it.
 * @param props.verb of the action that it does.
 * @param props.title of the form that edits.
 * @param props.hints what is said of fields here beside what is said of them everywhere.
 * @param props.members the members that it asks for, where these are fewer than declared.
 */
export function OperationForm(props: {
  page: OperationPage;
  offers: Offers;
  edited?: Entity;
  verb?: string;
  title?: string;
  hints?: Readonly<Record<string, string | undefined>>;
  members?: readonly string[];
  submitted: FormState | undefined;
  children?: Child;
}) {
  const { page, offers, edited, hints = {}, members, submitted, children } = props;
  const { path, implemented } = page;
  const { verb = edited === undefined ? "create" : "edit" } = props;
  const { form } = routeOf(implemented, verb).operation;
  const isAction = edited !== undefined && verb !== "edit";
  const id = edited && idOf(implemented, edited);
  const fields = fieldsOf(page, verb, { entity: edited, offers, members });
  return (
    <PageForm
      of={{ path: isAction ? actionPath(page, id ?? "") : path, button: textKey(form?.button ?? "") }}
      title={props.title ?? textOf(form?.title)}
      submitted={submitted}
      isChange={edited !== undefined && !isAction}
      fields={fields.map((field) => Object.assign(field, { hint: hints[field.name] }))}
      hidden={{
        [membersField]: [...new Set(fields.map(({ name }) => name.split(".")[0]))].join(" "),
        ...(id !== undefined && { [changeField]: isAction ? verb : id }),
      }}
    >
      {children}
    </PageForm>
  );
}

function idOf({ noun }: { readonly noun: Pick<Noun, "names"> }, entity: Entity): string {
  return String(entity[noun.names ?? "id"]);
}

/**
 * The buttons of the operations that an entity has now.
 * @param props.without the verbs of operations, and the members of switches, that are not offered here; `edit` only leaves
 *   out the link to its form.
 * @param props.name what it is called, if not by the name that the API has for it.
 * @param props.children what else explains those that ask whether that is meant.
 */
export function OperationButtons(props: {
  page: OperationPage;
  entity: Entity;
  without?: readonly string[];
  name?: string;
  children?: Child;
}) {
  const { page, entity, without = [], children } = props;
  const { implemented, path } = page;
  const { noun, routes } = implemented;
  const link = useLink();
  const id = idOf(implemented, entity);
  const what = props.name ?? String(entity[noun.names ?? noun.label]);
  const to = link([...path.split("/"), id]);
  const shown = Object.values(routes).filter(({ operation: { verb, form } }) => {
    const isOfOne = form !== undefined && verb !== "create" && !without.includes(verb);
    return isOfOne && (form.states?.includes(String(entity["state"])) ?? true);
  });
  const asking = actionForms(implemented).filter((one) => shown.some(({ operation }) => operation === one));
  const plain = shown.filter(
    ({ operation }) =>
      operation.verb !== "edit" && operation.form?.confirms !== true && !asking.includes(operation),
  );
  const switches = Object.values(routes)
    .flatMap(({ operation: { form } }) => form?.switches ?? [])
    .filter(({ member, value }) => entity[member] !== value && !without.includes(member));
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
      {switches.map(({ member, value, button }) => (
        <PostForm to={to} hidden={setting(member, value)}>
          <button>
            {textOf(button)} <Unseen name={what} />
          </button>
        </PostForm>
      ))}
      {asking.map(({ verb, form }) => (
        <a href={link(path.split("/"), { [verb]: id })}>
          {textOf(form?.title)} <Unseen name={what} />
        </a>
      ))}
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
              button={textOf(form.button, { name: what })}
              hidden={{ [changeField]: verb }}
            >
              {children}
            </Confirm>
          ),
      )}
    </>
  );
}

/** The hidden fields by which a form sets one member. */
function setting(member: string, value: boolean | string | null): Readonly<Record<string, string>> {
  return {
    [changeField]: "edit",
    [membersField]: member,
    [member]: value === false || value === null ? "" : String(value),
  };
}

/**
 * A switch of one member of an entity: a button that sets its other value.
 * @param props.name what the entity is called.
 */
export function OperationSwitch(props: {
  page: OperationPage;
  entity: Entity;
  member: string;
  name: string;
}) {
  const { page, entity, member, name } = props;
  const { implemented, path } = page;
  const link = useLink();
  const other = Object.values(implemented.routes)
    .flatMap(({ operation: { form } }) => form?.switches ?? [])
    .find((one) => one.member === member && one.value !== entity[member]);
  if (other === undefined) return <></>;
  const { value, button } = other;
  const isOn = value === false || value === null;
  return (
    <PostForm to={link([...path.split("/"), idOf(implemented, entity)])} hidden={setting(member, value)}>
      <button role="switch" aria-checked={isOn ? "true" : "false"} class="toggle">
        {textOf(button)} <Unseen name={name} />
      </button>
    </PostForm>
  );
}
