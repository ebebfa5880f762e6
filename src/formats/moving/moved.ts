/** What another tool's export holds, whichever tool that is. */
import { withoutUndefined, type AppNote } from "../../domain/notes/note.ts";
import type { Box } from "../../domain/pictures/picture.ts";
import type { Group } from "../../domain/strings/string-file.ts";
import { readableKey, toOneLine } from "../../domain/text.ts";
import { joinNotes } from "../patch/notes.ts";
import type { ExchangeTerm } from "../exchange/exchange-term.ts";
import type { TextState } from "../exchange/unit.ts";

/** A translation. Its state is undefined where the export says nothing of it, as the app's own files do. */
export interface MovedText {
  readonly text: string;
  readonly state: TextState | undefined;
}

export interface MovedString {
  source: string | undefined;
  /** By the Hive's code of the locale. */
  readonly translations: Map<string, MovedText>;
  /** What the tool, or whoever worked with it, says about the string. */
  note: AppNote | undefined;
}

/** A translation of a string whose key the export does not tell: its file and its source text find it. */
export interface UnkeyedText extends MovedText {
  readonly file: string;
  readonly source: string;
  readonly locale: string;
  readonly note?: AppNote;
}

export interface MovedPicture {
  readonly name: string;
  readonly content: Uint8Array;
  /** Patterns `file:key`, in which `*` stands for any characters. */
  readonly strings: readonly string[];
  readonly boxes?: readonly Box[];
}

/** A text of a translation memory with its translation. */
export interface MemoryUnit {
  readonly source: string;
  readonly locale: string;
  readonly text: string;
}

/** What is not taken, with the reason, and the first places of it. */
export interface LeftOut {
  /** Such as `comment`, as a noun that can be counted. */
  readonly what: string;
  readonly reason: string;
  readonly places: readonly string[];
  readonly count: number;
}

/** How many places of one reason are named. */
const namedPlaces = 20;
/** How many characters of a place are named. */
const maxPlace = 200;

/** An export, as its reader fills it. */
export class Moved {
  /** By the names of the Hive's files, and by key. */
  readonly files = new Map<string, Map<string, MovedString>>();
  /** The content of source files as they nest it. */
  readonly contents = new Map<string, Group>();
  readonly unkeyed: UnkeyedText[] = [];
  readonly terms: ExchangeTerm[] = [];
  readonly pictures: MovedPicture[] = [];
  readonly memory: MemoryUnit[] = [];
  /** The codes of languages that the Hive does not have. */
  readonly unknownLocales = new Set<string>();
  readonly #left = new Map<string, { what: string; reason: string; places: string[]; count: number }>();

  /** The string of a key, which is made if it is new. */
  string(file: string, key: string): MovedString {
    const strings = this.files.get(file) ?? new Map<string, MovedString>();
    this.files.set(file, strings);
    const string = strings.get(key) ?? { source: undefined, translations: new Map(), note: undefined };
    strings.set(key, string);
    return string;
  }

  /** Adds to what is said about a string. */
  note(file: string, key: string, note: AppNote | undefined): void {
    if (note === undefined) return;
    const string = this.string(file, key);
    const tags = [...new Set([...(string.note?.tags ?? []), ...(note.tags ?? [])])];
    const joined = joinNotes(string.note, note);
    string.note = joined && withoutUndefined({ ...joined, ...(tags.length > 0 && { tags }) });
  }

  /** Leaves something out. @param place where it stands, if that helps to find it. */
  leave(what: string, reason: string, place?: string, count = 1): void {
    const id = JSON.stringify([what, reason]);
    const left = this.#left.get(id) ?? { what, reason, places: [], count: 0 };
    left.count += count;
    if (place !== undefined && left.places.length < namedPlaces)
      left.places.push(toOneLine(readableKey(place), maxPlace));
    this.#left.set(id, left);
  }

  /** Leaves out what is in a language that the Hive does not have. */
  leaveLocale(what: string, code: string, place?: string): void {
    this.unknownLocales.add(code);
    this.leave(what, `${code} is no locale of the Hive; --create adds it`, place);
  }

  get left(): readonly LeftOut[] {
    return Array.from(this.#left.values(), (left) => ({ ...left, places: [...left.places] }));
  }
}
