/** The settings of signing in: what is missing or wrong ends the start. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import { openProvider, warnOfSignIn } from "../../../src/commands/serve/sign-in.ts";
import { toConfig } from "../../../src/config/settings.ts";
import { isFailure } from "../../../src/domain/errors.ts";
import { realFolder } from "../../helpers/storage.ts";

let texts: Record<string, string>;

beforeEach(() => {
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
    const provider = await openProvider(toConfig(texts));
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
    expect(await openProvider(toConfig({ ...texts, signIn: "token" }))).toBeUndefined();
  });

  it("may have given no secret", async () => {
    const { oidcClientSecretFile: _, ...others } = texts;
    expect((await openProvider(toConfig(others)))?.options.clientSecret).toBeUndefined();
  });

  it.each([
    ["publicUrl", "--public-url"],
    ["oidcIssuer", "--oidc-issuer"],
    ["oidcClientId", "--oidc-client-id"],
    ["oidcRules", "--oidc-rules"],
  ])("needs %s", async (name, flag) => {
    const others = Object.fromEntries(Object.entries(texts).filter(([key]) => key !== name));
    await expect(openProvider(toConfig(others))).rejects.toThrow(`--sign-in oidc needs ${flag}.`);
  });

  it.each(["oidcClientSecretFile", "oidcRules"])("needs a file for %s that can be read", async (name) => {
    const config = toConfig({ ...texts, [name]: "/nonexistent/file" });
    await expect(openProvider(config)).rejects.toThrow("/nonexistent/file cannot be read.");
  });

  it("needs a secret that is not empty, and rules without mistakes", async () => {
    writeFileSync(texts.oidcClientSecretFile ?? "", "\n");
    await expect(openProvider(toConfig(texts))).rejects.toThrow("does not hold the client secret");
    writeFileSync(texts.oidcClientSecretFile ?? "", "x");
    writeFileSync(texts.oidcRules ?? "", "groups:\n  - {group: a, teem: acme}\n");
    await expect(openProvider(toConfig(texts))).rejects.toSatisfy(
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
  const warned: string[] = [];
  warnOfSignIn(toConfig(some), { warn: (_: object, message: string) => void warned.push(message) });
  expect(warned).toEqual(warnings.map((each) => expect.stringContaining(each)));
});
