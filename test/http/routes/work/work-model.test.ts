/**
 * Nine clients work on one locale at once: people, scripts, and models that lie, repeat themselves, go silent or answer late,
 * and one that hides strings and shows them again, while the app changes its source texts. Whatever they do, the
 * history shows no text that was replaced by somebody who had not seen it, and none that was lost; and nobody gets a
 * string that they have hidden.
 */
import fc from "fast-check";
import { expect, it } from "vitest";
import { groupBy } from "../../../../src/domain/group-by.ts";
import { numbers, runs } from "../../../helpers/runs.ts";
import { makeToken, setUpWeb, type Call } from "../../../helpers/storage.ts";

const base = "/api/hives/web";
const strings = 160;

type Seen = { source: Record<string, string>; translation: Record<string, string | null> };
type Item = { file: string; key: string; forms: { form: string; source: string }[]; expected: Seen };
type Answer = { file: string; key: string; forms: Record<string, string>; expected?: Seen };

/** What a client was handed, and until when it is the only one that has it. */
interface Hand {
  readonly items: readonly Item[];
  readonly ends: number;
}

/** An answer that was stored, by the commit that stored it. */
interface Stored {
  readonly commit: string;
  readonly key: string;
  readonly seen: Seen;
  readonly texts: Record<string, string>;
}

class World {
  now = Date.parse("2026-01-01T00:00:00Z");
  readonly stored: Stored[] = [];
  /** Answers in time, and how many of them were done by others already who were in time, too. */
  answered = 0;
  wasted = 0;
  /** Texts that were stored after the claim on their string had ended. */
  readonly late = new Set<string>();
  call!: Call;
}

/** One client of some kind. */
class Client {
  readonly #world: World;
  readonly #kind: string;
  readonly #token: string;
  readonly #random: (below: number) => number;
  #hand: Hand | undefined;
  #wait = 0;
  /** Answers that were sent before. */
  readonly #sent: Answer[][] = [];
  /** What was seen of strings that this client has hidden. */
  readonly #hidden = new Map<string, Seen>();

  constructor(world: World, kind: string, token: string, random: (below: number) => number) {
    this.#world = world;
    this.#kind = kind;
    this.#token = token;
    this.#random = random;
  }

