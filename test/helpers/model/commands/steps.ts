/** Several changes of one translation, and decisions about it: random ones of all seldom meet. */
import fc from "fast-check";
import { checks } from "../accepted.ts";
import * as decisions from "../decisions.ts";
import * as findings from "../findings.ts";
import { importSource, importTranslations, type Model, type Place } from "../model.ts";
import { moveStrings } from "../moves.ts";
import * as past from "../past.ts";
import { command, expectSame, type Real } from "../real.ts";
import { place, seldom, sentKey, target, writer } from "./arbitraries.ts";
import { changePicture, compareFindings, comparePictures, compareStale, compareWaiting } from "./beside.ts";
import { fill, stringAt } from "./texts.ts";
import { takeBack } from "./undo.ts";

/** Few texts, with and without an argument, so that steps meet. */
const text: fc.Arbitrary<string> = fc.constantFrom("one", "two", "{{x}}", "{{x}} two");

/** What changes one translation, or decides about it: most random ones do not wait, are not stale, and have no finding. */
const step = fc.oneof(
  // Without a text it is the one that was approved last.
  fc.record({ does: fc.constant("translate" as const), text: fc.option(text, { freq: 3 }), writer }),
  fc.record({ does: fc.constant("reword" as const), text }),
  fc.record({
    does: fc.constantFrom("approve" as const, "reject" as const, "confirm" as const),
    others: fc.array(sentKey, { maxLength: 2 }),
    writer,
    prepares: fc.boolean(),
  }),
  fc.record({
    does: fc.constantFrom("accept" as const, "accept" as const, "withdraw" as const),
    check: fc.constantFrom(...checks),
    prepares: fc.boolean(),
  }),
  fc.record({
    does: fc.constant("picture" as const),
    image: fc.constantFrom("1", "2"),
    isDeleted: seldom,
    // Another string in a picture than the one that the steps are about.
    other: fc.option(fc.nat({ max: 3 }), { freq: 2 }),
  }),
  fc.record({ does: fc.constant("undo" as const), age: fc.nat({ max: 2 }) }),
);

const move = fc.record({ does: fc.constant("move" as const), to: place });

type Step = typeof step | typeof move extends fc.Arbitrary<infer T> ? T : never;

/** The translation that the steps are about. */
interface At extends Place {
  readonly hive: string;
  readonly code: string;
}

/** What is to be done first, so that there is something to decide about. */
function preparing(m: Model, { hive, code, file, key }: At, one: Step): Step | undefined {
  if (!("prepares" in one) || !one.prepares) return undefined;
  const there = m.hives.get(hive);
  const source = there?.files.get(file)?.get(key);
  const present = there?.translations.get(code)?.get(file)?.get(key);
  const other = (text: string | undefined): string => (text === "one" ? "two" : "one");
  if (one.does === "confirm") return { does: "reword", text: other(source) };
  if (one.does === "approve" || one.does === "reject") {
    const isWaiting = there?.reviews.has(`${code} ${file} ${key}`) === true;
    return isWaiting ? undefined : { does: "translate", text: other(present), writer: "reviewed" };
  }
  if (one.does === "withdraw" || findings.checkOf(m, hive, { code, file, key }) !== undefined)
    return undefined;
  const isAsked = source?.includes("{{x}}") === true;
  return { does: "translate", text: isAsked ? "one" : "{{x}}", writer: "writer" };
}

