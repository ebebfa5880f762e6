/** The flags of what a token or a person may do. */
import { Option, type Command, type OptionValues } from "@commander-js/extra-typings";
import { abilities, reviewRules } from "../../domain/access/token.ts";
import { collect, toAbility } from "./arguments.ts";

/** Adds the flags. @param otherwise what holds without them: the usual rights, or those that are there. */
export function addRights<Args extends unknown[], Flags extends OptionValues>(
  command: Command<Args, Flags>,
  otherwise: "usual" | "kept",
) {
  const [ability, hive, locale] =
    otherwise === "usual"
      ? ["read if not given", "all Hives of the team if not given", "no such limit if not given"]
      : ["replaces those before", "replaces those before", "replaces those before"];
  const allowed = `${abilities.join(", ")}; may be repeated; ${ability}`;
  const locales = "a locale into which translations may be written, and nothing else; may be repeated";
  return command
    .option("--ability <ability>", allowed, collect(toAbility), [])
    .option("--hive <slug>", `a Hive that may be used; may be repeated; ${hive}`, collect(String), [])
    .option("--locale <code>", `${locales}; ${locale}`, collect(String), [])
    .addOption(
      new Option(
        "--review <when>",
        "whether translations that are written wait for a review; only those of models do if not given",
      ).choices(reviewRules),
    );
}
