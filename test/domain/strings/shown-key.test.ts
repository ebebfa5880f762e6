import { expect, it } from "vitest";
import { keyShownAs } from "../../../src/domain/strings/shown-key.ts";

const separator = "\u0004";

it.each<[what: string, keys: readonly string[], shown: string, expected: string | undefined]>([
  ["a message with a context", ["Open", "menu#Open"], "menu|Open", "menu#Open"],
  ["a message of Qt with a comment", ["C#Open#verb", "C#Open"], "C|Open|verb", "C#Open#verb"],
  ["a key with a bar of its own", ["menu#Open", "menu|Open"], "menu|Open", "menu|Open"],
  ["a context, and a bar in the text", ["menu#Open|Close"], "menu|Open|Close", "menu#Open|Close"],
  ["keys that are shown alike", ["C#a|b", "C#a#b"], "C|a|b", undefined],
  ["no key", ["menu#Open"], "menu|Close", undefined],
  ["a key as the Hive has it", ["menu#Open"], "menu#Open", undefined],
  ["a text without a bar", ["Open"], "Open", undefined],
  ["a group", ["C#%n files.one", "C#%n files.other"], "C|%n files", "C#%n files"],
  ["a form", ["C#%n files.one", "C#%n files.other"], "C|%n files.other", "C#%n files.other"],
  ["a form of other languages", ["C#%n files.one", "C#%n files.other"], "C|%n files.few", "C#%n files.few"],
  ["what is no form", ["C#%n files.one"], "C|%n files.some", undefined],
  ["a form of a text without forms", ["C#a"], "C|a.few", undefined],
])("finds the key that is meant: %s", (_, keys, shown, expected) => {
  const written = (text: string): string => text.replaceAll("#", separator);
  expect(keyShownAs(written(shown), keys.map(written))).toBe(expected && written(expected));
});
