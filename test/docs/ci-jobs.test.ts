/** The jobs of deploy/ci, run as their CI would run them: their steps in plain shells, in a clone, against a real server. */
import { existsSync, readFileSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { githubFaults } from "./action-schema.ts";
import { parse, parseAllDocuments } from "yaml";
import { z } from "zod";
import { git, request } from "../helpers/process.ts";
import { bash, place, start, writeAll, type Place } from "./ci-place.ts";
import { root } from "./pages.ts";
import { blocks, shell, type Ran } from "./shell.ts";

const folder = join(root, "deploy/ci");
const read = (name: string): string => readFileSync(join(folder, name), "utf8");
const tasks = ["push", "check", "preview", "pull"] as const;
type Task = (typeof tasks)[number];

/** A system that runs the jobs: the steps of a task, what it tells them, and how it is given flags. */
interface System {
  readonly steps: (task: Task) => readonly string[];
  readonly env: (task: Task) => Readonly<Record<string, string>>;
}

interface Step {
  readonly id?: string;
  readonly if?: string;
  readonly shell: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly run: string;
}

interface Action {
  readonly inputs: Readonly<Record<string, { readonly default?: string; readonly required?: boolean }>>;
  readonly runs: { readonly steps: readonly Step[] };
}

const action: Action = parse(read("action.yml"));

/** The values of an action's inputs: those that are given, else the default ones. */
function inputsOf(given: Readonly<Record<string, string>>): Record<string, string> {
  const known = Object.entries(action.inputs).map(([name, input]) => [
    name,
    given[name] ?? input.default ?? "",
  ]);
  return Object.fromEntries(known);
}

/** Puts values into the expressions of an action, which name inputs alone. */
function filled(text: string, inputs: Readonly<Record<string, string>>): string {
  return text.replaceAll(/\$\{\{ (.*?) \}\}/g, (_, expression: string) => {
    const [, name = ""] = /^inputs\.([\w-]+)$/.exec(expression) ?? [];
    const value = inputs[name];
    if (value === undefined) throw new Error(`no input: ${expression}`);
    return value.includes("${{ github.token }}") ? "secret" : value;
  });
}

function stepsOfAction(inputs: Readonly<Record<string, string>>): readonly Step[] {
  return action.runs.steps.filter(({ if: condition }) => {
    if (condition === undefined) return true;
    const [, name = "", value] = /^inputs\.([\w-]+) != '(.*)'$/.exec(condition) ?? [];
    if (inputs[name] === undefined) throw new Error(`no condition: ${condition}`);
    return inputs[name] !== value;
  });
}

/** GitLab's answer to what a component is: its inputs, and its jobs with them filled in. */
const gitlabInput = z.strictObject({
  description: z.string().optional(),
  type: z.enum(["string", "number", "boolean", "array"]).optional(),
  default: z.union([z.string(), z.number(), z.boolean()]).optional(),
  options: z.array(z.string()).optional(),
  regex: z.string().optional(),
});
const gitlabHeader = z.strictObject({
  spec: z.strictObject({ inputs: z.record(z.string().regex(/^[a-z][\w-]*$/), gitlabInput) }),
});
/** The keywords of jobs that https://docs.gitlab.com/ci/yaml/ has, as far as the component needs them. */
const gitlabJobs = z.record(
  z.string(),
  z.strictObject({
    extends: z.string().optional(),
    stage: z.string().optional(),
    image: z.string().optional(),
    rules: z.array(z.strictObject({ if: z.string(), when: z.string().optional() })).optional(),
    resource_group: z.string().optional(),
    variables: z.record(z.string().regex(/^[A-Z_0-9]+$/), z.union([z.string(), z.number()])).optional(),
    script: z.array(z.string()).optional(),
    artifacts: z
      .strictObject({
        when: z.enum(["always", "on_success", "on_failure"]),
        expose_as: z.string(),
        paths: z.array(z.string()),
      })
      .optional(),
  }),
);

function gitlab(given: Readonly<Record<string, string>>) {
  const [header = "", body = ""] = read("gitlab/templates/skep.yml").split("\n---\n");
  const { inputs } = gitlabHeader.parse(parse(header)).spec;
  const used = new Set<string>();
  const text = body.replaceAll(/\$\[\[ inputs\.([\w-]+) \]\]/g, (_, name: string) => {
    used.add(name);
    const value = given[name] ?? inputs[name]?.default;
    if (value === undefined) throw new Error(`no input: ${name}`);
    return String(value);
  });
  expect([...used].toSorted()).toEqual(Object.keys(inputs).toSorted());
  return gitlabJobs.parse(parse(text));
}

const gitlabVariables = {
  GITLAB_CI: "true",
  CI_SERVER_HOST: "gitlab.example.org",
  CI_PROJECT_PATH: "acme/app",
  CI_DEFAULT_BRANCH: "main",
  GITLAB_TOKEN: "secret",
};

const jenkins = (task: Task): readonly string[] =>
  Array.from(read("Jenkinsfile").matchAll(/\bsh '([^']*)'/g), ([, line = ""]) => line).filter((line) =>
    line.endsWith(` ${task}`),
  );

