/** Forms that choose what a page of a Hive lists. They send a GET request, so that every choice has an address. */
import type { PropsWithChildren } from "hono/jsx";
import { codeOf, type Locale } from "../../../domain/hives/locale.ts";
import type { HiveRequest } from "../requests/page.ts";
import { languageName } from "./languages.ts";

/**
 * The form. It keeps the branch, since a browser replaces the query of the form's address by the fields.
 * @param props.page the page under that of the Hive.
 * @param props.live the id of the element that a script updates while somebody types.
 */
export function Filters({
  request: { place, hiveLink },
  page,
  live,
  children,
}: PropsWithChildren<{ readonly request: HiveRequest; readonly page: string; readonly live?: string }>) {
  return (
    <form class="filters" method="get" action={hiveLink([page])} data-live={live}>
      {typeof place !== "string" && <input type="hidden" name="branch" value={place.branch} />}
      {children}
    </form>
  );
}

/** Options of a select, of which one is chosen or none. */
export function Options({
  values,
  chosen,
}: {
  readonly values: readonly string[];
  readonly chosen: string | undefined;
}) {
  return (
    <>
      {values.map((value) => (
        <option value={value} selected={value === chosen}>
          {value}
        </option>
      ))}
    </>
  );
}

/** Options that name locales by language and code. */
export function LocaleOptions({
  locales,
  chosen,
}: {
  readonly locales: readonly Locale[];
  readonly chosen: string | undefined;
}) {
  return (
    <>
      {locales.map((locale) => (
        <option value={codeOf(locale)} selected={codeOf(locale) === chosen}>
          {languageName(locale)} ({codeOf(locale)})
        </option>
      ))}
    </>
  );
}
