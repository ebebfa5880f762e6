/** Texts that files of agencies have trouble with, and units made of them. */
import fc from "fast-check";
import type { ExchangeUnit } from "../../../src/formats/exchange/unit.ts";

const pieces = [
  ...Array.from("=+-@'\"<>&;,|\t\n\r \\/%{}[]#"),
  "\r\n",
  "]]>",
  "<![CDATA[",
  "<!--",
  "<b>x</b>",
  "&amp;",
  "&lt;",
  "\u{1B}",
  "\u{7F}",
  "\u{85}",
  "\u{FEFF}",
  "\u{FFFE}",
  "\u{2028}",
  "\u{200D}",
  "🐝",
  "é",
  "עברית",
  "_x0041_",
  "_x_",
  "__proto__",
  "a",
  "0",
];

/** A text that can be stored: no NUL, no lone surrogates. */
export function hostileText(): fc.Arbitrary<string> {
  const text = fc.oneof(
    fc.array(fc.constantFrom(...pieces), { maxLength: 8 }).map((parts) => parts.join("")),
    fc.string({ unit: "grapheme" }),
  );
  return text.filter((each) => each.isWellFormed() && !each.includes("\0"));
}

/** A name of a file as a Hive accepts it. */
function fileName(): fc.Arbitrary<string> {
  return fc.constantFrom("auth.php", "admin/menu.php", "en.json", "é è.json", "a&b's.json", "-x.json");
}

/** At least one unit, each file and key once. */
export function exchangeUnits(): fc.Arbitrary<ExchangeUnit[]> {
  const unit = fc.record(
    {
      file: fileName(),
      key: hostileText(),
      source: hostileText(),
      translation: hostileText(),
      state: fc.constantFrom("missing", "stale", "waiting", "approved"),
      notes: fc.array(hostileText(), { maxLength: 2 }),
    },
    { requiredKeys: ["file", "key", "source", "state"] },
  );
  return fc.uniqueArray(unit, {
    minLength: 1,
    maxLength: 6,
    selector: ({ file, key }) => JSON.stringify([file, key]),
  });
}