const systems: Readonly<Record<string, System>> = {
  "GitHub Actions": {
    steps: (task) => stepsOfAction(inputsOf({ task })).map(({ run }) => run),
    env: (task) => {
      const inputs = inputsOf({ task, "pull-branch": "texts", flags: "--config skep.yaml" });
      const env = Object.entries(action.runs.steps.at(-1)?.env ?? {}).map(([name, value]) => [
        name,
        filled(value, inputs),
      ]);
      return { ...Object.fromEntries(env), GITHUB_ACTIONS: "true", GITHUB_ACTION_PATH: folder };
    },
  },
  "GitLab CI": {
    steps: (task) => gitlab({ image: "skep-ci" })[`skep-${task}`]?.script ?? [],
    env: (task) => {
      const { variables = {} } = gitlab({ image: "skep-ci", "pull-branch": "texts" })[`skep-${task}`] ?? {};
      const expanded = Object.entries(variables).map(([name, value]) => [
        name,
        String(value).replaceAll(/\$(\w+)/g, (_, other: string) =>
          String(new Map(Object.entries(gitlabVariables)).get(other)),
        ),
      ]);
      return { ...gitlabVariables, ...Object.fromEntries(expanded) };
    },
  },
  Jenkins: { steps: jenkins, env: () => ({ SKEP_PULL_BRANCH: "texts" }) },
  "a plain shell": {
    steps: (task) =>
      shell("deploy/ci/README.md")
        .flatMap((block) => block.split("\n"))
        .filter((line) => line.includes(`skep-ci.sh ${task}`)),
    env: () => ({ SKEP_PULL_BRANCH: "texts" }),
  },
};

async function run(
  at: Place,
  system: string,
  task: Task,
  more: Readonly<Record<string, string>> = {},
): Promise<Ran> {
  const { steps, env } = systems[system] ?? { steps: () => [], env: () => ({}) };
  const scripts = steps(task);
  expect(scripts.length, `${system}: ${task}`).toBeGreaterThan(0);
  let ran: Ran = { code: 0, stdout: "", stderr: "" };
  const given = {
    ...env(task),
    GITHUB_OUTPUT: join(at.programs, "output"),
    SKEP_TOKEN: at.token,
    SKEP_SERVER: at.url,
  };
  for (const script of scripts) if (ran.code === 0) ran = await bash(at, script, { ...given, ...more });
  return ran;
}

/** An app whose first commit is pushed, in which skep-ci is a program, and the folder is where the page says that it is. */
async function prepared(): Promise<Place> {
  const at = await place("en", "fr", {
    "lang/en.json": '{\n  "home": "Home",\n  "hi": "Hi {{name}}"\n}\n',
    "lang/fr.json": '{\n  "home": "Accueil"\n}\n',
  });
  await start(at, "lang/{locale}.json");
  symlinkSync(join(folder, "skep-ci.sh"), join(at.programs, "skep-ci"));
  const first =
    "echo 'source: en' >> skep.yaml && git checkout -q -b main && git add . && git -c user.name=A -c user.email=a@b.c commit -qm first && git push -q origin main";
  expect(
    await bash(at, `ln -s '${root}/deploy' '${join(at.app, "..", "deploy")}' && ${first}`),
  ).toMatchObject({ code: 0 });
  return at;
}

