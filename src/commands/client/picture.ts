/** `skep picture`: adds, lists and deletes pictures of the app. */
import type { CommandUnknownOpts } from "@commander-js/extra-typings";
import { ClientError } from "../../client/api/client-error.ts";
import type { HivePicture } from "../../client/api/picture-api.ts";
import { counted } from "../../domain/text.ts";
import { print, printList, type Columns } from "../output/print.ts";
import { onOneLine } from "../output/terminal.ts";
import { addEarlierFlag } from "../program/command.ts";
import { clientGroup, clientPart, printResult, runOnProject } from "./client-command.ts";

export function pictureCommand(): CommandUnknownOpts {
  const picture = clientGroup("picture");
  creating(picture, "create");
  creating(picture, "add", true);
  clientPart(picture, "list", "List the pictures of the Hive.", true).action(async (flags) => {
    const all = await runOnProject(flags, "read", ({ hive }) => hive.pictures.list());
    printList(all, flags.json, columns, { empty: "There is no picture; skep picture create adds one." });
  });
  deleting(picture, "delete");
  deleting(picture, "remove", true);
  return picture;
}

function creating(picture: CommandUnknownOpts, name: string, hidden = false): void {
  const about = "Add a picture with the strings that it shows, or the pictures of a list.";
  const command = clientPart(picture, name, about, true, { hidden })
    .argument("[file]", "a PNG, WebP or JPEG of at most 300,000 bytes")
    .argument("[strings...]", "what it shows: patterns such as auth.json:login.*")
    .option("--list <file>", 'a JSON file: [{"file": "login.png", "strings": ["auth.json:login.*"]}]')
    .action(async (file, strings, { list, ...flags }) => {
      if ((file === undefined) === (list === undefined) || (file !== undefined && strings.length === 0))
        throw new ClientError("misuse", "Give either a picture and its strings, or --list.");
      const { readPicture, readShots } = await import("../../client/tree/picture-files.ts");
      const added = await runOnProject(flags, "create", async ({ hive }) => {
        const sent = list === undefined ? [await readPicture(file ?? "", strings)] : await readShots(list);
        const all: HivePicture[] = [];
        for (const one of sent) all.push(await hive.pictures.add(one));
        return all;
      });
      printResult(flags, { pictures: added }, printAdded);
    });
  addEarlierFlag(command, "--from <list>", "list");
}

function deleting(picture: CommandUnknownOpts, name: string, hidden = false): void {
  clientPart(picture, name, "Delete a picture.", true, { hidden })
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
      printResult(flags, { deleted: 1, hash }, () => print("Deleted the picture."));
    });
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
