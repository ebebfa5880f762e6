/** Conflicts that are settled each for itself: what is asked of each, and what a form says of them. */
import { z } from "zod";
import type { ConflictingText } from "../../../domain/errors.ts";
import { check } from "../../schemas/schemas.ts";
import { useHive } from "../requests/context.tsx";
import type { Form } from "../requests/form.ts";
import { t } from "../texts/texts.ts";
import { Key, Name, Text } from "./text.tsx";
import type { Child } from "hono/jsx";

/** The place of a conflict, as a hidden field has it. */
const placeList = z.tuple([z.string(), z.string(), z.string(), z.string().optional()]);

/** What was chosen for a conflict. */
export interface Choice {
  readonly place: z.output<typeof placeList>;
  /** `own` for the text; empty where nothing was chosen. */
  readonly take: string;
  readonly text: string;
}

/** A form that was sent and not applied, with what was chosen and written. */
export interface Refused {
  /** By the names of the places. */
  readonly choices: ReadonlyMap<string, Choice>;
  readonly problems: ReadonlyMap<string, string>;
  /** Why it was not applied, where that is about none of the conflicts. */
  readonly notice: string | undefined;
  /** Conflicts that there are only if others are settled so. */
  readonly further: readonly ConflictingText[];
  readonly form: Form;
}

/** Where these have no place, an own text is none either. */
const withoutText: ReadonlySet<ConflictingText["reason"]> = new Set(["moved", "note"]);

export function nameOf({ locale, file, key, member }: ConflictingText): string {
  return JSON.stringify([locale, file, key, ...(member === undefined ? [] : [member])]);
}

/** Why a form was not applied, and what was written for texts that are no conflicts any more: it is lost otherwise. */
export function Left({ refused, conflicts }: { refused: Refused; conflicts: readonly ConflictingText[] }) {
  const { lang } = useHive();
  const { choices, notice } = refused;
  const present = new Set(conflicts.map(nameOf));
  const left = [...choices].filter(
    ([name, { take, text }]) => take === "own" && text !== "" && !present.has(name),
  );
  return (
    <>
      {notice !== undefined && (
        <p class="notice wrong" role="alert">
          <Name name={notice} />
        </p>
      )}
      {left.length > 0 && (
        <div class="notice warn">
          <p>{t("merge.no_conflicts_any_more")}</p>
          <dl class="texts">
            {left.map(([, { place, text }]) => (
              <div>
                <dt>
                  <Key name={place[2]} />
                </dt>
                <dd>
                  <Text text={text} lang={lang(place[0])} />
                </dd>
              </div>
            ))}
          </dl>
        </div>
      )}
    </>
  );
}

/** What is taken for one conflict. */
export function Choosing(props: { conflict: ConflictingText; index: number; refused: Refused | undefined }) {
  const { conflict, index, refused } = props;
  const { lang } = useHive();
  const { locale, key, reason, main, branch } = conflict;
  const name = nameOf(conflict);
  const chosen = refused?.choices.get(name);
  const problem = refused?.problems.get(name);
  const id = `text-${index}`;
  return (
    <>
      <Radios
        hidden={<input type="hidden" name={`place.${index}`} value={name} />}
        name={`take.${index}`}
        legend={t("merge.take_for", { key: <Key name={key} /> })}
        options={[
          ["main", t("merge.take_main")],
          ["branch", t("merge.take_branch")],
          ...(withoutText.has(reason) ? [] : [["own", t("merge.own_text")] as const]),
        ]}
        chosen={chosen?.take}
      />
      {!withoutText.has(reason) && (
        <div class="field own">
          <label for={id}>{t("merge.the_text")}</label>
          <textarea
            id={id}
            name={`text.${index}`}
            rows={2}
            lang={lang(locale)}
            dir="auto"
            aria-describedby={`problem-${id}`}
            aria-invalid={problem === undefined ? undefined : "true"}
          >
            {`\n${chosen?.text ?? branch ?? main ?? ""}`}
          </textarea>
        </div>
      )}
      <p class="problem" id={`problem-${id}`}>
        {problem !== undefined && <Name name={problem} />}
      </p>
    </>
  );
}

/** One of several choices, of which one has to be made. */
export function Radios(props: {
  name: string;
  legend: Child;
  options: readonly (readonly [value: string, label: string])[];
  chosen: string | undefined;
  hidden?: Child;
}) {
  const { name, legend, options, chosen, hidden } = props;
  return (
    <fieldset class="actions">
      <legend class="visually-hidden">{legend}</legend>
      {hidden}
      {options.map(([value, label]) => (
        <label class="check">
          <input type="radio" name={name} value={value} required checked={value === chosen} /> {label}
        </label>
      ))}
    </fieldset>
  );
}

/** What a form says of the conflicts that its page had, in their order. */
export function choicesIn(form: Form): readonly (readonly [name: string, Choice])[] {
  const choices: [string, Choice][] = [];
  for (let i = 0; form.text(`place.${i}`) !== ""; i++) {
    const name = form.text(`place.${i}`);
    const place = check(placeList, parsed(name), `place.${i}`);
    choices.push([name, { place, take: form.text(`take.${i}`), text: form.text(`text.${i}`) }]);
  }
  return choices;
}

function parsed(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    return undefined;
  }
}

/** The same as a request to the API says it. */
export function toResolution({ place, take, text }: Choice) {
  const [locale, file, key, member] = place;
  return { locale, file, key, member, ...(take === "own" ? { text } : { take }) };
}