const exported = async (at: Place, locale: string): Promise<unknown> => {
  const { json } = await request(at, at.token, "GET", `/api/hives/web/export?locale=${locale}&names=hive`);
  return JSON.parse(json.files["en.json"]);
};

it.each(Object.keys(systems))("the jobs of %s push, check, preview and pull", async (system) => {
  const at = await prepared();
  writeAll(at.app, {
    "lang/en.json": '{\n  "home": "Home!",\n  "hi": "Hi {{name}}",\n  "<b>": "# ```"\n}\n',
  });
  // The preview changes nothing in the Hive, and nothing in it is Markdown.
  const preview = await run(at, system, "preview");
  expect([preview.code, await exported(at, "en")]).toEqual([0, { home: "Home", hi: "Hi {{name}}" }]);
  const file = readFileSync(join(at.app, "skep-preview.md"), "utf8");
  const [title, , said, , ...lines] = file.trimEnd().split("\n");
  expect([title, said]).toEqual(["### Translations", "A push of these files:"]);
  expect(lines.filter((line) => !line.startsWith("    "))).toEqual([]);
  expect(file).toContain("1 created");
  expect(await run(at, system, "push")).toMatchObject({
    code: 0,
    stdout: expect.stringContaining("1 created"),
  });
  expect(await exported(at, "en")).toEqual({ home: "Home!", hi: "Hi {{name}}", "<b>": "# ```" });
  // What the push had to delete above its limit stays.
  writeAll(at.app, { "lang/en.json": '{\n  "home": "Home!"\n}\n' });
  const limited = await run(at, system, "push", { SKEP_MAX_DELETIONS: "1" });
  expect([limited.code, Object.keys(Object(await exported(at, "en"))).length]).toEqual([1, 3]);
  await bash(at, "git checkout -q lang && rm skep-preview.md");
  // A translation that would break the app is named, beside its line where the system can show it.
  expect(await run(at, system, "check")).toMatchObject({ code: 0 });
  writeAll(at.app, { "lang/fr.json": '{\n  "home": "Accueil",\n  "hi": "Salut {{nom}}"\n}\n' });
  const place = system === "GitHub Actions" ? "::error file=lang/fr.json,line=3," : "lang/fr.json:3: error";
  expect(await run(at, system, "check")).toMatchObject({ code: 3, stdout: expect.stringContaining(place) });
  // What is not committed would get into the pull's commit.
  expect(await run(at, system, "pull")).toMatchObject({
    code: 1,
    stderr: expect.stringContaining("not committed"),
  });
  await bash(at, "git checkout -q lang");
  // What lies beside is left where it is; a new file of a locale is not.
  writeAll(at.app, { "cache/x y": "1", "[a].tmp": "1" });
  const translations = { files: { "en.json": { hi: "Salut {{name}}" } } };
  await request(at, at.token, "POST", "/api/hives/web/translations/fr", translations);
  await bash(
    at,
    "git rm -q lang/fr.json && git -c user.name=A -c user.email=a@b.c commit -qm gone && git push -q origin main",
  );
  const pulled = await run(at, system, "pull");
  expect(pulled).toMatchObject({ code: 0 });
  if (system === "GitHub Actions")
    expect(pulled.stdout).toContain(
      "gh pr create --head texts --title Update translations --body From Skep.",
    );
  expect(await git(at.origin, "diff", "--name-only", "main", "texts")).toBe("lang/fr.json\n");
  expect(await git(at.origin, "log", "--format=%s %an", "main..texts")).toBe("Update translations Skep\n");
  // The same once more, before anybody has merged it: the request keeps its commit.
  const tip = await git(at.origin, "rev-parse", "texts");
  await bash(at, "git switch -q main");
  expect(await run(at, system, "pull")).toMatchObject({
    code: 0,
    stdout: expect.stringContaining("The branch texts has them already."),
  });
  expect(await git(at.origin, "rev-parse", "texts")).toBe(tip);
  // Nothing new: no commit.
  await bash(at, "git switch -q main && git reset -q --hard texts && git push -q origin main");
  expect(await run(at, system, "pull")).toMatchObject({
    code: 0,
    stdout: expect.stringContaining("No new translations."),
  });
});

