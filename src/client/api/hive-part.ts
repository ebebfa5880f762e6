/** A part of the HTTP interface of one Hive, such as its pictures. */
import { randomUUID } from "node:crypto";
import type { z } from "zod";
import type { Operation } from "../../api/operation.ts";
import { asRead, type Read } from "./as-read.ts";
import { ClientError } from "./client-error.ts";
import { pageOf, type ApiRequest, type ApiResponse, type HttpClient, type Page } from "./http.ts";
import { toHeader, type WriteOptions } from "./write-options.ts";

type PartRequest<S extends z.ZodType> = Omit<ApiRequest<S>, "method" | "path">;

/** A value to send, which nobody changes. Its words are checked by the server, which may know more of them. */
type Sent<Value> = Read<Value>;

/** What a request has that its declaration does not say. */
interface Call<Body extends z.ZodObject> extends Partial<WriteOptions> {
  /** A message for its commit. */
  readonly message?: string;
  /** The commit that the Hive must still be at. */
  readonly ifAt?: string;
  /** Whether it is never sent again, since a second one would make a second thing. */
  readonly once?: true;
  /** What its path names, beside the Hive. */
  readonly params?: Readonly<Record<string, string>>;
  readonly query?: ApiRequest<z.ZodType>["query"];
  readonly body?: Sent<z.input<Body>>;
}

type Declared<Answer extends z.ZodType, Body extends z.ZodObject = z.ZodObject> = Pick<
  Operation<z.ZodObject, Body, Answer>,
  "method" | "path" | "response" | "body" | "isRepeatable" | "hasCommit"
>;

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

  /** Sends the request of a declared operation, by a part whose path is that of the Hive. */
  protected call<Answer extends z.ZodType, Body extends z.ZodObject>(
    { method, path, response, isRepeatable, hasCommit }: Declared<Answer, Body>,
    { params, query: given, body, message, ifAt, once, ...options }: Call<Body> = {},
  ): Promise<ApiResponse<Read<z.output<Answer>>>> {
    const headers = {
      "x-commit-message": toHeader(message),
      "x-commit-ref": options.ref,
      ...ifMatch(ifAt),
    };
    const query = options.dryRun === true ? { ...given, dry_run: "true" } : given;
    const repeats = once === true ? { isRepeatable: false } : {};
    const parts = { query, body, headers, schema: asRead(response), hasCommit, ...repeats };
    const below = belowHive(path, params);
    return isRepeatable === true
      ? this.write(method, below, options, parts)
      : this.request(method, below, parts);
  }

  /**
   * The entries of all pages of a declared list, with the commit at which reading began.
   * @param entry as the operation declares it.
   */
  protected callAll<Entry extends z.ZodType>(
    { path, hasCommit }: Declared<z.ZodType>,
    entry: Entry,
    filter: Filter = {},
  ): Promise<ApiResponse<readonly Read<z.output<Entry>>[]>> {
    return this.all(belowHive(path), filter, asRead(entry), { hasCommit });
  }

  /**
   * The pages of a declared list, one after the other, with all that each says.
   * @param length how many entries a page has; as many as a page of the server may have if not given.
   */
  protected callPages<Answer extends z.ZodType<Page>>(
    operation: Declared<Answer>,
    about?: Pick<Call<z.ZodObject>, "params" | "query"> & { readonly length?: number },
  ): AsyncGenerator<ApiResponse<Read<z.output<Answer>>>>;
  protected callPages(
    { path, response, hasCommit }: Declared<z.ZodType<Page>>,
    { params, query: filter, length }: Parameters<typeof this.callPages>[1] = {},
  ): AsyncGenerator<ApiResponse<Page>> {
    const query = () => ({ ...filter, branch: this.branch });
    return this.http.pages(this.path + belowHive(path, params), query, asRead(response), {
      hasCommit,
      length,
    });
  }

  /** The entries of all pages of a list, with the commit at which reading began. */
  protected all<T>(
    below: string,
    filter: Filter,
    entry: z.ZodType<T>,
    { hasCommit }: { readonly hasCommit?: boolean | undefined } = {},
  ): Promise<ApiResponse<readonly T[]>> {
    const query = () => ({ ...filter, branch: this.branch });
    return entriesOf(this.http.pages(this.path + below, query, pageOf(entry), { hasCommit }));
  }

  /**
   * The same of a list that can be read at a commit: all of one, whatever is written meanwhile.
   * @param at the commit; the one at which reading begins if not given.
   */
  protected async allAt<T>(
    below: string,
    filter: Filter,
    entry: z.ZodType<T>,
    at?: string,
  ): Promise<ApiResponse<readonly T[]>> {
    let read = at;
    const query = () => ({ ...filter, at: read, branch: this.branch });
    const pages = this.http.pages(this.path + below, query, pageOf(entry));
    const { data, commit } = await entriesOf(pages, (first) => (read ??= first));
    return { data, commit: read ?? commit };
  }
}

type Filter = Readonly<Record<string, string | undefined>>;

/** @param begins is told of the commit of the first page, before a second one is asked for. */
async function entriesOf<T>(
  pages: AsyncIterable<ApiResponse<{ readonly data: readonly T[] }>>,
  begins?: (commit: string) => void,
): Promise<ApiResponse<readonly T[]>> {
  const entries: T[] = [];
  let first: string | undefined;
  for await (const { data, commit } of pages) {
    if (first === undefined) begins?.(commit);
    first ??= commit;
    entries.push(...data.data);
  }
  return { data: entries, commit: first ?? "" };
}

/** The header of a write that is only done while the Hive is at a commit. */
export function ifMatch(commit: string | undefined): Readonly<Record<string, string>> {
  return commit === undefined ? {} : { "if-match": `"${commit}"` };
}

const outdated: ReadonlySet<string | undefined> = new Set(["precondition_failed", "expected_conflict"]);

/** How often a change is planned at most: each time, somebody else has written meanwhile. */
const maxPlans = 20;

/**
 * Plans a change from what the Hive has, and makes it, until nobody has written in between.
 * @param change reads, and writes with what it has read: the commit as `ifAt`, or the values as `expected`.
 * @throws ClientError of the last attempt, and whatever else it throws.
 */
export async function untilUnchanged<T>(change: () => Promise<T>): Promise<T> {
  for (let left = maxPlans; ; left--) {
    try {
      return await change();
    } catch (error) {
      const isOutdated = error instanceof ClientError && outdated.has(error.code);
      if (!isOutdated || left === 1) throw error;
    }
  }
}

/** The path of an operation on a Hive, below that of the Hive. @param params what it names there. */
function belowHive(path: string, params: Readonly<Record<string, string>> = {}): string {
  return path
    .replace("/api/hives/:slug", "")
    .replaceAll(/:(\w+)/g, (_, name: string) => encodeURIComponent(params[name] ?? ""));
}
