/** Tries an engine with a text that somebody has typed. */
import { checkAgainst } from "../../domain/checks/check-text.ts";
import type { CheckFinding } from "../../domain/checks/message.ts";
import type { SyntaxName } from "../../domain/checks/syntax-names.ts";
import { failure } from "../../domain/errors.ts";
import { toLocale } from "../../domain/hives/locale.ts";
import type { TeamName } from "../../domain/names.ts";
import { plainForm } from "../../domain/work/work.ts";
import { findEngine } from "../admin/engines.ts";
import type { DeliveryStorage } from "../storage.ts";
import { translateItems } from "./translate-items.ts";

/** How long somebody waits for one text. */
const shownTimeoutMs = 15_000;

export interface EngineTrial {
  readonly text: string;
  /** Codes of locales, as the caller gave them. */
  readonly to: string;
  readonly from: string;
  readonly syntax: SyntaxName;
}

export interface TriedText {
  readonly text: string;
  readonly model: string | undefined;
  readonly characters: number;
  readonly tokens: number;
  readonly findings: readonly CheckFinding[];
}

/**
 * Has an engine translate one text, also one that is left alone after failures: one that answers is asked again.
 * @throws SkepError `not-found` (`unknown_engine`); `invalid` on `to`, `from`; `engine-failed`, also where arguments or tags
 * did not come back.
 */
export async function tryEngine(
  storage: DeliveryStorage,
  team: TeamName,
  name: string,
  { text, to, from, syntax }: EngineTrial,
  signal: AbortSignal,
): Promise<TriedText> {
  const engine = findEngine(storage, team, name);
  const [locale, sourceLocale] = [toLocale(to, "to"), toLocale(from, "from")];
  const work = {
    team,
    engine,
    locale,
    sourceLocale,
    style: "",
    signal,
    timeoutMs: shownTimeoutMs,
    isTrial: true,
  };
  const form = { form: plainForm, source: text, example: undefined, isOwn: true };
  const { texts, ...answer } = await translateItems(storage, work, [{ syntax, forms: [form], context: {} }]);
  const translated = texts[0]?.get(plainForm);
  if (translated === undefined)
    throw failure(
      "engine-failed",
      `The engine ${engine.name} failed: it gave no text, or lost arguments or tags of it.`,
    );
  const context = { locale: locale.code, sourceLocale: sourceLocale.code };
  return { text: translated, ...answer, findings: checkAgainst(syntax, text)(translated, context) };
}
