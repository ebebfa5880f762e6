/** A form that changes something. */
import type { Child } from "hono/jsx";
import type { Session } from "../../../service/sessions.ts";
import { Name } from "./text.tsx";

/** The field that proves that a form comes from a page of its session. */
export const formKeyField = "form_key";

/**
 * A form with the session's key; every form of a signed-in user needs it.
 * @param props.to the address of the form.
 */
export function PostForm({
  session,
  to,
  isUnsaved,
  draft,
  children,
  ...rest
}: {
  readonly session: Session;
  readonly to: string;
  readonly class?: string;
  readonly id?: string;
  /** What drafts of it are named by, where its address does not say that. */
  readonly draft?: string;
  /** Whether it contains input that was refused before. */
  readonly isUnsaved?: boolean;
  readonly children?: Child;
}) {
  return (
    <form
      method="post"
      action={to}
      data-unsaved={isUnsaved === true ? "" : undefined}
      data-draft={draft}
      {...rest}
    >
      <input type="hidden" name={formKeyField} value={session.formKey} />
      {children}
    </form>
  );
}

/**
 * A button that needs two presses, because one press cannot revert its action.
 * @param props.label the label of the first press; `what` completes it for screen readers.
 * @param props.fields hidden fields.
 * @param props.children an explanation.
 */
export function Confirm({
  label,
  what,
  button,
  fields = {},
  children,
  ...form
}: {
  readonly session: Session;
  readonly to: string;
  readonly label: string;
  readonly what: string;
  readonly button: string;
  readonly fields?: Readonly<Record<string, string>>;
  readonly children?: Child;
}) {
  return (
    <details class="confirm">
      <summary>
        {label}{" "}
        <span class="visually-hidden">
          <Name name={what} />
        </span>
      </summary>
      <PostForm {...form}>
        {children}
        <HiddenFields fields={fields} />
        <button class="danger">
          <Name name={button} />
        </button>
      </PostForm>
    </details>
  );
}

export function HiddenFields({ fields }: { readonly fields: Readonly<Record<string, string>> }) {
  return Object.entries(fields).map(([name, value]) => <input type="hidden" name={name} value={value} />);
}
