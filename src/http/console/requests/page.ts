/** The kinds of pages and forms of the console. Each is data, to which the console adds sessions, checks and the frame. */
import type { H3Event } from "h3";
import type { Child } from "hono/jsx";
import type { Ability } from "../../../domain/access/token.ts";
import type { HiveBranch } from "../../../domain/commits/branch-name.ts";
import type { Locale } from "../../../domain/hives/locale.ts";
import type { HiveGrant } from "../../../service/access.ts";
import type { Session } from "../../../service/sessions.ts";
import type { Storage } from "../../../service/storage.ts";
import type { WriteContext } from "../../../service/write-context.ts";
import type { Form } from "./form.ts";
import type { Link } from "./links.ts";
import type { NoticeName } from "./notices.ts";

/** A step of the breadcrumb. */
export interface Step {
  readonly label: string;
  /** An address as {@link Link} makes them. */
  readonly href: string;
}

/** A tab of a bar. */
export interface Tab extends Omit<Step, "label"> {
  readonly name: string;
  readonly isCurrent: boolean;
}

/** What a page shows, inside the frame that all pages have. */
export interface View {
  /** The heading, and the beginning of the window's title. */
  readonly title: string;
  readonly body: Child;
  /** What a form has done that is answered with this page. */
  readonly notice?: Child;
  /** 200 by default. */
  readonly status?: number;
  /** Further headers of the response. */
  readonly headers?: readonly [name: string, value: string][];
  /** The pages above this one, the list of Hives left out; undefined for that list itself. */
  readonly above?: readonly Step[];
  /** Whether the tab says the title, so that only those read it who do not see the tab. */
  readonly isNamedByTab?: boolean;
  /** The bar of tabs that the page belongs to; see `parts/navigation.ts`. */
  readonly tabs?: readonly Tab[];
}

/** Sends the browser to another page, after a form was taken. */
export interface Redirect {
  /** An address as {@link Link} makes them. */
  readonly to: string;
  /** A `Set-Cookie` header. */
  readonly cookie?: string;
  /** What that page says of what has been done. */
  readonly notice?: NoticeName;
}

/** What a page is answered with. */
export type PageResult = View | Redirect;

/** What every page gets. */
export interface AnyRequest {
  readonly event: H3Event;
  readonly storage: Storage;
  /** Makes the addresses of links from this page. */
  readonly link: Link;
  /** The beginning of the server's address as this browser sees it, without a slash at the end. */
  readonly origin: string;
  /** Whether the browser is connected over TLS. */
  readonly isSecure: boolean;
  /** Whether this server has a copy, and can change nothing. */
  readonly isCopy: boolean;
  /** A decoded part of the path. */
  readonly param: (name: string) => string;
  /**
   * The query parameters, without `branch` where the page is about a Hive. Those without a value, which forms send for
   * fields left empty, are left out.
   */
  readonly query: Readonly<Record<string, unknown>>;
  /**
   * Keeps a small result in memory as JSON, with the API's responses.
   * @param version of everything that the result is made from; it belongs to `name`.
   */
  readonly cache: <T>(name: string, version: string, make: () => T | Promise<T>) => Promise<T>;
}

/** A request that may come without a session. */
export interface OpenRequest extends AnyRequest {
  readonly session: Session | undefined;
}

/** A request of a user who has signed in. */
export interface SignedInRequest extends AnyRequest {
  readonly session: Session;
}

/** A request about one Hive, which the token reaches. */
export interface HiveRequest extends SignedInRequest {
  /** The grant for what the page needs: reading, for most. */
  readonly hive: HiveGrant;
  /** The Hive at the branch that `?branch=` names, or at main. */
  readonly branch: HiveBranch;
  /** Makes the addresses of this Hive's pages, from the segments below its own address; they keep the branch. */
  readonly hiveLink: Link;
  /** Whether the token may change the Hive. */
  readonly canWrite: boolean;
  /** Whether it may change translations into a locale, which may be fewer than all. */
  readonly canTranslate: (locale: Locale) => boolean;
  /** Ends a slow read. */
  readonly signal: AbortSignal;
}

/** The same with a form that was sent. */
export type FormOf<Request> = Request & { readonly form: Form };

/**
 * A form that changes one Hive.
 * `context` is that of the write: the field `message` is its commit's message, and the field `head`, where the form has
 * one, the commit that HEAD must still be at.
 */
export type HiveFormRequest = FormOf<HiveRequest> & { readonly context: WriteContext };

interface RouteOf<Kind extends string, Request> {
  readonly kind: Kind;
  /** With `:name` for each part that varies, `:slug` for a Hive. */
  readonly path: string;
  readonly handler: (request: Request) => Promise<PageResult>;
}

interface HivePage extends RouteOf<"hive", HiveRequest> {
  /** `read` by default. */
  readonly ability?: Ability;
  /** Whether it may take seconds; such reads are bounded per team. */
  readonly isSlow?: boolean;
}

interface HiveForm extends RouteOf<"hive-form", HiveFormRequest> {
  readonly ability: Ability;
}

/**
 * The kinds of pages, and of forms: for everybody, for those who are signed in, and about one Hive. A form for everybody
 * was sent from a page of this server, each other one from a page of its session.
 */
export type PageRoute =
  | RouteOf<"open", OpenRequest>
  | RouteOf<"open-form", FormOf<OpenRequest>>
  | RouteOf<"signed-in", SignedInRequest>
  | RouteOf<"signed-in-form", FormOf<SignedInRequest>>
  | HivePage
  | HiveForm;