  async act(): Promise<void> {
    const { now } = this.#world;
    if (this.#hand !== undefined && now < this.#wait) return;
    if (this.#kind === "repeats" && this.#sent.length > 0 && this.#random(3) === 0)
      return this.#send(this.#sent[this.#random(this.#sent.length)] ?? [], undefined);
    const isHiding = this.#kind === "hides" && this.#random(2) === 0;
    if (this.#hand === undefined) return isHiding ? this.#show() : this.#take();
    if (isHiding) return this.#hide(this.#hand);
    return this.#answer(this.#hand);
  }

  async #take(): Promise<void> {
    const most = this.#kind === "person" ? 1 : 1 + this.#random(8);
    const body = { locale: "fr", want: ["missing", "stale"], max_items: most, claim_seconds: 60, memory: 0 };
    const { json } = await this.#world.call("POST", `${base}/work`, { body, token: this.#token });
    if (json.items.length === 0) return;
    for (const { key, expected } of json.items) expect(this.#hidden.get(key)).not.toEqual(expected);
    this.#hand = { items: json.items, ends: Date.parse(json.expires_at) };
    const isLate = this.#kind === "late" && this.#random(4) === 0;
    this.#wait = this.#world.now + (isLate ? 90_000 : this.#random(30_000));
    // Nobody hears of this claim again.
    if (this.#kind === "silent" && this.#random(2) === 0) this.#hand = undefined;
  }

  async #hide({ items }: Hand): Promise<void> {
    this.#hand = undefined;
    const statuses = await this.#say(items, { skip: "" });
    for (const [i, { key, expected }] of items.entries()) {
      expect(["skipped", "unknown"]).toContain(statuses[i]);
      if (statuses[i] === "skipped") this.#hidden.set(key, expected);
    }
  }

  /** Gets strings that are hidden, and shows some of them again. */
  async #show(): Promise<void> {
    const body = { locale: "fr", want: ["skipped"], max_items: 4, claim_seconds: 10, memory: 0 };
    const { json } = await this.#world.call("POST", `${base}/work`, { body, token: this.#token });
    const items: readonly Item[] = json.items;
    for (const { key, state } of json.items)
      expect([state, this.#hidden.has(key)]).toEqual(["skipped", true]);
    const shown = items.filter(() => this.#random(2) === 0);
    // The app may have changed or removed one of them since.
    for (const status of await this.#say(shown, { unskip: true }))
      expect(["unskipped", "unknown"]).toContain(status);
    for (const status of await this.#say(shown, { unskip: true })) expect(status).toBe("unknown");
    for (const { key } of shown) this.#hidden.delete(key);
  }

  /** Gives one answer to all items. @returns their statuses. */
  async #say(items: readonly Item[], answer: object): Promise<readonly string[]> {
    if (items.length === 0) return [];
    const body = { locale: "fr", items: items.map(({ file, key }) => ({ file, key, ...answer })) };
    const { json } = await this.#world.call("POST", `${base}/work/done`, { body, token: this.#token });
    return json.items.map(({ status }: { status: string }) => status);
  }

  async #answer(hand: Hand): Promise<void> {
    this.#hand = undefined;
    const answers = hand.items.map(({ file, key, forms, expected }): Answer => {
      const texts = Object.fromEntries(
        forms.map(({ form, source }) => [form, `${this.#kind} ${this.#random(1e9)} ${source}`]),
      );
      if (this.#kind !== "lies" || this.#random(2) === 0) return { file, key, forms: texts, expected };
      return this.#lie({ file, key, forms: texts, expected });
    });
    await this.#send(answers, this.#world.now < hand.ends ? hand : undefined);
  }

  /** Another string, another text, a form that is none, or something that was never there. */
  #lie(answer: Answer): Answer {
    const other = `k${this.#random(strings)}`;
    const source = { other: `Text ${other}` };
    const lies: readonly Answer[] = [
      { ...answer, key: other },
      { ...answer, key: other, expected: { source, translation: { other: "What I saw" } } },
      { ...answer, key: other, expected: { source: { other: "Other" }, translation: { other: null } } },
      { ...answer, forms: { few: "None" } },
      { ...answer, forms: { other: "" } },
    ];
    return lies[this.#random(lies.length)] ?? answer;
  }

  async #send(answers: readonly Answer[], inTime: Hand | undefined): Promise<void> {
    const unique = answers.filter(({ key }, i) => answers.findIndex((other) => other.key === key) === i);
    if (unique.length === 0) return;
    this.#sent.push([...unique]);
    const origin = { kind: this.#kind === "person" ? "person" : "model" };
    const { status, json, headers } = await this.#world.call("POST", `${base}/work/done`, {
      body: { locale: "fr", origin, items: unique },
      token: this.#token,
    });
    expect([status, json.items?.length]).toEqual([200, unique.length]);
    const commit = headers.get("x-skep-commit") ?? "";
    for (const [i, { key, forms, expected }] of unique.entries()) {
      const result = json.items[i];
      expect(result.key).toBe(key);
      if (result.status !== "refused") this.#hidden.delete(key);
      if (result.status === "saved" && expected !== undefined)
        this.#world.stored.push({ commit, key, seen: expected, texts: forms });
      if (inTime === undefined && result.status === "saved") this.#world.late.add(forms.other ?? "");
      if (inTime === undefined || this.#kind === "lies") continue;
      this.#world.answered++;
      // A claim that has ended costs double work, and never a text.
      if (result.status === "conflict")
        this.#world.wasted += this.#world.late.has(result.stored.other) ? 0 : 1;
      else expect(["saved", "source_changed", "unknown"]).toContain(result.status);
    }
  }
}

it("no text is lost or replaced unseen, and no work is done twice", async () => {
  await fc.assert(
    fc.asyncProperty(fc.integer({ min: 1, max: 2 ** 30 }), async (seed) => {
      const random = numbers(seed);
      const world = new World();
      const { storage, call, put } = await setUpWeb({
        locales: ["fr"],
        storage: { now: () => world.now },
      });
      world.call = call;
      const texts = new Map(Array.from({ length: strings }, (_, i) => [`k${i}`, `Text k${i}`]));
      const sync = () => put({ "a.json": Object.fromEntries(texts) });
      await sync();
      const kinds = ["person", "person", "script", "script", "lies", "repeats", "silent", "late", "hides"];
      const clients: Client[] = [];
      for (const kind of kinds)
        clients.push(
          new Client(world, kind, await makeToken(storage, { name: kind, review: "never" }), random),
        );
      const left = async () =>
        (await call("GET", `${base}/untranslated?locale=fr&per_page=1`)).json.meta.total;
      for (let round = 0; round < 400 && (round % 20 > 0 || (await left()) > 0); round++) {
        if (round % 40 === 20) {
          texts.set(`k${random(strings)}`, `New text ${round}`);
          texts.delete(`k${random(strings)}`);
          await sync();
        }
        // Some of them at once.
        await Promise.all(clients.filter(() => random(3) === 0).map((client) => client.act()));
        world.now += random(8_000);
      }
      await expectSeen(world);
      expect(world.answered).toBeGreaterThan(strings / 2);
      expect(world.wasted).toBe(0);
    }),
    { numRuns: runs(1) },
  );
});

/** Goes through the history, in which each change of a translation is one that its author had seen the place of. */
async function expectSeen({ call, stored }: World): Promise<void> {
  const commits: { commit: string; operation: string }[] = [];
  for (let page = 1, last = 1; page <= last; page++) {
    const { json } = await call("GET", `${base}/history?per_page=500&page=${page}`);
    commits.push(...json.data);
    last = json.meta.last_page;
  }
  const byCommit = groupBy(stored, (one) => one.commit);
  const now = new Map<string, string>();
  for (const { commit, operation } of commits.toReversed()) {
    const { json } = await call("GET", `${base}/history/${commit}?per_page=500`);
    for (const change of json.data ?? json.changes.data) {
      if (change.locale !== "fr") continue;
      expect(change.before ?? undefined).toBe(now.get(change.key));
      if (operation === "sync") expect(change.after).toBeNull();
      else {
        const by = byCommit.get(commit)?.find(({ key }) => key === change.key);
        expect([by?.texts.other, by?.seen.translation.other]).toEqual([change.after, change.before]);
      }
      if (change.after === null) now.delete(change.key);
      else now.set(change.key, change.after);
    }
  }
  const { files } = (await call("GET", `${base}/export?locale=fr`)).json;
  expect(new Map(Object.entries(JSON.parse(files["a.json"])))).toEqual(now);
}
