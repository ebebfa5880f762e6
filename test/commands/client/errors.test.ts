/** Errors of the commands for apps: their line, their exit code, and what the help says of the codes. */
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { ClientError, exitCodes, fileError } from "../../../src/client/api/client-error.ts";
import { explainClientError } from "../../../src/commands/client/explain-error.ts";
import { commands } from "../../../src/commands/table.ts";
import { skep } from "../../helpers/process.ts";
import { readPage } from "../../docs/pages.ts";

const here = process.cwd();

describe("an error", () => {
  it("is one line, with a path relative to the current folder", () => {
    const error = fileError("misuse", { file: join(here, "lang/en.json"), line: 3, column: 5 }, "is bad");
    expect(explainClientError(error, {})).toEqual({ line: "skep: lang/en.json:3:5: is bad", code: 2 });
    const outside = fileError("error", { file: "/elsewhere/en.json" }, "is bad\u001b[2J");
    expect(explainClientError(outside, {})).toEqual({
      line: "skep: /elsewhere/en.json: is bad\u{fffd}[2J",
      code: 1,
    });
  });

  it("is an annotation in GitHub Actions, which no text can break out of", () => {
    const environment = { GITHUB_ACTIONS: "true", GITHUB_WORKSPACE: here };
    const error = fileError(
      "error",
      { file: join(here, "lang/a,b:c.json"), line: 3 },
      "100% wrong\n::error::x",
    );
    expect(explainClientError(error, environment).line).toBe(
      "::error file=lang/a%2Cb%3Ac.json,line=3::lang/a,b:c.json:3: 100%25 wrong\u{fffd}::error::x",
    );
    expect(explainClientError(new ClientError("gate", "No."), environment)).toEqual({
      line: "::error::No.",
      code: 3,
    });
  });
});

describe("exit codes", () => {
  // A script for a shell is made without a server.
  const clientCommands = commands.filter(({ group, name }) => group === "app" && name !== "completion");
  const numbers = [0, ...Object.values(exitCodes)];

  it.each(clientCommands)("are in the help of skep $name", async ({ name }) => {
    const { code, stdout } = await skep(name, "--help");
    expect(code).toBe(0);
    for (const number of numbers) expect(stdout).toMatch(new RegExp(`^  ${number}  \\w`, "m"));
  });

  it("are in the page about the client", () => {
    const listed = Array.from(readPage("docs/client.md").matchAll(/^\| ([0-9]) /gm), ([, code]) =>
      Number(code),
    );
    expect(listed).toEqual(numbers);
  });
});
