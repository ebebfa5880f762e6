/** Asks engines for a translation, and shows what they suggest. */
import type { Engine } from "../../../domain/engines/engine.ts";
import type { Locale } from "../../../domain/hives/locale.ts";
import type { StringAddress } from "../../../domain/move.ts";
import type { Suggestion } from "../../../service/engines/suggestions.ts";
import { Findings } from "../parts/findings.tsx";
import { Name, Text } from "../parts/text.tsx";
import { t } from "../texts/texts.ts";

/** A suggestion of an engine, with the field by which it is known again. */
export interface Suggested extends Pick<Suggestion, "forms" | "findings" | "error"> {
  readonly model: string;
  /** Undefined where there is none. */
  readonly field?: string;
}

/** An engine that has a button; a script presses it by itself where the team wants that. */
export type AskedEngine = Pick<Engine, "name" | "suggest">;

/** How many engines have a button. */
const maxEngines = 3;

/**
 * Buttons that ask engines, and what the last one has suggested; one press takes a text of it into the field.
 * @param props.isOfPage whether the page is for this form alone, so that a key and a script may press them.
 */
export function Suggesting(props: {
  engines: readonly AskedEngine[];
  suggested: Suggested | undefined;
  locale: Locale;
  isOfPage: boolean;
  /** The string that comes next, for which a script asks ahead where the team wants suggestions by themselves. */
  ahead: StringAddress | undefined;
}) {
  const { engines, suggested, locale, isOfPage, ahead } = props;
  if (engines.length === 0) return null;
  return (
    <div class="suggesting">
      <p class="actions">
        {engines.slice(0, maxEngines).map(({ name: engine, suggest }, i) => (
          <button
            class="quiet"
            name="suggest"
            value={engine}
            data-auto={isOfPage && suggest === "auto" && suggested === undefined ? "" : undefined}
            data-ahead={
              suggest === "auto" && ahead !== undefined
                ? JSON.stringify({ file: ahead.file, key: ahead.key })
                : undefined
            }
            aria-keyshortcuts={isOfPage && i === 0 ? "Alt+M" : undefined}
          >
            {engines.length === 1 ? t("suggestions.suggest") : t("suggestions.suggest_by", { engine })}
            {isOfPage && i === 0 && <Shortcut keys="Alt M" />}
          </button>
        ))}
      </p>
      {suggested !== undefined && (
        <div class="suggested" role="status">
          <p class="soft small">
            {suggested.error ?? t("suggestions.made_by", { model: <Name name={suggested.model} /> })}
          </p>
          {Array.from(suggested.forms.values(), (text) => (
            <button class="take" name="take" value={text}>
              <Text text={text} lang={locale.code} />
            </button>
          ))}
          <Findings findings={suggested.findings} />
        </div>
      )}
    </div>
  );
}

/** The keys that press a button, for those who see it; others are told by its attribute. */
export function Shortcut({ keys }: { keys: string }) {
  return <kbd aria-hidden="true">{keys}</kbd>;
}
