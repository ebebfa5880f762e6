/** `skep person`: adds, changes, invites, lists and removes persons. */
import { Command, Option } from "commander";
import type { Person } from "../../domain/access/person.ts";
import { abilities, reviewRules, type Ability, type ReviewRule } from "../../domain/access/token.ts";
import { failure } from "../../domain/errors.ts";
import { toPersonId, type TeamName } from "../../domain/names.ts";
import type { PersonChange } from "../../service/people/people.ts";
import type { Storage } from "../../service/storage.ts";
import { print, printList, printNotice } from "../output/print.ts";
import { collect, toAbility, toTeam } from "../program/arguments.ts";
import { addSettings } from "../program/settings.ts";
import { toConfig } from "../../config/settings.ts";
import { listCommand, openNamed, requireYes, storageCommand } from "../program/command.ts";
import type { ListFlags, StorageFlag } from "../program/command.ts";

interface RightsFlags extends StorageFlag {
  readonly name?: string;
  readonly mail?: string;
  readonly ability: readonly Ability[];
  readonly hive: readonly string[];
  readonly locale: readonly string[];
  readonly review?: ReviewRule;
}

interface EditFlags extends RightsFlags {
  readonly allHives: boolean;
  readonly allLocales: boolean;
}

/** Adds the flags of what a person may do. */
function withRights(command: Command, otherwise: "given" | "kept"): Command {
  const [read, all, none] =
    otherwise === "given"
      ? ["read if not given", "all Hives of the team if not given", "no such limit if not given"]
      : ["replaces those before", "replaces those before", "replaces those before"];
  return command
    .option("--mail <address>", "a mail address, shown to admins; see skep team update --mail-on-commits")
    .option(
      "--ability <ability>",
      `${abilities.join(", ")}; may be repeated; ${read}`,
      collect(toAbility),
      [],
    )
    .option("--hive <slug>", `a Hive of theirs; may be repeated; ${all}`, collect(String), [])
    .option(
      "--locale <code>",
      `a locale into which they may write translations, and nothing else; may be repeated; ${none}`,
      collect(String),
      [],
    )
    .addOption(
      new Option(
        "--review <when>",
        "whether translations that they write wait for a review; only those of models do if not given",
      ).choices(reviewRules),
    );
}

function listed<T>(given: readonly T[]): readonly T[] | undefined {
  return given.length === 0 ? undefined : given;
}

/** A command on one person. */
function personCommandOf(name: string, description: string, command = storageCommand(name)): Command {
  return command.description(description).argument("<id>", "the id of the person");
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

export function personCommand(): Command {
  const person = new Command("person");

  person.addCommand(
    withRights(
      storageCommand("add")
        .description("Add a person. They can sign in once they have used an invitation.")
        .argument("<id>", "what they sign in with; nobody else can ever have it")
        .requiredOption("--team <team>", "the team they belong to", toTeam)
        .requiredOption("--name <name>", "their name, which is the author of their commits"),
      "given",
    ).action(async (id: string, flags: RightsFlags & { team: TeamName; name: string }) => {
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
      print(`Added ${id}. Invite them: skep person invite ${id}`);
    }),
  );

  person.addCommand(
    listCommand("List the persons, and what they may do.")
      .option("--team <team>", "only persons of this team", toTeam)
      .action(async (flags: ListFlags & { team?: TeamName }) => {
        const { toPersonResponse } = await import("../../http/schemas/people/person-response.ts");
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
      }),
  );

  person.addCommand(
    withRights(
      personCommandOf("edit", "Change the name of a person, or what they may do; it counts at once.").option(
        "--name <name>",
        "another name, for their commits from now on",
      ),
      "kept",
    )
      .option("--all-hives", "they reach all Hives of the team", false)
      .option("--all-locales", "they may write into all locales, and source texts", false)
      .action(async (id: string, flags: EditFlags) => {
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
      }),
  );

  person.addCommand(
    personCommandOf(
      "invite",
      "Print a link by which a person chooses what they sign in with. It works once, and for a day.",
      addSettings(new Command("invite"), ["storage", "otherUser", "publicUrl"]),
    ).action(async (id: string, { publicUrl, ...flags }: StorageFlag & { publicUrl: string }) => {
      const { invitePerson } = await import("../../service/people/invitations.ts");
      const { storage, person: one } = await found(flags, id);
      const manager = { team: one.team, command: "person invite" };
      const { url, ends } = await invitePerson(storage, manager, id, toConfig({ publicUrl }).publicUrl);
      print(url);
      printNotice(`Whoever has this link can sign in as ${id}, once, until ${ends}. Send it safely.`);
    }),
  );

  person.addCommand(
    personCommandOf(
      "disable",
      "End the sessions of a person and let their tokens sleep, until they are enabled.",
    ).action(async (id: string, flags: StorageFlag) => {
      await change(flags, id, "disable", { disabled: true });
      print(`Disabled ${id}.`);
    }),
  );

  person.addCommand(
    personCommandOf("enable", "Let a disabled person sign in again.").action(
      async (id: string, flags: StorageFlag) => {
        await change(flags, id, "enable", { disabled: false });
        print(`Enabled ${id}.`);
      },
    ),
  );

  person.addCommand(
    personCommandOf("remove", "Remove a person and their tokens. Their id and name stay for the history.")
      .option("--yes", "remove them", false)
      .action(async (id: string, { yes, ...flags }: StorageFlag & { yes: boolean }) => {
        const { removePerson } = await import("../../service/people/people.ts");
        const { storage, person: one } = await found(flags, id);
        requireYes(yes, `This removes ${one.name} for ever, with all their tokens.`);
        await removePerson(storage, { team: one.team, command: "person remove" }, id);
        printNotice(`Removed ${id}.`);
      }),
  );
  return person;
}
