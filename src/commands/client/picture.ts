/** `skep picture`: adds, lists and removes pictures of the app. */
import type { CommandUnknownOpts } from "@commander-js/extra-typings";
import { ClientError } from "../../client/api/client-error.ts";
import type { HivePicture } from "../../client/api/picture-api.ts";
import { counted } from "../../domain/text.ts";
import { print, printList, type Columns } from "../output/print.ts";
import { onOneLine } from "../output/terminal.ts";
import { clientGroup, clientPart, printResult, runOnProject } from "./client-command.ts";

export function pictureCommand(): CommandUnknownOpts {
  const picture = clientGroup("picture");
  clientPart(picture, "add", "Add a picture with the strings that it shows, or the pictures of a list.", true)
    .argument("[file]", "a PNG, WebP or JPEG of at most 300,000 bytes")
    .argument("[strings...]", "what it shows: patterns such as auth.json:login.*")
    .option("--from <list>", 'a JSON file: [{"file": "login.png", "strings": ["auth.json:login.*"]}]')
    .action(async (file, strings, { from, ...flags }) => {
      if ((file === undefined) === (from === undefined) || (file !== undefined && strings.length === 0))
        throw new ClientError("misuse", "Give either a picture and its strings, or --from.");
      const { readPicture, readShots } = await import("../../client/tree/picture-files.ts");
      const added = await runOnProject(flags, "create", async ({ hive }) => {
        const sent = from === undefined ? [await readPicture(file ?? "", strings)] : await readShots(from);
        const all: HivePicture[] = [];
        for (const one of sent) all.push(await hive.pictures.add(one));
        return all;
      });
      printResult(flags, { pictures: added }, printAdded);
    });
  clientPart(picture, "list", "List the pictures of the Hive.", true).action(async (flags) => {
    const all = await runOnProject(flags, "read", ({ hive }) => hive.pictures.list());
    printList(all, flags.json, columns, { empty: "There is no picture; skep picture add adds one." });
  });
  clientPart(picture, "remove", "Remove a picture.", true)
    .argument("<hash>", "its hash, or the beginning of it")
    .action(async (beginning, flags) => {
      const hash = await runOnProject(flags, "write", async ({ hive }) => {
        const [one, ...others] = (await hive.pictures.list()).filter((each) =>
          each.hash.startsWith(beginning),
        );
        if (one === undefined || others.length > 0)
          throw new ClientError("error", `${hive.slug} has no one picture ${beginning}.`);
        await hive.pictures.remove(one.hash);
        return one.hash;
      });
      printResult(flags, { deleted: 1, hash }, () => print("Removed the picture."));
    });
  return picture;
}

function printAdded({ pictures }: { readonly pictures: readonly HivePicture[] }): void {
  print(`Added ${counted(pictures.length, "picture")}.`);
  for (const { hash, name } of pictures) print(`  ${hash.slice(0, 10)} ${onOneLine(name)}`);
}

const columns: Columns<HivePicture> = {
  HASH: ({ hash }) => hash.slice(0, 10),
  NAME: ({ name }) => onOneLine(name),
  SIZE: ({ width, height }) => `${width} × ${height}`,
  STRINGS: ({ strings }) => onOneLine(strings.join(" ")),
};
