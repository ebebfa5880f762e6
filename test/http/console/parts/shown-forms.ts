/** The forms of pages with their fields, as a browser has them. */
import { hiddenIn, unescaped } from "../browse.ts";

export interface ShownForm {
  readonly action: string;
  /** What a browser sends if nobody changes anything. */
  readonly values: Readonly<Record<string, string>>;
  readonly fields: ReadonlyMap<string, ShownField>;
}

interface ShownField {
  /** Empty for several boxes. */
  readonly id: string;
  readonly value: string;
  /** Whether people write into it. */
  readonly isText: boolean;
  /** What the button sends that comes after it. */
  readonly pressed: Readonly<Record<string, string>>;
}

const attribute = (tag: string, name: string): string =>
  unescaped(new RegExp(` ${name}="([^"]*)"`).exec(tag)?.[1] ?? "");

/** The text of markup. */
export const textOf = (html: string): string => unescaped(html.replaceAll(/<[^>]*>/g, ""));

/**
 * The forms of a page into which people write.
 * @param path of the page.
 * @param usual what is written into empty fields.
 */
export function formsIn(
  html: string,
  path: string,
  usual: Readonly<Record<string, string>> = {},
): readonly ShownForm[] {
  return Array.from(html.matchAll(/<form method="post"[^>]*>.*?<\/form>/gs), ([form]) => form)
    .filter((form) => /<textarea|<input(?![^>]*type="(?:hidden|checkbox)")/.test(form))
    .map((form) => {
      const fields = new Map<string, ShownField>();
      const values: Record<string, string> = hiddenIn(form);
      for (const { 0: tag, 2: chosen = "", index } of form.matchAll(
        /<input(?=\s)[^>]*>|<(textarea|select)(?=\s)[^>]*>(.*?)<\/\1>/gs,
      )) {
        const name = attribute(tag, "name");
        // Files are chosen, and not written.
        if (/^(?:hidden|file)$/.test(attribute(tag, "type")) || name === "") continue;
        const isBox = attribute(tag, "type") === "checkbox";
        const selected = /<option value="([^"]*)" selected/.exec(chosen)?.[1];
        const value = tag.startsWith("<textarea")
          ? textOf(chosen).slice(1)
          : tag.startsWith("<select")
            ? (selected ?? /<option value="([^"]*)"/.exec(chosen)?.[1] ?? "")
            : attribute(tag, "value").replaceAll(/[\r\n]/g, "");
        if (!isBox || tag.includes(" checked")) values[name] = value || usual[name] || "";
        // A suggestion stores nothing.
        const [button = ""] = /<button(?![^>]*name="(?:suggest|take)")[^>]*>/.exec(form.slice(index)) ?? [];
        const pressed = { [attribute(button, "name")]: attribute(button, "value") };
        const isText = !isBox && !tag.startsWith("<select");
        fields.set(name, { id: attribute(tag, "id"), value, isText, pressed });
      }
      const action = new URL(attribute(form.slice(0, form.indexOf(">")), "action"), `http://x${path}`)
        .pathname;
      return { action, values, fields };
    });
}
