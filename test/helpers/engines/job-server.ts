/** A team with a Hive and an engine of the OpenAI protocol, for tests of jobs. */
import { toHiveSlug, toTeamName } from "../../../src/domain/names.ts";
import { runJobs } from "../../../src/service/engines/run-jobs.ts";
import type { OutgoingRequest, SendOutgoing } from "../../../src/service/outgoing-request.ts";
import { harness, makeHive, makeToken, memoryStorage } from "../storage.ts";
import { modelOf } from "./answering.ts";

const hive = "/api/hives/web";
const [team, slug] = [toTeamName("acme"), toHiveSlug("web")];

/** Opens one. @param texts of the file `a.json`. */
export async function openJobServer(texts: Readonly<Record<string, string>>) {
  const sent: OutgoingRequest[] = [];
  const clock = { now: Date.parse("2026-03-04T12:00:00Z") };
  const engine: { answer: SendOutgoing } = { answer: modelOf((source) => `[fr] ${source}`) };
  const storage = memoryStorage({
    now: () => clock.now,
    sendToEngine: (request) => {
      sent.push(request);
      return engine.answer(request);
    },
  });
  await makeHive(storage, "web");
  const web = harness(storage, await makeToken(storage, { abilities: ["admin"] }));
  const { call } = web;
  await web.put({ "a.json": texts });
  await call("POST", "/api/engines", { body: { name: "gpt", type: "openai", model: "m" } });
  const run = () => runJobs(storage, team, slug, new AbortController().signal);
  return {
    ...web,
    sent,
    clock,
    engine,
    storage,
    run,
    /** Stores French texts of the file. @param origin of the commit. */
    write: (some: object, origin?: "model" | "script") =>
      web.translate(
        "fr",
        { "a.json": some },
        { query: "checks=warn", ...(origin && { headers: { "x-commit-origin": origin } }) },
      ),
    changeSource: (some: object) => web.post({ "a.json": some }),
    /** The French texts of the file. */
    async french() {
      const { json } = await web.exported("locale=fr");
      return JSON.parse(json.files["a.json"] ?? "{}");
    },
    /** Runs a job to its end. */
    async finished(body: object = {}) {
      const { json } = await call("POST", `${hive}/translate`, { body: { locales: ["fr"], ...body } });
      await run();
      return (await call("GET", `${hive}/translate/${json.id}`)).json;
    },
  };
}

export type JobServer = Awaited<ReturnType<typeof openJobServer>>;
