/** What commands are made of. */
import fc from "fast-check";
import { branch, slugs } from "../real.ts";
import { writers } from "../reviews.ts";

const key = fc.constantFrom("x", "y", "z", "n.x", "n.y", "0");
export const text = fc.constantFrom("one", "two", "three", "{{x}}", "");
export const slug = fc.constantFrom(...slugs);
/** A Hive at main, or at its branch. */
export const target = fc.constantFrom(...slugs, `web@${branch}`);
export const locale = fc.constantFrom("fr", "de", "ru");
/** Keys of plural strings, one that makes a group none, and one that only some languages have. */
const pluralKey = fc.constantFrom("p_one", "p_other", "p_few", "p_zero", "g.zero", "g.one", "g.other", "g.x");
export const files = fc.dictionary(
  fc.constantFrom("a.php", "b.yaml", "en.json"),
  fc.dictionary(key, text, { maxKeys: 4 }),
  { maxKeys: 3 },
);
export const pluralFiles = fc.dictionary(
  fc.constantFrom("a.php", "en.json"),
  fc.dictionary(pluralKey, text, { minKeys: 3, maxKeys: 6 }),
  { minKeys: 1, maxKeys: 2 },
);
export const sentKey = fc.oneof(
  key,
  pluralKey,
  fc.constantFrom("p_few", "p_many", "g.few", "g.many", "g.zero"),
);
const sentName = fc.constantFrom("a.php", "b.yaml", "en.json", "a.json", "fr/a.php", "fr.json", "nope.php");
export const sent = fc.dictionary(
  sentName,
  fc.dictionary(
    fc.oneof(
      sentKey,
      sentKey.map((k) => `a.${k}`),
    ),
    text,
    { maxKeys: 5 },
  ),
  { maxKeys: 3 },
);

const forms = ["p_one", "p_few", "p_many", "p_other", "g.one", "g.few", "g.many", "g.other"];
export const sentForms = fc.dictionary(
  fc.constantFrom("a.php", "en.json", "fr.json"),
  fc.dictionary(fc.constantFrom(...forms, ...forms.map((form) => `a.${form}`)), text, {
    minKeys: 2,
    maxKeys: 8,
  }),
  { minKeys: 1, maxKeys: 2 },
);

export const place = fc.record({
  file: fc.constantFrom("a.php", "b.yaml", "en.json"),
  key: fc.oneof(key, pluralKey, fc.constantFrom("q_one", "q_other", "new", "n.new")),
});

export const writer = fc.constantFrom(...writers);

export const seldom = fc.nat({ max: 7 }).map((n) => n === 0);
