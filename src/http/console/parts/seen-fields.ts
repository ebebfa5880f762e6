/**
 * What the fields of a form showed when its page was made. It is sent with the form, so that the form neither takes back nor
 * replaces unseen what others have changed meanwhile.
 */
import { z } from "zod";
import { jsonOrUndefined } from "../../../domain/json.ts";
import { formWith, toLines, writtenState, type Form, type FormState } from "../requests/form.ts";
import { t } from "../texts/texts.ts";
import { chosenIn, type FormField } from "./fields.tsx";

/** The hidden field that says what the others showed. */
const shownField = "shown";

/** The values of fields by their names, as browsers send them. */
const shownValues = z.record(z.string(), z.array(z.string()));
type Shown = z.output<typeof shownValues>;

/** How much of it is read, in characters: many times what the largest form shows. */
const maxShown = 1_048_576;

/** What browsers send of fields that nobody changes. */
function shownBy(fields: readonly FormField[]): Shown {
  return Object.fromEntries(
    fields.flatMap((field) => {
      const values = valuesOf(field);
      return values === undefined ? [] : [[field.name, asSent(field, values)]];
    }),
  );
}

/** Values as browsers send them: fields of one line have no line ends. */
function asSent({ kind }: FormField, values: readonly string[]): string[] {
  return values.map((value) => (kind === undefined ? value.replaceAll(/[\r\n]/g, "") : toLines(value)));
}

/** What is stored. @returns undefined for a field that never shows it. */
function valuesOf(field: FormField): readonly string[] | undefined {
  if (field.kind === "file") return undefined;
  if (field.kind === "switch") return field.isOn === true ? ["true"] : [];
  if (field.kind === "many") {
    const { options, chosen = [] } = field;
    return options.map(valueOf).filter((value) => chosen.includes(value));
  }
  const { value } = field;
  if (field.kind === "one") {
    const values = field.options.map(valueOf);
    const none = field.all === undefined ? values[0] : undefined;
    return [(values.includes(value ?? "") ? value : none) ?? ""];
  }
  if (field.kind === undefined && field.type === "password") return undefined;
  return [value ?? ""];
}

function valueOf(option: string | readonly [value: string, shown: string]): string {
  return typeof option === "string" ? option : option[0];
}

/** The hidden field of a form with these fields. @param sent the form as it was sent before, and refused. */
export function seenBy(fields: readonly FormField[], sent: FormState): Readonly<Record<string, string>> {
  // What was refused may be older than the page that shows it again.
  return { [shownField]: sent.values[shownField] ?? JSON.stringify(shownBy(fields)) };
}

/**
 * A form on the present state: what its sender has left as it was is what it is by now.
 * @param path identifies the form on its page.
 * @param fields the fields of the form, if its page were made now.
 * @returns with the names of the fields that the sender has changed, unless the form does not say what it showed; or its
 *   state to show it again, where others have changed what the sender has changed, too, to something else.
 */
export function onPresent(
  form: Form,
  path: string,
  fields: readonly FormField[],
): { readonly form: Form; readonly changed?: ReadonlySet<string> } | { readonly refused: FormState } {
  const written = form.text(shownField);
  if (written.length > maxShown) return { form };
  const { data: seen } = shownValues.safeParse(jsonOrUndefined(written));
  if (seen === undefined) return { form };
  const now = shownBy(fields);
  const left = new Map<string, readonly string[]>();
  const changed = new Set<string>();
  const problems = new Map<string, string>();
  for (const field of fields) {
    const { name } = field;
    const [was, is, sent] = [seen[name], now[name], form.all(name)];
    if (was !== undefined && isSame(sent, was)) {
      // As it is stored, with the line ends that a field of one line does not send.
      const stored = valuesOf(field) ?? sent;
      if (!isSame(sent, stored)) left.set(name, stored);
      continue;
    }
    changed.add(name);
    if (was === undefined || is === undefined || isSame(was, is) || isSame(sent, is)) continue;
    problems.set(name, saidOf(field, path, is));
  }
  if (problems.size === 0) return { form: formWith(form, left), changed };
  const shown = formWith(form, left.set(shownField, [JSON.stringify(now)]));
  // The first problem is where one goes on, which is a field.
  problems.set("", t("form.changed_meanwhile"));
  return { refused: { ...writtenState(path, shown), problems } };
}

function isSame(a: readonly string[], b: readonly string[]): boolean {
  return a.length === b.length && a.every((value, i) => value === b[i]);
}

/** What others have made of a field. */
function saidOf(field: FormField, form: string, values: readonly string[]): string {
  const named = values.flatMap((value) =>
    chosenIn([field], { form, values: { [field.name]: value }, all: () => [], problems: new Map() }),
  );
  const shown = named.map(({ value }) => value).join("\n") || (field.kind === "one" && field.all);
  return shown ? t("form.now", { value: shown }) : t("form.now_empty");
}
