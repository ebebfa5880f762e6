/** A form that changes something. */
import type { Child } from "hono/jsx";
import { useLink, useReader } from "../requests/context.tsx";
import { Name } from "./text.tsx";
import { t, type NameIn } from "../texts/texts.ts";

/** The field that proves that a form comes from a page of its session. */
export const formKeyField = "form_key";

/**
 * A form with the session's key; every form of a signed-in user needs it.
 * @param props.to the address of the form.
 * @param props.hidden its hidden fields.
 * @param props.takesFiles whether it has fields for files.
 * @param props.isUnsaved whether it contains input that was refused before.
 * @param props.draft what drafts of it are named by, where its address does not say that.
 */
export function PostForm(props: {
  to: string;
  hidden?: Readonly<Record<string, string>>;
  class?: string;
  id?: string;
  draft?: string;
  takesFiles?: boolean;
  isUnsaved?: boolean;
  children?: Child;
}) {
  const { to, hidden = {}, takesFiles, isUnsaved, draft, children, ...rest } = props;
  const { session } = useReader();
  return (
    <form
      method="post"
      action={to}
      enctype={takesFiles === true ? "multipart/form-data" : undefined}
      data-unsaved={isUnsaved === true ? "" : undefined}
      data-draft={draft}
      {...rest}
    >
      {Object.entries({ [formKeyField]: session.formKey, ...hidden }).map(([name, value]) => (
        <input type="hidden" name={name} value={value} />
      ))}
      {children}
    </form>
  );
}

/**
 * A button that needs two presses, because one press cannot revert its action.
 * @param props.of the path of the form, below the Hive or the first page, of which the text `confirm.OF` explains it.
 * @param props.to its address, if `of` is only what it is explained as.
 * @param props.explained what explains it in place of that text.
 * @param props.label the label of the first press; `what` completes it for screen readers.
 * @param props.children what else explains it.
 */
export function Confirm(props: {
  of?: NameIn<"confirm">;
  explained?: string;
  to?: string;
  what: string;
  label?: string;
  button?: string;
  hidden?: Readonly<Record<string, string>>;
  children?: Child;
}) {
  const { of, what, label = t("common.remove"), children, ...form } = props;
  const explained = of === undefined ? form.explained : t(`confirm.${of}`);
  const {
    to = useLink()(of?.split("/") ?? []),
    button = t("common.remove_2", { name: what }),
    hidden,
  } = form;
  return (
    <details class="confirm">
      <summary>
        {label} <Unseen name={what} />
      </summary>
      <PostForm to={to} hidden={hidden}>
        {explained !== undefined && (
          <p>
            {explained}
            {children}
          </p>
        )}
        <button class="danger">
          <Name name={button} />
        </button>
      </PostForm>
    </details>
  );
}

/** The field for the message of a commit. @param props.message what was written into it. */
export function MessageField({ message }: { message?: string }) {
  return (
    <>
      <label for="message">{t("common.why_it_stands")}</label>
      <input id="message" name="message" maxlength={1000} value={message} />
    </>
  );
}

/** The form that commits what its page has planned, with the field for the commit's message. */
export function PlannedForm(props: {
  to: string;
  hidden: Readonly<Record<string, string>>;
  button: string;
  children?: Child;
}) {
  const { button, children, ...form } = props;
  return (
    <PostForm {...form} class="stacked">
      <MessageField />
      {children}
      <button class="primary">{button}</button>
    </PostForm>
  );
}

/** The button that ends all sessions of whoever is signed in. */
export function SignOutEverywhere() {
  return (
    <PostForm to={useLink()(["sign-out"])}>
      <button name="everywhere" value="yes">
        {t("common.sign_out_everywhere")}
      </button>
    </PostForm>
  );
}

/** A stored name that only screen readers say. */
export function Unseen({ name }: { name: string }) {
  return (
    <span class="visually-hidden">
      <Name name={name} />
    </span>
  );
}
