/** A part of the HTTP interface of one Hive, such as its pictures. */
import { randomUUID } from "node:crypto";
import type { z } from "zod";
import { pageOf, type ApiRequest, type ApiResponse, type HttpClient } from "./http.ts";
import type { WriteOptions } from "./write-options.ts";

type PartRequest<S extends z.ZodType> = Omit<ApiRequest<S>, "method" | "path">;

export abstract class HivePart {
  protected readonly http: HttpClient;
  protected readonly path: string;
  readonly branch: string | undefined;

  /** @param path of the part, below the path of the server. @param branch main if undefined. */
  constructor(http: HttpClient, path: string, branch?: string) {
    this.http = http;
    this.path = path;
    this.branch = branch;
  }

  /** Sends a request about the part at its branch. @param below its path, below the path of the part. */
  protected request<S extends z.ZodType>(
    method: ApiRequest<S>["method"],
    below: string,
    parts: PartRequest<S>,
  ): Promise<ApiResponse<z.output<S>>> {
    const query = { ...parts.query, branch: this.branch };
    return this.http.send({ ...parts, method, path: this.path + below, query });
  }

  /** The same, of the response only the data. */
  protected async data<S extends z.ZodType>(
    ...request: Parameters<typeof this.request<S>>
  ): Promise<z.output<S>> {
    return (await this.request(...request)).data;
  }

  /** The same for a write that must not be done twice. */
  protected write<S extends z.ZodType>(
    method: ApiRequest<S>["method"],
    below: string,
    { dryRun = false, ref }: Partial<WriteOptions>,
    parts: PartRequest<S>,
  ): Promise<ApiResponse<z.output<S>>> {
    return this.request(method, below, {
      ...parts,
      query: { ...parts.query, dry_run: dryRun ? "true" : undefined },
      // With a new key, a write that is retried because its response was lost is applied once.
      headers: {
        ...parts.headers,
        "idempotency-key": dryRun || !this.http.mayRepeat ? undefined : randomUUID(),
        "x-commit-ref": ref,
      },
    });
  }

  /** The entries of all pages of a list. */
  protected async all<T>(
    below: string,
    filter: Readonly<Record<string, string | undefined>>,
    entry: z.ZodType<T>,
  ): Promise<readonly T[]> {
    const entries: T[] = [];
    const query = () => ({ ...filter, branch: this.branch });
    for await (const { data } of this.http.pages(this.path + below, query, pageOf(entry)))
      entries.push(...data.data);
    return entries;
  }
}
