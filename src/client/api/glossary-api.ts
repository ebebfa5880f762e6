/** The requests about the glossary and the styles of a Hive, which are main's. */
import { z } from "zod";
import type { ExchangeTerm } from "../../formats/exchange/exchange-term.ts";
import type { ApiResponse } from "./http.ts";
import { writeHeaders, type WriteOptions } from "./write-options.ts";
import { HivePart } from "./hive-part.ts";

const term = z.object({
  id: z.string(),
  source: z.string(),
  part_of_speech: z.string().nullable(),
  meaning: z.string().nullable(),
  case: z.boolean(),
  match: z.string(),
  keep: z.boolean(),
  translations: z.record(
    z.string(),
    z.object({
      text: z.string().nullable(),
      accepted: z.array(z.string()),
      forbidden: z.array(z.string()),
      keep: z.boolean(),
    }),
  ),
});
export type HiveTerm = z.infer<typeof term>;

const termPage = z.object({ data: z.array(term), meta: z.object({ last_page: z.number() }) });

const termCounts = z.object({
  created: z.number(),
  updated: z.number(),
  deleted: z.number().default(0),
  unchanged: z.number(),
});
export type TermCounts = z.infer<typeof termCounts>;

const style = z.object({ locale: z.string(), text: z.string() });
export type HiveStyle = z.infer<typeof style>;

export class GlossaryApi extends HivePart {
  /** The terms, in the order of their spellings. @throws ClientError, as every method does. */
  async list(search?: string): Promise<readonly HiveTerm[]> {
    const terms: HiveTerm[] = [];
    const query = () => ({ search });
    for await (const { data } of this.http.pages(`${this.path}/glossary`, query, termPage))
      terms.push(...data.data);
    return terms;
  }

  /** Merges terms, or makes the glossary what they are. */
  send(
    terms: readonly ExchangeTerm[],
    mode: "merge" | "sync",
    { dryRun, ref }: WriteOptions,
  ): Promise<ApiResponse<TermCounts>> {
    return this.http.send({
      method: mode === "merge" ? "POST" : "PUT",
      path: `${this.path}/glossary`,
      query: { dry_run: dryRun ? "true" : undefined },
      headers: writeHeaders(dryRun, ref),
      body: { terms },
      schema: termCounts,
    });
  }

  async remove(id: string): Promise<void> {
    const path = `${this.path}/glossary/${encodeURIComponent(id)}`;
    await this.http.send({ method: "DELETE", path, schema: z.object({ deleted: z.number() }) });
  }

  async style(locale: string): Promise<HiveStyle> {
    return (await this.http.send({ method: "GET", path: this.#stylePath(locale), schema: style })).data;
  }

  async setStyle(locale: string, text: string): Promise<HiveStyle> {
    const path = this.#stylePath(locale);
    return (await this.http.send({ method: "PUT", path, body: { text }, schema: style })).data;
  }

  #stylePath(locale: string): string {
    return `${this.path}/style/${encodeURIComponent(locale)}`;
  }
}
