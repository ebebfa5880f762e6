/** Merges the source strings of two sides: what each key becomes, and the files that hold them then. */
import type { ConflictReason } from "../errors.ts";
import { groupBy } from "../group-by.ts";
import { changeOf, filesOf } from "../strings/content-diff.ts";
import type { KeyChange, TextAddress } from "../strings/hive-content.ts";
import type { LocaleCode } from "../hives/locale.ts";
import { AddressMap } from "../move.ts";
import type { FileName } from "../names.ts";
import { pause } from "../../slices.ts";
import { noTexts, type StringFile, childOf, leavesOf, type Group } from "../strings/string-file.ts";
import { diffTexts } from "../strings/text-diff.ts";
import type { Difference } from "../moves/alignment.ts";
import type { Side } from "../sides.ts";
import { changedFiles, type ChangedFiles } from "./difference.ts";
import { withPluralForms } from "./plural-forms.ts";
import type { Settlement } from "./settlement.ts";

/** A key that both sides changed, differently. A text is undefined where the key is missing. */
export interface MergeConflict extends TextAddress {
  readonly reason: ConflictReason;
  readonly base: string | undefined;
  readonly ours: string | undefined;
  readonly theirs: string | undefined;
  /** For `path`, the file or the key that is in the way. */
  readonly inTheWay?: string;
  /** For `note`, the member of the note; the texts are those of the member. */
  readonly member?: string;
}

export interface MergedSource {
  /** The files that change; undefined for a file that is removed. */
  readonly files: ReadonlyMap<FileName, StringFile | undefined>;
  readonly changes: readonly KeyChange[];
  readonly conflicts: readonly MergeConflict[];
  /**
   * The side from which all that belongs to a string comes, translations and values beside texts: where one side changed what
   * the other deleted, where the sides have different strings at one place, or where the other side's string cannot be added.
   */
  readonly resolved: AddressMap<Side>;
}

/**
 * Applies the changes of the other side to our source files. Where ours did not change a key, theirs is taken.
 * @param settlement what is taken in conflicts.
 */
export async function mergeSource(contents: Difference, settlement: Settlement): Promise<MergedSource> {
  const merge = new SourceMerge(contents, settlement);
  const { base, theirs, blocked } = contents;
  const files = filesOf(base.content.source, theirs.content.source);
  for (const file of new Set([...files, ...(blocked?.files ?? [])])) {
    merge.compare(file);
    await pause();
  }
  for (const file of merge.changes.files) {
    merge.resolvePaths(file);
    await pause();
  }
  let { after } = await merge.resolveFiles();
  if (merge.leaveOut()) ({ after } = await merge.resolveFiles());
  const changes = merge.allChanges();
  const resolved = withPluralForms(merge.resolved, contents);
  return { files: after, changes, conflicts: merge.conflicts, resolved };
}

class SourceMerge {
  readonly #contents: Difference;
  readonly #settlement: Settlement;
  readonly #locale: LocaleCode;
  readonly changes = new AddressMap<KeyChange>();
  readonly conflicts: MergeConflict[] = [];
  readonly resolved = new AddressMap<Side>();

  constructor(contents: Difference, settlement: Settlement) {
    this.#contents = contents;
    this.#settlement = settlement;
    this.#locale = contents.ours.content.settings.sourceLocale.code;
  }

