/** The options of the application, and the objects that its requests share. */
import type { Log } from "../../log.ts";
import type { CloneLimits } from "../../service/operations/clones.ts";
import type { PushLimits } from "../../service/operations/pushes.ts";
import type { Readiness } from "../../service/operations/readiness.ts";
import type { StreamLimits, Streams } from "../../service/events/streams.ts";
import type { CommitWaits } from "../../service/events/commit-waits.ts";
import type { Mailing } from "../../service/mail/mailing.ts";
import type { Provider } from "../../service/people/provider.ts";
import type { SlowReadLimits, SlowReads } from "../../service/slow-reads.ts";
import type { Storage } from "../../service/storage.ts";
import type { ResponseCache } from "../responses/response-cache.ts";
import type { BodyBudget } from "../requests/body.ts";
import type { TrustedProxies } from "../requests/client-address.ts";
import type { CorsOrigins } from "../responses/cors.ts";
import type { FreshnessOptions } from "./record-freshness.ts";
import type { ReadFastPath } from "../responses/read-fast-path.ts";
import type { RequestObserver } from "../requests/trace.ts";

export interface AppOptions extends CloneLimits, Partial<PushLimits & StreamLimits>, SlowReadLimits {
  readonly storage: Storage;
  readonly log: Log;
  /** Called after every request. */
  readonly observers?: readonly RequestObserver[];
  /** Where the record is a database: how old a read may be while that does not answer, in milliseconds. */
  readonly staleness?: number;
  /** Called with how fresh the copy of a database was for a request; see {@link FreshnessOptions}. */
  readonly passed?: FreshnessOptions["passed"];
  /** The largest request body in bytes. */
  readonly bodyLimit: number;
  /** How many values (members and elements of any kind) a JSON body may hold. */
  readonly bodyValues: number;
  /** How many bytes the bodies of all requests together may take in memory. */
  readonly bodyBudget: number;
  /** How many bytes of responses are cached in memory. */
  readonly cacheBytes: number;
  /** The proxies whose `X-Forwarded-For` is trusted; none by default. */
  readonly trustProxy?: TrustedProxies;
  /** Whether there are pages for people; there are by default. */
  readonly console?: "on" | "off";
  /** How long shared caches may keep a channel's files, in milliseconds; 2 s by default. */
  readonly channelMaxAge?: number;
  /** The address of this server as people open it, without a slash at the end; nobody can be invited without it. */
  readonly publicUrl?: string;
  /** How people sign in to the console; by token and by invitation if not given. */
  readonly signIn?: ReadonlySet<SignInWay>;
  /** What somebody who is invited may choose to sign in with; everything if not given. */
  readonly inviteWith?: ReadonlySet<"passkey" | "password">;
  /** Sends mails, where a mail server takes them. */
  readonly mailing?: Mailing;
  /** The identity provider at which people sign in, if there is one. */
  readonly provider?: Provider;
  /** The origins whose pages may use the API in a browser; none by default. */
  readonly corsOrigin?: CorsOrigins;
}

/** A way to sign in that `--sign-in` may name. */
export type SignInWay = "token" | "invite" | "oidc";

export interface Shared {
  readonly options: AppOptions;
  readonly responses: ResponseCache;
  readonly fastPath: ReadFastPath;
  readonly budget: BodyBudget;
  readonly slowReads: SlowReads;
  readonly commitWaits: CommitWaits;
  readonly streams: Streams;
  /** The writes with an idempotency key that are being answered. */
  readonly underWay: Set<string>;
  readonly readiness: Readiness;
}
