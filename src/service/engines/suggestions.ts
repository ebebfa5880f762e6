/** Translations that engines suggest beside the field of a text. Nothing of them is stored. */
import { hash } from "node:crypto";
import { cachedPromise } from "../../bounded-cache.ts";
import { slugOf, type HiveBranch } from "../../domain/commits/branch-name.ts";
import { serves, type Engine } from "../../domain/engines/engine.ts";
import { failure, invalid, isFailure } from "../../domain/errors.ts";
import type { HiveSettings } from "../../domain/hives/hive-settings.ts";
import { isFileName } from "../../domain/names.ts";
import type { LocatedFinding } from "../../domain/plans/check-content.ts";
import { buildItem, findingsOf } from "../../domain/work/build-item.ts";
import { formsOf, isKeptFromEngines } from "../../domain/work/queue.ts";
import { findEngine } from "../admin/engines.ts";
import { requireAbility, type Caller } from "../access.ts";
import type { ContentStorage, DeliveryStorage, Storage, SuggestedTexts } from "../storage.ts";
import { withMemory } from "../work/next-work.ts";
import { openQueue, type OpenQueue } from "../work/open-queue.ts";
import { engineItem } from "./engine-items.ts";
import { sendable } from "./sent-strings.ts";
import { translateItems, type EngineItem } from "./translate-items.ts";

export interface SuggestionRequest {
  /** As the caller gave it. */
  readonly file: string;
  readonly key: string;
  /** A code as the caller gave it. */
  readonly locale: string;
  /** The name of the one engine to ask; each that serves the locale where it is undefined. */
  readonly engine?: string;
  /** Fires when the caller has left: no engine is asked from then on. */
  readonly signal: AbortSignal;
}

/** The texts of an engine; those that it could not make are missing. */
export interface Suggestion extends SuggestedTexts {
  readonly engine: string;
  readonly findings: readonly LocatedFinding[];
  /** Why there are no texts. */
  readonly error: string | undefined;
}

/** How long somebody waits beside a field. */
const timeoutMs = 15_000;

/** The engines of the caller's team that translate into a locale of a Hive; none where the Hive forbids engines. */
export function enginesFor(
  storage: Pick<Storage, "engines">,
  { team }: Caller,
  { settings, locale }: Pick<OpenQueue["context"], "settings" | "locale">,
): readonly Engine[] {
  if (settings.engines === false) return [];
  return storage.engines.lists.readable(team.name).filter((engine) => serves(engine, locale));
}

/**
 * Has engines translate a string of a Hive: what is known of it is sent to them, and texts that they give are checked.
 *
 * The caller was given access to the Hive already.
 * @throws SkepError `forbidden` when the token lacks `read` or `write`, is limited to other locales, or the Hive forbids
 * engines or a note does (`engines_off`); `invalid` on `locale`, and on `engine` (`unknown_engine`); `not-found` where
 * there is no string.
 */
export async function suggest(
  storage: ContentStorage & DeliveryStorage,
  caller: Caller,
  branch: HiveBranch,
  { locale, file: name, key, engine: wanted, signal }: SuggestionRequest,
): Promise<readonly Suggestion[]> {
  for (const ability of ["read", "write"] as const) requireAbility(caller, ability);
  const opened = await openQueue(storage, caller, branch, { locale, want: [] });
  const { queue, context } = opened;
  requireEnginesAllowed(context.settings);
  const engines =
    wanted === undefined ? enginesFor(storage, caller, context) : [engineNamed(storage, caller, wanted)];
  const file = isFileName(name) ? await queue.file(name) : undefined;
  const item = file && isFileName(name) ? await buildItem(context, name, file, key) : undefined;
  if (file === undefined || item === undefined || !isFileName(name))
    throw failure("not-found", `There is no source string "${key}" in ${name}.`);
  if (engines.length === 0) return [];
  const forms = formsOf(file, key) ?? [];
  if (isKeptFromEngines(file, forms))
    throw failure("forbidden", `A note says that "${key}" in ${name} is not sent to engines.`, {
      publicCode: "engines_off",
    });
  const known = await withMemory(storage, caller, branch, { locale }, { items: [item], tokens: 0 });
  const [whole = item] = await sendable(storage, branch, known.items);
  const asked = engineItem(whole, file.strings, whole.forms);
  const check = findingsOf(context, name, file);
  return Promise.all(
    engines.map(async (engine): Promise<Suggestion> => {
      const { name: engineName } = engine;
      try {
        const { model, forms: made } = await answerOf(storage, caller, branch, {
          engine,
          opened,
          asked,
          signal,
        });
        const texts = new Map(
          forms.flatMap((one): (readonly [string, string])[] => {
            const text = made.get(one.form);
            return text === undefined ? [] : [[one.key, text]];
          }),
        );
        const error = texts.size === 0 ? "it gave no text that could be taken" : undefined;
        const findings = check(
          forms.filter((one) => texts.has(one.key)),
          texts,
        );
        return { engine: engineName, model, forms: made, findings, error };
      } catch (error) {
        if (!isFailure(error, "engine-failed")) throw error;
        const { message } = error;
        return { engine: engineName, model: undefined, forms: new Map(), findings: [], error: message };
      }
    }),
  );
}

/** @throws SkepError `forbidden` (`engines_off`) where a Hive forbids engines. */
export function requireEnginesAllowed({ engines }: Pick<HiveSettings, "engines">): void {
  if (engines !== false) return;
  throw failure("forbidden", "This Hive's texts are not sent to engines.", { publicCode: "engines_off" });
}

/** An engine of the caller's team. @throws SkepError `invalid` on `engine` (`unknown_engine`). */
export function engineNamed(storage: DeliveryStorage, { team }: Caller, name: string): Engine {
  try {
    return findEngine(storage, team.name, name);
  } catch (cause) {
    if (!isFailure(cause, "not-found")) throw cause;
    throw invalid("engine", cause.message, { cause, publicCode: "unknown_engine" });
  }
}

async function answerOf(
  storage: DeliveryStorage,
  { team }: Caller,
  branch: HiveBranch,
  {
    engine,
    opened: { context, style },
    asked,
    signal,
  }: {
    readonly engine: Engine;
    readonly opened: OpenQueue;
    readonly asked: EngineItem;
    readonly signal: AbortSignal;
  },
): Promise<SuggestedTexts> {
  const { locale, settings } = context;
  const { key: _, added: __, ...asks } = engine;
  // What somebody translates meanwhile is no reason to ask again: who asks ahead for the next string stores this one then.
  const { neighbours: ___, memory: ____, other_locales: _____, ...about } = asked.context;
  const question = hash(
    "sha256",
    JSON.stringify([team.name, slugOf(branch), asks, locale.code, style, { ...asked, context: about }]),
    "base64url",
  );
  const known = storage.suggestions.get(question);
  if (known !== undefined) return known;
  signal.throwIfAborted();
  // It goes on when whoever has asked leaves: its characters count already, and the answer is kept for the next one.
  const { signal: lasting } = new AbortController();
  const work = {
    team: team.name,
    engine,
    locale,
    sourceLocale: settings.sourceLocale,
    style,
    signal: lasting,
    timeoutMs,
  };
  const ask = async (): Promise<SuggestedTexts> => {
    try {
      const { texts, model } = await translateItems(storage, work, [asked]);
      const answer = { model, forms: texts[0] ?? new Map<string, string>() };
      if (answer.forms.size > 0) storage.suggestions.set(question, answer);
      return answer;
    } finally {
      storage.suggesting.delete(question);
    }
  };
  return cachedPromise(storage.suggesting, question, ask);
}
