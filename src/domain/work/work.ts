/** Types and limits of work: the items that are handed out, and the answers to them. */
import type { LengthUnit } from "../checks/length.ts";
import type { Argument, CheckName } from "../checks/message.ts";
import type { SyntaxName } from "../checks/syntax-names.ts";
import type { MemoryHit } from "../memory/memory.ts";
import type { StringAddress } from "../move.ts";
import type { ArgumentNote } from "../notes/note.ts";
import type { LocatedFinding } from "../plans/check-content.ts";

/**
 * Why a string is handed out: a form has no translation; a translation was made for an earlier source text; one has an error
 * that was not accepted; one waits for a review; somebody has asked about the string; or whoever asks for work has skipped it
 * and it is withheld from them. A string that somebody has asked about is in no other state, and one that is withheld is in
 * no other state for whoever skipped it. An item has the first of its states that is wanted.
 */
export const workStates = ["missing", "stale", "failing", "review", "asked", "skipped"] as const;
export type WorkState = (typeof workStates)[number];
/** The states of a request that names none. */
export const defaultWant = ["missing", "stale", "failing"] as const satisfies readonly WorkState[];

/** One text of an item: a plural form, or the form `other` of a plain text. */
export interface WorkForm {
  readonly form: string;
  readonly key: string;
  readonly source: string;
  /** A whole number for which a plural form is used. */
  readonly example: number | undefined;
  readonly translation: string | undefined;
  /** The source text that a stale translation was made for. */
  readonly formerSource: string | undefined;
}

export interface WorkArgument extends Pick<Argument, "name">, ArgumentNote {
  /** Undefined for an argument that only the notes name. */
  readonly kind: string | undefined;
}

/** A term of the source text, as the glossary has it for the locale. */
export interface WorkTerm {
  readonly source: string;
  readonly meaning: string | undefined;
  readonly partOfSpeech: string | undefined;
  readonly translation: string | undefined;
  readonly accepted: readonly string[];
  readonly forbidden: readonly string[];
  /** Whether the term stays as it is in the source. */
  readonly keep: boolean;
}

export interface WorkNeighbour {
  readonly key: string;
  readonly source: string;
  readonly translation: string | undefined;
}

/** The form of a plain text. */
export const plainForm = "other";

/** Texts by plural form, as somebody has seen them; null for no text. */
export interface SeenTexts {
  readonly source: Readonly<Record<string, string>>;
  readonly translation: Readonly<Record<string, string | null>>;
}

/** What somebody has seen of a string: a program sends the texts, and a form carries hashes of them. */
export interface Seen {
  /** Whether a text is the source text that was seen for a plural form. */
  readonly isSource: (form: string, text: string) => boolean;
  /** Whether a text is the translation that was seen for a plural form; undefined is none. */
  readonly isTranslation: (form: string, text: string | undefined) => boolean;
}

/** A string that is handed out, with all that is known about it. */
export interface WorkItem extends StringAddress {
  readonly state: WorkState;
  readonly forms: readonly WorkForm[];
  readonly syntax: SyntaxName;
  readonly arguments: readonly WorkArgument[];
  readonly note: string | undefined;
  readonly ask: string | undefined;
  /** Why an earlier translation was rejected. */
  readonly rejected: string | undefined;
  readonly maxLength: number | undefined;
  readonly maxLengthUnit: LengthUnit | undefined;
  readonly tags: readonly string[];
  /** The hashes of the pictures that show it. */
  readonly pictures: readonly string[];
  /** Places in the app's code. */
  readonly where: readonly string[];
  readonly neighbours: readonly WorkNeighbour[];
  /** Translations into other locales, by the codes that the Hive shows. */
  readonly otherLocales: Readonly<Record<string, string>>;
  /** How equal and similar texts were translated, the best first. */
  readonly memory: readonly MemoryHit[];
  readonly terms: readonly WorkTerm[];
  readonly findings: readonly LocatedFinding[];
  /** The texts that the item shows, which its answer sends back. */
  readonly expected: SeenTexts;
}

