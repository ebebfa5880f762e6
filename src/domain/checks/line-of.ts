/** Finds the line of a text in the file that holds it, as findings name it. */

/** The line of a text, counted from 1; undefined where it does not stand in the file just once. */
export function lineOf(file: string, text: string): number | undefined {
  const [first = ""] = text.split("\n");
  const at = [first, JSON.stringify(first).slice(1, -1)]
    .map((form) => file.indexOf(form))
    .find((i) => i !== -1);
  if (at === undefined || first === "" || file.includes(first, at + 1)) return undefined;
  return file.slice(0, at).split("\n").length;
}
