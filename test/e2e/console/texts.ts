/** A Hive as a team works with it. */
import { expect } from "vitest";
import type { LocalOptions } from "../../../src/service/storage.ts";
import { acmeStorage, createToken, request, type Served, serveInProcess } from "../../helpers/process.ts";

export interface WithTexts {
  readonly server: Served;
  readonly storage: string;
  /** Changes the Hive as a program does. */
  readonly send: (path: string, body: object) => Promise<void>;
  /** The texts of a locale by their keys. */
  readonly texts: (locale: string) => Promise<unknown>;
}

/** The body of an import. */
export const files = (texts: object): { readonly files: object } => ({ files: { "auth.json": texts } });

/** Serves a storage with a team and its Hive `web`, which has three texts, one of them in Arabic. */
export async function withTexts(local: LocalOptions = {}): Promise<WithTexts> {
  const storage = await acmeStorage({ web: ["--locale", "fr", "--locale", "ar"] });
  const token = await createToken(storage, ["read", "write"], "--name", "CI");
  const server = await serveInProcess(storage, {}, {}, local);
  const api = "/api/hives/web";
  const send = async (path: string, body: object): Promise<void> => {
    const headers = { "x-commit-ref": "https://ci.example/1", "x-commit-message": "Kinder" };
    const { status } = await request(server, token, "POST", api + path, body, headers);
    expect(status).toBeLessThan(300);
  };
  const texts = async (locale: string): Promise<unknown> => {
    const { json } = await request(server, token, "GET", `${api}/export?locale=${locale}`);
    return JSON.parse(json.files["auth.json"]);
  };
  await send("/strings", files({ failed: "Wrong password.", out: "Log out", in: "Log in" }));
  await send("/translations/ar", files({ failed: "كلمة المرور خاطئة." }));
  return { server, storage, send, texts };
}