/** The plural forms that an answer is about, where that are not all. */
interface OfForms {
  readonly only?: readonly string[];
}

export type WorkAnswer =
  /**
   * Texts by plural form; other forms keep their texts. With `approve`, no form of the string waits for a review. Texts that
   * were typed in a browser have no line ends of their own: they get those of the present text, or else of the source text.
   */
  | {
      readonly kind: "forms";
      readonly forms: ReadonlyMap<string, string>;
      readonly approve: boolean;
      readonly isTyped?: true;
    }
  | (OfForms & { readonly kind: "approve" })
  | (OfForms & { readonly kind: "reject"; readonly reason: string })
  /** The stale translations are right for the present source texts. */
  | (OfForms & { readonly kind: "confirm" })
  /** Findings of these checks in the stored texts are false alarms. */
  | (OfForms & { readonly kind: "accept"; readonly checks: readonly CheckName[] })
  /** Takes the translations away. */
  | (OfForms & { readonly kind: "remove" })
  | { readonly kind: "skip" }
  /** The string is not withheld any more. */
  | { readonly kind: "unskip" }
  | { readonly kind: "ask"; readonly question: string };

/** A string as somebody has named and seen it, by the key of its item. */
export interface SeenString {
  readonly file: string;
  readonly key: string;
  readonly expected: Seen;
}

export interface AnsweredItem extends Omit<SeenString, "expected"> {
  readonly answer: WorkAnswer;
  /** What was seen; undefined to compare with the caller's claim. */
  readonly expected?: Seen;
}

/** The most items that are handed out, and that one person, with all their tokens, may have claimed in a Hive. */
export const maxWorkItems = 200;
/** The most items that are answered at once: all that a list has found. */
export const maxAnsweredItems = 1_000;
export const maxClaimSeconds = 3600;
export const maxOtherLocales = 5;
/** How many forms an answer may name: languages have at most six. */
export const maxForms = 12;
/** How long nobody gets a string again that they have skipped, unless one of its texts changes. */
export const skippedSeconds = 7 * 24 * 60 * 60;

/**
 * - `saved`: the texts are stored, by this request or an earlier one;
 * - `approved`, `rejected`, `confirmed`, `removed`, `accepted`, `asked`, `skipped`, `unskipped`: as the answer says;
 * - `refused`: not stored, for the `code`; the item stays claimed;
 * - `source_changed`: not stored, because the source text is another one than was seen;
 * - `conflict`: not stored, because the translation is another one than was seen;
 * - `unknown`: there is no such string, no text or finding that the answer could be about, or the string is not withheld.
 */
export const workStatuses = [
  "saved",
  "approved",
  "rejected",
  "confirmed",
  "removed",
  "accepted",
  "skipped",
  "unskipped",
  "asked",
  "refused",
  "conflict",
  "source_changed",
  "unknown",
] as const;
export type WorkStatus = (typeof workStatuses)[number];

/** How many hits of the memory an item has, if nothing else is wanted. */
export const usualHits = 3;

export const refusals = [
  "check_failed",
  "empty_text",
  "invalid_text",
  "unknown_form",
  "own_text",
  "limited_token",
  "limit_reached",
] as const;
export type Refusal = (typeof refusals)[number];

export interface WorkResult {
  readonly file: string;
  readonly key: string;
  readonly status: WorkStatus;
  /** Of `refused`: why, for programs and for people. */
  readonly code?: Refusal;
  readonly message?: string;
  readonly findings?: readonly LocatedFinding[];
  /** Of `conflict`: the texts of the answer, and the stored ones. */
  readonly yours?: Readonly<Record<string, string | null>>;
  readonly stored?: Readonly<Record<string, string | null>>;
  /** Of `source_changed`: the source texts. */
  readonly source?: Readonly<Record<string, string>>;
}
