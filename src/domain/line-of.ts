/** Finds the lines of texts in the file that holds them, as findings name them. */

/** Each search goes through the whole file, so that only the first texts are looked for. */
const maxSearches = 500;

/**
 * @param find searches the file; it finds a text, and only if the text stands in the file just once, where it is not given.
 * @returns finds the line of a text, counted from 1.
 */
export function linesIn(file: string, find = lineOfText): (text: string) => number | undefined {
  let left = maxSearches;
  return (text) => (left-- > 0 ? find(file, text) : undefined);
}

function lineOfText(file: string, text: string): number | undefined {
  const [first = ""] = text.split("\n");
  const at = [first, JSON.stringify(first).slice(1, -1)]
    .map((form) => file.indexOf(form))
    .find((i) => i !== -1);
  if (at === undefined || first === "" || file.includes(first, at + 1)) return undefined;
  return file.slice(0, at).split("\n").length;
}
