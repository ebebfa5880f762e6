/** What the checks of texts cost. */
import { alternate, timed, type Row, type RunOptions, type Sides } from "./measure.ts";
import { Client, skep, toBody } from "./skep.ts";
import { manyLocales, withServer } from "./writes.ts";

/** Texts as apps have them: one in three has an argument, one in six markup. */
function checkedFile(count: number, prefix: string): Readonly<Record<string, string>> {
  const texts = Array.from({ length: count }, (_, i) => {
    const text = `${prefix} text ${i} of the file`;
    if (i % 3 === 0) return [`key_${i}`, `${text} for {{name}}`];
    return [`key_${i}`, i % 6 === 1 ? `${text}, <b>bold</b>` : text];
  });
  return Object.fromEntries(texts);
}

function importChecked({ quick }: RunOptions): Promise<Sides> {
  const rounds = quick ? 5 : 25;
  const warmUp = 5;
  const all = ["warn", "off"].map((level) =>
    Array.from({ length: rounds + warmUp }, (_, i) => `${level}-${i}`),
  );
  return withServer(all.flat(), ["fr"], async (client, server, _, storage) => {
    const admin = new Client(
      server.url,
      await skep(storage, "token", "create", "--team", "bench", "--ability", "admin"),
    );
    const source = toBody({ "app.json": checkedFile(10_000, "A") });
    for (const slug of all.flat()) {
      const level = slug.startsWith("off") ? "off" : "warn";
      await admin.ok("PATCH", slug, Buffer.from(JSON.stringify({ checks: { level } })));
      await client.ok("POST", `${slug}/strings`, source);
    }
    admin.close();
    const body = toBody({ "app.json": checkedFile(10_000, "Un") });
    const [checked, unchecked] = all.map((slugs) => {
      const left = slugs.values();
      return () => timed(() => client.ok("POST", `${left.next().value ?? ""}/translations/fr`, body));
    });
    if (checked === undefined || unchecked === undefined) throw new Error("no side");
    return alternate(rounds, checked, unchecked, warmUp);
  });
}

/** The promised time of the first look at all texts, in milliseconds. */
const promised = 20_000;

function checkAll({ quick, say }: RunOptions): Promise<Sides> {
  const locales = quick ? manyLocales.slice(0, 2) : manyLocales;
  return withServer(["web"], locales, async (client) => {
    const files = (prefix: string): object =>
      Object.fromEntries(Array.from({ length: 4 }, (_, i) => [`f${i}.json`, checkedFile(49_970, prefix)]));
    await client.ok("POST", "web/strings", toBody(files("A")));
    for (const code of locales) await client.ok("POST", `web/translations/${code}`, toBody(files(code)));
    say("filled");
    const check = (): Promise<number> => timed(() => client.ok("GET", "web/checks"));
    const first = await check();
    const one = { "f0.json": { key_1: "another, <b>bold</b>" } };
    await client.ok(
      "POST",
      `web/translations/${locales[0] ?? ""}`,
      toBody(one, { overwrite_strategy: "overwrite" }),
    );
    const note = `after one text changed ${(await check()).toFixed(0)} ms`;
    return {
      ours: [first],
      floor: [quick ? (promised * locales.length) / manyLocales.length : promised],
      note,
    };
  });
}

export const checkRows: readonly Row[] = [
  {
    id: "check-import",
    what: "import of 10,000 new translations, checked",
    floor: "the same where checks are off",
    better: "lower",
    goal: 1.15,
    unit: "ms",
    run: importChecked,
  },
  {
    id: "check-all",
    what: "all checks of 200,000 strings × 20 locales, for the first time",
    floor: "the promise (docs/checks.md)",
    better: "lower",
    goal: 1,
    unit: "ms",
    run: checkAll,
  },
];
