/** The requests about the glossary and the styles of a Hive, which are main's. */
import type { z } from "zod";
import type { ExchangeTerm } from "../../formats/exchange/exchange-term.ts";
import { once } from "../../on-demand.ts";
import type { Read } from "./as-read.ts";
import type { ApiResponse } from "./http.ts";
import type { WriteOptions } from "./write-options.ts";
import { HivePart } from "./hive-part.ts";

const declared = once(async () => {
  const { styles, terms } = await import("../../api/content/glossary.ts");
  const term = terms.operations.listTerms.response.shape.data.element;
  return { ...styles.operations, ...terms.operations, term };
});
type Declared = Awaited<ReturnType<typeof declared>>;

export type HiveTerm = Read<z.output<Declared["term"]>>;
export type TermCounts = Read<z.output<Declared["syncTerms"]["response"]>>;
type HiveStyle = Read<z.output<Declared["readStyle"]["response"]>>;

/** A term to send: with the id of the one that it changes, where several have its spelling. */
export interface SentTerm extends ExchangeTerm {
  readonly id?: string;
}

export class GlossaryApi extends HivePart {
  /** The terms, in the order of their spellings. @throws ClientError, as every method does. */
  async list(search?: string): Promise<readonly HiveTerm[]> {
    return (await this.read(search)).data;
  }

  /** The same with the commit at which reading began. */
  async read(search?: string): Promise<ApiResponse<readonly HiveTerm[]>> {
    const { listTerms, term } = await declared();
    return this.callAll(listTerms, term, { search });
  }

  /** Merges terms, or makes the glossary what they are. @param options.ifAt the commit that the Hive must still be at. */
  async send(
    terms: readonly SentTerm[],
    mode: "merge" | "sync",
    options: Partial<WriteOptions> & { readonly ifAt?: string },
  ): Promise<ApiResponse<TermCounts>> {
    const { mergeTerms, syncTerms } = await declared();
    const request = { ...options, body: { terms } };
    if (mode === "sync") return this.call(syncTerms, request);
    const { data, commit } = await this.call(mergeTerms, request);
    return { data: { ...data, deleted: 0 }, commit };
  }

  async remove(id: string): Promise<void> {
    const { deleteTerm } = await declared();
    await this.call(deleteTerm, { params: { id } });
  }

  async style(locale: string): Promise<HiveStyle> {
    const { readStyle } = await declared();
    return (await this.call(readStyle, { params: { locale } })).data;
  }

  async setStyle(locale: string, text: string): Promise<HiveStyle> {
    const { setStyle } = await declared();
    return (await this.call(setStyle, { params: { locale }, body: { text } })).data;
  }
}
