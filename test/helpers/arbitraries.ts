/** Generators of what users send: names, texts and nested content, with the awkward cases made likely. */
import fc from "fast-check";
import { Issues } from "../../src/domain/errors.ts";
import { isFileName, type FileName } from "../../src/domain/names.ts";
import {
  translatableTexts,
  type Group,
  type StringFile,
  toStringFile,
} from "../../src/domain/strings/string-file.ts";

/** How many code points are halves of surrogate pairs, and where they begin. */
const [halves, firstHalf] = [0x800, 0xd800];

const character = fc.nat(0x10ffff - halves).map(
  (n) => String.fromCodePoint(n < firstHalf ? n : n + halves),
  (text) => {
    const point = typeof text === "string" ? (text.codePointAt(0) ?? 0) : 0;
    if (text !== String.fromCodePoint(point)) throw new Error("not one character");
    return point < firstHalf ? point : point - halves;
  },
);

/** Texts of any characters. fast-check's own unit `binary` takes a second and 110 MB to list all of them. */
export function anyText(constraints: Omit<fc.StringConstraints, "unit"> = {}): fc.Arbitrary<string> {
  return fc.string({ ...constraints, unit: character });
}

/** Names inside a file: plain, dotted, integer-like, empty, and those that JavaScript has a meaning for. */
const memberName = fc.oneof(
  { weight: 6, arbitrary: fc.constantFrom("a", "b", "c", "a.b", "b.c", "a.b.c") },
  { weight: 3, arbitrary: fc.constantFrom("0", "1", "2", "10", "01", "4294967295") },
  {
    weight: 2,
    arbitrary: fc.constantFrom("", "__proto__", "constructor", "toString", "Hello. How are you?"),
  },
  {
    weight: 1,
    arbitrary: fc.string({ maxLength: 8, unit: "grapheme" }).filter((name) => !name.includes("\0")),
  },
  {
    weight: 4,
    arbitrary: fc.constantFrom("one", "other", "few", "a.one", "a.other", "a_one", "a_other", "a_few"),
  },
);

/** Texts as apps have them, with everything that a format must escape. */
export const text = fc.oneof(
  fc.constantFrom("x", "y", "z", "{count} apple|{count} apples", "", "it's", 'say "hi"'),
  fc.constantFrom(
    "back\\slash",
    "\\'",
    "?>",
    "<?php",
    "$var {$x}",
    "line\nbreak\r\n",
    "ünï\u2028\u{1f41d}",
    "*/ //",
  ),
  fc.string({ maxLength: 12, unit: "grapheme" }).filter((some) => !some.includes("\0")),
);

/** Texts that XML can hold. */
export const xmlText = text.filter((some) => !/(?![\t\n\r\u007F-\u009F])[\p{Cc}\uFFFE\uFFFF]/u.test(some));

/** Anything nested that JSON can hold of texts, before its keys are checked for double spellings. */
const anyContent = fc.letrec<{ node: unknown; group: object; list: unknown[]; named: object }>((tie) => ({
  node: fc.oneof({ maxDepth: 4, withCrossShrink: true }, text, tie("group")),
  group: fc.oneof({ maxDepth: 4 }, tie("named"), tie("list")),
  list: fc.array(tie("node"), { maxLength: 4 }),
  named: fc
    .array(fc.tuple(memberName, tie("node")), { maxLength: 5 })
    // Through JSON, as payloads come: that is where `__proto__` becomes a member and integer-like names go first.
    .map((members) => JSON.parse(toJsonObject(members))),
}));

function toJsonObject(members: readonly (readonly [string, unknown])[]): string {
  return `{${members.map(([name, node]) => `${JSON.stringify(name)}:${JSON.stringify(node)}`).join(",")}}`;
}

/** A source file as it may be sent: every key spelled in one way only. */
export const stringFile: fc.Arbitrary<StringFile> = anyContent.named
  .map((value) => ({ value, issues: new Issues() }))
  .filter(({ value, issues }) => {
    toStringFile(value, "file", issues);
    try {
      issues.throwIfAny();
      return true;
    } catch {
      return false;
    }
  })
  .map(({ value }) => toStringFile(value, "file", new Issues()));

/** A few file names that are near each other, so that payload and Hive meet. */
export const fileName: fc.Arbitrary<FileName> = fc.constantFrom(
  ...["auth.php", "auth.json", "en.json", "admin/menu.php", "admin/menu.json", "menu", "pt-BR.json"].filter(
    isFileName,
  ),
);

/** Some texts for some keys of a file. */
export function someTexts(file: StringFile): fc.Arbitrary<ReadonlyMap<string, string>> {
  return fc
    .subarray([...translatableTexts(file).keys()])
    .chain((keys) =>
      fc.tuple(
        ...keys.map((key) =>
          fc.tuple(
            fc.constant(key),
            text.filter((some) => some !== ""),
          ),
        ),
      ),
    )
    .map((entries) => new Map(entries));
}

/** What JSON makes of a group: how it looks after a restart. */
export function throughJson(group: Group): Group {
  return JSON.parse(JSON.stringify(group));
}
