/** Forms that choose what a page of a Hive lists. They send a GET request, so that every choice has an address. */
import type { PropsWithChildren } from "hono/jsx";
import { codeOf, type Locale } from "../../../domain/hives/locale.ts";
import type { HiveRequest } from "../requests/page.ts";
import { languageName } from "./languages.ts";

/**
 * The form. It keeps the branch, since a browser replaces the query of the form's address by the fields.
 * @param props.page the page under that of the Hive.
 * @param props.live the id of the element that a script updates while the user types.
 */
export function Filters({
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

/** A field for text, or for what else a browser knows. */
export function TextField({
  label,
  value = "",
  ...attributes
}: {
  readonly label: string;
  readonly name: string;
  readonly value: string | undefined;
  readonly type?: "date";
  readonly required?: boolean;
  readonly placeholder?: string;
  /** The id of the element with suggestions. */
  readonly list?: string;
}) {
  return (
    <label>
      {label}
      <input value={value} spellcheck={false} {...attributes} />
    </label>
  );
}

/**
 * A choice of one value.
 * @param props.options the values, each with what is shown for it.
 * @param props.all what is shown for no value; without it there is always one.
 */
export function Choice({
  label,
  name,
  options,
  chosen,
  all,
}: {
  readonly label: string;
  readonly name: string;
  readonly options: readonly (readonly [value: string, shown: string])[];
  readonly chosen: string | undefined;
  readonly all?: string;
}) {
  return (
    <label>
      {label}
      <select name={name}>
        {all !== undefined && <option value="">{all}</option>}
        {options.map(([value, shown]) => (
          <option value={value} selected={value === chosen}>
            {shown}
          </option>
        ))}
      </select>
    </label>
  );
}

/** A locale as an option of a {@link Choice}. */
export function localeOption(locale: Locale): readonly [string, string] {
  const code = codeOf(locale);
  return [code, `${languageName(locale)} (${code})`];
}
