/** Commands about translations that wait for a review, and about stale ones. */
import fc from "fast-check";
import * as decisions from "../decisions.ts";
import { importSource, importTranslations, type Model } from "../model.ts";
import * as past from "../past.ts";
import { command, expectSame, type Real } from "../real.ts";
import { locale, sentKey, target, text, writer } from "./arbitraries.ts";
import { compareStale } from "./beside.ts";
import { fill, stringAt } from "./texts.ts";

interface WaitingItem {
  readonly file: string;
  readonly key: string;
  readonly translation: string;
  readonly approved: string | null;
  readonly author: string;
}

async function compareWaiting(m: Model, real: Real, hive: string, code: string): Promise<void> {
  const { status, json } = await real.call("GET", `${hive}/review?locale=${code}&per_page=500`);
  const items: readonly WaitingItem[] = status === 200 ? json.data : [];
  const read = items.map((one) => [`${one.file} ${one.key}`, [one.translation, one.approved, one.author]]);
  expectSame({ status, json: Object.fromEntries(read) }, decisions.waiting(m, hive, code));
}

export const waiting = fc
  .tuple(target, locale)
  .map(([hive, code]) =>
    command(`waiting ${hive} ${code}`, (m, real) => compareWaiting(m, real, hive, code)),
  );

/** What changes one translation, or decides about it: most random ones do not wait, and are not stale. */
const step = fc.oneof(
  fc.record({ does: fc.constant("translate" as const), text, writer }),
  fc.record({ does: fc.constant("reword" as const), text }),
  fc.record({
    does: fc.constantFrom("approve" as const, "reject" as const, "confirm" as const),
    others: fc.array(sentKey, { maxLength: 2 }),
    writer,
  }),
);

type Step = typeof step extends fc.Arbitrary<infer T> ? T : never;

/** The translation that the steps are about. */
interface At {
  readonly hive: string;
  readonly code: string;
  readonly pick: number;
}

/** Makes a step. */
async function take(m: Model, real: Real, { hive, code, pick }: At, one: Step): Promise<void> {
  const { file, key } = stringAt(m, hive, pick);
  if (one.does === "reword") {
    const files = { [file]: { [key]: one.text } };
    const reply = await real.call("POST", `${hive}/strings`, { files });
    return expectSame(reply, importSource(m, hive, files, "import", false));
  }
  if (one.does === "translate") {
    const body = { files: { [file]: { [key]: one.text } }, overwrite_strategy: "overwrite" };
    const reply = await real.call("POST", `${hive}/translations/${code}`, body, { writer: one.writer });
    return expectSame(reply, importTranslations(m, hive, code, body.files, true, one.writer));
  }
  const body = { locale: code, file, keys: [key, ...one.others] };
  if (one.does === "confirm") {
    const reply = await real.call("POST", `${hive}/stale/confirm`, body, { writer: one.writer });
    return expectSame(reply, past.confirm(m, hive, code, file, body.keys, one.writer));
  }
  const reason = one.does === "reject" ? { reason: "No" } : {};
  const reply = await real.call("POST", `${hive}/review/${one.does}`, { ...body, ...reason });
  expectSame(reply, decisions.decide(m, hive, one.does, body));
}

/** Steps at one translation. */
export const someSteps = fc.record({
  pick: fc.nat({ max: 3 }),
  code: fc.constantFrom("fr", "ru"),
  some: fc.array(step, { minLength: 3, maxLength: 8 }),
});

type Steps = typeof someSteps extends fc.Arbitrary<infer T> ? T : never;

/** Makes steps, and notes what the Hive is after each. */
export async function takeAll(m: Model, real: Real, hive: string, { some, ...at }: Steps): Promise<void> {
  for (const one of some) {
    await take(m, real, { hive, ...at }, one);
    const there = m.hives.get(hive);
    if (there !== undefined) past.record(there, await real.head(hive));
  }
  await compareWaiting(m, real, hive, at.code);
  await compareStale(m, real, hive, at.code);
}

export const steps = fc.tuple(target, someSteps).map(([hive, some]) =>
  command(`steps ${hive} ${JSON.stringify(some)}`, async (m, real) => {
    await fill(m, real, hive);
    await takeAll(m, real, hive, some);
  }),
);
