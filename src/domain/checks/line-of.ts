/** Finds the lines of texts in the file that holds them, as findings name them. */

/** Each search goes through the whole file, so that only the first texts are looked for. */
const maxSearches = 500;

/** @returns finds the line of a text, counted from 1; undefined where it does not stand in the file just once. */
export function linesIn(file: string): (text: string) => number | undefined {
  let left = maxSearches;
  return (text) => (left-- > 0 ? lineOf(file, text) : undefined);
}

function lineOf(file: string, text: string): number | undefined {
  const [first = ""] = text.split("\n");
  const at = [first, JSON.stringify(first).slice(1, -1)]
    .map((form) => file.indexOf(form))
    .find((i) => i !== -1);
  if (at === undefined || first === "" || file.includes(first, at + 1)) return undefined;
  return file.slice(0, at).split("\n").length;
}
