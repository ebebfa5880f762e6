/** Addresses of mirrors that would run something, leak something or lead back into the storage. */
import fs from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { isSkepError } from "../../src/domain/errors.ts";
import { isMirrorUrl, protocolOf, showMirrorUrl, toMirrorUrl } from "../../src/domain/hives/mirror-url.ts";
import { toOneLine } from "../../src/domain/redact.ts";
import { leadsInto } from "../../src/store/settings/mirror-path.ts";
import { acmeStorage, git, runSkep, skep, skepOk } from "../helpers/process.ts";
import { realFolder } from "../helpers/storage.ts";
import { runs } from "../helpers/runs.ts";

describe("an address of a mirror", () => {
  it.each<[string, string]>([
    ["runs a command through a transport helper", "ext::sh -c 'touch /tmp/owned'"],
    ["runs a command through a helper, escaped", "ext::sh%20-c%20touch"],
    ["uses open file descriptors", "fd::17"],
    ["names a helper before another address", "testgit::https://example.org/x.git"],
    ["names a helper that looks like a host", "host::path"],
    ["is an option of git's", "--upload-pack=touch /tmp/owned"],
    ["is an option of git's for receiving", "--receive-pack=sh"],
    ["is a short option", "-q"],
    ["is a lone hyphen", "-"],
    ["is git's protocol, without encryption", "git://example.org/x.git"],
    ["is http over the network", "http://example.org/x.git"],
    ["is http to a name that begins like this machine's", "http://localhost.example.org/x.git"],
    ["is http to an address that begins like this machine's", "http://127.0.0.1.example.org/x.git"],
    ["is http with this machine as the user", "http://127.0.0.1@example.org/x.git"],
    ["is http with this machine as user and password", "http://localhost:80@example.org/x.git"],
    ["is http with a backslash", "http://example.org\\@127.0.0.1/x.git"],
    ["is ftp", "ftp://example.org/x.git"],
    ["is a scheme in capitals, which git takes for a helper", "HTTPS://example.org/x.git"],
    ["is a scheme in capitals with slashes", "EXT://sh"],
    ["has a host that ssh takes for an option", "ssh://-oProxyCommand=touch/x.git"],
    ["has a host that is an option after a user", "ssh://git@-oProxyCommand=touch/x.git"],
    ["has an escaped hyphen before the host", "ssh://%2DoProxyCommand=touch/x.git"],
    ["has a host:path whose host is an option", "-oProxyCommand=touch:x.git"],
    ["has a user@host:path whose host is an option", "git@-oProxyCommand=touch:x.git"],
    ["has a user that is an option", "-oProxyCommand=touch@host:x.git"],
    ["has a user that is an option in a URL", "ssh://-l@host/x.git"],
    ["has a path that is an option", "host:--upload-pack=x"],
    ["has a bracketed host with more in it", "[-oProxyCommand=x]:x.git"],
    ["has a password", "https://user:s3cret@example.org/x.git"],
    ["has an empty user and a password", "https://:s3cret@example.org/x.git"],
    ["has a password with a slash", "https://user:s3/cret@example.org/x.git"],
    ["has a token for a user", "https://s3cret@example.org/x.git"],
    ["has a token in the query", "https://example.org/x.git?private_token=s3cret"],
    ["has a token in the fragment", "https://example.org/x.git#s3cret"],
    ["has a token in the path", `https://example.org/ghp_${"s3cret".repeat(6)}/x.git`],
    ["has a password for ssh", "ssh://user:s3cret@example.org/x.git"],
    ["has an escaped password for ssh", "ssh://user%3As3cret@example.org/x.git"],
    ["has a password in host:path form", "user:s3cret@example.org:x.git"],
    ["has a line feed", "https://example.org/x.git\nhost=evil"],
    ["has an escaped line feed", "https://example.org/%0ahost=evil/x.git"],
    ["has a NUL", "/tmp/x\0.git"],
    ["has a path with a NUL, escaped", "file:///tmp/x%00.git"],
    ["is a file on another host", "file://example.org/x.git"],
    ["has a broken escape", "file:///tmp/%zz"],
    ["is relative", "../x.git"],
    ["is relative without dots", "x.git"],
    ["is empty", ""],
    ["has no repository", "https://example.org"],
    ["has no repository on its host", "ssh://example.org/"],
    ["has a port that is none", "https://example.org:99999/x.git"],
  ])("that %s is refused, and not repeated", (_, address) => {
    let refused: unknown;
    try {
      toMirrorUrl(address);
    } catch (error) {
      refused = error;
    }
    expect(isSkepError(refused) && refused.code).toBe("invalid");
    expect(String(refused)).toMatch(/url: must /);
    expect(String(refused)).not.toContain("s3cret");
  });

  it.each([
    ["https://example.org/a/x.git", "https", "https://example.org/a/x.git"],
    ["https://example.org:8443/x.git", "https", "https://example.org:8443/x.git"],
    ["ssh://git@example.org:2222/~a/x.git", "ssh", "ssh://example.org:2222/~a/x.git"],
    ["ssh://example.org/x.git", "ssh", "ssh://example.org/x.git"],
    ["git@example.org:a/x.git", "ssh", "example.org:a/x.git"],
    ["example.org:x.git", "ssh", "example.org:x.git"],
    ["[::1]:x.git", "ssh", "[::1]:x.git"],
    ["http://127.0.0.1:80/x.git", "http", "http://127.0.0.1:80/x.git"],
    ["http://localhost/x.git", "http", "http://localhost/x.git"],
    ["http://[::1]:8080/x.git", "http", "http://[::1]:8080/x.git"],
    ["file:///srv/x.git", "file", "file:///srv/x.git"],
    ["/srv/a@b:c/x.git", "file", "/srv/a@b:c/x.git"],
  ])("the mirror address %s is allowed, and shown without its user", (address, protocol, shown) => {
    const url = toMirrorUrl(address);
    expect([protocolOf(url), showMirrorUrl(url)]).toEqual([protocol, shown]);
  });

  it("no combination makes an allowed address that begins with a hyphen or names a helper", () => {
    const piece = fc.constantFrom(
      "-",
      ":",
      "::",
      "/",
      "//",
      "@",
      "ext",
      "ssh",
      "https",
      "host",
      "%2D",
      "[",
      "]",
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 9 }), (pieces) => {
        const address = pieces.join("");
        if (!isMirrorUrl(address)) return;
        expect(address).not.toMatch(/^-|^[a-z]+::|^(?:https|ssh):\/\/(?:[^/]*@)?(?:-|%)|^[^/]*@-/);
      }),
      { numRuns: runs(625) },
    );
  });
});