/** Makes a step. @returns where the translation is then. */
async function take(m: Model, real: Real, at: At, one: Step): Promise<At> {
  const { hive, code, file, key } = at;
  if (one.does === "move") {
    const moves = [{ from: { file, key }, to: one.to }];
    const reply = await real.call("POST", `${hive}/keys/move`, { moves });
    expectSame(reply, moveStrings(m, hive, moves));
    return reply.status === 200 ? { ...at, ...one.to } : at;
  }
  if (one.does === "undo") await takeBack(m, real, hive, one.age, false);
  else if (one.does === "picture") {
    const shown = one.other === null ? { file, key } : stringAt(m, hive, one.other);
    await changePicture(m, real, hive, { ...one, ...shown });
  } else if (one.does === "reword") {
    const files = { [file]: { [key]: one.text } };
    const reply = await real.call("POST", `${hive}/strings`, { files });
    expectSame(reply, importSource(m, hive, files, "import", false));
  } else if (one.does === "translate") {
    const approved = m.hives.get(hive)?.reviews.get(`${code} ${file} ${key}`)?.approved;
    const body = {
      files: { [file]: { [key]: one.text ?? approved ?? "one" } },
      overwrite_strategy: "overwrite",
    };
    const reply = await real.call("POST", `${hive}/translations/${code}`, body, { writer: one.writer });
    expectSame(reply, importTranslations(m, hive, code, body.files, true, one.writer));
  } else if ("check" in one) {
    const check = (one.prepares ? findings.checkOf(m, hive, at) : undefined) ?? one.check;
    const body = { locale: code, file, key, check };
    if (!findings.isPlain(key)) return at;
    const reply = await real.call(one.does === "accept" ? "POST" : "DELETE", `${hive}/checks/accept`, body);
    expectSame(reply, findings.changeAccepted(m, hive, one.does, body));
  } else await decide(m, real, at, one);
  return at;
}

type Decision = Extract<Step, { readonly others: unknown }>;

async function decide(m: Model, real: Real, at: At, { does, others, writer: by }: Decision): Promise<void> {
  const { hive, code, file, key } = at;
  const body = { locale: code, file, keys: [key, ...others] };
  if (does === "confirm") {
    const reply = await real.call("POST", `${hive}/stale/confirm`, body, { writer: by });
    return expectSame(reply, past.confirm(m, hive, code, file, body.keys, by));
  }
  const reason = does === "reject" ? { reason: "No" } : {};
  const reply = await real.call("POST", `${hive}/review/${does}`, { ...body, ...reason });
  expectSame(reply, decisions.decide(m, hive, does, body));
}

/** What a side of a merge does with one of a few translations. Moves of both sides are not of the model. */
export const stepsOfSide = fc.record({
  pick: fc.nat({ max: 1 }),
  code: fc.constant("fr"),
  some: fc.array(step, { minLength: 1, maxLength: 5 }),
});

interface Steps {
  readonly pick: number;
  readonly code: string;
  readonly some: readonly Step[];
}

/** Makes steps at one translation, and notes what the Hive is after each. */
export async function takeAll(m: Model, real: Real, hive: string, steps: Steps): Promise<void> {
  const { pick, code, some } = steps;
  let at: At = { hive, code, ...stringAt(m, hive, pick) };
  for (const one of some) {
    const first = preparing(m, at, one);
    for (const each of first === undefined ? [one] : [first, one]) {
      at = await take(m, real, at, each);
      const there = m.hives.get(hive);
      if (there !== undefined) past.record(there, await real.head(hive));
    }
  }
  await compareBeside(m, real, hive, code);
}

/** Compares all that stands beside the translations of a locale. */
export async function compareBeside(m: Model, real: Real, hive: string, code: string): Promise<void> {
  await compareWaiting(m, real, hive, code);
  await compareStale(m, real, hive, code);
  await compareFindings(m, real, hive, code);
  await comparePictures(m, real, hive);
}

const someSteps = fc.record({
  pick: fc.nat({ max: 3 }),
  code: fc.constantFrom("fr", "ru"),
  some: fc.array(fc.oneof({ weight: 8, arbitrary: step }, { weight: 2, arbitrary: move }), {
    minLength: 4,
    maxLength: 10,
  }),
});

export const steps = fc.tuple(target, someSteps).map(([hive, some]) =>
  command(`steps ${hive} ${JSON.stringify(some)}`, async (m, real) => {
    await fill(m, real, hive);
    await takeAll(m, real, hive, some);
  }),
);
