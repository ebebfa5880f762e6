/** The requests about jobs of engines, at the branch of a Hive. */
import type { JobWant } from "../../domain/hives/locale-rule.ts";
import { z } from "zod";
import { jobReasons, jobStates } from "../../domain/engines/job.ts";
import { HivePart } from "./hive-part.ts";

const job = z.looseObject({
  id: z.string(),
  state: z.enum(jobStates),
  reason: z.enum(jobReasons).nullable(),
  error: z.string().nullable(),
  engine: z.string(),
  total: z.number(),
  saved: z.number(),
  refused: z.number(),
  left: z.number(),
});
export type TranslationJob = z.output<typeof job>;

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
    return this.data("POST", "", { body, schema: job, hasCommit: false, isRepeatable: false });
  }

  /** What a job would do. */
  async estimate(body: JobRequest): Promise<{ readonly items: number; readonly characters: number }> {
    const schema = z.object({ items: z.number(), characters: z.number() });
    return this.data("POST", "", { body, schema, query: { dry_run: "true" }, hasCommit: false });
  }

  show(id: string): Promise<TranslationJob> {
    return this.data("GET", `/${encodeURIComponent(id)}`, { schema: job, hasCommit: false });
  }

  stop(id: string): Promise<TranslationJob> {
    return this.data("DELETE", `/${encodeURIComponent(id)}`, { schema: job, hasCommit: false });
  }
}
