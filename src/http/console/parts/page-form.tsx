/** Forms as values: their address and their action. The page with the form supplies the fields. */
import { useBranch, useLink } from "../requests/context.tsx";
import type { Child, PropsWithChildren } from "hono/jsx";
import type { Ability } from "../../../domain/access/token.ts";
import { isFailure } from "../../../domain/errors.ts";
import { type Form, refusedBy, stateOf, writtenState, type FormState } from "../requests/form.ts";
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
import {
  chosenIn,
  Fields,
  OtherProblems,
  problemsAt,
  withChoices,
  writtenNames,
  type FormField,
} from "./fields.tsx";
import { PostForm } from "./post-form.tsx";
import { attempts } from "./previewed.tsx";
import { onPresent, seenBy } from "./seen-fields.ts";
import { Name } from "./text.tsx";
import { t, type TextKey } from "../texts/texts.ts";

interface FormOn<Sent> {
  /** The address, below the Hive or below the first page. It also identifies the form on its page. */
  readonly path: string;
  readonly button: TextKey;
  readonly isDangerous?: boolean;
  /** The heading above it. */
  readonly title?: TextKey;
  /** Whether it has fields for files. */
  readonly takesFiles?: boolean;
  /** Its fields, where they are the same on every page. */
  readonly fields?: () => readonly FormField[];
  /** @param changed the fields that its sender has changed, where `present` is given and the form says what it showed. */
  readonly take: (request: Sent, changed?: ReadonlySet<string>) => Promise<PageResult>;
  /** Its fields by the present state, where it changes what others may have changed since its page was made. */
  readonly present?: (request: Sent) => Promise<readonly FormField[] | undefined>;
}

export interface HiveForm extends FormOn<HiveFormRequest> {
  readonly ability: Ability;
  /** Whether its page, which is shown again where the form is refused, may take seconds. */
  readonly isSlow?: boolean;
  /** Whether it changes what stands in no commit, so that others commit without changing that. */
  readonly isBesideCommits?: boolean;
}

export interface TeamForm extends FormOn<TeamFormRequest> {
  readonly needs?: TeamNeeds;
}

/** The route of a form of a Hive. @param show makes the page with the form, with the errors of a refused form. */
export function hiveForm(
  of: HiveForm,
  show: (request: HiveRequest, submitted: FormState) => Promise<View>,
): PageRoute {
  return {
    kind: "hive-form",
    path: `/hives/:slug/${of.path}`,
    ability: of.ability,
    takesFiles: of.takesFiles,
    handler: taken(
      of,
      of.isSlow === true ? withinLimit(show) : show,
      of.isBesideCommits === true ? undefined : atHead,
    ),
  };
}

/** Makes a page be shown again within the limit for slow reads. */
function withinLimit(
  show: (request: HiveRequest, submitted: FormState) => Promise<View>,
): (request: HiveFormRequest, submitted: FormState) => Promise<View> {
  return (request, submitted) => request.runSlowRead((signal) => show({ ...request, signal }, submitted));
}

/** A form that is taken only at the commit that its Hive stands at now. */
function atHead(request: HiveFormRequest): HiveFormRequest {
  const { storage, hive, context } = request;
  const { expectedHead = storage.hives.at(hive.slug).head() } = context;
  return { ...request, context: { ...context, expectedHead } };
}

/** The route of a form of the team; see {@link hiveForm}. */
export function teamForm(
  of: TeamForm,
  show: (request: TeamRequest, submitted: FormState) => Promise<View>,
): PageRoute {
  return { kind: "team-form", path: `/${of.path}`, needs: of.needs, handler: taken(of, show) };
}

/**
 * Makes the handler that applies a form, or shows its errors beside the fields with the user's input. It throws errors
 * that are not about the form.
 * @param held the request so that it fails where what the form was compared with has changed since.
 */
function taken<Sent extends { readonly form: Form }>(
  { path, take, present }: FormOn<Sent>,
  show: (request: Sent, submitted: FormState) => Promise<View>,
  held: (request: Sent) => Sent = (request) => request,
): (request: Sent) => Promise<PageResult> {
  const compared = async (request: Sent, fieldsOf: NonNullable<typeof present>): Promise<PageResult> => {
    // Before the state that the form is compared with is read.
    const now = held(request);
    const fields = await fieldsOf(request);
    if (fields === undefined) return take(request);
    const sent = onPresent(request.form, path, fields);
    if ("refused" in sent) return { ...(await show(request, sent.refused)), status: 409 };
    if (sent.changed === undefined) return take(request);
    return take({ ...now, form: sent.form }, sent.changed);
  };
  return async (request) => {
    try {
      if (present === undefined) return await take(request);
      return await attempts(() => compared(request, present));
    } catch (error) {
      const { form } = request;
      const isLate = present !== undefined && isFailure(error, "precondition-failed");
      const late = { state: stateWith(path, form, t("form.others_write_now")), status: 409 };
      const { state, status } = isLate ? late : refusedBy(error, path, form);
      return { ...(await show(request, state)), status };
    }
  };
}

