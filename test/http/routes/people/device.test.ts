/** Programs that get a token by a code. */
import { ownerGrant } from "../../../helpers/people/tokens.ts";
import { beforeEach, describe, expect, it } from "vitest";
import { toPersonId, toTeamName } from "../../../../src/domain/names.ts";
import { sessionCookie } from "../../../../src/http/console/requests/cookies.ts";
import { changePerson } from "../../../../src/service/people/people.ts";
import type { Storage } from "../../../../src/service/storage.ts";
import { makePerson, makeServers, makePersonalToken, signInAs } from "../../../helpers/people/people.ts";
import { appOn, harness, makeToken, type Call } from "../../../helpers/storage.ts";
import { browse, host, type ConsoleBrowser, type Page } from "../../console/browse.ts";

const clock = { now: 0 };
const publicUrl = `http://${host}`;
let storage: Storage;
/** Another server of the same storage. */
let another: () => Storage;
let call: Call;

beforeEach(async () => {
  ({ storage, another } = await makeServers(clock));
  ({ call } = harness(storage, undefined, { publicUrl }));
});

const ask = async (body: object = { name: "laptop" }) => (await call("POST", "/api/device", { body })).json;
const take = (code: string, by = call) => by("POST", "/api/device/token", { body: { device_code: code } });

async function signedIn(id = "anna"): Promise<ConsoleBrowser> {
  const person =
    (await storage.registry.person(toPersonId(id))) ??
    (await makePerson(storage, { id, name: `Name of ${id}` }));
  const browser = browse(storage, { publicUrl });
  const [, name = "", value = ""] =
    /^([^=]+)=([^;]+)/.exec(sessionCookie(await signInAs(storage, person), 60, false)) ?? [];
  browser.cookies.set(name, value);
  return browser;
}

const post = async (browser: ConsoleBrowser, path: string, fields: Record<string, string>): Promise<Page> =>
  browser.post(path, { form_key: await browser.formKey(), ...fields });
const answer = (browser: ConsoleBrowser, code: string, given = "allow") =>
  post(browser, "/device/answer", { code, answer: given });

describe("a program", () => {
  it("gets a token of the person who types its code, in any case, and once on all servers", async () => {
    const asked = await ask();
    expect(asked).toMatchObject({ verification_uri: `${publicUrl}/device`, expires_in: 600, interval: 5 });
    expect(asked.user_code).toMatch(/^[A-Z]{4}-[A-Z]{4}$/);
    expect((await take(asked.device_code)).json.code).toBe("authorization_pending");
    const browser = await signedIn();
    const typed = asked.user_code.toLowerCase().replace("-", " ");
    const shown = await post(browser, "/device", { code: typed });
    expect(shown.text).toContain("A program on laptop");
    clock.now += 5000;
    expect((await take(asked.device_code)).json.code).toBe("authorization_pending");
    expect((await answer(browser, typed)).status).toBe(303);
    const other = harness(another(), undefined, { publicUrl }).call;
    const taken = await Promise.all([take(asked.device_code), take(asked.device_code, other)]);
    expect(taken.map(({ status }) => status).toSorted()).toEqual([200, 400]);
    const { token } = taken.find(({ status }) => status === 200)?.json ?? {};
    const { json } = await call("GET", "/api/me", { token });
    expect(json).toMatchObject({ person: "anna", abilities: ["read", "write"] });
    expect((await take(asked.device_code)).json.code).toBe("expired_code");
  });

  it("may be a standard client of RFC 8628, which sends forms and reads error and access_token", async () => {
    const { app } = appOn(storage, { publicUrl });
    const form = async (path: string, fields: Record<string, string>) => {
      const sent = { method: "POST", body: new URLSearchParams(fields) };
      const response = await app.fetch(new Request(publicUrl + path, sent));
      const json: Record<string, string> = JSON.parse(await response.text());
      return { status: response.status, json };
    };
    const asked = (await form("/api/device", { client_id: "cli", scope: "read", name: "laptop" })).json;
    const grant = {
      client_id: "cli",
      grant_type: "urn:ietf:params:oauth:grant-type:device_code",
      device_code: asked["device_code"] ?? "",
    };
    const errors: unknown[] = [];
    for (let n = 0; n < 2; n++) {
      const { status, json } = await form("/api/device/token", grant);
      errors.push([status, json.error]);
    }
    await answer(await signedIn(), asked["user_code"] ?? "");
    const { status, json } = await form("/api/device/token", grant);
    expect([status, json]).toEqual([
      200,
      { token: json.token, access_token: json.token, token_type: "Bearer" },
    ]);
    expect((await call("GET", "/api/me", { token: json.access_token })).status).toBe(200);
    const used = await form("/api/device/token", grant);
    expect([...errors, [used.status, used.json.error]]).toEqual([
      [400, "authorization_pending"],
      [400, "slow_down"],
      [400, "expired_token"],
    ]);
    const denied = await ask();
    await answer(await signedIn(), denied.user_code, "deny");
    expect((await take(denied.device_code)).json.error).toBe("access_denied");
  });

  it("gets nothing when the person refuses", async () => {
    const { device_code: code, user_code: user } = await ask();
    await answer(await signedIn(), user, "deny");
    expect((await take(code)).json.code).toBe("access_denied");
  });

  it("gets nothing after ten minutes, whether the person allowed it or not", async () => {
    const [first, second] = [await ask(), await ask()];
    const browser = await signedIn();
    await answer(browser, first.user_code);
    clock.now += 10 * 60 * 1000;
    expect((await take(first.device_code)).json.code).toBe("expired_code");
    expect((await answer(browser, second.user_code)).status).toBe(404);
  });

  it("gets nothing of a person who is disabled meanwhile", async () => {
    const { device_code: code, user_code: user } = await ask();
    await answer(await signedIn(), user);
    await changePerson(storage, ownerGrant(toTeamName("acme")), "anna", { disabled: true });
    expect((await take(code)).json.code).toBe("access_denied");
  });

  it("gets nothing of a person who may not read any more", async () => {
    const { device_code: device, user_code: user } = await ask();
    await answer(await signedIn(), user);
    const manager = ownerGrant(toTeamName("acme"));
    await changePerson(storage, manager, "anna", { abilities: ["write"] });
    const { status, json } = await take(device);
    expect([status, json.code]).toEqual([400, "access_denied"]);
  });

  it("that asks too often is told to slow down", async () => {
    const { device_code: code } = await ask();
    await take(code);
    clock.now += 1000;
    expect((await take(code)).json.code).toBe("slow_down");
    clock.now += 5000;
    expect((await take(code)).json.code).toBe("authorization_pending");
  });

  it("is one of 20 of a network", async () => {
    for (let i = 0; i < 20; i++) await ask();
    const { status, headers } = await call("POST", "/api/device", { body: {} });
    expect([status, headers.get("retry-after")]).toEqual([429, "600"]);
    clock.now += 10 * 60 * 1000;
    expect((await call("POST", "/api/device", { body: {} })).status).toBe(200);
  });

  it("is not kept out by those who asked while a clock was wrong", async () => {
    const yearMs = 365 * 24 * 60 * 60 * 1000;
    clock.now += yearMs;
    const asked = [];
    for (let i = 0; i < 20; i++) asked.push(await ask());
    await take(asked[0].device_code);
    clock.now -= yearMs;
    expect((await call("POST", "/api/device", { body: {} })).status).toBe(200);
    expect((await take(asked[0].device_code)).json.code).toBe("expired_code");
  });

  it("cannot ask where nobody could answer, and its body is small", async () => {
    const without = harness(storage, undefined).call;
    expect((await without("POST", "/api/device", { body: {} })).status).toBe(501);
    expect((await call("POST", "/api/device", { body: { name: "x".repeat(5000) } })).status).toBe(413);
  });
});

