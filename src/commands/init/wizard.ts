/** What `skep init` does at a terminal with a server: signs in, chooses the Hive or creates it, and offers the first push. */
import { z } from "zod";
import { ClientError } from "../../client/api/client-error.ts";
import { HiveApi } from "../../client/api/hive-api.ts";
import { HttpClient } from "../../client/api/http.ts";
import { insecureServerWarning } from "../../client/api/token.ts";
import { transportFor } from "../../client/api/transport.ts";
import type { ProposedChecks } from "../../client/check.ts";
import { consoleAddress } from "../../client/console-page.ts";
import { checkFaults } from "../../client/faults.ts";
import { Credentials } from "../../client/login/credentials.ts";
import { Project } from "../../client/project.ts";
import { push } from "../../client/push.ts";
import type { Proposal } from "../../client/propose.ts";
import type { PushOptions } from "../../client/push-report.ts";
import { readConfig } from "../../client/tree/config.ts";
import { hiveSlug } from "../../client/tree/schema.ts";
import { commandContext } from "../client/client-command.ts";
import { printReport } from "../client/push.ts";
import { alignCells, print, printable, printNotice } from "../output/print.ts";
import { signIn } from "../people/login.ts";
import { ask, askYes } from "../program/ask.ts";

interface ListedHive {
  readonly slug: string;
  readonly name: string;
}

/** A server, with the Hives that a token reaches there. */
interface OpenServer {
  readonly server: string;
  readonly http: HttpClient;
  readonly hives: readonly ListedHive[];
}

interface ChosenHive {
  readonly slug: string;
  /** Whether the server does not have it yet. */
  readonly isNew: boolean;
}

/** Asks, before anything is written. @throws ClientError `error` when the input ends. */
async function askFirst(question: string, usual?: string): Promise<string> {
  const answer = await ask(question, usual);
  if (answer === undefined) throw new ClientError("error", "Nothing was written.");
  return answer;
}

/**
 * Finds a token for a server, of the environment or of `skep login`, or else signs in or takes one that is typed.
 * @returns undefined where the server cannot be reached, or somebody goes on without a token.
 * @throws ClientError `error` when the input ends.
 */
export async function openHives(server: string): Promise<OpenServer | undefined> {
  const warning = insecureServerWarning(server);
  if (warning !== undefined) printNotice(warning);
  const credentials = new Credentials(process.env);
  const transport = await transportFor(process.env);
  let token = process.env.SKEP_TOKEN || (await credentials.find(server));
  for (let isTyped = false; ;) {
    if (token === undefined) {
      token = await signedIn(server);
      isTyped = token === undefined;
      token ??= await typedToken();
      if (token === undefined) return undefined;
    }
    try {
      const http = new HttpClient({
        server,
        token,
        transport,
        onRetry: (line) => printNotice(`skep: ${line}`),
      });
      const hives = await hivesOf(http);
      if (isTyped) printNotice(`The token is in ${await credentials.save(server, token)}.`);
      return { server, http, hives };
    } catch (error) {
      if (!(error instanceof ClientError)) throw error;
      printNotice(printable(error.message));
      if (error.kind !== "denied") return undefined;
      token = undefined;
    }
  }
}

/** Signs in, if somebody wants to. */
async function signedIn(server: string): Promise<string | undefined> {
  const answer = await askFirst(`Sign in to ${server} in your browser? (Y/n)`);
  if (!/^(y(es)?)?$/i.test(answer)) return undefined;
  try {
    return await signIn(server);
  } catch (error) {
    if (!(error instanceof ClientError)) throw error;
    printNotice(printable(error.message));
    return undefined;
  }
}

async function typedToken(): Promise<string | undefined> {
  for (;;) {
    const typed = await askFirst("Token, which is shown as you type it (empty: go on without one)");
    if (typed === "") return undefined;
    if (/^[\x21-\x7e]+$/.test(typed)) return typed;
    printNotice("A token has no blanks and no special characters.");
  }
}

const hiveList = z.object({ data: z.array(z.object({ slug: hiveSlug, name: z.string() })) });

async function hivesOf(http: HttpClient): Promise<readonly ListedHive[]> {
  const request = { method: "GET", path: "/api/hives", schema: hiveList, hasCommit: false } as const;
  return (await http.send(request)).data.data;
}

/** The choice of a new Hive. */
const fresh = ["new", "a Hive for this app"] as const;
/** How many Hives are listed; others are chosen by their names. */
const maxListed = 20;

/**
 * Has somebody choose a Hive of a server, or the name of a new one.
 * @param own the name that a Hive of this app would have.
 * @param given the Hive that a flag names, which is not asked for.
 * @throws ClientError `error` when the input ends.
 */
