/** The requests about the glossary and the styles of a Hive, which are main's. */
import { z } from "zod";
import { termAnswer } from "../../domain/glossary/term-schema.ts";
import type { ExchangeTerm } from "../../formats/exchange/exchange-term.ts";
import type { ApiResponse } from "./http.ts";
import type { WriteOptions } from "./write-options.ts";
import { HivePart } from "./hive-part.ts";

/** A newer server may find terms in more ways. */
const term = termAnswer.extend({ match: z.string() });
export type HiveTerm = z.infer<typeof term>;

const termCounts = z.object({
  created: z.number(),
  updated: z.number(),
  deleted: z.number().default(0),
  unchanged: z.number(),
});
export type TermCounts = z.infer<typeof termCounts>;

const style = z.object({ locale: z.string(), text: z.string() });
export type HiveStyle = z.infer<typeof style>;

/** A term to send: with the id of the one that it changes, where several have its spelling. */
export interface SentTerm extends ExchangeTerm {
  readonly id?: string;
}

export class GlossaryApi extends HivePart {
  /** The terms, in the order of their spellings. @throws ClientError, as every method does. */
  list(search?: string): Promise<readonly HiveTerm[]> {
    return this.all("/glossary", { search }, term);
  }

  /** Merges terms, or makes the glossary what they are. */
  send(
    terms: readonly SentTerm[],
    mode: "merge" | "sync",
    options: Partial<WriteOptions>,
  ): Promise<ApiResponse<TermCounts>> {
    const method = mode === "merge" ? "POST" : "PUT";
    return this.write(method, "/glossary", options, { body: { terms }, schema: termCounts });
  }

  async remove(id: string): Promise<void> {
    const schema = z.object({ deleted: z.number() });
    await this.request("DELETE", `/glossary/${encodeURIComponent(id)}`, { schema });
  }

  style(locale: string): Promise<HiveStyle> {
    return this.data("GET", stylePath(locale), { schema: style });
  }

  setStyle(locale: string, text: string): Promise<HiveStyle> {
    return this.data("PUT", stylePath(locale), { body: { text }, schema: style });
  }
}

function stylePath(locale: string): string {
  return `/style/${encodeURIComponent(locale)}`;
}