  #versions(file: FileName): readonly (StringFile | undefined)[] {
    const { ours, base, theirs } = this.#contents;
    return [ours, base, theirs].map(({ content }) => content.source.get(file));
  }

  allChanges(): readonly KeyChange[] {
    const all: KeyChange[] = [];
    for (const file of this.changes.files)
      for (const change of this.changes.of(file).values()) all.push(change);
    return all;
  }

  compare(file: FileName): void {
    const [present, was, wanted] = this.#versions(file);
    const { blocked } = this.#contents;
    const stuck = blocked?.of(file) ?? noTexts;
    if (was === wanted && stuck.size === 0) return;
    const diffs = new Map(
      diffTexts(was?.texts ?? noTexts, wanted?.texts ?? noTexts).map((one) => [one.key, one]),
    );
    // If another string with the same text has taken its place, no text differs and only the move is blocked.
    for (const key of stuck.keys()) {
      const text = was?.texts.get(key);
      if (!diffs.has(key)) diffs.set(key, { key, before: text, after: text });
    }
    for (const { key, before: base, after: theirs } of diffs.values()) {
      const ours = present?.texts.get(key);
      if (ours === theirs && base !== theirs) continue;
      const isMove = blocked?.has({ file, key }) === true;
      if (ours !== base || isMove) {
        const reason = ours === undefined || theirs === undefined ? "deleted" : "text";
        this.conflicts.push({
          reason: isMove ? "moved" : reason,
          locale: this.#locale,
          file,
          key,
          base,
          ours,
          theirs,
        });
        const place = this.#place(file, key);
        const taken = isMove ? this.#settlement.side(place) : this.#settlement.taken(place, { ours, theirs });
        if (typeof taken === "object") {
          // The translations are those of the side that has the string.
          if (reason === "deleted") this.resolved.set(place, ours === undefined ? "theirs" : "ours");
          this.#set(file, key, ours, taken.text);
          continue;
        }
        if (isMove || reason === "deleted") this.resolved.set(place, taken);
        if (taken !== "theirs") continue;
      }
      if (ours === theirs) continue;
      // It may be a conflict before others are settled.
      const asked = this.#settlement.asked(this.#place(file, key), { ours, theirs });
      this.#set(file, key, ours, typeof asked === "object" ? asked.text : theirs);
    }
  }

  /** Resolves where one side has a text and the other a group of the same name. */
  resolvePaths(file: FileName): void {
    const [present, , other] = this.#versions(file);
    if (present === undefined || other === undefined) return;
    const changeAt = (key: string) => this.changes.get({ file, key })?.change;
    const clashes = findPathClashes(present.group, other.group, {
      isAdded: (key) => changeAt(key) === "created",
      staysAlone: (key) => !other.texts.has(key) && changeAt(key) !== "deleted",
    });
    for (const { key, inTheWay } of clashes) {
      this.#addPathConflict(file, key, inTheWay[0]);
      if (this.#isAdded(file, key)) {
        for (const one of inTheWay) {
          if (this.#settlement.asked(this.#place(file, one)) !== undefined)
            this.#settlement.refuse(this.#place(file, key), `cannot stand beside ${one}, which is kept`);
          this.#set(file, one, present.texts.get(one), undefined);
        }
      } else {
        this.changes.delete({ file, key });
        this.resolved.set({ file, key }, "ours");
      }
    }
  }

  /** Makes the files. Where two cannot be stored beside each other, one side's file stays with all of its keys. */
  async resolveFiles(): Promise<ChangedFiles> {
    for (;;) {
      const all = this.allChanges();
      const made = await changedFiles(this.#contents, all, () => true);
      if (made.clashes.size === 0) return made;
      const blocked = groupBy(made.blocked, ({ file }) => file);
      for (const [file, other] of made.clashes) {
        const places = Array.from(blocked.get(file) ?? [], ({ key }) => this.#place(file, key));
        for (const { key } of places) this.#addPathConflict(file, key, other);
        if (this.#isTaken(places)) this.#remove(other);
        else {
          for (const place of places) this.resolved.set(place, "ours");
          this.changes.deleteFile(file);
        }
      }
    }
  }

  /**
   * Leaves out strings that nothing is in the way of any more, since others were settled so, and that are not wanted.
   * @returns whether there were any.
   */
  leaveOut(): boolean {
    const unwanted = this.allChanges().filter(
      (change) => change.change === "created" && this.#settlement.asked(change) === "ours",
    );
    for (const { file, key } of unwanted) {
      this.changes.delete({ file, key });
      this.resolved.set({ file, key }, "ours");
    }
    return unwanted.length > 0;
  }

  /** Whether a string is added that something is in the way of: with their text, or with one of neither side. */
  #isAdded(file: FileName, key: string): boolean {
    const [present, , other] = this.#versions(file);
    const texts = { ours: undefined, theirs: other?.texts.get(key) };
    const taken = this.#settlement.taken(this.#place(file, key), texts);
    if (typeof taken === "object") this.#set(file, key, present?.texts.get(key), taken.text);
    return taken !== "ours";
  }

  /** Whether their file is taken, which it is as a whole. */
  #isTaken(places: readonly TextAddress[]): boolean {
    const isTheirs = places.map(({ file, key }) => this.#isAdded(file, key));
    if (isTheirs.every((one) => one)) return places.length > 0 || this.#settlement.winner === "theirs";
    for (const [i, place] of places.entries()) {
      if (isTheirs[i] === true)
        this.#settlement.refuse(place, "all strings of this file have to be taken from the same side");
    }
    return false;
  }

  #place(file: FileName, key: string): TextAddress {
    return { locale: this.#locale, file, key };
  }

  #remove(file: FileName): void {
    this.changes.deleteFile(file);
    for (const [key, text] of this.#contents.ours.content.source.get(file)?.texts ?? noTexts) {
      this.#set(file, key, text, undefined);
    }
  }

  #set(file: FileName, key: string, before: string | undefined, after: string | undefined): void {
    const change = changeOf({ key, before, after }, { locale: this.#locale, file }, "deleted");
    this.changes.set(change, change);
  }

  #addPathConflict(file: FileName, key: string, inTheWay: string | undefined): void {
    const [, base, theirs] = this.#versions(file);
    this.conflicts.push({
      reason: "path",
      locale: this.#locale,
      file,
      key,
      base: base?.texts.get(key),
      ours: undefined,
      theirs: theirs?.texts.get(key),
      inTheWay,
    });
  }
}

/** A key that the other side adds, and the present keys in its way. */
interface PathClash {
  readonly key: string;
  readonly inTheWay: readonly string[];
}

interface Keys {
  /** Whether the other side's file adds this key of its own. */
  readonly isAdded: (key: string) => boolean;
  /** Whether this key of the present file stays, and the other side's file does not have it. */
  readonly staysAlone: (key: string) => boolean;
}

/**
 * Finds where one file has a text and the other has a group of the same name, and both are to stay. A dotted name such as
 * `a.b` is no group, so it can stand beside `a`.
 */
function findPathClashes(present: Group, other: Group, keys: Keys): readonly PathClash[] {
  const clashes: PathClash[] = [];
  function visit(ours: Group, theirs: Group, prefix: string): void {
    for (const name of Object.keys(theirs)) {
      const node = childOf(theirs, name);
      const here = childOf(ours, name);
      if (node === undefined || here === undefined || (typeof node === "string" && typeof here === "string"))
        continue;
      const key = prefix + name;
      if (typeof node === "string") {
        const inTheWay = keys.isAdded(key) ? textsBelow(here, key, keys.staysAlone) : [];
        if (inTheWay.length > 0) clashes.push({ key, inTheWay });
      } else if (typeof here === "string") {
        if (!keys.staysAlone(key)) continue;
        for (const added of textsBelow(node, key, keys.isAdded))
          clashes.push({ key: added, inTheWay: [key] });
      } else visit(here, node, `${key}.`);
    }
  }
  visit(present, other, "");
  return clashes;
}

function textsBelow(
  node: Group | string,
  key: string,
  isWanted: (key: string) => boolean,
): readonly string[] {
  const found: string[] = [];
  if (typeof node === "string") return found;
  for (const [path, leaf] of leavesOf(node, `${key}.`)) {
    if (typeof leaf === "string" && isWanted(path)) found.push(path);
  }
  return found;
}
