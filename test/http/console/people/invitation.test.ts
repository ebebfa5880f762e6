/** Invitations and passwords in the console. */
import { ownerGrant } from "../../../helpers/people/tokens.ts";
import { hash } from "@node-rs/argon2";
import { beforeEach, describe, expect, it } from "vitest";
import type { AppOptions } from "../../../../src/http/pipeline/shared.ts";
import { toPersonId, toTeamName } from "../../../../src/domain/names.ts";
import { hashPassword, isPassword } from "../../../../src/service/people/sign-in.ts";
import { invitePerson } from "../../../../src/service/people/invitations.ts";
import { changePerson } from "../../../../src/service/people/people.ts";
import type { Storage } from "../../../../src/service/storage.ts";
import { makePerson, makeServers } from "../../../helpers/people/people.ts";
import { harness, makeHive, makeToken, memoryStorage } from "../../../helpers/storage.ts";
import { browse, host } from "../browse.ts";

const clock = { now: 0 };
let storage: Storage;
/** Another server of the same storage. */
let another: () => Storage;
const manager = ownerGrant(toTeamName("acme"));
const publicUrl = `http://${host}`;
const password = "twelve letters";
const options: Partial<AppOptions> = { publicUrl };

beforeEach(async () => {
  ({ storage, another } = await makeServers(clock));
  await makePerson(storage);
});

async function invite(id = "anna"): Promise<{ readonly path: string; readonly code: string }> {
  const { url } = await invitePerson(storage, manager, id, publicUrl);
  const { pathname, search, searchParams } = new URL(url);
  return { path: pathname + search, code: searchParams.get("code") ?? "" };
}

const open = (at = storage) => browse(at, options);
const signIn = (browser = open(), typed = password, person = "anna") =>
  browser.post("/sign-in/password", { person, password: typed });

describe("an invitation", () => {
  it("lets the person choose a password and signs them in; then they sign in with it", async () => {
    const { path, code } = await invite();
    const browser = open();
    const welcome = (await browser.get(path)).text;
    expect(welcome).toContain("Welcome, Anna Bauer");
    expect(welcome).not.toContain("signed in with before");
    const used = await browser.post("/invitation", { code, password });
    expect(used.status).toBe(303);
    expect((await browser.get("/hives/web")).status).toBe(200);
    expect((await signIn()).status).toBe(303);
    expect((await signIn(open(), password, " Anna ")).status).toBe(303);
    expect((await signIn(open(), "wrong password")).status).toBe(401);
  });

  it("is not used up by being opened, however often", async () => {
    const { path, code } = await invite();
    for (let i = 0; i < 30; i++) expect((await open().get(path)).status).toBe(200);
    expect((await open().get(path, {}, "HEAD")).status).toBe(200);
    expect((await open().post("/invitation", { code, password })).status).toBe(303);
  });

  it("works once, on all servers, also when it is used twice at once", async () => {
    const { path, code } = await invite();
    const servers = [storage, another()];
    const used = await Promise.all(
      servers.map((server) => open(server).post("/invitation", { code, password })),
    );
    expect(used.map(({ status }) => status).toSorted()).toEqual([303, 410]);
    for (const server of servers) expect((await open(server).get(path)).status).toBe(410);
  });

  it("ends after a day, with the next one, and with the person's rights", async () => {
    const first = await invite();
    const second = await invite();
    const statusOf = async (path: string) => (await open().get(path)).status;
    expect([await statusOf(first.path), await statusOf(second.path)]).toEqual([410, 200]);
    clock.now += 24 * 60 * 60 * 1000 - 1;
    expect(await statusOf(second.path)).toBe(200);
    clock.now += 1;
    expect(await statusOf(second.path)).toBe(410);
    const third = await invite();
    await changePerson(storage, manager, "anna", { disabled: true });
    expect(await statusOf(third.path)).toBe(410);
  });

  it("does not open once the clock is set back by more than it lasts", async () => {
    clock.now += 7 * 24 * 60 * 60 * 1000;
    const { path } = await invite();
    expect((await open().get(path)).status).toBe(200);
    clock.now -= 6 * 24 * 60 * 60 * 1000;
    expect((await open().get(path)).status).toBe(410);
  });

  it("replaces the password and ends the sessions that began before", async () => {
    const { code } = await invite();
    const browser = open();
    await browser.post("/invitation", { code, password });
    const next = await invite();
    expect((await open().get(next.path)).text).toContain("replaces what you signed in with before");
    expect((await browser.get("/hives/web")).status).toBe(200);
    const other = "another password";
    expect((await open().post("/invitation", { code: next.code, password: other })).status).toBe(303);
    expect((await browser.get("/hives/web")).status).toBe(303);
    expect(storage.personSessions.of(toPersonId("anna"), clock.now)).toHaveLength(1);
    expect((await signIn()).status).toBe(401);
    expect((await signIn(open(), other)).status).toBe(303);
  });

  it("takes passwords by their length alone", async () => {
    await makePerson(storage, { id: "maximiliane-xy" });
    const { code, path } = await invite("maximiliane-xy");
    for (const [wrong, problem] of [
      ["short", "must have at least 12 characters"],
      ["x".repeat(1025), "must have at most 1024 characters"],
      ["maximiliane-xy", "must not be your name"],
    ] as const) {
      const { status, text } = await open().post("/invitation", { code, password: wrong });
      expect([status, text]).toEqual([422, expect.stringContaining(problem)]);
    }
    expect((await open().get(path)).headers.get("cache-control")).toBe("no-store");
    expect((await open().post("/invitation", { code, password: "ANNA BAUER 12" })).status).toBe(303);
  });

  it("with a wrong code is a 404, and after 20 of them from an address a 429, also for a right one", async () => {
    const { path, code } = await invite();
    const forged = `${code.slice(0, -1)}${code.endsWith("A") ? "B" : "A"}`;
    const codes = ["", "x", forged, code.replace("anna", "ben"), "anna.x.y"];
    for (let i = 0; i < 20; i++) {
      const { status } = await open().get(`/invitation?code=${codes[i % codes.length]}`);
      expect(status).toBe(404);
    }
    expect((await open().get(path)).status).toBe(429);
    clock.now += 15 * 60 * 1000;
    expect((await open().get(path)).status).toBe(200);
  });

  it("is not for a person of the identity provider", async () => {
    await makePerson(storage, { id: "ben", identity: { iss: "https://id.test", sub: "1" } });
    await expect(invite("ben")).rejects.toMatchObject({ code: "invalid" });
  });

  it("needs --public-url, so that its address never comes from a request", async () => {
    const token = await makeToken(storage, { abilities: ["admin"] });
    const invited = (own: Partial<AppOptions>) =>
      harness(storage, token, own).call("POST", "/api/people/anna/invite", {
        headers: { host: "evil.test" },
      });
    expect((await invited({})).status).toBe(422);
    const { status, json } = await invited(options);
    expect([status, new URL(json.url).origin]).toEqual([201, publicUrl]);
  });

  it("cannot be made by an admin who does not reach all the person's Hives: it would be a takeover", async () => {
    const token = await makeToken(storage, { abilities: ["admin"], hives: ["web"] });
    const { call } = harness(storage, token, options);
    expect((await call("POST", "/api/people/anna/invite")).status).toBe(404);
  });
});