describe("a mirror in the storage itself", () => {
  it("is found through links, dots, names that git adds and files that point there", async () => {
    const outside = realFolder();
    const storage = join(outside, "storage");
    const hive = join(storage, "hives/web.git");
    fs.mkdirSync(hive, { recursive: true });
    fs.mkdirSync(join(outside, "work/deep"), { recursive: true });
    fs.symlinkSync(storage, join(outside, "link"));
    fs.symlinkSync(hive, join(outside, "alias.git"));
    fs.symlinkSync(join(storage, "hives"), join(outside, "work/hives"));
    fs.writeFileSync(join(outside, "work/.git"), "gitdir: ../storage/hives/web.git\n");
    fs.writeFileSync(join(outside, "work/deep/.git"), `gitdir: ${hive}\n`);
    for (const path of [
      "storage",
      "storage/new.git",
      "storage/hives/web",
      "storage/hives/web.git/",
      "storage/none/../hives/web.git",
      "work/../storage/hives/web.git",
      "work/hives/../hives/web.git",
      "link",
      "link/hives/new/er.git",
      "alias",
      "work",
      "work/deep/",
    ]) {
      expect([path, await leadsInto(`${outside}/${path}`, storage)]).toEqual([path, true]);
    }
    for (const path of ["storage-2", "other.git", "storage/../other.git", "none/x.git"]) {
      expect([path, await leadsInto(`${outside}/${path}`, storage)]).toEqual([path, false]);
    }
    expect(await leadsInto(`${outside}/link/hives/web.git`, join(outside, "link"))).toBe(true);
  });

  it("is refused by the command, by path and by URL, and nothing is stored", async () => {
    const folder = realFolder();
    const storage = join(folder, "stor age");
    await skepOk(storage, "team", "create", "acme");
    await skepOk(storage, "hive", "create", "web", "--team", "acme");
    const hive = join(storage, "hives/web.git");
    fs.symlinkSync(hive, join(folder, "alias.git"));
    for (const address of [
      hive,
      pathToFileURL(hive).href,
      `${folder}/x/../stor age/hives/web.git`,
      join(folder, "alias.git"),
      join(folder, "alias"),
    ]) {
      const { code, stderr } = await skep("mirror", "add", "web", address, "--storage", storage);
      expect([code, stderr]).toEqual([1, "skep: url: must not lead into the storage itself\n"]);
    }
    expect(fs.existsSync(join(storage, "mirrors"))).toBe(false);
    // A link that comes later is found at the push.
    await git(folder, "init", "-q", "--bare", "later.git");
    await skepOk(storage, "mirror", "add", "web", join(folder, "later.git"));
    fs.rmSync(join(folder, "later.git"), { recursive: true });
    fs.symlinkSync(hive, join(folder, "later.git"));
    const pushed = await runSkep("mirror", "push", "web", "--storage", storage);
    expect([pushed.code, pushed.stdout]).toEqual([
      1,
      `${join(folder, "later.git")}: the address must not lead into the storage itself\n`,
    ]);
  });
});

