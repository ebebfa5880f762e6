/** Fields of forms, and filter forms, which send a GET request, so that every filter has an address. */
import type { Child, PropsWithChildren } from "hono/jsx";
import { codeOf, type Locale } from "../../../domain/hives/locale.ts";
import type { FormState } from "../requests/form-state.ts";
import type { HiveRequest } from "../requests/page.ts";
import { languageName } from "./languages.ts";
import { Name } from "./text.tsx";

interface FieldProps {
  readonly label: string;
  readonly name: string;
  readonly state: FormState;
  /** A hint for the user. */
  readonly hint?: Child;
}

/** The properties of a field without the state of its form. */
export type WithoutState<Field> = Field extends (props: infer Props) => unknown
  ? Omit<Props, "state">
  : never;

/**
 * A form of filters. It has a hidden field for the branch, since the browser replaces the query of the form's address.
 * @param props.page the page under that of the Hive.
 * @param props.live the id of the element that a script updates while the user types.
 */
export function FilterForm({
  request: { branch, hiveLink },
  page,
  live,
  children,
}: PropsWithChildren<{
  readonly request: HiveRequest;
  readonly page: string | readonly string[];
  readonly live?: string;
}>) {
  return (
    <form
      class="filters"
      method="get"
      action={hiveLink(typeof page === "string" ? [page] : page)}
      data-live={live}
    >
      {typeof branch !== "string" && <input type="hidden" name="branch" value={branch.branch} />}
      {children}
    </form>
  );
}

/** Errors of a form that belong to none of its fields, such as a misspelt parameter. */
export function OtherProblems({
  state: { problems },
  fields,
}: {
  readonly state: FormState;
  readonly fields: readonly string[];
}) {
  const others = [...problems].filter(([field]) => !fields.includes(field));
  return others.map(([field, problem]) => (
    <p class="notice wrong">
      <Name name={field === "" ? problem : `${field}: ${problem}`} />
    </p>
  ));
}

/** A field with its label and its error. */
function Field({
  label,
  name,
  state: { form, problems },
  hint,
  class: className,
  children,
}: PropsWithChildren<FieldProps & { readonly class?: string }>) {
  return (
    <div class={className === undefined ? "field" : `field ${className}`}>
      <label for={`${form}-${name}`}>{label}</label>
      {children}
      {hint !== undefined && <p class="hint">{hint}</p>}
      <p class="problem" id={`problem-${form}-${name}`}>
        {problems.has(name) && <Name name={problems.get(name) ?? ""} />}
      </p>
    </div>
  );
}

/** The attributes of an input element inside {@link Field}. */
function described({ name, state: { form, problems } }: FieldProps) {
  return {
    id: `${form}-${name}`,
    name,
    "aria-describedby": `problem-${form}-${name}`,
    "aria-invalid": problems.has(name) ? ("true" as const) : undefined,
  };
}

/**
 * A text field, or another input type of browsers.
 * @param props.options the suggestions of the browser; `list` names the suggestions of another field.
 * @param props.isWhole whether a partial value has no results, so that a script waits for the complete value.
 */
export function TextField({
  class: className,
  options,
  list,
  isWhole,
  type,
  required,
  value,
  placeholder,
  ...field
}: FieldProps & {
  readonly class?: string;
  readonly type?: "date" | "search" | "number" | "url";
  /** The initial value. */
  readonly value?: string;
  readonly required?: boolean;
  readonly placeholder?: string;
  readonly options?: readonly string[];
  readonly list?: string;
  readonly isWhole?: boolean;
}) {
  const suggested = options === undefined ? list : `options-${field.state.form}-${field.name}`;
  const attributes = { type, required, placeholder, list: suggested };
  return (
    <Field class={className} {...field}>
      <input
        {...described(field)}
        {...attributes}
        value={field.state.values[field.name] ?? value ?? ""}
        spellcheck={false}
        autocomplete="off"
        data-whole={isWhole}
      />
      {options !== undefined && (
        <datalist id={suggested}>
          {options.map((option) => (
            <option value={option} />
          ))}
        </datalist>
      )}
    </Field>
  );
}

/** A field of several lines. */
export function TextArea({
  value,
  rows = 2,
  ...field
}: FieldProps & { readonly value?: string; readonly rows?: number }) {
  return (
    <Field {...field}>
      {/* Browsers leave out a line end at the beginning. */}
      <textarea {...described(field)} rows={rows} dir="auto">
        {`\n${field.state.values[field.name] ?? value ?? ""}`}
      </textarea>
    </Field>
  );
}

/**
 * A choice of one value.
 * @param props.options the values with their labels.
 * @param props.all the label for no value; without it, there is always a value.
 * @param props.value the initial value.
 */
export function Choice({
  options,
  all,
  value,
  ...field
}: FieldProps & {
  readonly options: readonly (readonly [value: string, shown: string])[];
  readonly all?: string;
  readonly value?: string;
}) {
  const chosen = field.state.values[field.name] ?? value;
  return (
    <Field {...field}>
      <select {...described(field)}>
        {all !== undefined && <option value="">{all}</option>}
        {options.map(([one, shown]) => (
          <option value={one} selected={one === chosen}>
            {shown}
          </option>
        ))}
      </select>
    </Field>
  );
}

/** A checkbox. @param props.isOn whether it is initially on. */
export function Switch({ label, name, state, isOn = false }: FieldProps & { readonly isOn?: boolean }) {
  const checked = state.values[name] !== undefined || (isOn && state.problems.size === 0);
  return (
    <label class="switch">
      <input type="checkbox" name={name} value="true" checked={checked} /> {label}
    </label>
  );
}

/**
 * A choice of any number of values.
 * @param props.chosen the initial values.
 */
export function Choices({
  options,
  chosen = [],
  hint,
  ...field
}: FieldProps & {
  readonly options: readonly string[];
  readonly chosen?: readonly string[];
}) {
  const { problems, all } = field.state;
  const present = problems.size === 0 ? chosen : all(field.name);
  return (
    <fieldset class="field">
      <legend>{field.label}</legend>
      {options.map((value) => (
        <label class="check">
          <input type="checkbox" name={field.name} value={value} checked={present.includes(value)} /> {value}
        </label>
      ))}
      {hint !== undefined && <p class="hint">{hint}</p>}
      <p class="problem">{problems.has(field.name) && <Name name={problems.get(field.name) ?? ""} />}</p>
    </fieldset>
  );
}

/** A locale as an option of a {@link Choice}. */
export function localeOption(locale: Locale): readonly [string, string] {
  const code = codeOf(locale);
  return [code, `${languageName(locale)} (${code})`];
}
