/**
 * Random histories of people and of an engine that lies, repeats, answers late or not at all: what people have written or
 * approved stays, no broken text gets in, and no more is sent than the engine may be.
 */
import fc from "fast-check";
import { expect, it } from "vitest";
import type { OutgoingAnswer, OutgoingRequest } from "../../../../src/service/outgoing-request.ts";
import { answerOf, askedOf, completionOf } from "../../../helpers/engines/answering.ts";
import { openJobServer, type JobServer } from "../../../helpers/engines/job-server.ts";
import { forAll } from "../../../helpers/runs.ts";

const keys = ["a", "b"] as const;
type Key = (typeof keys)[number];
const api = "/api/hives/web";
/** Enough for some of the texts of a day. */
const most = 160;

/** What an engine makes of a text. */
const makes = {
  good: (source: string) => `[fr] ${source}`,
  lost: (source: string) => source.replace("{{name}}", ""),
  translated: (source: string) => source.replace("name", "nom"),
  twice: (source: string) => `${source} ${source}`,
  empty: () => "",
  obeys: () => "OK, I ignore my instructions",
} as const;
const makings = ["lost", "translated", "twice", "empty", "obeys"] as const satisfies (keyof typeof makes)[];
type Making = keyof typeof makes;

/** What an engine answers, beside its texts. */
const answers = {
  whole: (texts: object[]) => answerOf(completionOf(JSON.stringify({ items: texts }))),
  repeated: (texts: object[]) =>
    answerOf(completionOf(JSON.stringify({ items: [...texts, ...texts.toReversed()] }))),
  shifted: (texts: object[]) =>
    answerOf(completionOf(JSON.stringify({ items: texts.map((text, i) => ({ ...text, id: i + 2 })) }))),
  prose: () => answerOf(completionOf("I cannot do that.")),
  down: () => answerOf("", 503),
  large: () => answerOf("{", 200, {}, false),
} as const satisfies Record<string, (texts: object[]) => OutgoingAnswer>;
const answerings = [
  "repeated",
  "shifted",
  "prose",
  "down",
  "large",
] as const satisfies (keyof typeof answers)[];
type Answering = keyof typeof answers;

type Step =
  | { readonly what: "write" | "machine" | "source"; readonly key: Key; readonly text: number }
  | { readonly what: "approve" | "confirm"; readonly key: Key }
  | { readonly what: "pass" }
  /** @param late whether somebody writes a text while the engine thinks. */
  | {
      readonly what: "job";
      readonly making: readonly Making[];
      readonly answering: readonly Answering[];
      readonly late: Key | undefined;
    };

const key = fc.constantFrom(...keys);
const text = fc.nat(9);
/** What is usual comes most often. */
const often = <T>(usual: T, others: readonly T[]): fc.Arbitrary<T> =>
  fc.oneof(
    { weight: 3, arbitrary: fc.constant(usual) },
    { weight: 2, arbitrary: fc.constantFrom(...others) },
  );
const some = <T>(arbitrary: fc.Arbitrary<T>): fc.Arbitrary<T[]> =>
  fc.array(arbitrary, { minLength: 1, maxLength: 3 });
const step = fc.oneof<fc.WeightedArbitrary<Step>[]>(
  { weight: 2, arbitrary: fc.record({ what: fc.constant("write"), key, text }) },
  { weight: 1, arbitrary: fc.record({ what: fc.constant("machine"), key, text }) },
  { weight: 4, arbitrary: fc.record({ what: fc.constant("source"), key, text }) },
  { weight: 2, arbitrary: fc.record({ what: fc.constant("approve"), key }) },
  { weight: 1, arbitrary: fc.record({ what: fc.constant("confirm"), key }) },
  { weight: 1, arbitrary: fc.record({ what: fc.constant("pass") }) },
  {
    weight: 4,
    arbitrary: fc.record({
      what: fc.constant("job"),
      making: some(often<Making>("good", makings)),
      answering: some(often<Answering>("whole", answerings)),
      late: fc.option(key, { nil: undefined, freq: 3 }),
    }),
  },
);

class History {
  readonly #server: JobServer;
  /** What people have written or approved last. */
  readonly #people = new Map<string, string>();
  /** The strings of people that the engine was asked for. */
  readonly #wrong: string[] = [];
  #written = 0;
  /** By days. */
  readonly #sent = new Map<string, number>();

  constructor(server: JobServer) {
    this.#server = server;
  }

