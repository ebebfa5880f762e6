/** On a follower: what becomes of the requests that only the primary can answer. */
import { FastResponse, type ServerRequest } from "srvx";
import type { PassOnOptions } from "../pipeline/shared.ts";
import { isChange } from "./changes.ts";

export class PassOn {
  readonly #options: PassOnOptions;

  constructor(options: PassOnOptions) {
    this.#options = options;
  }

  /** Answers a request that is for the primary; undefined for one that is answered here. */
  answer(request: ServerRequest): Response | undefined {
    const { pathname, search, searchParams } = new URL(request.url);
    const isPush = searchParams.get("service") === "git-receive-pack";
    if (!isPush && !isChange(request, pathname)) return undefined;
    const body = JSON.stringify({ message: `Changes are made at ${this.#options.url}.`, code: "read_only" });
    return new FastResponse(body, {
      status: 307,
      headers: [
        ["location", this.#options.url + pathname + search],
        ["content-type", "application/json"],
        ["cache-control", "no-store"],
      ],
    });
  }
}
