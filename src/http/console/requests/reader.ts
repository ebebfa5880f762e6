/** Formats numbers and times in the first language that the browser accepts. */
import { AsyncLocalStorage } from "node:async_hooks";

interface Formats {
  readonly number: Intl.NumberFormat;
  readonly day: Intl.DateTimeFormat;
  readonly time: Intl.DateTimeFormat;
}

const languages = new AsyncLocalStorage<string>();
/** Formats by language, because creating one takes longer than using it a hundred times. */
const formats = new Map<string, Formats>();
const maxFormats = 200;
const fallback = "en-GB";

/** Runs a function that renders a page in the reader's language. @param accepted the header `Accept-Language`. */
export function forReader<T>(accepted: string | null, run: () => T): T {
  return languages.run(languageIn(accepted ?? ""), run);
}

function languageIn(accepted: string): string {
  const [first = ""] = accepted.slice(0, 200).split(/[,;]/);
  try {
    return Intl.NumberFormat.supportedLocalesOf(first.trim())[0] ?? fallback;
  } catch {
    return fallback;
  }
}

function formatsNow(): Formats {
  const language = languages.getStore() ?? fallback;
  const kept = formats.get(language);
  if (kept !== undefined) return kept;
  const made = {
    number: new Intl.NumberFormat(language),
    day: new Intl.DateTimeFormat(language, { dateStyle: "medium", timeZone: "UTC" }),
    time: new Intl.DateTimeFormat(language, { dateStyle: "medium", timeStyle: "short", timeZone: "UTC" }),
  };
  if (formats.size >= maxFormats) formats.clear();
  formats.set(language, made);
  return made;
}

/** A number. */
export function figure(n: number): string {
  return formatsNow().number.format(n);
}

/** A point in time in UTC. */
export function formatTime(time: Date): string {
  return `${formatsNow().time.format(time)} UTC`;
}

/** The day of a point in time in UTC. */
export function formatDay(time: Date): string {
  return formatsNow().day.format(time);
}
