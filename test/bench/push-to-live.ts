/** How long it takes from source strings that are pushed to their translations by a machine in the manifest of a channel. */
import { hash } from "node:crypto";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { alternate, median, timed, type Row, type RunOptions, type Sides } from "./measure.ts";
import { Client, makeStorage, skep, startServer, toBody } from "./skep.ts";

const strings = 100;
/** A rule waits until a Hive has been quiet for so long. */
const quietMs = 1_000;
/** The promised time after that. */
const promisedMs = 2_000;

/** A machine of the OpenAI protocol that answers at once. */
async function startMachine() {
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      const { messages } = JSON.parse(Buffer.concat(chunks).toString());
      const asked: { items: { id: number; forms: { form: string; source: string }[] }[] } = JSON.parse(
        messages.at(-1).content,
      );
      const items = asked.items.map(({ id, forms }) => ({
        id,
        forms: forms.map(({ form, source }) => ({ form, text: `${source} (fr)` })),
      }));
      const message = { role: "assistant", content: JSON.stringify({ items }) };
      const body = { model: "bench", choices: [{ message }], usage: { total_tokens: 1 } };
      response.setHeader("content-type", "application/json");
      response.end(JSON.stringify(body));
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return server;
}

/** The port of a server that listens at one. */
function portOf(address: AddressInfo | string | null): number {
  if (address === null || typeof address === "string") throw new Error("the machine has no port");
  return address.port;
}

/** A text of a few words, which are others in each text: the memory of an app finds little for a new one, too. */
function textOf(round: number, i: number): string {
  const digest = hash("sha256", `${round} ${i}`, "hex");
  return Array.from({ length: 6 }, (_, word) => digest.slice(10 * word, 10 * word + 3 + (word % 5))).join(
    " ",
  );
}

async function pushToLive({ quick }: RunOptions): Promise<Sides> {
  const machine = await startMachine();
  const port = portOf(machine.address());
  const { storage, token } = await makeStorage(["ours", "floor"], ["fr"]);
  const url = `http://127.0.0.1:${port}/v1`;
  await skep(storage, "engine", "create", "bench", "--type", "openai", "--url", url, "--model", "bench");
  await skep(storage, "locale", "edit", "ours", "fr", "--auto", "bench", "--auto-review", "never");
  for (const slug of ["ours", "floor"])
    await skep(storage, "channel", "create", slug, "live", "--branch", "main");
  const server = await startServer(storage, "--engine-allow", `loopback:${port}`);
  const client = new Client(server.url, token);
  const post = (path: string, files: unknown) => client.ok("POST", path, toBody(files));
  /** The texts of a round: each is a new one. @param end of each. */
  const texts = (round: number, end = "") => {
    const entries = Array.from({ length: strings }, (_, i) => [`key_${i}`, `${textOf(round, i)}${end}`]);
    return { [`round${round}.json`]: Object.fromEntries(entries) };
  };
  const live = new Map<string, string>();
  for (const slug of ["ours", "floor"]) {
    const { data } = JSON.parse((await client.ok("GET", `${slug}/channels`)).toString());
    live.set(slug, `${server.url}${data[0].path}`);
  }
  /** Waits until a channel has all texts of a round, as an app would see it. */
  const isLive = async (slug: string, round: number): Promise<void> => {
    const at = live.get(slug) ?? "";
    for (;;) {
      const manifest = await fetch(`${at}/manifest.json?${performance.now()}`);
      const { files } = JSON.parse(await manifest.text());
      const { "fr.json": address }: Record<string, unknown> = files;
      const given = typeof address === "string" ? await fetch(new URL(address, at)) : undefined;
      const found = given?.ok === true ? await given.text() : "";
      if (found.includes(`${textOf(round, strings - 1)} (fr)`)) return;
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
  };
  try {
    const sides = await alternate(
      quick ? 2 : 15,
      async (round) =>
        (await timed(async () => {
          await post("ours/strings", texts(round));
          await isLive("ours", round);
        })) - quietMs,
      (round) =>
        timed(async () => {
          await post("floor/strings", texts(round));
          await post("floor/translations/fr", texts(round, " (fr)"));
          await isLive("floor", round);
        }),
    );
    const most = Math.max(...sides.ours);
    const note = `${strings} strings after the quiet second; the slowest took ${most.toFixed(0)} ms, promised are ${promisedMs}`;
    return { ...sides, note: `${note}; median ${median(sides.ours).toFixed(0)} ms` };
  } finally {
    client.close();
    await server.stop();
    machine.close();
  }
}

export const pushToLiveRows: readonly Row[] = [
  {
    id: "push-to-live",
    what: "100 pushed strings until an engine's texts are in a channel, after the quiet second",
    floor: "the same with texts that are there, by two imports",
    better: "lower",
    goal: 15,
    unit: "ms",
    run: pushToLive,
  },
];
