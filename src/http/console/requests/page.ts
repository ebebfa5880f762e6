/**
 * The kinds of pages and forms of the console. Each is a value; the console adds sessions, access checks and the frame.
 */
import type { H3Event } from "h3";
import type { Child } from "hono/jsx";
import type { Ability } from "../../../domain/access/token.ts";
import type { Oid } from "../../../domain/names.ts";
import type { HiveBranch } from "../../../domain/commits/branch-name.ts";
import type { HiveSettings } from "../../../domain/hives/hive-settings.ts";
import type { Locale, LocaleCode } from "../../../domain/hives/locale.ts";
import type { HiveGrant, TeamGrant, WriteContext } from "../../../service/access.ts";
import type { Mailing } from "../../../service/mail/mailing.ts";
import type { Provider } from "../../../service/people/provider.ts";
import type { Session } from "../../../service/sessions.ts";
import type { RunSlowRead } from "../../../service/slow-reads.ts";
import type { Storage } from "../../../service/storage.ts";
import type { SignInWay } from "../../pipeline/shared.ts";
import type { Form } from "./form.ts";
import type { Link } from "./links.ts";
import type { NoticeName } from "../texts/texts.ts";

export interface Step {
  readonly label: string;
  /** An address as {@link Link} makes them. */
  readonly href: string;
}

export interface Tab extends Omit<Step, "label"> {
  readonly name: string;
  readonly isCurrent: boolean;
  /** Whether it stands in the menu of those that are used less. */
  readonly isLess?: boolean;
}

/** The content of a page, inside the common frame. */
export interface View {
  readonly title: string;
  readonly body: Child;
  /** The result of a form whose response is this page. */
  readonly notice?: Child;
  /** 200 by default. */
  readonly status?: number;
  /** Whether another site may have opened it in a window of its own, which that has to reach afterwards. */
  readonly isPopup?: boolean;
  /** Whether it has a form for passkeys. */
  readonly usesPasskeys?: boolean;
  /** Further headers of the response. */
  readonly headers?: readonly [name: string, value: string][];
  /** The pages above this one, without the list of Hives; undefined for that list. */
  readonly above?: readonly Step[];
  /** Whether the tab shows the title already, so that the heading is only for screen readers. */
  readonly isNamedByTab?: boolean;
  /** What is done most on the page; it stands beside the heading. */
  readonly action?: Child;
  /** The bar of tabs that the page belongs to; see `parts/navigation.tsx`. */
  readonly tabs?: readonly Tab[];
  /** Where scripts ask what is new since the page was made. */
  readonly news?: string;
}

/** Sends the browser to another page after a successful form. */
export interface Redirect {
  /** An address as {@link Link} makes them. */
  readonly to: string;
  /** `Set-Cookie` headers. */
  readonly cookies?: readonly string[];
  /** The notice that the next page shows. */
  readonly notice?: NoticeName;
  /** How many the notice tells of, where it does. */
  readonly count?: number;
  /** What the notice says beside itself: that the text waits for a review, or how many do. */
  readonly waits?: "it" | number;
  /** The commit that the form made, which the notice then offers to undo. */
  readonly undo?: Oid;
}

export interface Image {
  readonly image: Uint8Array;
  readonly type: string;
}

/** A file that the browser keeps, and does not show. */
export interface Download {
  readonly file: Uint8Array;
  readonly name: string;
  readonly type: string;
}

/** The result of a page or a form. */
export type PageResult = View | Redirect | Image | Download;

/** How people sign in to this server. */
export interface AccessOptions {
  /** The address of the server as people open it. */
  readonly publicUrl: string | undefined;
  /** Undefined where no mails can be sent. */
  readonly mailing: Mailing | undefined;
  readonly ways: ReadonlySet<SignInWay>;
  readonly inviteWith: ReadonlySet<"passkey" | "password">;
  /** Undefined where nobody signs in at one. */
  readonly provider: Provider | undefined;
}

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
  readonly client: string | undefined;
  /** The codes of the languages that the person who is signed in has chosen to work in. */
  readonly ownLanguages: readonly LocaleCode[];
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

export interface OpenRequest extends AnyRequest {
  readonly session: Session | undefined;
}

export interface SignedInRequest extends AnyRequest {
  readonly session: Session;
  /** Ends a slow read. */
  readonly signal: AbortSignal;
}

export interface TeamRequest extends SignedInRequest {
  /** The caller's access to their team, as the page needs it. */
  readonly grant: TeamGrant;
}

export interface HiveRequest extends SignedInRequest {
  /** The caller's access with the ability of the page, usually `read`. */
  readonly hive: HiveGrant;
  /** The last settings that can be read, if there are any. */
  readonly settings: HiveSettings | undefined;
  /** What the pages call the Hive. */
  readonly hiveName: string;
  /** The BCP 47 code of a locale by its code in the Hive; undefined for one that the Hive no longer has. */
  readonly lang: (code: string) => string | undefined;
  /** The Hive at the branch that `?branch=` names, or at main. */
  readonly branch: HiveBranch;
  /** Makes the addresses of this Hive's pages from the segments below the Hive's address; they keep the branch. */
  readonly hiveLink: Link;
  readonly canWrite: boolean;
  readonly canTranslate: (locale: Locale) => boolean;
  readonly canApprove: (locale: Locale) => boolean;
}

/** A request with a form. */
export type FormOf<Request> = Request & { readonly form: Form };

/** A form of the team, with the context of its write. */
export type TeamFormRequest = FormOf<TeamRequest> & { readonly context: WriteContext };

/**
 * A form that changes one Hive. `context` is the context of the write: the field `message` is the message of its
 * commit, and the optional field `head` the commit that HEAD must still be at.
 */
export type HiveFormRequest = FormOf<HiveRequest> & {
  readonly context: WriteContext;
  /** Makes a page that may take seconds, such as the list on which the form stood, as pages with `isSlow` are made. */
  readonly runSlowRead: RunSlowRead;
};

/** A page or a form, whose kind decides what its request has. @template More what it may need, see {@link PageRoute}. */
type RouteOf<Kind extends string, Request, More = object> = More & {
  readonly kind: Kind;
  /** The path with `:name` for each variable part, and `:slug` for a Hive. */
  readonly path: string;
  readonly handler: (request: Request) => Promise<PageResult>;
};

/** Whether a page may take seconds; such reads are bounded per team. */
type Slow = { readonly isSlow?: boolean };

/** What a page of the team needs besides a session: to manage the team, and with a token also access to all its Hives. */
export type TeamNeeds = "admin" | "admin-of-all-hives";

type ForTeam = { readonly needs?: TeamNeeds };

/**
 * The kinds of pages and forms: open to all, of the team of whoever is signed in, and of one Hive, for which pages need
 * `read` by default. An open form must come from a page of this server, any other form from a page of its session.
 */
export type PageRoute =
  | RouteOf<"open", OpenRequest>
  | RouteOf<"open-form", FormOf<OpenRequest>>
  | RouteOf<"team", TeamRequest, ForTeam & Slow>
  | RouteOf<"team-form", TeamFormRequest, ForTeam>
  | RouteOf<"hive", HiveRequest, { readonly ability?: Ability; readonly tellsNews?: boolean } & Slow>
  | RouteOf<"hive-form", HiveFormRequest, { readonly ability: Ability; readonly takesFiles?: boolean }>;
