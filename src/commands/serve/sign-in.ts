/** How people sign in to the server, from its settings. */
import { readFile } from "node:fs/promises";
import type { ServeConfig } from "../../config/settings.ts";
import { failure, type SkepError, messageOf } from "../../domain/errors.ts";
import { isLoopback } from "../../domain/url-path.ts";
import type { ProviderRules } from "../../domain/access/provider-rules.ts";
import type { ServerLog } from "../../observability/server-log.ts";
import { Provider } from "../../service/people/provider.ts";

/**
 * The identity provider of the settings; undefined where nobody signs in at one. It is asked for nothing yet.
 * @param log is told when it does not answer.
 * @throws SkepError `conflict` when a setting or a file is missing or wrong.
 */
export async function openProvider(
  config: ServeConfig,
  log: Pick<ServerLog, "warn">,
): Promise<Provider | undefined> {
  if (!config.signIn.has("oidc")) return undefined;
  const { publicUrl, oidcIssuer: issuer, oidcClientId: clientId, oidcRules } = config;
  const { oidcName: name, oidcScopes: scopes, oidcGroups: groups, oidcClientSecretFile: secretFile } = config;
  if (publicUrl === undefined) throw missing("--public-url");
  if (issuer === undefined) throw missing("--oidc-issuer");
  if (clientId === undefined) throw missing("--oidc-client-id");
  if (oidcRules === undefined) throw missing("--oidc-rules");
  const rules = await readRules(oidcRules);
  const clientSecret = secretFile === undefined ? undefined : (await read(secretFile)).trim();
  if (clientSecret === "") throw failure("conflict", `${secretFile} does not hold the client secret.`);
  const onUnavailable = (reason: string): void =>
    log.warn({ issuer, reason }, "the identity provider did not answer as it should");
  return new Provider(
    { issuer, clientId, clientSecret, name, scopes, groups, rules, publicUrl },
    { onUnavailable },
  );
}

/** Warns of settings by which people may lock themselves out, or sign in in the open. */
export function warnOfSignIn({ signIn, publicUrl }: ServeConfig, log: Pick<ServerLog, "warn">): void {
  if (!signIn.has("token")) {
    log.warn(
      {},
      "nobody can sign in with a token: if the other ways fail, only commands on this machine remain",
    );
  }
  if (publicUrl?.startsWith("http:") === true && !isLoopback(new URL(publicUrl).hostname)) {
    log.warn(
      { public_url: publicUrl },
      "what people sign in with can be read on the way: --public-url is not https",
    );
  }
}

async function readRules(path: string): Promise<ProviderRules> {
  const text = await read(path);
  const { parseRules } = await import("../../config/oidc-rules.ts");
  try {
    return parseRules(path, text);
  } catch (cause) {
    throw failure("conflict", messageOf(cause), { cause });
  }
}

async function read(path: string): Promise<string> {
  try {
    return await readFile(path, "utf8");
  } catch (cause) {
    throw failure("conflict", `${path} cannot be read.`, { cause });
  }
}

function missing(flag: string): SkepError {
  return failure("conflict", `--sign-in oidc needs ${flag}.`);
}
