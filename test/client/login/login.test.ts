/** Signing in by a code, and where the token is kept. */
import { mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import type { Transport } from "../../../src/client/api/transport.ts";
import { Credentials, type Keyring } from "../../../src/client/login/credentials.ts";
import { credentialFor } from "../../../src/client/login/git-credential.ts";
import { login, revoke } from "../../../src/client/login/login.ts";
import { authorizeTeam, callerOf } from "../../../src/service/access.ts";
import { answerDevice } from "../../../src/service/people/devices.ts";
import type { Storage } from "../../../src/service/storage.ts";
import { makePerson } from "../../helpers/people/people.ts";
import { appOn, makeHive, memoryStorage, realFolder } from "../../helpers/storage.ts";

const server = "https://skep.example.org/texts";

describe("signing in", () => {
  const clock = { now: 0 };
  let storage: Storage;
  let transport: Transport;

  beforeEach(async () => {
    clock.now = Date.parse("2026-01-01T00:00:00Z");
    storage = memoryStorage({ now: () => clock.now });
    await makeHive(storage, "web");
    const { app } = appOn(storage, { publicUrl: server });
    transport = async (url, request) => {
      const { pathname } = new URL(url);
      return app.fetch(new Request(`http://localhost${pathname.replace("/texts", "")}`, request));
    };
  });

  /** Signs in while the person does something with the code after so many questions. */
  async function signIn(act: (code: string) => Promise<void>, after = 2) {
    let code = "";
    let questions = 0;
    return login({
      server,
      transport,
      prompt: (given) => (code = given.code),
      sleep: async (ms) => {
        clock.now += ms;
        questions++;
        if (questions === after) await act(code);
      },
    });
  }

  async function answer(code: string, isAllowed: boolean): Promise<void> {
    const caller = await callerOf(
      storage,
      (await storage.registry.people())[0] ?? (await makePerson(storage)),
    );
    if (caller === undefined) throw new Error("nobody");
    await answerDevice(storage, authorizeTeam(caller, "read", false), code, isAllowed);
  }

  it("waits until the person allows it; signing out revokes the token", async () => {
    const made = await signIn((code) => answer(code, true), 3);
    expect(made).toMatchObject({ person: "anna", name: "Anna Bauer" });
    const options = { server, transport, token: made.token };
    await revoke(options);
    await expect(revoke(options)).rejects.toMatchObject({ kind: "denied" });
  });

  it("ends when the person refuses, or does not answer", async () => {
    await expect(signIn((code) => answer(code, false))).rejects.toThrow("You refused it.");
    await expect(signIn(() => Promise.resolve())).rejects.toThrow("The code has ended.");
  });

  it("shows no address that is none, and no code with control characters", async () => {
    const answering =
      (wrong: object): Transport =>
      async () =>
        Response.json({
          device_code: "x",
          user_code: "ABCD-EFGH",
          verification_uri: server,
          expires_in: 600,
          interval: 5,
          ...wrong,
        });
    for (const wrong of [{ user_code: "\u001b[2J" }, { verification_uri: "file:///etc" }, { interval: 0 }]) {
      const prompted: unknown[] = [];
      const prompt = (given: unknown) => void prompted.push(given);
      await expect(login({ server, transport: answering(wrong), prompt })).rejects.toThrow(
        "not as Skep does",
      );
      expect(prompted).toEqual([]);
    }
  });
});

describe("the kept tokens", () => {
  const none = (): Promise<undefined> => Promise.resolve(undefined);
  let environment: NodeJS.ProcessEnv;

  beforeEach(() => {
    environment = { XDG_CONFIG_HOME: realFolder() };
  });

  it("are in a file that only this user reads, by server", async () => {
    const credentials = new Credentials(environment, none);
    expect(await credentials.find(server)).toBeUndefined();
    expect(await credentials.save(server, "skep_a")).toBe(credentials.path);
    await credentials.save("https://other.example", "skep_b");
    expect(await new Credentials(environment, none).find(server)).toBe("skep_a");
    expect(await credentials.find("https://skep.example.org")).toBeUndefined();
    expect(statSync(credentials.path).mode & 0o777).toBe(0o600);
    expect(statSync(join(credentials.path, "..")).mode & 0o777).toBe(0o700);
    await credentials.remove(server);
    expect(await credentials.servers()).toEqual(["https://other.example"]);
  });

  it("are in the keyring where there is one, and the file names the server alone", async () => {
    const entries = new Map<string, string>();
    const keyring: Keyring = {
      get: (at) => entries.get(at) ?? null,
      set: (at, token) => void entries.set(at, token),
      remove: (at) => void entries.delete(at),
    };
    const credentials = new Credentials(environment, () => Promise.resolve(keyring));
    expect(await credentials.save(server, "skep_a")).toBe("the keyring");
    expect(readFileSync(credentials.path, "utf8")).not.toContain("skep_a");
    expect(await credentials.find(server)).toBe("skep_a");
    await credentials.remove(server);
    expect([entries.size, await credentials.servers()]).toEqual([0, []]);
  });

  it("are in the file where the keyring is locked", async () => {
    const locked = (): never => {
      throw new Error("locked");
    };
    const credentials = new Credentials(environment, () =>
      Promise.resolve({ get: locked, set: locked, remove: locked }),
    );
    await credentials.save(server, "skep_a");
    expect(await credentials.find(server)).toBe("skep_a");
  });

  it.each(["", "{", "[]", '{"https://a":"skep_a"}'])("cannot be read from %j", async (text) => {
    const credentials = new Credentials(environment, none);
    mkdirSync(join(credentials.path, ".."));
    writeFileSync(credentials.path, text);
    await expect(credentials.find(server)).rejects.toThrow(`${credentials.path}: cannot be read`);
  });

  it.each([
    ["protocol=https\nhost=skep.example.org\n\n", "skep_a"],
    ["protocol=https\nhost=skep.example.org:443\n\n", "skep_a"],
    ["protocol=https\nhost=skep.example.org\npath=other/hives/web.git\n\n", "skep_d"],
    ["protocol=https\nhost=skep.example.org:8443\n\n", "skep_b"],
    ["protocol=http\nhost=skep.example.org\n\n", undefined],
    ["protocol=https\nhost=skep.example.org:444\n\n", undefined],
    ["protocol=https\nhost=example.org\n\n", undefined],
    ["protocol=https\nhost=skep.example.org.evil.test\n\n", undefined],
    ["protocol=https\nhost=evil.test/skep.example.org\n\n", undefined],
    ["protocol=https\nhost=evil@skep.example.org\n\n", undefined],
    ["protocol=https\nhost=skep.example.org?.evil.test\n\n", undefined],
    ["protocol=https\nhost=skep.example.org#.evil.test\n\n", undefined],
    ["protocol=https\nhost=skep.example.org/.evil.test\n\n", undefined],
    ["host=skep.example.org\n\n", undefined],
    ["", undefined],
  ])("are given to git for exactly their server: %j", async (input, token) => {
    const credentials = new Credentials(environment, none);
    await credentials.save(server, "skep_a");
    await credentials.save("https://skep.example.org/other-one", "skep_c");
    await credentials.save("https://skep.example.org/other", "skep_d");
    await credentials.save("https://skep.example.org:8443", "skep_b");
    expect(await credentialFor(credentials, input)).toBe(
      token === undefined ? "" : `username=skep\npassword=${token}\n`,
    );
  });
});
