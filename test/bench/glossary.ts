/** What glossaries of 10,000 terms cost. */
import { TermIndex } from "../../src/domain/glossary/term-index.ts";
import type { Term } from "../../src/domain/glossary/term.ts";
import { timed, type Row, type RunOptions, type Sides } from "./measure.ts";
import { withServer } from "./writes.ts";

const count = 10_000;
/** The promised time of an import in milliseconds, and of finding the terms of a text in microseconds. */
const promised = { import: 2_000, text: 50 };

const parts =
  "con fi gu ra tion open ac count pass word file set ting re po si to branch net work in ter face".split(
    " ",
  );

/** Always the same numbers below a limit. */
function numbers(): (below: number) => number {
  let seed = 1;
  return (below) => {
    seed = (Math.imul(seed, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((seed / 2 ** 32) * below);
  };
}

/** Words that begin alike, as those of one subject do. */
function makeWords(next: (below: number) => number): readonly string[] {
  return Array.from({ length: 4_000 }, () =>
    Array.from({ length: 1 + next(4) }, () => parts[next(parts.length)]).join(""),
  );
}

function makePhrase(words: readonly string[], next: (below: number) => number, length: number): string {
  return Array.from({ length }, () => words[next(words.length)]).join(" ");
}

async function importTerms({ quick }: RunOptions): Promise<Sides> {
  return withServer(["web"], ["fr"], async (client) => {
    const ours: number[] = [];
    for (let round = 0; round < (quick ? 2 : 7); round++) {
      const terms = Array.from({ length: count }, (_, i) => ({
        source: `term ${i}`,
        translations: { fr: { text: `mot ${i} ${round}`, forbidden: [`faux ${i}`] } },
      }));
      const body = Buffer.from(JSON.stringify({ terms }));
      ours.push(await timed(() => client.ok("POST", "web/glossary", body)));
    }
    return { ours, floor: [promised.import], note: "the first creates all terms, the others change them" };
  });
}

async function matchTerms({ quick }: RunOptions): Promise<Sides> {
  const next = numbers();
  const words = makeWords(next);
  const terms = Array.from({ length: count }, (_, i): Term => {
    const source = makePhrase(words, next, 1 + next(3));
    return {
      id: String(i),
      source,
      case: false,
      match: i % 4 === 0 ? "prefix" : "word",
      keep: false,
      translations: new Map(),
    };
  });
  const index = new TermIndex([terms], "en");
  const texts = Array.from({ length: 2_000 }, (_, i) =>
    i % 4 === 0
      ? makePhrase(words, next, 8)
      : `Wait until the download number ${i} is finished, then close ${makePhrase(words, next, 1)}.`,
  );
  const ours: number[] = [];
  for (let round = 0; round < (quick ? 3 : 15); round++) {
    const ms = await timed(() => texts.forEach((text) => index.find(text)));
    ours.push((ms / texts.length) * 1_000);
  }
  return { ours, floor: [promised.text] };
}

export const glossaryRows: readonly Row[] = [
  {
    id: "glossary-import",
    what: "import of 10,000 terms",
    floor: "the promise (docs/performance.md)",
    better: "lower",
    goal: 1,
    unit: "ms",
    run: importTerms,
  },
  {
    id: "glossary-match",
    what: "finding the terms of a text, of 10,000",
    floor: "the promise (docs/performance.md)",
    better: "lower",
    goal: 1,
    unit: "µs",
    run: matchTerms,
  },
];