describe("hooks and settings in a Hive's folder", () => {
  it("run nothing when it is pushed", async () => {
    const folder = realFolder();
    const storage = join(folder, "storage");
    const remote = join(folder, "remote.git");
    await git(folder, "init", "-q", "--bare", remote);
    await skepOk(storage, "team", "create", "acme");
    await skepOk(storage, "hive", "create", "web", "--team", "acme");
    const hive = join(storage, "hives/web.git");
    fs.mkdirSync(join(hive, "hooks"), { recursive: true });
    fs.writeFileSync(join(hive, "hooks/pre-push"), `#!/bin/sh\ntouch '${folder}/owned'\n`, { mode: 0o755 });
    await skepOk(storage, "mirror", "add", "web", remote);
    expect(await runSkep("mirror", "push", "web", "--storage", storage)).toMatchObject({ code: 0 });
    expect(fs.existsSync(join(folder, "owned"))).toBe(false);
    expect(await git(remote, "rev-parse", "main")).toBe(await git(hive, "rev-parse", "main"));
  });

  it("written into the file of mirrors by hand are held to the same rules", async () => {
    const folder = await acmeStorage({ web: [] });
    fs.mkdirSync(join(folder, "mirrors"));
    const added = new Date(0).toISOString();
    const url = `ext::sh -c touch% ${folder}/owned`;
    fs.writeFileSync(join(folder, "mirrors/web.yaml"), JSON.stringify({ mirrors: [{ url, added }] }));
    const { code, stderr } = await runSkep("mirror", "push", "web", "--storage", folder);
    expect([code, stderr]).toEqual([
      1,
      "skep: The settings file mirrors/web.yaml is invalid: mirrors.0.url: Invalid input.\n",
    ]);
    expect(await skepOk(folder, "mirror", "list")).toContain("unreadable");
    expect(fs.existsSync(join(folder, "owned"))).toBe(false);
  });
});

describe("the output of git", () => {
  it.each([
    ["fatal: unable to access 'https://user:s3cret@example.org/x.git/': 403", "https://example.org/x.git/"],
    ["fatal: 'https://s3cret@example.org/x.git' not found", "https://example.org/x.git"],
    ["fatal: https://u:s3/cr@s3cret@example.org/x", "https://example.org/x"],
    ["remote: see https://example.org/login?token=s3cret#s3cret", "https://example.org/login"],
    ["> Authorization: Basic s3cret", "Authorization: ***"],
    ["remote: Bearer s3cret is no good", "Bearer ***"],
    ["remote: password=s3cret", "password=***"],
    [`remote: ghp_${"s3cret".repeat(6)} is revoked`, "*** is revoked"],
    ["s3cret@example.org: Permission denied (publickey).", "example.org: Permission denied (publickey)."],
    [`https://u:${"s3cret".repeat(400)}@example.org`, "…"],
  ])("is shown without credentials: %s", (line, kept) => {
    expect(toOneLine([line])).not.toContain("s3cret");
    expect(toOneLine([line])).toContain(kept);
  });

  it("is one line of bounded length, soon, whatever a remote sends", () => {
    const line = toOneLine([
      "a\r\nb\u001b[31mc",
      "",
      "d".repeat(1_000_000),
      ...Array.from({ length: 500 }, () => "e"),
    ]);
    expect(line).toMatch(/^a b \[31mc; /);
    expect(line).not.toMatch(/\p{Cc}/u);
    expect(line.length).toBeLessThanOrEqual(401);
  });
});
