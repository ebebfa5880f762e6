/** A form that a script fills with a passkey; it is hidden where there is no script, or no passkeys. */
import type { Child } from "hono/jsx";

/**
 * @param props.options the options for the browser.
 * @param props.makes whether a passkey is made, rather than asked for.
 * @param props.problem why the last attempt was refused.
 */
export function PasskeyForm({
  to,
  options,
  makes,
  button,
  problem,
  children,
}: {
  readonly to: string;
  readonly options: object;
  readonly makes: boolean;
  readonly button: string;
  readonly problem: string | undefined;
  readonly children?: Child;
}): Child {
  return (
    <form
      method="post"
      action={to}
      class="stacked panel"
      hidden
      data-passkey={JSON.stringify(options)}
      data-makes={makes ? "" : undefined}
    >
      {children}
      <input type="hidden" name="passkey" />
      <p class="notice wrong" role="alert" hidden={problem === undefined}>
        {problem}
      </p>
      <button class="primary">{button}</button>
    </form>
  );
}
