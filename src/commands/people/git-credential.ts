/** `skep git-credential`: a credential helper of git, with the tokens of `skep login`. */
import { Command, type CommandUnknownOpts } from "@commander-js/extra-typings";
import { output } from "../program/output.ts";

/** The most that git writes to a helper. */
const maxInput = 65_536;

export function gitCredentialCommand(): CommandUnknownOpts {
  return new Command("git-credential")
    .argument("<operation>", "what git asks for: get; others do nothing")
    .action(async (operation) => {
      const { stdin, stdout } = output();
      if (operation !== "get" || stdin === undefined) return;
      const { credentialFor } = await import("../../client/login/git-credential.ts");
      const { Credentials } = await import("../../client/login/credentials.ts");
      let input = "";
      for await (const part of stdin) {
        input += String(part);
        if (input.length > maxInput) return;
      }
      stdout.write(await credentialFor(new Credentials(process.env), input));
    });
}
