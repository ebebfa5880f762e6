/** A form that changes something. */
import type { Child } from "hono/jsx";
import type { Session } from "../../../service/sessions.ts";
import { Name } from "./text.tsx";

/** The name of the field that proves that a form comes from a page of its session. */
export const formKeyField = "form_key";

/**
 * A form with the session's key in it; every form that is signed in needs it.
 * @param props.to the address that it is sent to.
 */
export function PostForm({
  session,
  to,
  isUnsaved,
  children,
  ...rest
}: {
  readonly session: Session;
  readonly to: string;
  readonly class?: string;
  /** Whether it holds what could not be taken when it was sent before. */
  readonly isUnsaved?: boolean;
  readonly children?: Child;
}) {
  return (
    <form method="post" action={to} data-unsaved={isUnsaved === true ? "" : undefined} {...rest}>
      <input type="hidden" name={formKeyField} value={session.formKey} />
      {children}
    </form>
  );
}

/**
 * Something that is done by two presses, because it cannot be taken back by one.
 * @param props.label what the first press is called, `what` for those who do not see where it stands.
 * @param props.fields hidden fields.
 * @param props.children what it means.
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
