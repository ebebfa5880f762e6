/** The requests about the queue of work, at the branch of a Hive. */
import { z } from "zod";
import { workStatuses } from "../../domain/work/work.ts";
import { ClientError } from "./client-error.ts";
import { HivePart } from "./hive-part.ts";

/** A string to work on. What else the server says of it is passed on as it is. */
const item = z.looseObject({ file: z.string(), key: z.string(), expected: z.unknown() });
export type WorkItem = z.output<typeof item>;

const work = z.object({
  claim: z.string().nullable(),
  style: z.string(),
  items: z.array(item),
  left: z.number(),
});
export type Work = z.output<typeof work>;

const result = z.looseObject({ file: z.string(), key: z.string(), status: z.enum(workStatuses) });
export type WorkResult = z.output<typeof result>;

export interface WorkQuery {
  readonly locale: string;
  readonly want: readonly string[];
  readonly max_items: number;
  readonly claim_seconds: number;
}

export interface AnsweredWork {
  readonly locale: string;
  readonly claim: string;
  readonly origin: { readonly kind: string; readonly name: string };
  readonly items: readonly object[];
}

export class WorkApi extends HivePart {
  /** Claims strings. @throws ClientError, as every method does. */
  next(query: WorkQuery): Promise<Work> {
    return this.data("POST", "", { body: query, schema: work });
  }

  /** Answers strings. @returns what became of each. */
  async done(answered: AnsweredWork): Promise<readonly WorkResult[]> {
    const schema = z.object({ items: z.array(result) });
    return (await this.write("POST", "/done", {}, { body: answered, schema })).data.items;
  }

  /** Gives strings back, if the claim has not ended. */
  async release(claim: string): Promise<void> {
    const schema = z.object({ released: z.number() });
    try {
      await this.request("DELETE", `/${encodeURIComponent(claim)}`, { schema, hasCommit: false });
    } catch (error) {
      if (!(error instanceof ClientError) || error.code !== "unknown_claim") throw error;
    }
  }
}
