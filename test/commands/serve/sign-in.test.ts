/** The settings of signing in: what is missing or wrong ends the start. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import { openProvider, warnOfSignIn } from "../../../src/commands/serve/sign-in.ts";
import { toConfig } from "../../../src/config/settings.ts";
import { isFailure } from "../../../src/domain/errors.ts";
import { realFolder } from "../../helpers/storage.ts";

let texts: Record<string, string>;
let warned: (readonly [object, string])[];

const open = (given: Readonly<Record<string, string>>) =>
  openProvider(toConfig(given), {
    warn: (fields: object, message: string) => void warned.push([fields, message]),
  });

beforeEach(() => {
  warned = [];
  const folder = realFolder();
  const file = (name: string, text: string): string => {
    writeFileSync(join(folder, name), text);
    return join(folder, name);
  };
  texts = {
    signIn: "oidc,token",
    publicUrl: "https://skep.example.org/",
    oidcIssuer: "https://login.example.org",
    oidcClientId: "skep",
    oidcClientSecretFile: file("secret", "a secret\n"),
    oidcRules: file("rules.yaml", "groups:\n  - {group: a, team: acme}\n"),
  };
});

describe("the identity provider of the settings", () => {
  it("is made of them, and asked for nothing yet", async () => {
    const provider = await open(texts);
    expect(provider?.options).toEqual({
      issuer: "https://login.example.org",
      clientId: "skep",
      clientSecret: "a secret",
      name: "single sign-on",
      scopes: "openid profile email",
      groups: "groups",
      rules: { groups: [{ group: "a", team: "acme", abilities: ["read"], hives: "all" }] },
      publicUrl: "https://skep.example.org",
    });
  });

  it("is none unless people sign in there", async () => {
    expect(await open({ ...texts, signIn: "token" })).toBeUndefined();
  });

  it("is in the log when it does not answer, with the reason", async () => {
    const provider = await open({ ...texts, oidcIssuer: "http://localhost:1" });
    await expect(provider?.begin()).rejects.toThrow("cannot be reached");
    const reason: unknown = expect.stringMatching(/fetch failed|ECONNREFUSED|bad port/);
    expect(warned).toEqual([
      [{ issuer: "http://localhost:1", reason }, "the identity provider did not answer as it should"],
    ]);
  });

  it("may have given no secret", async () => {
    const { oidcClientSecretFile: _, ...others } = texts;
    expect((await open(others))?.options.clientSecret).toBeUndefined();
  });

  it.each([
    ["publicUrl", "--public-url"],
    ["oidcIssuer", "--oidc-issuer"],
    ["oidcClientId", "--oidc-client-id"],
    ["oidcRules", "--oidc-rules"],
  ])("needs %s", async (name, flag) => {
    const others = Object.fromEntries(Object.entries(texts).filter(([key]) => key !== name));
    await expect(open(others)).rejects.toThrow(`--sign-in oidc needs ${flag}.`);
  });

  it.each(["oidcClientSecretFile", "oidcRules"])("needs a file for %s that can be read", async (name) => {
    await expect(open({ ...texts, [name]: "/nonexistent/file" })).rejects.toThrow(
      "/nonexistent/file cannot be read.",
    );
  });

  it("needs a secret that is not empty, and rules without mistakes", async () => {
    writeFileSync(texts.oidcClientSecretFile ?? "", "\n");
    await expect(open(texts)).rejects.toThrow("does not hold the client secret");
    writeFileSync(texts.oidcClientSecretFile ?? "", "x");
    writeFileSync(texts.oidcRules ?? "", "groups:\n  - {group: a, teem: acme}\n");
    await expect(open(texts)).rejects.toSatisfy(
      (error) =>
        isFailure(error, "conflict") && error.message.includes('rules.yaml:2: "teem" must be one of'),
    );
  });
});

it.each([
  [{ signIn: "oidc,invite" }, ["nobody can sign in with a token"]],
  [{ publicUrl: "http://skep.example.org" }, ["--public-url is not https"]],
  [{ publicUrl: "http://localhost:4488" }, []],
  [{ publicUrl: "https://skep.example.org" }, []],
])("warns of what may lock out or be read: %j", (some, warnings) => {
  const messages: string[] = [];
  warnOfSignIn(toConfig(some), { warn: (_: object, message: string) => void messages.push(message) });
  expect(messages).toEqual(warnings.map((each) => expect.stringContaining(each)));
});
