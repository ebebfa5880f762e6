/** The requests about the queue of work, at the branch of a Hive. */
import { z } from "zod";
import { once } from "../../on-demand.ts";
import type { Read } from "./as-read.ts";
import { ClientError } from "./client-error.ts";
import { HivePart } from "./hive-part.ts";

/**
 * The declared requests, and strings to work on and what became of them as the client reads them: what else a server says of
 * them is passed on as it is.
 */
const declared = once(async () => {
  const { work } = await import("../../api/content/work.ts");
  const { nextWork, completeWork, releaseClaim } = work.operations;
  const { items, ...about } = nextWork.response.pick({
    claim: true,
    style: true,
    left: true,
    items: true,
  }).shape;
  const item = items.element.pick({ file: true, key: true }).extend({ expected: z.unknown() }).loose();
  const result = completeWork.response.shape.items.element
    .pick({ file: true, key: true, status: true })
    .loose();
  return {
    nextWork: { ...nextWork, response: z.object({ ...about, items: z.array(item) }) },
    completeWork: { ...completeWork, response: z.object({ items: z.array(result) }) },
    releaseClaim,
  };
});
type Declared = Awaited<ReturnType<typeof declared>>;

export type Work = Read<z.output<Declared["nextWork"]["response"]>>;
/** A string to work on. */
export type WorkItem = Work["items"][number];
export type WorkResult = Read<z.output<Declared["completeWork"]["response"]>>["items"][number];

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
  async next(query: WorkQuery): Promise<Work> {
    const { nextWork } = await declared();
    return (await this.call(nextWork, { body: query })).data;
  }

  /** Answers strings. @returns what became of each. */
  async done(answered: AnsweredWork): Promise<readonly WorkResult[]> {
    const { completeWork } = await declared();
    return (await this.call(completeWork, { body: answered })).data.items;
  }

  /** Gives strings back, if the claim has not ended. */
  async release(claim: string): Promise<void> {
    const { releaseClaim } = await declared();
    try {
      await this.call(releaseClaim, { params: { claim } });
    } catch (error) {
      if (!(error instanceof ClientError) || error.code !== "unknown_claim") throw error;
    }
  }
}
