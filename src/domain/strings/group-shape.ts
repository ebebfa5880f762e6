/** Compares the shapes of two versions of a source file, which decide the shape of its translations. */
import { childOf, isList, sameGroup, translatableTexts, type StringFile, type Texts } from "./string-file.ts";

/** Whether the keys of both versions have the same shape and order, so that no translation file changes its shape. */
export function keepsShape(before: StringFile, after: StringFile): boolean {
  if (isList(before.group) !== isList(after.group)) return false;
  const hasPlurals = before.plurals !== undefined || after.plurals !== undefined;
  if (!hasPlurals && sameGroup(before.group, after.group, "shape")) return true;
  const was = outline(before, translatableTexts(after));
  const is = outline(after, translatableTexts(before));
  return sameOutline(was, is);
}

type Outline = readonly (string | boolean | Outline)[];

/**
 * The shape that translations with these keys would have. Unlike a projection it always tells a list from an object, even
 * where both give the same JSON for these keys.
 */
function outline(
  { group, plurals }: Pick<StringFile, "group" | "plurals">,
  keys: Texts,
  prefix = "",
): Outline {
  const parts: (string | boolean | Outline)[] = [];
  for (const name of Object.keys(group)) {
    const node = childOf(group, name);
    if (node === undefined) continue;
    if (typeof node === "string") {
      if (keys.has(prefix + name)) parts.push(name);
      if (plurals === undefined) continue;
      for (const form of plurals.behind(prefix + name))
        if (keys.has(form)) parts.push(form.slice(prefix.length));
      continue;
    }
    const inner = outline({ group: node, plurals }, keys, `${prefix + name}.`);
    if (inner.length > 0) parts.push(name, isList(node), inner);
  }
  return parts;
}

function sameOutline(a: Outline, b: Outline): boolean {
  if (a.length !== b.length) return false;
  for (const [i, part] of a.entries()) {
    const other = b[i];
    const isSame =
      typeof part === "object" && typeof other === "object" ? sameOutline(part, other) : part === other;
    if (!isSame) return false;
  }
  return true;
}