  async run(one: Step): Promise<void> {
    const { clock } = this.#server;
    if (one.what === "pass") clock.now += 7 * 3_600_000;
    else if (one.what === "write") await this.#write(one.key, one.text);
    else if (one.what === "machine") await this.#asMachine(one.key, one.text);
    else if (one.what === "source")
      await this.#server.changeSource({ [one.key]: `Text ${one.text} {{name}}` });
    else if (one.what === "job") await this.#job(one);
    else await this.#decide(one.what, one.key);
    await this.#check();
  }

  /** Approves what waits, or confirms what is stale. */
  async #decide(what: "approve" | "confirm", at: Key): Promise<void> {
    const { call } = this.#server;
    const list = what === "approve" ? "review" : "untranslated";
    const { data } = (await call("GET", `${api}/${list}?locale=fr`)).json;
    const found = data.find((one: { key: string }) => one.key === at);
    if (typeof found?.translation !== "string") return;
    const { source_value: source, translation } = found;
    const expected = { source: { other: source }, translation: { other: translation } };
    const item = { file: "a.json", key: at, expected, [what]: true };
    const { status } = await call("POST", `${api}/work/done`, { body: { locale: "fr", items: [item] } });
    expect(status).toBe(200);
    // A confirmation says what a text fits: one that waits for a review still does.
    if (what === "approve") this.#people.set(at, translation);
  }

  async #write(at: Key, text_: number): Promise<void> {
    // Each is another one, so that it can be told whose text is there.
    const written = `Texte ${text_}.${++this.#written} {{name}}`;
    await this.#server.write({ [at]: written });
    this.#people.set(at, written);
  }

  async #asMachine(at: Key, text_: number): Promise<void> {
    await this.#server.write({ [at]: `Machine ${text_}.${++this.#written} {{name}}` }, "model");
    this.#people.delete(at);
  }

  async #job({ making, answering, late }: Extract<Step, { what: "job" }>): Promise<void> {
    const { call, engine, run, clock } = this.#server;
    let request = 0;
    engine.answer = async (sent: OutgoingRequest) => {
      const { items } = askedOf(sent);
      const day = new Date(clock.now).toISOString().slice(0, 10);
      const characters = items
        .flatMap(({ forms }) => forms)
        .reduce((sum, { source }) => sum + source.length, 0);
      this.#sent.set(day, (this.#sent.get(day) ?? 0) + characters);
      // What fails here would count as a fault of the engine.
      for (const { key: asked } of items)
        if (this.#people.has(String(asked))) this.#wrong.push(String(asked));
      if (late !== undefined && request === 0) await this.#write(late, 0);
      const texts = items.map(({ id, forms }, i) => {
        const make = makes[making[(i + request) % making.length] ?? "good"];
        return { id, forms: forms.map(({ form, source }) => ({ form, text: make(source) })) };
      });
      return answers[answering[request++ % answering.length] ?? "whole"](texts);
    };
    const body = { locales: ["fr"], want: ["missing", "stale", "failing"] };
    const waiting = (await call("GET", `${api}/translate`)).json.data.some(
      ({ ended }: { ended: unknown }) => ended === null,
    );
    if (!waiting) expect((await call("POST", `${api}/translate`, { body })).status).toBe(202);
    await run();
    clock.now += 60_000;
  }

  async #check(): Promise<void> {
    expect(this.#wrong).toEqual([]);
    const french: Record<string, string> = await this.#server.french();
    for (const [at, own] of this.#people) expect([at, french[at]]).toEqual([at, own]);
    // What only warns passes, as it does for people, and waits for a review.
    for (const stored of Object.values(french)) expect(stored).not.toMatch(/\{\{(?!name\}\})|^$/);
    const { used } = (await this.#server.call("GET", "/api/engines/gpt")).json;
    expect(used.characters).toBeLessThanOrEqual(most);
    for (const sent of this.#sent.values()) expect(sent).toBeLessThanOrEqual(most);
  }
}

it("whatever people and an engine do, texts of people stay, none is broken, and budgets hold", () =>
  forAll(24, fc.array(step, { minLength: 8, maxLength: 20 }), async (steps) => {
    const server = await openJobServer(
      Object.fromEntries(keys.map((one) => [one, `Text of ${one} {{name}}`])),
    );
    await server.call("PATCH", "/api/engines/gpt", { body: { max_characters_per_day: most } });
    const history = new History(server);
    for (const one of steps) await history.run(one);
  }));
