/** Writes that are made as their preview showed them: the preview of a form, and the form that applies it. */
import { createHash } from "node:crypto";
import type { Child } from "hono/jsx";
import { isFailure } from "../../../domain/errors.ts";
import type { CommitResult, Preview, WriteContext } from "../../../service/access.ts";
import { writtenField, type Form } from "../requests/form.ts";
import { t } from "../texts/texts.ts";
import { PlannedChanges } from "./changes.tsx";
import { FoundIn } from "./findings.tsx";
import { formKeyField, PlannedForm } from "./post-form.tsx";
import { Facts } from "./text.tsx";

/** A write, which its context makes a dry run. */
export type Write<T = unknown> = (context: WriteContext) => Promise<CommitResult<T>>;

/** How often a write begins again because HEAD was moved. */
const maxAttempts = 3;

/** Plans a write on the present state. @throws the errors of the write. */
export function planned<T>(write: Write<T>, context: WriteContext): Promise<CommitResult<T>> {
  return attempts(() => write({ ...context, expectedHead: undefined, dryRun: true, maxDeletions: Infinity }));
}

/** Runs a write, and again where HEAD was moved meanwhile. @throws the errors of the write. */
export async function attempts<T>(run: () => Promise<T>): Promise<T> {
  for (let left = maxAttempts; ; left--) {
    try {
      return await run();
    } catch (error) {
      if (left === 1 || !isFailure(error, "precondition-failed")) throw error;
    }
  }
}

/** Whether a form applies a preview. */
export function appliesPreview(form: Form): boolean {
  return form.text("plan") !== "";
}

/**
 * Makes a write that a form applies: exactly what its preview has shown, at the commit of the preview, or at a later one
 * where the write would do the same.
 * @returns the new preview where it would do something else by now; nothing was written then.
 * @throws the errors of the write.
 */
export async function writeAsPreviewed<T>(
  write: Write<T>,
  context: WriteContext,
  form: Form,
): Promise<{ readonly done: CommitResult<T> } | { readonly changed: CommitResult<T> }> {
  // No limit: the user has seen the deletions, and can undo them.
  const unlimited = { ...context, maxDeletions: Infinity };
  return attempts(async () => {
    const now = await planned(write, context);
    if (digestOf(now) !== form.text("plan")) return { changed: now };
    return { done: await write({ ...unlimited, expectedHead: now.commit }) };
  });
}

/** Names what a write would do. */
function digestOf({ preview, isUnchanged = false }: CommitResult<unknown>): string {
  const { changes = [], moves = [] } = preview ?? {};
  const all = [
    changes.map(({ change, locale, file, key, before, after }) => [change, locale, file, key, before, after]),
    moves,
    isUnchanged,
  ];
  return createHash("sha256").update(JSON.stringify(all)).digest("base64url");
}

/** The fields of a form that say nothing of what is to be written. */
const ofForms = new Set([formKeyField, writtenField, "plan", "message"]);

/**
 * What a write would change, with the form that applies it.
 * @param props.values the fields that were sent, which are sent again.
 * @param props.isChanged whether it would do something else than when it was applied.
 * @param props.children what else it would do.
 */
export function Previewed(props: {
  to: string;
  planned: CommitResult<unknown>;
  values: Readonly<Record<string, string | undefined>>;
  button: string;
  isChanged?: boolean;
  children?: Child;
}) {
  const { to, planned: plan, values, button, isChanged = false, children } = props;
  const { preview, findings } = plan;
  const { changes = [], moves = [] } = preview ?? {};
  const sent = Object.entries(values).filter(([name]) => !ofForms.has(name));
  const fields = Object.fromEntries(sent.map(([name, value]) => [name, value ?? ""]));
  const hasTexts = changes.length + moves.length > 0;
  const isUnchanged = plan.isUnchanged === true;
  return (
    <>
      {isChanged && <p class="notice warn">{t("previewed.changed_meanwhile")}</p>}
      <PlannedChanges preview={preview}>
        <div role="status">
          {hasTexts ? (
            <Facts items={countsOf(preview)} />
          ) : (
            <p>{t(isUnchanged ? "undo.nothing_would_change" : "previewed.other_parts")}</p>
          )}
        </div>
        {children}
        {findings !== undefined && <FoundIn findings={findings} />}
        {!isUnchanged && <PlannedForm to={to} hidden={{ ...fields, plan: digestOf(plan) }} button={button} />}
      </PlannedChanges>
    </>
  );
}

/** In their order. */
const countKeys = [
  "strings_created",
  "strings_updated",
  "strings_deleted",
  "strings_moved",
  "translations_created",
  "translations_updated",
  "translations_deleted",
] as const;
type CountKey = (typeof countKeys)[number];

/** How many texts it would change in which way, of the source and of translations. */
function countsOf(preview: Preview | undefined): readonly string[] {
  const { changes = [], moves = [], settings } = preview ?? {};
  const source = settings?.sourceLocale.code;
  const counts = new Map<CountKey, number>([["strings_moved", moves.length]]);
  for (const { change, locale } of changes) {
    const kind = change === "cleared" ? "deleted" : change;
    const key: CountKey = `${locale === source ? "strings" : "translations"}_${kind}`;
    counts.set(key, (counts.get(key) ?? 0) + 1);
  }
  return countKeys.flatMap((key) => {
    const count = counts.get(key) ?? 0;
    return count === 0 ? [] : [t(`previewed.${key}`, { count })];
  });
}
