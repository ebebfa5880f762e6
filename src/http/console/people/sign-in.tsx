/** The sign-in page: with a passkey, a password, or a token. */
import type { Child } from "hono/jsx";
import { isSkepError, type SkepError } from "../../../domain/errors.ts";
import { failure } from "../../../domain/errors.ts";
import {
  makeChallenge,
  requestOptions,
  signInWithPasskey,
  takesPasskeys,
} from "../../../service/people/passkeys.ts";
import { signInWithPassword } from "../../../service/people/sign-in.ts";
import { signInWithToken, type SignedIn } from "../../../service/sign-in.ts";
import type { SignInWay } from "../../pipeline/shared.ts";
import { Command } from "../parts/command.tsx";
import { Name } from "../parts/text.tsx";
import { challengeCookie, challengeOf, deviceCookie, sessionCookie, visitorOf } from "../requests/cookies.ts";
import { PasskeyForm } from "./passkey-form.tsx";
import { afterSignIn } from "../requests/links.ts";
import type { FormOf, OpenRequest, PageResult, PageRoute, Redirect, View } from "../requests/page.ts";

/** What was wrong with an attempt. */
interface Refused {
  readonly way: SignInWay | "passkey";
  readonly problem: string;
  /** The id that was typed. */
  readonly person?: string;
  /** 401 by default. */
  readonly status?: number;
}

/** The sign-in page. Without persons it has the form for tokens alone. */
export async function signInPage(request: OpenRequest, refused?: Refused): Promise<View> {
  const { query, access, storage } = request;
  const to = typeof query.to === "string" ? query.to : "";
  const people = access.ways.has("invite") ? await storage.registry.people() : [];
  const hasPeople = people.some(({ password, passkeys }) => password !== undefined || passkeys.length > 0);
  const hasTokens = access.ways.has("token");
  const passkey = people.some(({ passkeys }) => passkeys.length > 0)
    ? await passkeyPart(request, to, refused)
    : undefined;
  const { provider } = access;
  const isFirst = !hasPeople && provider === undefined;
  const token = hasTokens && <TokenForm request={request} to={to} refused={refused} isFirst={isFirst} />;
  return {
    title: "Sign in",
    status: refused && (refused.status ?? 401),
    usesPasskeys: passkey !== undefined,
    headers: passkey?.headers,
    body: (
      <section class="narrow">
        {provider !== undefined && (
          <>
            <Problem refused={refused} way="oidc" id="provider-problem" />
            <p class="actions">
              <a class="button primary" href={request.link(["sign-in", "oidc"], { to })}>
                Sign in with <Name name={provider.options.name} />
              </a>
            </p>
          </>
        )}
        {passkey?.form}
        {people.some(({ password }) => password !== undefined) && (
          <PasswordForm request={request} to={to} refused={refused} />
        )}
        {!isFirst && hasTokens ? (
          <details open={refused?.way === "token" || refused?.way === "oidc"}>
            <summary>Sign in with a token</summary>
            {token}
          </details>
        ) : (
          token
        )}
        {isFirst && !hasTokens && (
          <p>
            Nobody can sign in yet. Whoever runs this server adds persons on its machine, and invites them.
          </p>
        )}
      </section>
    ),
  };
}

/** The form for a passkey, where browsers use them at the server's address. */
async function passkeyPart(request: OpenRequest, to: string, refused: Refused | undefined) {
  const { access, storage, link } = request;
  const { publicUrl } = access;
  if (!takesPasskeys(publicUrl)) return undefined;
  const challenge = await makeChallenge(storage);
  const form = (
    <PasskeyForm
      to={link(["sign-in", "passkey"])}
      options={requestOptions(publicUrl, challenge)}
      makes={false}
      button="Sign in with a passkey"
      problem={refused?.way === "passkey" ? refused.problem : undefined}
    >
      <input type="hidden" name="to" value={to} />
    </PasskeyForm>
  );
  return { form, headers: [["set-cookie", challengeCookie(challenge, publicUrl)] as [string, string]] };
}

interface FormProps {
  readonly request: OpenRequest;
  /** Where to go afterwards. */
  readonly to: string;
  readonly refused: Refused | undefined;
}

function Problem({
  refused,
  way,
  id,
}: Pick<FormProps, "refused"> & { readonly way: SignInWay; readonly id: string }) {
  if (refused?.way !== way) return null;
  return (
    <p id={id} class="notice wrong" role="alert">
      {refused.problem}
    </p>
  );
}

function PasswordForm({ request: { link }, to, refused }: FormProps): Child {
  const isWrong = refused?.way === "invite";
  return (
    <form method="post" action={link(["sign-in", "password"])} class="stacked">
      <input type="hidden" name="to" value={to} />
      <label for="person">User name</label>
      <input
        id="person"
        name="person"
        autocomplete="username"
        autocapitalize="none"
        spellcheck={false}
        required
        autofocus={!isWrong}
        maxlength={64}
        value={isWrong ? refused.person : undefined}
      />
      <label for="password">Password</label>
      <input
        id="password"
        name="password"
        type="password"
        autocomplete="current-password"
        required
        autofocus={isWrong}
        maxlength={1024}
        aria-describedby={isWrong ? "password-problem password-help" : "password-help"}
        aria-invalid={isWrong ? "true" : undefined}
      />
      <Problem refused={refused} way="invite" id="password-problem" />
      <button class="primary">Sign in</button>
      <p id="password-help" class="help">
        Lost your password? Ask an admin of your team to invite you again.
      </p>
    </form>
  );
}

