/** Forms that choose what a page of a Hive lists. They send a GET request, so that every choice has an address. */
import type { Child, PropsWithChildren } from "hono/jsx";
import { codeOf, type Locale } from "../../../domain/hives/locale.ts";
import type { Filtered } from "../requests/filters.ts";
import type { HiveRequest } from "../requests/page.ts";
import { languageName } from "./languages.ts";
import { Name } from "./text.tsx";

/** What the fields of a form hold, and what is wrong with that. */
type Filters = Pick<Filtered<unknown>, "values" | "problems">;

interface FieldProps {
  readonly label: string;
  readonly name: string;
  readonly filters: Filters;
}

/**
 * The form. It keeps the branch, since a browser replaces the query of the form's address by the fields.
 * @param props.page the page under that of the Hive.
 * @param props.live the id of the element that a script updates while the user types.
 */
export function FilterForm({
  request: { branch, hiveLink },
  page,
  live,
  children,
}: PropsWithChildren<{ readonly request: HiveRequest; readonly page: string; readonly live?: string }>) {
  return (
    <form class="filters" method="get" action={hiveLink([page])} data-live={live}>
      {typeof branch !== "string" && <input type="hidden" name="branch" value={branch.branch} />}
      {children}
    </form>
  );
}

/** What is wrong with the filters that no field has, such as a misspelt parameter. */
export function OtherProblems({
  filters: { problems },
  fields,
}: {
  readonly filters: Filters;
  readonly fields: readonly string[];
}) {
  const others = [...problems].filter(([field]) => !fields.includes(field));
  return others.map(([field, problem]) => (
    <p class="notice wrong">
      <Name name={`${field}: ${problem}`} />
    </p>
  ));
}

/** A field with its label, and what is wrong with it. */
function Field({
  label,
  name,
  filters: { problems },
  class: className,
  children,
}: PropsWithChildren<FieldProps & { readonly class?: string }>) {
  return (
    <div class={className === undefined ? "field" : `field ${className}`}>
      <label for={`filter-${name}`}>{label}</label>
      {children}
      <p class="problem" id={`problem-${name}`}>
        {problems.has(name) && <Name name={problems.get(name) ?? ""} />}
      </p>
    </div>
  );
}

/** The attributes of a field that {@link Field} has around it. */
function described({ name, filters: { problems } }: FieldProps) {
  return {
    id: `filter-${name}`,
    name,
    "aria-describedby": `problem-${name}`,
    "aria-invalid": problems.has(name) ? ("true" as const) : undefined,
  };
}

/**
 * A field for text, or for what else a browser knows.
 * @param props.options what the browser suggests; `list` names those of another field.
 * @param props.isWhole whether a part of a value finds nothing, so that a script waits until all of it is there.
 * @param props.extra what belongs to the field.
 */
export function TextField({
  class: className,
  options,
  list,
  isWhole,
  type,
  required,
  placeholder,
  extra,
  ...field
}: FieldProps & {
  readonly class?: string;
  readonly type?: "date" | "search";
  readonly required?: boolean;
  readonly placeholder?: string;
  readonly options?: readonly string[];
  readonly list?: string;
  readonly isWhole?: boolean;
  readonly extra?: Child;
}) {
  const suggested = options === undefined ? list : `options-${field.name}`;
  const attributes = { type, required, placeholder, list: suggested };
  return (
    <Field class={className} {...field}>
      <input
        {...described(field)}
        {...attributes}
        value={field.filters.values[field.name] ?? ""}
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
      {extra}
    </Field>
  );
}

/**
 * A choice of one value.
 * @param props.options the values, each with what is shown for it.
 * @param props.all what is shown for no value; without it there is always one.
 * @param props.chosen the value, where it is another than what the form holds.
 */
export function Choice({
  options,
  all,
  chosen,
  ...field
}: FieldProps & {
  readonly options: readonly (readonly [value: string, shown: string])[];
  readonly all?: string;
  readonly chosen?: string;
}) {
  const value = chosen ?? field.filters.values[field.name];
  return (
    <Field {...field}>
      <select {...described(field)}>
        {all !== undefined && <option value="">{all}</option>}
        {options.map(([one, shown]) => (
          <option value={one} selected={one === value}>
            {shown}
          </option>
        ))}
      </select>
    </Field>
  );
}

/** A field that is on or off. */
export function Switch({ label, name, filters: { values } }: FieldProps) {
  return (
    <label class="switch">
      <input type="checkbox" name={name} value="true" checked={values[name] !== undefined} /> {label}
    </label>
  );
}

/** A locale as an option of a {@link Choice}. */
export function localeOption(locale: Locale): readonly [string, string] {
  const code = codeOf(locale);
  return [code, `${languageName(locale)} (${code})`];
}
