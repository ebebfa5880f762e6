/** A form that changes something. */
import type { Child } from "hono/jsx";
import type { Session } from "../../../service/sessions.ts";

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
