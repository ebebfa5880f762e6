/** The requests about jobs of engines, at the branch of a Hive. */
import type { z } from "zod";
import type { JobWant } from "../../domain/hives/locale-rule.ts";
import { once } from "../../on-demand.ts";
import type { Read } from "./as-read.ts";
import { HivePart } from "./hive-part.ts";

/** The declared requests, and a job as the client reads it: reports print all that a server says of it. */
const declared = once(async () => {
  const { engineJobs } = await import("../../api/content/engine-jobs.ts");
  const { startTranslation, getTranslation, stopTranslation } = engineJobs.operations;
  const read = { id: true, state: true, reason: true, error: true, engine: true } as const;
  const counted = { total: true, saved: true, refused: true, left: true } as const;
  const job = getTranslation.response.pick({ ...read, ...counted }).loose();
  const estimate = startTranslation.response.pick({ items: true, characters: true }).required();
  return { startTranslation, getTranslation, stopTranslation, job, estimate };
});
type Declared = Awaited<ReturnType<typeof declared>>;

export type TranslationJob = Read<z.output<Declared["job"]>>;

export interface JobRequest {
  readonly locales: readonly string[];
  readonly engine?: string;
  readonly want?: readonly JobWant[];
  readonly max_items?: number;
  readonly max_characters?: number;
}

export class EngineApi extends HivePart {
  /** Starts a job. @throws ClientError, as every method does. */
  async start(body: JobRequest): Promise<TranslationJob> {
    const { startTranslation, job } = await declared();
    return (await this.call({ ...startTranslation, response: job }, { body, once: true })).data;
  }

  /** What a job would do. */
  async estimate(body: JobRequest): Promise<{ readonly items: number; readonly characters: number }> {
    const { startTranslation, estimate } = await declared();
    const query = { dry_run: "true" };
    return (await this.call({ ...startTranslation, response: estimate }, { body, query })).data;
  }

  async show(id: string): Promise<TranslationJob> {
    const { getTranslation, job } = await declared();
    return (await this.call({ ...getTranslation, response: job }, { params: { job: id } })).data;
  }

  async stop(id: string): Promise<TranslationJob> {
    const { stopTranslation, job } = await declared();
    return (await this.call({ ...stopTranslation, response: job }, { params: { job: id } })).data;
  }
}