function TokenForm({
  request: { link },
  to,
  refused,
  isFirst,
}: FormProps & { readonly isFirst: boolean }): Child {
  const isWrong = refused?.way === "token";
  return (
    <>
      <form method="post" action={link(["sign-in"])} class="stacked">
        <input type="hidden" name="to" value={to} />
        {/* For password managers, which keep a name beside each password. */}
        <input name="username" autocomplete="username" value="Skep" hidden readonly />
        <label for="token">Token</label>
        <input
          id="token"
          name="token"
          type="password"
          autocomplete="current-password"
          spellcheck={false}
          autocapitalize="none"
          required
          autofocus={isFirst || isWrong}
          maxlength={300}
          placeholder="skep_…"
          aria-describedby={isWrong ? "token-problem token-help" : "token-help"}
          aria-invalid={isWrong ? "true" : undefined}
        />
        <Problem refused={refused} way="token" id="token-problem" />
        <button class={isFirst ? "primary" : undefined}>Sign in</button>
      </form>
      <div id="token-help" class="help">
        <p>
          A token stands for you or a program. It begins with <code>skep_</code>, belongs to one team, and
          says which Hives it reaches and whether it may read or write them. This page never shows it; the
          browser keeps a session of its own, for a week or until the token ends.
        </p>
        <p>You have none yet? Whoever runs this server makes one on its machine:</p>
        <Command
          label="In a terminal"
          lines={["skep token create --team TEAM --name NAME --ability read --ability write"]}
        />
      </div>
    </>
  );
}

const notTaken: Readonly<Record<string, string>> = {
  expired_token: "This token has expired; ask for a new one.",
  missing_ability: "This token cannot read, so there is nothing to see with it.",
  sign_in_needed: "You have to sign in at your identity provider first.",
};

/** Leads into the console with the cookies of a new session. */
export function signedIn(
  { link, isSecure }: Pick<OpenRequest, "link" | "isSecure">,
  { value, seconds, device }: SignedIn,
  to = "",
): Redirect {
  const cookies = [sessionCookie(value, seconds, isSecure), deviceCookie(device, isSecure)];
  return { to: afterSignIn(to, link([])), cookies };
}

/** Who signs in, and from where. */
export function personVisitorOf(request: OpenRequest) {
  return { visitor: visitorOf(request), browser: request.event.req.headers.get("user-agent") ?? "" };
}

/** @throws SkepError `forbidden` when nobody signs in this way here. */
export function requireWay({ access }: OpenRequest, way: SignInWay): void {
  if (access.ways.has(way)) return;
  throw failure("forbidden", "This way to sign in is turned off on this server.");
}

function isRefusal(error: unknown): error is SkepError {
  return isSkepError(error) && (error.code === "unauthenticated" || error.code === "forbidden");
}

async function byToken({ form, ...request }: FormOf<OpenRequest>): Promise<PageResult> {
  requireWay(request, "token");
  const to = form.text("to");
  try {
    const token = form.text("token").trim();
    return signedIn(request, await signInWithToken(request.storage, token, visitorOf(request)), to);
  } catch (error) {
    if (!isRefusal(error)) throw error;
    const problem = notTaken[error.publicCode] ?? "This is not a token of this server. Was all of it copied?";
    return signInPage({ ...request, query: { to } }, { way: "token", problem });
  }
}

async function byPassword({ form, ...request }: FormOf<OpenRequest>): Promise<PageResult> {
  requireWay(request, "invite");
  const to = form.text("to");
  const person = form.text("person").trim().toLowerCase();
  try {
    const given = { id: person, password: form.text("password") };
    return signedIn(request, await signInWithPassword(request.storage, given, personVisitorOf(request)), to);
  } catch (error) {
    if (!isRefusal(error)) throw error;
    const problem = "The user name or the password is wrong.";
    return signInPage({ ...request, query: { to } }, { way: "invite", problem, person });
  }
}

async function byPasskey({ form, ...request }: FormOf<OpenRequest>): Promise<PageResult> {
  requireWay(request, "invite");
  const { access, event, storage } = request;
  const { publicUrl } = access;
  const to = form.text("to");
  if (!takesPasskeys(publicUrl))
    throw failure("forbidden", "This way to sign in is turned off on this server.");
  const given = { answer: form.text("passkey"), cookie: challengeOf(event.req, publicUrl), publicUrl };
  try {
    return signedIn(request, await signInWithPasskey(storage, given, personVisitorOf(request)), to);
  } catch (error) {
    if (!isRefusal(error)) throw error;
    const problem = "This server does not know the passkey, or the page was open for too long. Try again.";
    return signInPage({ ...request, query: { to } }, { way: "passkey", problem });
  }
}

export const signInPages: readonly PageRoute[] = [
  { kind: "open-form", path: "/sign-in", handler: byToken },
  { kind: "open-form", path: "/sign-in/password", handler: byPassword },
  { kind: "open-form", path: "/sign-in/passkey", handler: byPasskey },
];
