/** The sign-in page: with a passkey, a password, or a token. */
import type { Child } from "hono/jsx";
import { t, textIn } from "../texts/texts.ts";
import { signInMeansOf } from "../../../domain/access/person.ts";
import { isSkepError, type SkepError, failure } from "../../../domain/errors.ts";
import {
  type Challenge,
  makeChallenge,
  requestOptions,
  signInWithPasskey,
  takesPasskeys,
} from "../../../service/people/passkeys.ts";
import { signInWithPassword } from "../../../service/people/sign-in.ts";
import { signInWithToken, type SignedIn } from "../../../service/sign-in.ts";
import type { SignInWay } from "../../pipeline/shared.ts";
import { Command, Name } from "../parts/text.tsx";
import { challengeCookie, challengeOf, deviceCookie, sessionCookie, visitorOf } from "../requests/cookies.ts";
import { afterSignIn } from "../requests/links.ts";
import type { FormOf, OpenRequest, PageResult, PageRoute, Redirect, View } from "../requests/page.ts";

/** A form that a script fills with a passkey. */
interface PasskeyPart {
  readonly to: string;
  /** Makes the options for the browser. */
  readonly optionsFor: (publicUrl: string, challenge: Challenge) => object;
  /** Whether a passkey is made, rather than asked for. */
  readonly makes: boolean;
  readonly button: string;
  /** Why the last attempt was refused. */
  readonly problem: string | undefined;
  readonly children: Child;
}

/**
 * The form for a passkey, where browsers use them at the server's address, and the headers of its page. It is hidden
 * where there is no script, or no passkeys.
 */
export async function passkeyPart(
  { access: { publicUrl }, storage }: Pick<OpenRequest, "access" | "storage">,
  { to, optionsFor, makes, button, problem, children }: PasskeyPart,
) {
  if (!takesPasskeys(publicUrl)) return undefined;
  const challenge = await makeChallenge(storage);
  const form = (
    <form
      method="post"
      action={to}
      class="stacked panel"
      hidden
      data-passkey={JSON.stringify(optionsFor(publicUrl, challenge))}
      data-makes={makes ? "" : undefined}
      data-cancelled={t("passkey-form.cancelled")}
      data-failed={t("passkey-form.failed", { error: "{error}" })}
    >
      {children}
      <input type="hidden" name="passkey" />
      <p class="notice wrong" role="alert" hidden={problem === undefined}>
        {problem}
      </p>
      <button class="primary">{button}</button>
    </form>
  );
  return { form, headers: [["set-cookie", challengeCookie(challenge, publicUrl)] as [string, string]] };
}

/** A field for a password or a token. @param props.help the id of what explains it. */
export function SecretField(props: {
  name: "password" | "token" | "present";
  label: string;
  problem: string | undefined;
  help: string;
  autocomplete: "current-password" | "new-password";
  maxlength: number;
  minlength?: number;
  autofocus?: boolean;
  placeholder?: string;
}) {
  const { name, label, problem, help, ...input } = props;
  const isWrong = problem !== undefined;
  return (
    <>
      <label for={name}>{label}</label>
      <input
        id={name}
        name={name}
        type="password"
        required
        spellcheck={false}
        autocapitalize="none"
        aria-describedby={isWrong ? `${name}-problem ${help}` : help}
        aria-invalid={isWrong ? "true" : undefined}
        {...input}
      />
      {isWrong && <Problem id={`${name}-problem`} problem={problem} />}
    </>
  );
}

/** The field for the name that a person signs in with. */
export function UserNameField({ isFocused, value }: { isFocused: boolean; value?: string }) {
  return (
    <>
      <label for="person">{t("sign-in.user_name")}</label>
      <input
        id="person"
        name="person"
        autocomplete="username"
        autocapitalize="none"
        spellcheck={false}
        required
        autofocus={isFocused}
        maxlength={64}
        value={value}
      />
    </>
  );
}

function Problem({ id, problem }: { id: string; problem: string }) {
  return (
    <p id={id} class="notice wrong" role="alert">
      {problem}
    </p>
  );
}

interface Refused {
  readonly way: SignInWay | "passkey";
  readonly problem: string;
  readonly person?: string;
  /** 401 by default. */
  readonly status?: number;
}