/** The state of a form that was sent, with a problem of none of its fields. */
function stateWith(path: string, form: Form, problem: string): FormState {
  return { ...writtenState(path, form), problems: new Map([["", problem]]) };
}

/**
 * A form with its fields.
 * @param props.submitted the state of the form that was sent, which may be another form of the page.
 * @param props.isLess whether another button of the page is the one that is meant to be pressed.
 * @param props.isChange whether it changes what is there, so that it says what it shows of that; see {@link FormOn.present}.
 */
export function PageForm({
  of,
  submitted,
  fields = of.fields?.() ?? [],
  hidden,
  title = of.title && t(of.title),
  isLess = false,
  isChange = false,
  children,
}: PropsWithChildren<{
  of: Omit<FormOn<never>, "take">;
  submitted: FormState | undefined;
  fields?: readonly FormField[];
  hidden?: Readonly<Record<string, string>>;
  title?: Child;
  isLess?: boolean;
  isChange?: boolean;
}>) {
  const { path, button, isDangerous = false, takesFiles } = of;
  const sent = stateOf(submitted, path);
  const { at: problems, others } = problemsAt(sent, fields);
  const state = { ...sent, problems };
  const link = useLink();
  return (
    <>
      {title !== undefined && <h2>{title}</h2>}
      <PostForm
        to={link(path.split("/"))}
        class="stacked panel"
        takesFiles={takesFiles}
        hidden={{ ...writtenNames(fields), ...(isChange && seenBy(fields, sent)), ...hidden }}
      >
        {others.map((problem) => (
          <p class="notice wrong">
            <Name name={problem} />
          </p>
        ))}
        {children}
        <Fields fields={fields} state={state} />
        <button class={isDangerous ? "danger" : isLess ? undefined : "primary"}>{t(button)}</button>
      </PostForm>
    </>
  );
}

/** A part of an address that is no field, and what its chip says. */
interface Kept {
  readonly name: string;
  readonly value: string;
  readonly label: string;
}

/**
 * A form of filters, which sends a GET request, so that every filter has an address, and says what is wrong with that. It
 * has a hidden field for the branch, since the browser replaces the query of the form's address.
 * @param props.page the page, on pages of a Hive the one below that of the Hive.
 * @param props.live the id of the element that a script updates while the user types.
 * @param props.isStacked whether it is a form by itself, and not above a list.
 * @param props.further fields that are only seen once they are asked for; each that is filled in is a chip, which takes it
 *   away.
 * @param props.kept what the list is limited to beside its fields, which a chip takes away as well.
 */
export function FilterForm(props: {
  page: readonly string[];
  fields: readonly FormField[];
  state?: FormState;
  live?: string;
  button?: string;
  isStacked?: boolean;
  further?: readonly FormField[];
  kept?: Kept;
}) {
  const { page, fields, further = [], kept, live, isStacked = false, button = t("common.show") } = props;
  const { state: given = stateOf(undefined, "filter") } = props;
  const state = withChoices(given, [...fields, ...further]);
  const link = useLink();
  const branch = useBranch();
  return (
    <form class={isStacked ? "stacked panel" : "filters"} method="get" action={link(page)} data-live={live}>
      <OtherProblems state={state} fields={[...fields, ...further]} />
      {typeof branch === "object" && <input type="hidden" name="branch" value={branch.branch} />}
      {kept !== undefined && <input type="hidden" name={kept.name} value={kept.value} />}
      <Fields fields={fields} state={state} />
      <button class={isStacked ? "primary" : undefined}>{button}</button>
      {further.length > 0 && (
        <div class="chips">
          <Chips page={page} fields={fields} further={further} state={state} kept={kept} />
          <details class="further" open={further.some(({ name }) => state.problems.has(name))}>
            <summary>{t("common.add_a_filter")}</summary>
            <div>
              <Fields fields={further} state={state} />
              <button>{button}</button>
            </div>
          </details>
        </div>
      )}
    </form>
  );
}

/** What a list is filtered by beside its search, each with the address of the list without it. */
function Chips(props: {
  page: readonly string[];
  fields: readonly FormField[];
  further: readonly FormField[];
  state: FormState;
  kept: Kept | undefined;
}) {
  const { page, fields, further, state, kept } = props;
  const link = useLink();
  const given = Object.fromEntries([...fields, ...further].map(({ name }) => [name, state.values[name]]));
  const all = kept === undefined ? given : { ...given, [kept.name]: kept.value };
  const chosen = chosenIn(further, state);
  return (kept === undefined ? chosen : [{ ...kept, value: undefined }, ...chosen]).map(
    ({ name, label, value }) => (
      <a class="chip" href={link(page, { ...all, [name]: undefined })} title={t("common.remove_the_filter")}>
        <span class="visually-hidden">{t("common.remove_the_filter")} </span>
        {value === undefined ? (
          label
        ) : (
          <>{t("common.named_value", { name: label, value: <Name name={value} /> })}</>
        )}{" "}
        <span aria-hidden="true">×</span>
      </a>
    ),
  );
}
