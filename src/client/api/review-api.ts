/** The requests about translations that wait for a review, at the branch of a Hive. */
import type { z } from "zod";
import { once } from "../../on-demand.ts";
import type { Read } from "./as-read.ts";
import type { ApiResponse } from "./http.ts";
import { HivePart } from "./hive-part.ts";

const declared = once(async () => {
  const { review } = await import("../../api/content/review.ts");
  return { ...review.operations, waiting: review.operations.listWaiting.response.shape.data.element };
});

export type WaitingText = Read<z.output<Awaited<ReturnType<typeof declared>>["waiting"]>>;

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
    const { listWaiting, waiting } = await declared();
    return (await this.callAll(listWaiting, waiting, { locale })).data;
  }

  /** @returns how many were approved. */
  async approve(texts: SeenTexts): Promise<ApiResponse<number>> {
    const { approveTranslations } = await declared();
    const { data, commit } = await this.call(approveTranslations, { body: texts });
    return { data: data.approved, commit };
  }

  /** @param reason for whoever wrote the texts. @returns how many were rejected. */
  async reject(texts: SeenTexts, reason: string): Promise<ApiResponse<number>> {
    const { rejectTranslations } = await declared();
    const { data, commit } = await this.call(rejectTranslations, { body: { ...texts, reason } });
    return { data: data.rejected, commit };
  }
}