/** The sign-in page. Without persons it has the form for tokens alone. */
export async function signInPage(request: OpenRequest, refused?: Refused): Promise<View> {
  const { query, access, storage } = request;
  const to = typeof query.to === "string" ? query.to : "";
  const people = access.ways.has("invite") ? await storage.registry.people() : [];
  const means = new Set(people.flatMap(signInMeansOf));
  const hasTokens = access.ways.has("token");
  const passkey = means.has("passkey")
    ? await passkeyPart(request, {
        to: request.link(["sign-in", "passkey"]),
        optionsFor: requestOptions,
        makes: false,
        button: t("sign-in.sign_in_with_a_passkey"),
        problem: refused?.way === "passkey" ? refused.problem : undefined,
        children: <input type="hidden" name="to" value={to} />,
      })
    : undefined;
  const { provider } = access;
  const isFirst = !means.has("password") && !means.has("passkey") && provider === undefined;
  const token = hasTokens && <TokenForm request={request} to={to} refused={refused} isFirst={isFirst} />;
  return {
    title: t("sign-in.sign_in"),
    status: refused && (refused.status ?? 401),
    usesPasskeys: passkey !== undefined,
    // A program's site may have opened the page at which it is allowed.
    isPopup: to.startsWith("oauth/"),
    headers: passkey?.headers,
    body: (
      <section class="narrow entry">
        {provider !== undefined && (
          <>
            {refused?.way === "oidc" && <Problem id="provider-problem" problem={refused.problem} />}
            <p class="actions">
              <a class="button primary" href={request.link(["sign-in", "oidc"], { to })}>
                {t("sign-in.sign_in_with", { options: <Name name={provider.options.name} /> })}
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
            <summary>{t("sign-in.sign_in_with_a_token")}</summary>
            {token}
          </details>
        ) : (
          token
        )}
        {isFirst && !hasTokens && <p>{t("sign-in.nobody_can_sign_in_yet")}</p>}
      </section>
    ),
  };
}

interface FormProps {
  readonly request: OpenRequest;
  /** Where to go afterwards. */
  readonly to: string;
  readonly refused: Refused | undefined;
}

function PasswordForm({ request: { link, access }, to, refused }: FormProps): Child {
  const isWrong = refused?.way === "invite";
  return (
    <form method="post" action={link(["sign-in", "password"])} class="stacked">
      <input type="hidden" name="to" value={to} />
      <UserNameField isFocused={!isWrong} value={isWrong ? refused.person : undefined} />
      <SecretField
        name="password"
        label={t("sign-in.password")}
        autocomplete="current-password"
        maxlength={1024}
        autofocus={isWrong}
        problem={isWrong ? refused.problem : undefined}
        help="password-help"
      />
      <button class="primary">{t("sign-in.sign_in")}</button>
      <p id="password-help" class="help">
        {access.mailing === undefined ? (
          t("sign-in.lost_your_password_ask")
        ) : (
          <a href={link(["sign-in", "forgotten"])}>{t("forgotten.forgotten_password")}</a>
        )}
      </p>
    </form>
  );
}

function TokenForm({ request: { link }, to, refused, isFirst }: FormProps & { isFirst: boolean }): Child {
  const isWrong = refused?.way === "token";
  return (
    <>
      <form method="post" action={link(["sign-in"])} class="stacked">
        <input type="hidden" name="to" value={to} />
        {/* For password managers, which keep a name beside each password. */}
        <input name="username" autocomplete="username" value="Skep" hidden readonly />
        <SecretField
          name="token"
          label={t("common.token")}
          autocomplete="current-password"
          maxlength={300}
          autofocus={isFirst || isWrong}
          placeholder="skep_…"
          problem={isWrong ? refused.problem : undefined}
          help="token-help"
        />
        <button class={isFirst ? "primary" : undefined}>{t("sign-in.sign_in")}</button>
      </form>
      <div id="token-help" class="help">
        <p>{t("sign-in.a_token_stands_for_you", { command: <code>skep_</code> })}</p>
        <p>{t("sign-in.you_have_none_yet_whoever")}</p>
        <Command
          label={t("common.in_a_terminal")}
          lines={["skep token create --team TEAM --name NAME --ability read --ability write"]}
        />
      </div>
    </>
  );
}

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
    const problem = textIn("token-problem", error.publicCode) ?? t("sign-in.this_is_not_a_token");
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
    const problem = t("sign-in.the_user_name");
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
    const problem = t("sign-in.this_server_does_not_know");
    return signInPage({ ...request, query: { to } }, { way: "passkey", problem });
  }
}

export const signInPages: readonly PageRoute[] = [
  // Whoever types or reloads the address of the form.
  { kind: "open", path: "/sign-in", handler: async ({ link }) => ({ to: link([]) }) },
  { kind: "open-form", path: "/sign-in", handler: byToken },
  { kind: "open-form", path: "/sign-in/password", handler: byPassword },
  { kind: "open-form", path: "/sign-in/passkey", handler: byPasskey },
];
