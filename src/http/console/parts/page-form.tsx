/** Forms as values: their address and their action. The page with the form supplies the fields. */
import type { Child, PropsWithChildren } from "hono/jsx";
import type { Ability } from "../../../domain/access/token.ts";
import { isSkepError } from "../../../domain/errors.ts";
import type { Form } from "../requests/form.ts";
import { problemsOf, stateOf, type FormState } from "../requests/form-state.ts";
import type {
  FormOf,
  HiveFormRequest,
  HiveRequest,
  PageResult,
  PageRoute,
  SignedInRequest,
  View,
} from "../requests/page.ts";
import { Choice, Choices, OtherProblems, Switch, TextArea, TextField, type WithoutState } from "./fields.tsx";
import { PostForm } from "./post-form.tsx";

/** A field: a text field unless it is a choice of `one` or of `many` values, or a `switch`. */
export type FormField =
  | ({ readonly kind?: undefined } & WithoutState<typeof TextField>)
  | ({ readonly kind: "one" } & WithoutState<typeof Choice>)
  | ({ readonly kind: "many" } & WithoutState<typeof Choices>)
  | ({ readonly kind: "area" } & WithoutState<typeof TextArea>)
  | ({ readonly kind: "switch" } & WithoutState<typeof Switch>);

interface FormOn<Sent> {
  /** The address, below the Hive or below the first page. It also identifies the form on its page. */
  readonly path: string;
  readonly button: string;
  /** Whether it deletes something. */
  readonly isDangerous?: boolean;
  readonly take: (request: Sent) => Promise<PageResult>;
}

export interface HiveForm extends FormOn<HiveFormRequest> {
  readonly ability: Ability;
}

export type TeamForm = FormOn<FormOf<SignedInRequest>>;

/** The route of a form of a Hive. @param show makes the page with the form, with the errors of a refused form. */
export function hiveForm(
  of: HiveForm,
  show: (request: HiveRequest, submitted: FormState) => Promise<View>,
): PageRoute {
  const handler = (request: HiveFormRequest): Promise<PageResult> =>
    taken(
      of.path,
      request.form,
      () => of.take(request),
      (submitted) => show(request, submitted),
    );
  return { kind: "hive-form", path: `/hives/:slug/${of.path}`, ability: of.ability, handler };
}

/** The route of a form of the team; see {@link hiveForm}. */
export function teamForm(
  of: TeamForm,
  show: (request: SignedInRequest, submitted: FormState) => Promise<View>,
): PageRoute {
  const handler = (request: FormOf<SignedInRequest>): Promise<PageResult> =>
    taken(
      of.path,
      request.form,
      () => of.take(request),
      (submitted) => show(request, submitted),
    );
  return { kind: "signed-in-form", path: `/${of.path}`, handler };
}

/**
 * Applies a form, or shows its errors beside the fields with the user's input.
 * @throws errors that are not about the form.
 */
async function taken(
  form: string,
  { values, all }: Form,
  take: () => Promise<PageResult>,
  show: (submitted: FormState) => Promise<View>,
): Promise<PageResult> {
  try {
    return await take();
  } catch (error) {
    if (!isSkepError(error) || !["invalid", "conflict", "quota", "not-found"].includes(error.code))
      throw error;
    const view = await show({ form, values, all, problems: problemsOf(error) });
    return { ...view, status: error.code === "conflict" ? 409 : 422 };
  }
}

/**
 * A form with its fields.
 * @param props.submitted the state of the form that was sent, which may be another form of the page.
 */
export function PageForm({
  of: { path, button, isDangerous = false },
  request,
  submitted,
  fields,
  children,
}: PropsWithChildren<{
  readonly of: Pick<FormOn<never>, "path" | "button" | "isDangerous">;
  readonly request: SignedInRequest | HiveRequest;
  readonly submitted: FormState | undefined;
  readonly fields: readonly FormField[];
}>) {
  const state = stateOf(submitted, path);
  const link = "hiveLink" in request ? request.hiveLink : request.link;
  return (
    <PostForm session={request.session} to={link(path.split("/"))} class="stacked panel">
      <OtherProblems state={state} fields={fields.map(({ name }) => name)} />
      {children}
      {fields.map((field) => toField(field, state))}
      <button class={isDangerous ? "danger" : "primary"}>{button}</button>
    </PostForm>
  );
}

function toField(field: FormField, state: FormState): Child {
  if (field.kind === "one") return <Choice {...field} state={state} />;
  if (field.kind === "many") return <Choices {...field} state={state} />;
  if (field.kind === "area") return <TextArea {...field} state={state} />;
  if (field.kind === "switch") return <Switch {...field} state={state} />;
  return <TextField {...field} state={state} />;
}
