/** Two texts word by word: which stay, which went and which came. */

export interface WordRun {
  readonly kind: "same" | "gone" | "new";
  readonly text: string;
}

/** Beyond this many pairs of words a text is shown as replaced: the work grows with their product. */
const maxPairs = 250_000;

/** The runs by which one text becomes another, in reading order; within a change what went comes first. */
export function diffWords(before: string, after: string): readonly WordRun[] {
  const a = toWords(before);
  const b = toWords(after);
  let start = 0;
  while (start < a.length && start < b.length && a[start] === b[start]) start++;
  let end = 0;
  while (end < a.length - start && end < b.length - start && a.at(-1 - end) === b.at(-1 - end)) end++;
  const runs: WordRun[] = [];
  const add = (kind: WordRun["kind"], words: readonly string[]): void => {
    if (words.length > 0) runs.push({ kind, text: words.join("") });
  };
  add("same", a.slice(0, start));
  for (const [kind, words] of replaced(a.slice(start, a.length - end), b.slice(start, b.length - end))) {
    add(kind, words);
  }
  add("same", end === 0 ? [] : a.slice(-end));
  return runs;
}

/** Words and what stands between them; scripts without spaces come letter by letter. */
function toWords(text: string): readonly string[] {
  return (
    text.match(/\s+|[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]|[\p{L}\p{M}\p{N}]+|./gsu) ?? []
  );
}

type Step = readonly [WordRun["kind"], readonly string[]];

function replaced(a: readonly string[], b: readonly string[]): readonly Step[] {
  if (a.length * b.length > maxPairs)
    return [
      ["gone", a],
      ["new", b],
    ];
  const steps: Step[] = [];
  let gone: string[] = [];
  let came: string[] = [];
  let same: string[] = [];
  const change = (): void => void steps.push(["gone", gone], ["new", came]);
  for (const [kind, word] of walk(a, b, commonLengths(a, b))) {
    if (kind === "same") {
      if (gone.length + came.length > 0) change();
      gone = [];
      came = [];
      same.push(word);
      continue;
    }
    if (same.length > 0) steps.push(["same", same]);
    same = [];
    (kind === "gone" ? gone : came).push(word);
  }
  if (same.length > 0) steps.push(["same", same]);
  change();
  return steps;
}

/** The length of the longest common subsequence of what follows each pair of places, row by row. */
function commonLengths(a: readonly string[], b: readonly string[]): Uint16Array {
  const width = b.length + 1;
  const lengths = new Uint16Array((a.length + 1) * width);
  const at = (i: number, j: number): number => lengths[i * width + j] ?? 0;
  for (let i = a.length - 1; i >= 0; i--) {
    for (let j = b.length - 1; j >= 0; j--) {
      lengths[i * width + j] = a[i] === b[j] ? at(i + 1, j + 1) + 1 : Math.max(at(i + 1, j), at(i, j + 1));
    }
  }
  return lengths;
}

function* walk(
  a: readonly string[],
  b: readonly string[],
  lengths: Uint16Array,
): Generator<readonly [WordRun["kind"], string]> {
  const width = b.length + 1;
  let i = 0;
  let j = 0;
  while (i < a.length || j < b.length) {
    const [old, now] = [a[i], b[j]];
    const skipOld = lengths[(i + 1) * width + j] ?? 0;
    const skipNew = lengths[i * width + j + 1] ?? 0;
    if (old !== undefined && old === now) {
      yield ["same", old];
      i++;
      j++;
    } else if (old !== undefined && (now === undefined || skipOld >= skipNew)) {
      yield ["gone", old];
      i++;
    } else if (now !== undefined) {
      yield ["new", now];
      j++;
    }
  }
}
