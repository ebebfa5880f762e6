/** The requests about the queue of work, at the branch of a Hive. */
import { z } from "zod";
import { workStatuses } from "../../domain/work/work.ts";
import { ClientError } from "./client-error.ts";
import { writeHeaders } from "./write-options.ts";
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

/** What a request for work names. */
export interface WorkQuery {
  readonly locale: string;
  readonly want: readonly string[];
  readonly max_items: number;
  readonly claim_seconds: number;
}

/** Answers to items of one claim. */
export interface AnsweredWork {
  readonly locale: string;
  readonly claim: string;
  readonly origin: { readonly kind: string; readonly name: string };
  readonly items: readonly object[];
}

export class WorkApi extends HivePart {
  /** Claims strings. @throws ClientError, as every method does. */
  async next(query: WorkQuery): Promise<Work> {
    const request = {
      method: "POST",
      path: this.path,
      query: { branch: this.branch },
      body: query,
    } as const;
    return (await this.http.send({ ...request, schema: work })).data;
  }

  /** Answers strings. @returns what became of each. */
  async done(answered: AnsweredWork): Promise<readonly WorkResult[]> {
    const { data } = await this.http.send({
      method: "POST",
      path: `${this.path}/done`,
      query: { branch: this.branch },
      headers: writeHeaders(false, undefined),
      body: answered,
      schema: z.object({ items: z.array(result) }),
    });
    return data.items;
  }

  /** Gives strings back, if the claim has not ended. */
  async release(claim: string): Promise<void> {
    try {
      await this.http.send({
        method: "DELETE",
        path: `${this.path}/${encodeURIComponent(claim)}`,
        query: { branch: this.branch },
        schema: z.object({ released: z.number() }),
        hasCommit: false,
      });
    } catch (error) {
      if (!(error instanceof ClientError) || error.code !== "unknown_claim") throw error;
    }
  }
}