describe("the page of a code", () => {
  it("allows nothing by its address, and asks the signed out to sign in first", async () => {
    const { device_code: code, user_code: user } = await ask();
    const browser = await signedIn();
    expect((await browser.get(`/device?code=${user}`)).status).toBe(200);
    await post(browser, "/device", { code: user });
    expect((await take(code)).json.code).toBe("authorization_pending");
    const { status, headers } = await browse(storage, { publicUrl }).get(`/device?code=${user}`);
    expect([status, headers.get("location")]).toEqual([303, `./?to=device%3Fcode%3D${user}`]);
  });

  it("takes no answer from another site", async () => {
    const { device_code: code, user_code: user } = await ask();
    const browser = await signedIn();
    await browser.post("/device/answer", { code: user, answer: "allow" });
    const fields = { form_key: await browser.formKey(), code: user, answer: "allow" };
    await browser.post("/device/answer", fields, { origin: "https://evil.example" });
    expect((await take(code)).json.code).toBe("authorization_pending");
  });

  it("is for persons alone: a token cannot give more than it has", async () => {
    const { user_code: user } = await ask();
    const lead = browse(storage, { publicUrl });
    await lead.signIn(await makeToken(storage));
    expect((await answer(lead, user)).status).toBe(403);
    const anna = browse(storage, { publicUrl });
    await anna.signIn(await makePersonalToken(storage, {}, { abilities: ["read"] }));
    expect((await answer(anna, user)).status).toBe(403);
  });

  it("bounds wrong codes of a person", async () => {
    const { user_code: user } = await ask();
    const browser = await signedIn();
    for (let i = 0; i < 20; i++) {
      const { status, html } = await post(browser, "/device", { code: "nonsense <i>" });
      expect([status, html]).toEqual([422, expect.stringContaining('value="nonsense &lt;i&gt;"')]);
      expect(html).toMatch(/<p class="problem" id="problem-device-code"><bdi>\w/);
    }
    expect((await answer(browser, user)).status).toBe(429);
    expect((await answer(await signedIn("ben"), user)).status).toBe(303);
  });

  it("shows what a program calls itself as text", async () => {
    const { user_code: user } = await ask({ name: "<script>x</script>\u202e" });
    const { html } = await post(await signedIn(), "/device", { code: user });
    expect(html).not.toContain("<script>x");
  });

  it("shows the beginning of a long name", async () => {
    const { user_code: user } = await ask({ name: "x".repeat(300) });
    const { html } = await post(await signedIn(), "/device", { code: user });
    expect(html).toMatch(/[^x]x{100}[^x]/);
  });
});
