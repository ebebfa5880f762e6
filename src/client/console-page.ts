/** `skep open`: the pages of the console about what a project has. */
import { stringPage } from "../domain/strings/string-page.ts";
import type { HiveApi } from "./api/hive-api.ts";
import { toNamedPlace } from "./places.ts";
import { chooseLocales } from "./project.ts";

export interface Shown {
  /** `file:key`, or a file. */
  readonly place?: string;
  /** Its custom or canonical code. */
  readonly locale?: string;
}

/**
 * The address of the page about a string, the strings of a file, the work of a locale, or the Hive.
 * @throws ClientError `misuse` when the Hive has no such target locale; as requests do.
 */
export async function consoleAddress(hive: HiveApi, { place, locale }: Shown): Promise<string> {
  const [chosen] = locale === undefined ? [] : chooseLocales(await hive.locales(), [locale]);
  const { path, query } = pageOf(place, chosen?.code);
  const given = Object.entries({ branch: hive.branch, ...query }).flatMap(
    ([name, value]): [string, string][] => (value === undefined ? [] : [[name, value]]),
  );
  const search = new URLSearchParams(given).toString();
  const parts = ["hives", hive.slug, ...path].map(encodeURIComponent);
  return `${hive.server}/${parts.join("/")}${search && `?${search}`}`;
}

function pageOf(place: string | undefined, locale: string | undefined): ReturnType<typeof stringPage> {
  const { file, key } = place === undefined ? {} : toNamedPlace(place);
  if (file !== undefined && key !== undefined) {
    const { path, query } = stringPage(file, key);
    return { path, query: { ...query, locale } };
  }
  if (locale !== undefined) return { path: ["translate", locale], query: { file } };
  return file === undefined ? { path: [] } : { path: ["strings"], query: { file } };
}
