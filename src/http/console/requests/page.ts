/**
 * The kinds of pages and forms of the console. Each is a value; the console adds sessions, access checks and the frame.
 */
import type { H3Event } from "h3";
import type { Child } from "hono/jsx";
import type { Ability } from "../../../domain/access/token.ts";
import type { HiveBranch } from "../../../domain/commits/branch-name.ts";
import type { Locale } from "../../../domain/hives/locale.ts";
import type { HiveGrant } from "../../../service/access.ts";
import type { Provider } from "../../../service/people/provider.ts";
import type { Session } from "../../../service/sessions.ts";
import type { Storage } from "../../../service/storage.ts";
import type { WriteContext } from "../../../service/write-context.ts";
import type { SignInWay } from "../../pipeline/shared.ts";
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

/** The content of a page, inside the common frame. */
export interface View {
  /** The heading, and the beginning of the window's title. */
  readonly title: string;
  readonly body: Child;
  /** The result of a form whose response is this page. */
  readonly notice?: Child;
  /** 200 by default. */
  readonly status?: number;
  /** Whether it has a form for passkeys. */
  readonly usesPasskeys?: boolean;
  /** Further headers of the response. */
  readonly headers?: readonly [name: string, value: string][];
  /** The pages above this one, without the list of Hives; undefined for that list. */
  readonly above?: readonly Step[];
  /** Whether the tab shows the title already, so that the heading is only for screen readers. */
  readonly isNamedByTab?: boolean;
  /** The bar of tabs that the page belongs to; see `parts/navigation.ts`. */
  readonly tabs?: readonly Tab[];
}

/** Sends the browser to another page after a successful form. */
export interface Redirect {
  /** An address as {@link Link} makes them. */
  readonly to: string;
  /** `Set-Cookie` headers. */
  readonly cookies?: readonly string[];
  /** The notice that the next page shows. */
  readonly notice?: NoticeName;
}

/** An image that somebody has sent. */
export interface Image {
  readonly image: Uint8Array;
  /** Its media type. */
  readonly type: string;
}

/** The result of a page or a form. */
export type PageResult = View | Redirect | Image;

/** How people sign in to this server. */
export interface AccessOptions {
  /** The address of the server as people open it. */
  readonly publicUrl: string | undefined;
  readonly ways: ReadonlySet<SignInWay>;
  readonly inviteWith: ReadonlySet<"passkey" | "password">;
  /** Undefined where nobody signs in at one. */
  readonly provider: Provider | undefined;
}

/** The arguments of every page. */
export interface AnyRequest {
  readonly event: H3Event;
  readonly storage: Storage;
  readonly access: AccessOptions;
  /** Makes the addresses of links from this page. */
  readonly link: Link;
  /** The server's origin and prefix as this browser uses them, without a trailing slash. */
  readonly origin: string;
  /** Whether the browser is connected over TLS. */
  readonly isSecure: boolean;
  /** The address of the client, where it is known. */
  readonly client: string | undefined;
  /** Whether this server serves a copy and accepts no changes. */
  readonly isCopy: boolean;
  /** A decoded part of the path. */
  readonly param: (name: string) => string;
  /**
   * The query parameters; on pages of a Hive without `branch`. Empty parameters, which forms send for empty fields, are
   * left out.
   */
  readonly query: Readonly<Record<string, unknown>>;
  /**
   * Keeps a small result in memory as JSON, with the API's responses.
   * @param version the version of everything that the result is made from.
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

/** A request for a page that may take seconds. */
export interface PatientRequest extends SignedInRequest {
  /** Ends a slow read. */
  readonly signal: AbortSignal;
}

/** A request for a page of one Hive that the token gives access to. */
export interface HiveRequest extends PatientRequest {
  /** The caller's access with the ability of the page, usually `read`. */
  readonly hive: HiveGrant;
  /** The Hive at the branch that `?branch=` names, or at main. */
  readonly branch: HiveBranch;
  /** Makes the addresses of this Hive's pages from the segments below the Hive's address; they keep the branch. */
  readonly hiveLink: Link;
  /** Whether the token may change the Hive. */
  readonly canWrite: boolean;
  /** Whether the token may change translations into a locale. */
  readonly canTranslate: (locale: Locale) => boolean;
  /** Whether the token may approve translations into a locale. */
  readonly canApprove: (locale: Locale) => boolean;
}

/** A request with a form. */
export type FormOf<Request> = Request & { readonly form: Form };

/**
 * A form that changes one Hive. `context` is the context of the write: the field `message` is the message of its
 * commit, and the optional field `head` the commit that HEAD must still be at.
 */
export type HiveFormRequest = FormOf<HiveRequest> & { readonly context: WriteContext };

interface RouteOf<Kind extends string, Request> {
  readonly kind: Kind;
  /** The path with `:name` for each variable part, and `:slug` for a Hive. */
  readonly path: string;
  readonly handler: (request: Request) => Promise<PageResult>;
}

interface HivePage extends RouteOf<"hive", HiveRequest> {
  /** `read` by default. */
  readonly ability?: Ability;
  /** Whether it may take seconds; such reads are bounded per team. */
  readonly isSlow?: boolean;
}

interface SignedInPage extends RouteOf<"signed-in", PatientRequest> {
  /** Whether it may take seconds; such reads are bounded per team. */
  readonly isSlow?: boolean;
}

interface HiveForm extends RouteOf<"hive-form", HiveFormRequest> {
  readonly ability: Ability;
}

/**
 * The kinds of pages and forms: open to all, for signed-in users, and of one Hive. An open form must come from a page
 * of this server, any other form from a page of its session.
 */
export type PageRoute =
  | RouteOf<"open", OpenRequest>
  | RouteOf<"open-form", FormOf<OpenRequest>>
  | SignedInPage
  | RouteOf<"signed-in-form", FormOf<SignedInRequest>>
  | HivePage
  | HiveForm;
