/** `skep person`: adds, changes, invites, lists and removes persons. */
import { Command, type CommandUnknownOpts, type OptionValues } from "@commander-js/extra-typings";
import type { Person } from "../../domain/access/person.ts";
import { failure } from "../../domain/errors.ts";
import { toPersonId } from "../../domain/names.ts";
import type { PersonChange } from "../../service/people/people.ts";
import type { Storage } from "../../service/storage.ts";
import { print, printList, printNotice } from "../output/print.ts";
import { toTeam } from "../program/arguments.ts";
import { addRights } from "../program/rights.ts";
import { addSettings, type StorageFlag } from "../program/settings.ts";
import { toConfig } from "../../config/settings.ts";
import { listCommand, openNamed, requireYes, storageCommand, storageSettings } from "../program/command.ts";

function withRights<Args extends unknown[], Flags extends OptionValues>(
  command: Command<Args, Flags>,
  otherwise: "usual" | "kept",
) {
  const mail = "a mail address, shown to admins; see skep team update --mail-on-commits";
  return addRights(command.option("--mail <address>", mail), otherwise);
}

function listed<T>(given: readonly T[]): readonly T[] | undefined {
  return given.length === 0 ? undefined : given;
}

function personCommandOf(parent: CommandUnknownOpts, name: string, description: string) {
  return storageCommand(name, parent).description(description).argument("<id>", "the id of the person");
}

async function found(flags: StorageFlag, id: string): Promise<{ storage: Storage; person: Person }> {
  const { findPerson } = await import("../../service/people/people.ts");
  const storage = await openNamed(flags);
  const person = await findPerson(storage, id);
  if (person !== undefined) return { storage, person };
  throw failure("not-found", `There is no person "${id}".`, { publicCode: "unknown_person" });
}

async function change(flags: StorageFlag, id: string, command: string, wanted: PersonChange): Promise<void> {
  const { changePerson } = await import("../../service/people/people.ts");
  const { storage, person } = await found(flags, id);
  await changePerson(storage, { team: person.team, command: `person ${command}` }, id, wanted);
}

export function personCommand(): CommandUnknownOpts {
  const person = new Command("person");

  withRights(
    storageCommand("add", person)
      .description("Add a person. They can sign in once they have used an invitation.")
      .argument("<id>", "what they sign in with; nobody else can ever have it")
      .requiredOption("--team <team>", "the team they belong to", toTeam)
      .requiredOption("--name <name>", "their name, which is the author of their commits"),
    "usual",
  ).action(async (id, flags) => {
    const { createPerson } = await import("../../service/people/people.ts");
    const storage = await openNamed(flags);
    const { team, name, mail, ability, hive, locale, review } = flags;
    await createPerson(
      storage,
      { team, command: "person add" },
      {
        id: toPersonId(id),
        name,
        mail,
        abilities: ability,
        hives: listed(hive),
        locales: listed(locale),
        review,
      },
    );
    print(`Added ${id}. Invite them: skep person invite ${id} --public-url https://…`);
    printNotice("This is the address at which people open the server; leave it out where a setting has it.");
  });

  listCommand(person, "List the persons, and what they may do.")
    .option("--team <team>", "only persons of this team", toTeam)
    .action(async (flags) => {
      const { toPersonResponse } = await import("../../http/schemas/people/people-schemas.ts");
      const storage = await openNamed(flags);
      const people = (await storage.registry.people()).filter(
        ({ team }) => flags.team === undefined || team === flags.team,
      );
      const rows = people.map((one) =>
        Object.assign(toPersonResponse(one, storage.now()), { team: one.team }),
      );
      printList(rows, flags.json, {
        PERSON: (row) => row.id,
        TEAM: (row) => row.team,
        ABILITIES: (row) => row.abilities.join(", "),
        HIVES: (row) => (row.hives === "all" ? "all" : row.hives.join(", ") || "none"),
        LOCALES: (row) => row.locales?.join(", ") ?? "all",
        REVIEW: (row) => row.review ?? "",
        "SIGNS IN": (row) =>
          row.disabled ? "disabled" : row.sign_in.join(", ") || (row.invited_until ? "invited" : "not yet"),
        NAME: (row) => row.name,
      });
    });

  withRights(
    personCommandOf(
      person,
      "edit",
      "Change the name of a person, or what they may do; it counts at once.",
    ).option("--name <name>", "another name, for their commits from now on"),
    "kept",
  )
    .option("--all-hives", "they reach all Hives of the team", false)
    .option("--all-locales", "they may write into all locales, and source texts", false)
    .action(async (id, flags) => {
      const { name, mail, ability, hive, locale, review, allHives, allLocales } = flags;
      await change(flags, id, "edit", {
        name,
        mail,
        abilities: listed(ability),
        hives: allHives ? "all" : listed(hive),
        locales: allLocales ? null : listed(locale),
        review,
      });
      print(`Changed ${id}.`);
    });

  addSettings(person.command("invite"), [...storageSettings, "publicUrl"])
    .description(
      "Print a link with which a person chooses a passkey or a password. It works once, and for a day.",
    )
    .argument("<id>", "the id of the person")
    .action(async (id, { publicUrl, ...flags }) => {
      const { invitePerson } = await import("../../service/people/invitations.ts");
      const { storage, person: one } = await found(flags, id);
      const manager = { team: one.team, command: "person invite" };
      const { url, ends } = await invitePerson(storage, manager, id, toConfig({ publicUrl }).publicUrl);
      print(url);
      printNotice(`Whoever has this link can sign in as ${id}, once, until ${ends}. Send it safely.`);
    });

  personCommandOf(
    person,
    "disable",
    "End the sessions of a person and suspend their tokens, until they are enabled.",
  ).action(async (id, flags) => {
    await change(flags, id, "disable", { disabled: true });
    print(`Disabled ${id}.`);
  });

  personCommandOf(person, "enable", "Let a disabled person sign in again.").action(async (id, flags) => {
    await change(flags, id, "enable", { disabled: false });
    print(`Enabled ${id}.`);
  });

  personCommandOf(
    person,
    "remove",
    "Remove a person and their tokens. Their id and name stay for the history.",
  )
    .option("--yes", "remove them", false)
    .action(async (id, { yes, ...flags }) => {
      const { removePerson } = await import("../../service/people/people.ts");
      const { storage, person: one } = await found(flags, id);
      requireYes(yes, `This removes ${one.name} for ever, with all their tokens.`);
      await removePerson(storage, { team: one.team, command: "person remove" }, id);
      printNotice(`Removed ${id}.`);
    });
  return person;
}
