/** The requests about translations that wait for a review, at the branch of a Hive. */
import { z } from "zod";
import type { ApiResponse } from "./http.ts";
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
  list(locale: string | undefined): Promise<readonly WaitingText[]> {
    return this.all("", { locale }, waiting);
  }

  /** @returns how many were approved. */
  async approve(texts: SeenTexts): Promise<ApiResponse<number>> {
    const { data, commit } = await this.write("POST", "/approve", {}, { body: texts, schema: approved });
    return { data: data.approved, commit };
  }

  /** @param reason for whoever wrote the texts. @returns how many were rejected. */
  async reject(texts: SeenTexts, reason: string): Promise<ApiResponse<number>> {
    const request = { body: { ...texts, reason }, schema: rejected };
    const { data, commit } = await this.write("POST", "/reject", {}, request);
    return { data: data.rejected, commit };
  }
}