export async function chooseHive(
  { server, hives }: OpenServer,
  own: string,
  given: string | undefined,
): Promise<ChosenHive> {
  const has = (slug: string): boolean => hives.some((hive) => hive.slug === slug);
  if (given !== undefined) return { slug: given, isNew: !has(given) };
  // The usual answer is the first, or the Hive that is called as the app is.
  const listed = hives
    .toSorted((a, b) => Number(b.slug === own) - Number(a.slug === own))
    .slice(0, maxListed);
  const offered = listed.map((hive) => [hive.slug, hive.name === hive.slug ? "" : hive.name] as const);
  const choices = has(own) ? [...offered, fresh] : [fresh, ...offered];
  if (hives.length > 0) {
    printNotice(`Hives on ${server}:`);
    const lines = choices.map(([name, about], at) => [`  ${at + 1}`, name, about]);
    for (const line of alignCells(lines, Infinity)) printNotice(line);
    if (hives.length > maxListed) printNotice(`  and ${hives.length - maxListed} more`);
  }
  while (hives.length > 0) {
    const answer = await askFirst("Hive, by its number or its name", "1");
    const choice = choices[Number(answer) - 1] ?? (answer === fresh[0] ? fresh : undefined);
    if (choice === fresh) break;
    const [slug] = choice ?? [answer];
    if (has(slug)) return { slug, isNew: false };
    printNotice(`There is no Hive ${printable(slug)}; ${fresh[0]} creates one.`);
  }
  for (;;) {
    const slug = await askFirst("Name of the new Hive", has(own) ? undefined : own);
    const { success, error } = hiveSlug.safeParse(slug);
    if (success) return { slug, isNew: !has(slug) };
    printNotice(`It ${error.issues[0]?.message ?? "cannot be used"}.`);
  }
}

interface App {
  readonly folder: string;
  readonly proposal: Proposal;
  readonly checks: ProposedChecks | undefined;
  /** The command that creates the Hive. */
  readonly create: string;
}

/**
 * Creates the Hive if it is new, shows what a push would do, and pushes if that is wanted.
 * @throws ClientError as requests do, but not when the token may not create the Hive: then it prints what an administrator
 *   has to do.
 */
export async function useHive(
  { server, http, slug, isNew }: OpenServer & ChosenHive,
  app: App,
): Promise<void> {
  const { folder, proposal } = app;
  const hive = new HiveApi(http, slug);
  const command = proposal.targets.length === 0 ? "skep push" : "skep push --translations";
  if (isNew && !(await isCreated(hive, server, app))) {
    printNotice("Somebody with the ability admin, or on the server's machine, creates it:");
    print(`  ${app.create}`);
    print(`Then push:\n  ${command} --dry-run\n  ${command}`);
    return;
  }
  const { context, clear } = commandContext(false);
  try {
    const project = new Project(await readConfig(folder), hive, context);
    const translations = proposal.targets.length === 0 ? undefined : ("all" as const);
    const planned = await push(project, { ...usualPush, translations, dryRun: true });
    clear();
    printReport(planned, shown, true);
    const isHarmless = planned.result.deleted === 0;
    if (!(await askYes(`Push this to ${slug} on ${server}?`, isHarmless))) {
      print(`Nothing was pushed. This does it:\n  ${command}`);
      return;
    }
    const report = await push(project, { ...usualPush, translations, dryRun: false });
    clear();
    printReport(report, shown, true);
    print(await consoleAddress(hive, {}));
    checkFaults(report.faults, "sent");
  } finally {
    clear();
  }
}

const shown = { verbose: false, overwrite: false };
const usualPush: Omit<PushOptions, "dryRun" | "translations"> = {
  prune: false,
  detectMoves: true,
  allowEmpty: false,
  create: false,
  overwrite: false,
  sameAsSource: false,
  strict: false,
};

/** Creates a Hive, if somebody wants that and the token may. */
async function isCreated(hive: HiveApi, server: string, { proposal, checks }: App): Promise<boolean> {
  if (!(await askYes(`Create the Hive ${hive.slug} on ${server}?`, true))) return false;
  const syntax = checks?.syntax.map(({ files, syntax: name }) => ({ files, syntax: name }));
  const formats = checks?.formats.length === 0 ? undefined : checks?.formats;
  try {
    await hive.create(proposal.source, proposal.targets, checks && { level: checks.level, syntax, formats });
  } catch (error) {
    if (!(error instanceof ClientError) || error.kind !== "denied") throw error;
    printNotice(printable(error.message));
    return false;
  }
  print(`Created the Hive ${hive.slug} on ${server}.`);
  return true;
}
