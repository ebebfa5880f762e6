/** The requests about translations that wait for a review, at the branch of a Hive. */
import { z } from "zod";
import type { ApiResponse } from "./http.ts";
import { writeHeaders } from "./write-options.ts";
import { HivePart } from "./hive-part.ts";

const waiting = z.object({
  locale: z.string(),
  file: z.string(),
  key: z.string(),
  source_value: z.string(),
  translation: z.string(),
  approved: z.string().nullable(),
  author: z.string(),
});
export type WaitingText = z.output<typeof waiting>;

const waitingPage = z.object({ data: z.array(waiting), meta: z.object({ last_page: z.number() }) });
const approved = z.object({ approved: z.number(), unknown: z.number() });
const rejected = z.object({ rejected: z.number(), unknown: z.number() });

/** Texts of one file that somebody has seen. */
export interface SeenTexts {
  readonly locale: string;
  readonly file: string;
  readonly keys: readonly string[];
  /** By key; if one is another by now, nothing is done. */
  readonly expected: Readonly<Record<string, string>>;
}

export class ReviewApi extends HivePart {
  /** All that waits. @param locale in all locales if undefined. @throws ClientError, as every method does. */
  async list(locale: string | undefined): Promise<readonly WaitingText[]> {
    const texts: WaitingText[] = [];
    const query = () => ({ locale, branch: this.branch });
    for await (const { data } of this.http.pages(this.path, query, waitingPage)) texts.push(...data.data);
    return texts;
  }

  /** @returns how many were approved. */
  async approve(texts: SeenTexts): Promise<ApiResponse<number>> {
    const { data, commit } = await this.#send("approve", texts, approved);
    return { data: data.approved, commit };
  }

  /** @param reason for whoever wrote the texts. @returns how many were rejected. */
  async reject(texts: SeenTexts, reason: string): Promise<ApiResponse<number>> {
    const { data, commit } = await this.#send("reject", { ...texts, reason }, rejected);
    return { data: data.rejected, commit };
  }

  #send<S extends z.ZodType>(what: string, body: object, schema: S): Promise<ApiResponse<z.output<S>>> {
    return this.http.send({
      method: "POST",
      path: `${this.path}/${what}`,
      query: { branch: this.branch },
      headers: writeHeaders(false, undefined),
      body,
      schema,
    });
  }
}