it("a preview that fails says why, and the action makes none without a token", async () => {
  const at = await prepared();
  const failed = await run(at, "Jenkins", "preview", { SKEP_TOKEN: "skep_wrong" });
  const file = readFileSync(join(at.app, "skep-preview.md"), "utf8");
  expect([failed.code, file]).toEqual([
    5,
    expect.stringContaining("A push of these files fails:\n\n    skep: "),
  ]);
  await bash(at, "rm skep-preview.md");
  const none = await run(at, "GitHub Actions", "preview", { SKEP_TOKEN: "" });
  expect([none.code, none.stdout, existsSync(join(at.app, "skep-preview.md"))]).toEqual([
    0,
    "::notice::There is no token here, and no preview.\n",
    false,
  ]);
  const made = await run(at, "GitHub Actions", "preview");
  expect([made.code, readFileSync(join(at.programs, "output"), "utf8")]).toEqual([
    0,
    "preview-file=skep-preview.md\n",
  ]);
});

it("the action installs the package, and puts no value into the code of a script", async () => {
  const [install, main] = stepsOfAction(
    inputsOf({ task: "push", package: "https://packages.example.org/skep.tgz" }),
  );
  const at = await place("en", "fr", {});
  expect((await bash(at, install?.run ?? "")).stdout).toBe(
    "npm install --global https://packages.example.org/skep.tgz\n",
  );
  for (const { run: script, shell: named } of action.runs.steps)
    expect([script, named]).toEqual([expect.not.stringContaining("${{"), "bash"]);
  expect(main?.run).toContain("skep-ci.sh");
});

it("skep-ci names its tasks to whoever gives none", async () => {
  const at = await place("en", "fr", {});
  for (const given of ["", "--help", "pish"])
    expect(await bash(at, `sh '${folder}/skep-ci.sh' ${given}`)).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("skep-ci TASK"),
    });
});

it("the action and the workflow of the page are as the published schemas of GitHub have them", async () => {
  expect(githubFaults("action", read("action.yml"))).toEqual([]);
  expect(githubFaults("action", read("action.yml").replace("shell: bash", "shel: bash"))).not.toEqual([]);
  const workflow = blocks("deploy/ci/README.md", "yaml").find((block) => block.includes("runs-on")) ?? "";
  expect(githubFaults("workflow", workflow)).toEqual([]);
  expect(githubFaults("workflow", workflow.replace("runs-on", "run-on"))).not.toEqual([]);
  // It gives inputs that the action has.
  const { jobs }: { jobs: Record<string, { steps: { uses?: string; with?: object }[] }> } = parse(workflow);
  const uses = Object.values(jobs).flatMap(({ steps }) =>
    steps.filter(({ uses: name }) => name === "./.github/actions/skep"),
  );
  expect(uses.length).toBe(tasks.length);
  for (const { with: given = {} } of uses)
    expect(Object.keys(action.inputs)).toEqual(expect.arrayContaining(Object.keys(given)));
});

it("the component of GitLab and its use on the page are what GitLab takes", () => {
  expect(() => gitlab({})).toThrow("no input: image");
  const use = blocks("deploy/ci/README.md", "yaml").find((block) => block.includes("component:")) ?? "";
  const { include } = z
    .object({
      include: z.array(z.strictObject({ component: z.string(), inputs: z.record(z.string(), z.string()) })),
    })
    .parse(parse(use));
  for (const { component, inputs } of include) {
    expect(component).toMatch(/\/skep@/);
    const jobs = gitlab(inputs);
    expect(Object.keys(jobs)).toEqual([".skep", "skep-push", "skep-check", "skep-preview", "skep-pull"]);
    for (const job of Object.values(jobs).slice(1)) expect(jobs[job.extends ?? ""]).toBeDefined();
  }
  expect(parseAllDocuments(read("gitlab/templates/skep.yml"))).toHaveLength(2);
});

it("the Jenkinsfile has a stage for each task, and its brackets are closed", () => {
  const text = read("Jenkinsfile").replaceAll(/^\/\/.*$/gm, "");
  for (const [open = "", close = ""] of ["{}", "()", "[]"])
    expect(text.split(open).length).toBe(text.split(close).length);
  for (const task of tasks) expect(jenkins(task)).toEqual([`skep-ci ${task}`]);
});
