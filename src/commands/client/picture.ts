/** `skep picture`: adds, lists and removes pictures of the app. */
import { Command } from "commander";
import { ClientError, exitCodesHelp } from "../../client/api/client-error.ts";
import type { HivePicture } from "../../client/api/picture-api.ts";
import { counted } from "../../domain/text.ts";
import { print, printList } from "../output/print.ts";
import { onOneLine } from "../output/terminal.ts";
import { clientCommand, printJson, runOnProject, type ClientFlags } from "./client-command.ts";

export function pictureCommand(): Command {
  const picture = new Command("picture").addHelpText("after", exitCodesHelp);
  picture.addCommand(
    command("add", "Add a picture with the strings that it shows, or the pictures of a list.")
      .argument("[file]", "a PNG, WebP or JPEG of at most 300,000 bytes")
      .argument("[strings...]", "what it shows: patterns such as auth.json:login.*")
      .option("--from <list>", 'a JSON file: [{"file": "login.png", "strings": ["auth.json:login.*"]}]')
      .action(
        async (
          file: string | undefined,
          strings: readonly string[],
          { from, ...flags }: ClientFlags & { readonly from?: string },
        ) => {
          if ((file === undefined) === (from === undefined) || (file !== undefined && strings.length === 0))
            throw new ClientError("misuse", "Give either a picture and its strings, or --from.");
          const { readPicture, readShots } = await import("../../client/tree/picture-files.ts");
          const added = await runOnProject(flags, "create", async ({ hive }) => {
            const sent =
              from === undefined ? [await readPicture(file ?? "", strings)] : await readShots(from);
            const all: HivePicture[] = [];
            for (const one of sent) all.push(await hive.pictures.add(one));
            return all;
          });
          if (flags.json) printJson({ pictures: added });
          else {
            print(`Added ${counted(added.length, "picture")}.`);
            for (const { hash, name } of added) print(`  ${hash.slice(0, 10)} ${onOneLine(name)}`);
          }
        },
      ),
  );
  picture.addCommand(
    command("list", "List the pictures of the Hive.").action(async (flags: ClientFlags) => {
      const all = await runOnProject(flags, "read", ({ hive }) => hive.pictures.list());
      printList(all, flags.json, columns);
    }),
  );
  picture.addCommand(
    command("remove", "Remove a picture.")
      .argument("<hash>", "its hash, or the beginning of it")
      .action(async (beginning: string, flags: ClientFlags) => {
        const hash = await runOnProject(flags, "write", async ({ hive }) => {
          const [one, ...others] = (await hive.pictures.list()).filter((each) =>
            each.hash.startsWith(beginning),
          );
          if (one === undefined || others.length > 0)
            throw new ClientError("error", `${hive.slug} has no one picture ${beginning}.`);
          await hive.pictures.remove(one.hash);
          return one.hash;
        });
        if (flags.json) printJson({ deleted: 1, hash });
        else print("Removed the picture.");
      }),
  );
  return picture;
}

function command(name: string, description: string): Command {
  return clientCommand(name).description(description);
}

const columns: Readonly<Record<string, (picture: HivePicture) => string>> = {
  HASH: ({ hash }) => hash.slice(0, 10),
  NAME: ({ name }) => onOneLine(name),
  SIZE: ({ width, height }) => `${width} × ${height}`,
  STRINGS: ({ strings }) => onOneLine(strings.join(" ")),
};
