/** Signs in to a server by a code that a person allows in their browser, and out again. */
import { hostname } from "node:os";
import { setTimeout as wait } from "node:timers/promises";
import { z } from "zod";
import { ClientError } from "../api/client-error.ts";
import { HttpClient } from "../api/http.ts";
import type { Transport } from "../api/transport.ts";

const deviceCode = z.object({
  device_code: z.string(),
  user_code: z.string().regex(/^[A-Z-]{1,20}$/),
  verification_uri: z.url({ protocol: /^https?$/ }),
  expires_in: z.number(),
  interval: z.number().min(1).max(60),
});
const me = z.object({ person: z.string().nullable(), name: z.string().nullable(), token: z.string() });

const endings = { access_denied: "You refused it.", expired_code: "The code has ended." };

export interface LoginPrompt {
  readonly code: string;
  readonly url: string;
}

export interface LoggedIn {
  readonly token: string;
  readonly person: string;
  readonly name: string;
}

export interface LoginOptions {
  readonly server: string;
  readonly transport: Transport;
  readonly prompt: (prompt: LoginPrompt) => void;
  readonly sleep?: (ms: number) => Promise<unknown>;
}

/**
 * @throws ClientError `denied` when the person refuses or does not answer in time; as {@link HttpClient.send} does.
 */
export async function login({ server, transport, prompt, sleep = wait }: LoginOptions): Promise<LoggedIn> {
  const http = new HttpClient({ server, transport });
  const post = { method: "POST", hasCommit: false } as const;
  const request = { ...post, path: "/api/device", body: { name: hostname() }, schema: deviceCode };
  const { data } = await http.send(request);
  prompt({ code: data.user_code, url: data.verification_uri });
  const body = { device_code: data.device_code };
  const schema = z.object({ token: z.string() });
  for (let ms = data.interval * 1000; ;) {
    await sleep(ms);
    try {
      const { token } = (await http.send({ ...post, path: "/api/device/token", body, schema })).data;
      const { person, name } = await whoIs({ server, transport, token });
      return { token, person: person ?? "", name: name ?? "" };
    } catch (error) {
      const code = error instanceof ClientError ? error.code : undefined;
      if (code === "slow_down") ms += 5000;
      else if (code === "access_denied" || code === "expired_code")
        throw new ClientError("denied", endings[code], { cause: error });
      else if (code !== "authorization_pending") throw error;
    }
  }
}

type Signed = Pick<LoginOptions, "server" | "transport"> & { readonly token: string };

async function whoIs(options: Signed): Promise<z.output<typeof me>> {
  const request = { method: "GET", path: "/api/me", schema: me, hasCommit: false } as const;
  return (await new HttpClient(options).send(request)).data;
}

/** Revokes a token on its server. @throws ClientError as {@link HttpClient.send} does. */
export async function revoke(options: Signed): Promise<void> {
  const { token: id } = await whoIs(options);
  const path = `/api/me/tokens/${encodeURIComponent(id)}`;
  await new HttpClient(options).send({ method: "DELETE", path, schema: z.object({}), hasCommit: false });
}
