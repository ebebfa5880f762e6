/** Finds out which texts a Hive would refuse, before they are sent. */
import { groupBy } from "../../domain/group-by.ts";
import { isRecord } from "../../domain/record.ts";
import { ClientError } from "../api/client-error.ts";
import type { HiveApi, HiveLocale } from "../api/hive-api.ts";
import type { StringAddress } from "../api/schemas.ts";
import type { SentFiles } from "../api/write-options.ts";
import { addressOf } from "../texts.ts";
import type { PlannedText } from "./plan.ts";

/** A text that the Hive refuses, or cannot place. */
export interface RefusedText extends StringAddress {
  readonly locale: string;
  readonly reason: string;
}

/** How many texts are tried at once: an answer lists so many faults at most. */
const batch = 1_000;

/** Finds out which texts the Hive refuses or cannot place, by requests that write nothing. */
export async function tryTexts(
  hive: HiveApi,
  { code }: HiveLocale,
  texts: readonly PlannedText[],
): Promise<{ readonly taken: readonly PlannedText[]; readonly refused: readonly RefusedText[] }> {
  const refused: RefusedText[] = [];
  const taken: PlannedText[] = [];
  const refuse = ({ file, key }: StringAddress, reason: string): void =>
    void refused.push({ locale: code, file, key, reason });
  for (let at = 0; at < texts.length; at += batch) {
    let rest: readonly PlannedText[] = texts.slice(at, at + batch);
    while (rest.length > 0) {
      const faults = await faultsOf(hive, code, rest);
      const left = rest.filter((text) => !faults.has(addressOf(text)));
      for (const text of rest) {
        const reason = faults.get(addressOf(text));
        if (reason !== undefined) refuse(text, reason);
      }
      if (left.length === rest.length) taken.push(...left);
      rest = left.length === rest.length ? [] : left;
    }
  }
  return { taken, refused };
}

/** The first texts that the Hive would not take, with the reasons; none if it takes all. */
async function faultsOf(
  hive: HiveApi,
  code: string,
  texts: readonly PlannedText[],
): Promise<ReadonlyMap<string, string>> {
  const faults = new Map<string, string>();
  try {
    const words = { dryRun: true, ref: undefined, overwrite: true, strict: false };
    const { data } = await hive.translations.import(code, toFiles(texts), words);
    for (const each of data.unknown_keys ?? []) {
      const what = each.reason === "no-file" ? "file" : "string";
      faults.set(addressOf(each), `the Hive has no such ${what}`);
    }
  } catch (error) {
    if (!(error instanceof ClientError) || error.code !== "check_failed") throw error;
    const findings = error.sent?.findings;
    for (const found of Array.isArray(findings) ? findings.filter(isRecord) : []) {
      const { file, key, form, message } = found;
      const name = String(key);
      const named = new Set([name, `${name}.${String(form)}`, `${name}_${String(form)}`]);
      const text = texts.find((one) => one.file === file && named.has(one.key));
      if (text !== undefined) faults.set(addressOf(text), `the checks refuse it: ${String(message)}`);
    }
    // A finding that names no text of the request: one after the other, the texts at fault are found all the same.
    if (faults.size === 0) {
      const [first] = texts;
      if (first !== undefined && texts.length === 1) faults.set(addressOf(first), error.message);
      else {
        const middle = Math.ceil(texts.length / 2);
        const halves = [texts.slice(0, middle), texts.slice(middle)];
        for (const half of halves)
          for (const [address, reason] of await faultsOf(hive, code, half)) faults.set(address, reason);
      }
    }
  }
  return faults;
}

/** Texts as a request has them. */
export function toFiles(texts: readonly PlannedText[]): SentFiles {
  const files = groupBy(texts, ({ file }) => file);
  return Object.fromEntries(
    Array.from(files, ([name, own]) => [name, Object.fromEntries(own.map(({ key, text }) => [key, text]))]),
  );
}
