/** `skep login` and `skep logout`: get a token of a person for this machine, and give it back. */
import { Command, type CommandUnknownOpts } from "@commander-js/extra-typings";
import { ClientError, exitCodesHelp } from "../../client/api/client-error.ts";
import { insecureServerWarning } from "../../client/api/token.ts";
import { print, printable, printNotice } from "../output/print.ts";
import { openBrowser } from "../program/browser.ts";

function serverCommand(name: string) {
  return new Command(name)
    .argument("<server>", "the address of the server, such as https://skep.example.org")
    .addHelpText("after", exitCodesHelp);
}

/** @throws ClientError `misuse` when the text is no address of a server. */
async function toServer(text: string): Promise<string> {
  const { serverUrl } = await import("../../client/tree/schema.ts");
  const { success, data, error } = serverUrl.safeParse(text);
  if (success) return data;
  throw new ClientError("misuse", `${printable(text)}: ${error.issues[0]?.message ?? "is no address"}.`);
}

export function loginCommand(): CommandUnknownOpts {
  return serverCommand("login").action(async (text) => {
    const server = await toServer(text);
    await signIn(server);
    printNotice(
      `For git: git config --global credential.${new URL(server).origin}.helper '!skep git-credential'`,
    );
  });
}

/** Signs in to a server in the browser, and keeps the token. @returns the token. @throws ClientError as `login` does. */
export async function signIn(server: string): Promise<string> {
  const { login } = await import("../../client/login/login.ts");
  const { Credentials } = await import("../../client/login/credentials.ts");
  const { transportFor } = await import("../../client/api/transport.ts");
  const warning = insecureServerWarning(server);
  if (warning !== undefined) printNotice(warning);
  const credentials = new Credentials(process.env);
  const { token, person, name } = await login({
    server,
    transport: await transportFor(process.env),
    prompt: ({ code, url }) => {
      printNotice(`Open ${printable(url)} and type the code ${code}`);
      openBrowser(`${url}?code=${code}`);
    },
  });
  const place = await credentials.save(server, token);
  print(`Signed in to ${server} as ${printable(name)} (${printable(person)}). The token is in ${place}.`);
  return token;
}

export function logoutCommand(): CommandUnknownOpts {
  return serverCommand("logout").action(async (text) => {
    const { revoke } = await import("../../client/login/login.ts");
    const { Credentials } = await import("../../client/login/credentials.ts");
    const { transportFor } = await import("../../client/api/transport.ts");
    const server = await toServer(text);
    const credentials = new Credentials(process.env);
    const token = await credentials.find(server);
    if (token === undefined) throw new ClientError("misuse", `You are not signed in to ${server}.`);
    try {
      await revoke({ server, token, transport: await transportFor(process.env) });
    } catch (error) {
      // A token that the server does not take any more needs no end.
      if (!(error instanceof ClientError) || error.kind !== "denied") throw error;
    }
    await credentials.remove(server);
    print(`Signed out of ${server}.`);
  });
}