describe("an invitation by an admin whose texts always wait for a review", () => {
  it("is for persons whose texts do, too: another would be a takeover", async () => {
    await makePerson(storage, { id: "ben", review: "always" });
    const token = await makeToken(storage, { abilities: ["admin"], review: "always" });
    const { call } = harness(storage, token, options);
    const invited = async (id: string) => (await call("POST", `/api/people/${id}/invite`)).status;
    expect([await invited("anna"), await invited("ben")]).toEqual([404, 201]);
  });
});

describe("signing in with a password", () => {
  it("says the same of an unknown person, one without a password, a disabled one and a wrong password", async () => {
    await makePerson(storage, { id: "ben" });
    const { code } = await invite();
    await open().post("/invitation", { code, password });
    const refused = [
      await signIn(open(), password, "nobody"),
      await signIn(open(), password, "ben"),
      await signIn(open(), "wrong password"),
    ];
    await changePerson(storage, manager, "anna", { disabled: true });
    refused.push(await signIn());
    expect(new Set(refused.map(({ status }) => status))).toEqual(new Set([401]));
    const texts = refused.map(({ html }) => html.replace(/value="(?:anna|ben|nobody)"/, ""));
    expect(new Set(texts).size).toBe(1);
  });

  it("is bounded for a person and an address, and not for a browser that the person has used", async () => {
    const { code } = await invite();
    const known = open();
    await known.post("/invitation", { code, password });
    for (let i = 0; i < 10; i++) expect((await signIn(open(), "wrong")).status).toBe(401);
    expect((await signIn()).status).toBe(429);
    expect((await signIn(known)).status).toBe(303);
  });

  it("is refused where --sign-in leaves it out, as are invitations; and so are tokens", async () => {
    const token = await makeToken(storage);
    const { path } = await invite();
    const byToken = browse(storage, { ...options, signIn: new Set(["token"]) });
    expect((await signIn(byToken)).status).toBe(403);
    expect((await byToken.get(path)).status).toBe(403);
    expect((await byToken.get("/")).text).not.toContain("Password");
    const byPerson = browse(storage, { ...options, signIn: new Set(["invite"]) });
    expect((await byPerson.signIn(token)).status).toBe(403);
    expect((await byPerson.get("/")).text).not.toContain("token");
  });

  it("computes few hashes at once, and tells those who would wait too long to come back", async () => {
    const anna = { id: "anna", name: "Anna" } as never;
    const stored = await hashPassword(anna, password);
    expect(stored).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$/);
    // How many are computed at once does not depend on how long each takes.
    const cheap = await hash(password, { memoryCost: 8, timeCost: 1, parallelism: 1 });
    const checks = Array.from({ length: 40 }, () =>
      isPassword(cheap, password).catch((error: unknown) => error),
    );
    const results = await Promise.all(checks);
    expect(results.filter((result) => result === true)).toHaveLength(34);
    expect(results.at(-1)).toMatchObject({ code: "busy" });
  });
});

describe("a session of a person", () => {
  it("opens no address of the API", async () => {
    const { code } = await invite();
    const browser = open();
    await browser.post("/invitation", { code, password });
    for (const path of [
      "/api/hives",
      "/api/me",
      "/api/hives/web/strings",
      "/hives/web.git/info/refs?service=git-upload-pack",
    ])
      expect((await browser.get(path)).status, path).toBe(401);
  });
});

describe("the sign-in page", () => {
  it("is as it was where there are no persons", async () => {
    const empty = memoryStorage();
    await makeHive(empty, "web");
    const { html } = await browse(empty, options).get("/");
    expect(html).not.toContain("/sign-in/password");
    expect(html).not.toContain("<details");
  });
});
