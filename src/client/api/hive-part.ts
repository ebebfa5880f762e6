/** A part of the HTTP interface of one Hive, such as its pictures. */
import type { HttpClient } from "./http.ts";

export abstract class HivePart {
  protected readonly http: HttpClient;
  protected readonly path: string;
  protected readonly branch: string | undefined;

  /** @param path of the part, below that of the server. @param branch main if undefined. */
  constructor(http: HttpClient, path: string, branch?: string) {
    this.http = http;
    this.path = path;
    this.branch = branch;
  }
}
