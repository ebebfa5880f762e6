/** Histories that would take long to make commit by commit. */
import { spawnSync } from "node:child_process";
import { randomBytes } from "node:crypto";

/**
 * Puts commits on top of a Hive's main, each changing a line of a file that Skep leaves alone; all as loose objects.
 * @param texts how many lines the file has; they cannot be compressed, so that packing takes its time.
 */
export function grow(repo: string, commits: number, texts: number): void {
  const values = Array.from({ length: texts }, () => randomBytes(40).toString("hex"));
  commitMany(repo, commits, "other/grown.json", (i) => {
    values[i % texts] = randomBytes(40).toString("hex");
    return Object.fromEntries(values.map((text, n) => [`k${n}`, text]));
  });
}

/** Puts commits on top of a Hive's main, each with another content of a file; all as loose objects. */
export function commitMany(
  repo: string,
  commits: number,
  path: string,
  contentOf: (commit: number) => object,
): void {
  const parts: string[] = [];
  for (let i = 0; i < commits; i++) {
    const file = `${JSON.stringify(contentOf(i), null, 2)}\n`;
    parts.push(
      `commit refs/heads/main\ncommitter S <s@example.org> ${1_800_000_000 + i} +0000\ndata 2\ngo\n`,
      i === 0 ? "from refs/heads/main^0\n" : "",
      `M 100644 inline ${path}\ndata ${Buffer.byteLength(file)}\n${file}\n`,
    );
  }
  const settings = ["-c", "fastimport.unpackLimit=1000000", "-c", "core.fsync=none"];
  const args = [...settings, "-C", repo, "fast-import", "--quiet", "--depth=0"];
  const { status, stderr } = spawnSync("git", args, { input: parts.join("") });
  if (status !== 0) throw new Error(`git fast-import: ${stderr.toString()}`);
}
