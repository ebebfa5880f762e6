/** Signing in at a certified provider, with what well-known providers say of people. */
import { describe, expect, it } from "vitest";
import { isFailure } from "../../../src/domain/errors.ts";
import { Provider, type ProviderOptions } from "../../../src/service/people/provider.ts";
import { publicUrl, type Claims } from "../../helpers/people/made-provider.ts";
import { realProvider, type RealOptions } from "../../helpers/people/real-provider.ts";

const keycloak = {
  preferred_username: "lea",
  name: "Lea Dupont",
  email: "lea@example.org",
  email_verified: true,
  typ: "ID",
  realm_access: { roles: ["translators", "offline_access"] },
};
const okta = {
  name: "Lea Dupont",
  preferred_username: "lea@example.org",
  ver: 1,
  groups: ["Everyone", "translators"],
};
const entra = {
  name: "Lea Dupont",
  preferred_username: "lea@example.org",
  oid: "00000000-0000-0000-66f3-3332eca7ea81",
  tid: "9122040d-6c67-4c5b-b112-36a304b66dad",
  ver: "2.0",
  groups: ["f81d4fae-7dec-11d0-a765-00a0c91e6bf6"],
};

interface Shape {
  readonly claims: Claims;
  readonly isInIdToken: boolean;
  readonly groups: string;
  readonly authentication?: RealOptions["authentication"];
}

async function providerOf({ claims, groups, ...shape }: Shape) {
  const real = await realProvider({ ...shape, claims: () => claims, publicUrl });
  const options: ProviderOptions = { ...real.options, groups, rules: { groups: [] } };
  return { real, provider: new Provider(options) };
}

describe("somebody who signs in at", () => {
  it.each<[string, Shape, readonly string[]]>([
    [
      "Keycloak",
      { claims: keycloak, isInIdToken: true, groups: "realm_access.roles" },
      keycloak.realm_access.roles,
    ],
    [
      "Keycloak, with roles at userinfo alone",
      {
        claims: keycloak,
        isInIdToken: false,
        groups: "realm_access.roles",
        authentication: "client_secret_post",
      },
      keycloak.realm_access.roles,
    ],
    ["Okta", { claims: okta, isInIdToken: true, groups: "groups" }, okta.groups],
    [
      "Entra",
      { claims: entra, isInIdToken: true, groups: "groups", authentication: "client_secret_post" },
      entra.groups,
    ],
    [
      "a provider for a client without a secret",
      { claims: okta, isInIdToken: true, groups: "groups", authentication: "none" },
      okta.groups,
    ],
  ])("%s is recognised with their groups", async (_, shape, groups) => {
    const { real, provider } = await providerOf(shape);
    const { url, request } = await provider.begin();
    const back = await real.visit(url);
    expect(back.href).toMatch(/^http:\/\/localhost:4488\/sign-in\/oidc\/callback\?code=/);
    expect(await provider.finish(back.search, request)).toMatchObject({
      iss: real.options.issuer,
      sub: "lea",
      name: "Lea Dupont",
      groups,
    });
  });

  it("Entra, with more groups than it lists, is told so", async () => {
    const { groups: _, ...claims } = { ...entra, _claim_names: { groups: "src1" } };
    const { real, provider } = await providerOf({ claims, isInIdToken: true, groups: "groups" });
    const { url, request } = await provider.begin();
    const { search } = await real.visit(url);
    await expect(provider.finish(search, request)).rejects.toThrow("Example left out your groups");
  });
});

describe("a certified provider", () => {
  const shape = { claims: okta, isInIdToken: true, groups: "groups" };

  it("refuses a code that was used", async () => {
    const { real, provider } = await providerOf(shape);
    const { url, request } = await provider.begin();
    const { search } = await real.visit(url);
    await provider.finish(search, request);
    await expect(provider.finish(search, request)).rejects.toSatisfy(
      (error) => isFailure(error, "unauthenticated") && error.message.includes("invalid_grant"),
    );
  });

  it("refuses a code of another browser", async () => {
    const { real, provider } = await providerOf(shape);
    const [own, stolen] = [await provider.begin(), await provider.begin()];
    const { searchParams } = await real.visit(stolen.url);
    searchParams.set("state", own.request.state);
    await expect(provider.finish(searchParams.toString(), own.request)).rejects.toThrow("invalid_grant");
  });

  it("refuses a client with another secret", async () => {
    const { real, provider } = await providerOf(shape);
    const { url, request } = await provider.begin();
    const { search } = await real.visit(url);
    const wrong = new Provider({ ...provider.options, clientSecret: "another" });
    await expect(wrong.finish(search, request)).rejects.toThrow("refused");
  });

  it("says who has signed out", async () => {
    const { real, provider } = await providerOf(shape);
    const { url, request } = await provider.begin();
    await provider.finish((await real.visit(url)).search, request);
    const [token = ""] = await real.logOut("lea");
    expect(await provider.verifyLogout(token)).toMatchObject({ iss: real.options.issuer, sub: "lea" });
  });

  it("cannot end sessions by an ID token in place of a logout token", async () => {
    const { real, provider } = await providerOf(shape);
    const { url, request } = await provider.begin();
    const { searchParams } = await real.visit(url);
    const body = new URLSearchParams({
      grant_type: "authorization_code",
      code: searchParams.get("code") ?? "",
      redirect_uri: provider.callbackUrl,
      code_verifier: request.verifier,
    });
    const basic = Buffer.from(`skep:${encodeURIComponent("a secret").replaceAll("%20", "+")}`).toString(
      "base64",
    );
    const headers = { authorization: `Basic ${basic}` };
    const response = await fetch(`${real.options.issuer}/token`, { method: "POST", body, headers });
    const { id_token: idToken }: { id_token: string } = JSON.parse(await response.text());
    expect(idToken).toMatch(/^ey/);
    await expect(provider.verifyLogout(idToken)).rejects.toSatisfy((error) =>
      isFailure(error, "unauthenticated"),
    );
  });
});
