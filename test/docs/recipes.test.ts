/**
 * The recipes of docs/ci.md and deploy/ci/recipes, run as their CI would run them: in a clone, with real files, against
 * a real server.
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { parse } from "yaml";
import { codeBlocks } from "../helpers/markdown.ts";
import { git, request } from "../helpers/process.ts";
import { bash, place, start, writeAll } from "./ci-place.ts";
import { readPage, root } from "./pages.ts";
import type { Ran } from "./shell.ts";

const page = readPage("docs/ci.md");
const fixtures = join(root, "test/fixtures/formats");

interface App {
  readonly pattern: string;
  /** The source file and a translated one, by their paths in the tree. */
  readonly files: Readonly<Record<string, string>>;
  readonly source: string;
  readonly locale: string;
}

/** The files of real projects, in the places where such apps have them. */
const apps: Readonly<Record<string, Omit<App, "pattern">>> = {
  Laravel: {
    source: "en",
    locale: "es",
    files: {
      "lang/en/messages.php": "php/laravel-translations-loader/source.en.php",
      "lang/es/messages.php": "php/laravel-translations-loader/target.es.php",
    },
  },
  i18next: {
    source: "en-US",
    locale: "fr",
    files: {
      "public/locales/en-US/runtime.json": "json/node-red/source.en-US.json",
      "public/locales/fr/runtime.json": "json/node-red/target.fr.json",
    },
  },
  Rails: {
    source: "en",
    locale: "fr",
    files: {
      "config/locales/gender/en.yml": "rails/faker-gender/source.en.yml",
      "config/locales/gender/fr.yml": "rails/faker-gender/target.fr.yml",
      "config/locales/appliance/en.yml": "rails/faker-appliance/source.en.yml",
      "config/locales/appliance/fr.yml": "rails/faker-appliance/target.fr.yml",
    },
  },
  Flutter: {
    source: "en",
    locale: "pt-BR=pt_BR",
    files: {
      "lib/l10n/app_en.arb": "arb/example/source.en.arb",
      "lib/l10n/app_pt_BR.arb": "arb/example/target.pt_BR.arb",
    },
  },
};

/** The rows of the table that has a heading, by their first cell. */
function tableRows(heading: string): readonly (readonly string[])[] {
  const [, part = ""] = page.split(`\n## ${heading}\n`);
  return (part.split("\n## ")[0] ?? "")
    .split("\n")
    .filter((line) => /^\| [A-Za-z0-9]/.test(line))
    .slice(1)
    .map((line) =>
      line
        .split("|")
        .slice(1, -1)
        .map((cell) => cell.trim()),
    );
}

function contents(folder: string, paths: readonly string[]): readonly string[] {
  return paths.map((path) => readFileSync(join(folder, path), "utf8"));
}

function realApp(name: string): App {
  const app = apps[name];
  const [, pattern = ""] = tableRows("Name your translation files").find(([title]) => title === name) ?? [];
  if (app === undefined) throw new Error(`There is no app for ${name}.`);
  const files = Object.entries(app.files).map(([path, fixture]) => [
    path,
    readFileSync(join(fixtures, fixture), "utf8"),
  ]);
  return { ...app, files: Object.fromEntries(files), pattern: pattern.replaceAll("`", "") };
}

it.each(Object.keys(apps))(
  "an app of %s is imported, and pulled without a change of its files",
  async (name) => {
    const { files, source, locale, pattern } = realApp(name);
    const at = await place(source, locale, files);
    // What skep init finds is the pattern of the table, or one that finds the same files.
    expect(await bash(at, "skep init --yes --hive web && skep push --translations --dry-run")).toMatchObject({
      code: 0,
    });
    await start(at, pattern);
    const ran = await bash(at, "skep pull && skep diff --exit-code");
    expect(ran).toMatchObject({ code: 0, stdout: expect.stringContaining("are the same") });
    expect(contents(at.app, Object.keys(files))).toEqual(Object.values(files));
  },
);

it.each(
  tableRows("Moving from another tool").map(([from = "", , where = ""]) => [from, where.replaceAll("`", "")]),
)("texts move here from %s", async (_, pattern) => {
  const path = (code: string): string =>
    pattern
      .replace("{locale}", code)
      .replace("**/", "admin/")
      .replace("*.", "app.")
      .replace("*", "app")
      .replace("..", ".");
  const files = {
    [path("en")]: '{\n  "home": "Home",\n  "gap": "Gap",\n  "nav": { "bye": "Bye" }\n}\n',
    // A gap that was filled with the source text.
    [path("fr")]: '{\n  "home": "Accueil",\n  "gap": "Gap",\n  "nav": { "bye": "Salut" }\n}\n',
  };
  const at = await place("en", "fr", files);
  await start(at, pattern);
  const { json } = await request(at, at.token, "GET", "/api/hives/web/export?locale=fr");
  expect(Object.values(json.files).map((content) => JSON.parse(String(content)))).toEqual([
    { home: "Accueil", "nav.bye": "Salut" },
  ]);
  await bash(at, "skep pull");
  expect(contents(at.app, Object.keys(files))).toEqual(Object.values(files));
});

type Job = "push" | "gate" | "check" | "pull";
type BranchJob = "open" | "closed";

interface GitHub<Name extends string> {
  readonly jobs: Readonly<Record<Name, { readonly steps: readonly { readonly run?: string }[] }>>;
}
type GitLab = Readonly<Record<Job, { readonly script: readonly string[] }>> & {
  readonly default: { readonly before_script: readonly string[] };
};

function recipe(name: string): string {
  return readFileSync(join(root, "deploy/ci/recipes", name), "utf8");
}

const [gitlabImage] = codeBlocks(page).flatMap(({ language, code }) => (language === "yaml" ? [code] : []));

/** The commands of a job, as its CI would run them one after the other. */
const recipes: Readonly<Record<string, (job: Job) => readonly string[]>> = {
  "GitHub Actions": (job) => {
    const { jobs }: GitHub<Job> = parse(recipe("github.yml"));
    return jobs[job].steps.flatMap(({ run }) => run ?? []);
  },
  "GitLab CI": (job) => {
    const jobs: GitLab = parse(recipe("gitlab.yml"));
    return [...jobs.default.before_script, ...jobs[job].script];
  },
};

it.each(Object.keys(recipes))("the recipe for %s pushes, checks, and opens a pull request", async (name) => {
  const { files, source, locale, pattern } = realApp("Laravel");
  const at = await place(source, locale, files);
  const user = "git -c user.name=Somebody -c user.email=somebody@example.org";
  await start(at, pattern);
  await bash(
    at,
    `echo 'source: ${source}' >> skep.yaml && git checkout -q -b main && git add . && ${user} commit -qm first && git push -q origin main`,
  );
  const run = async (job: Job): Promise<Ran> => {
    const [first = "", ...rest] = recipes[name]?.(job) ?? [];
    expect((await bash(at, first)).stdout).toBe(
      "npm install --global https://packages.example.org/skep.tgz\n",
    );
    let ran: Ran = { code: 0, stdout: "", stderr: "" };
    for (const script of rest) if (ran.code === 0) ran = await bash(at, script);
    return ran;
  };
  // A string is added: it is pushed, and the gate closes until it is translated.
  const [path = ""] = Object.keys(files);
  const content = readFileSync(join(at.app, path), "utf8");
  writeAll(at.app, { [path]: content.replace(/\[|array\(/, "$&\n    'added_here' => 'Added',") });
  await bash(at, `${user} commit -qam second && git push -q origin main`);
  expect(await run("push")).toMatchObject({ code: 0, stdout: expect.stringContaining("1 created") });
  const head = (await git(at.app, "rev-parse", "HEAD")).trim();
  const { json: history } = await request(at, at.token, "GET", "/api/hives/web/history?operation=sync");
  expect(history.data[0]).toMatchObject({ ref: head });
  expect(await run("gate")).toMatchObject({ code: 3 });
  const { json } = await request(at, at.token, "GET", `/api/hives/web/untranslated?locale=${locale}`);
  for (const { file, key } of json.data) {
    const translated = { files: { [file]: { [key]: "Añadido" } } };
    await request(at, at.token, "POST", `/api/hives/web/translations/${locale}`, translated);
  }
  expect(await run("gate")).toMatchObject({ code: 0 });
  // A translation that would break the app does not get in.
  expect(await run("check")).toMatchObject({ code: 0 });
  const [, translated = ""] = Object.keys(files);
  const good = readFileSync(join(at.app, translated), "utf8");
  writeAll(at.app, { [translated]: good.replace(/\[|array\(/, "$&\n    'added_here' => 'Hola :nombre',") });
  expect(await run("check")).toMatchObject({ code: 3, stdout: expect.stringContaining(":nombre is not in") });
  writeAll(at.app, { [translated]: good });
  // What was translated comes as one commit on a branch of its own.
  expect(await run("pull")).toMatchObject({ code: 0 });
  expect(await git(at.origin, "log", "--format=%s %an", "main..translations")).toBe(
    "Update translations Skep\n",
  );
  const changed = (await git(at.origin, "diff", "--name-only", "main", "translations")).trim().split("\n");
  expect(changed).toEqual(Object.keys(files).slice(1));
  // Nothing new: no commit.
  await bash(at, "git switch -q main && git reset -q --hard translations && git push -q origin main");
  expect(await run("pull")).toMatchObject({ code: 0 });
  expect(await git(at.origin, "log", "--format=%s", "main..translations")).toBe("");
});

it("GitLab CI can use the image for CI, which has all that the jobs need and no entrypoint, and installs nothing", () => {
  const { image, ...others } = parse(gitlabImage ?? "").default;
  expect(readPage("deploy/ci/README.md")).toContain(`docker build --target ci -t ${image} .`);
  expect(others).toEqual({});
});

/** What the jobs for branches run, and what their CI tells them. */
const branchRecipes: Readonly<
  Record<
    string,
    { readonly steps: (job: BranchJob) => readonly string[]; readonly env: Readonly<Record<string, string>> }
  >
> = {
  "GitHub Actions": {
    steps: (job) => {
      const { jobs }: GitHub<BranchJob> = parse(recipe("github-branches.yml"));
      return jobs[job].steps.flatMap(({ run }) => run ?? []);
    },
    env: {
      GITHUB_ACTIONS: "true",
      GITHUB_REF: "refs/pull/3/merge",
      GITHUB_HEAD_REF: "feature/login",
      MERGED: "true",
    },
  },
  "GitLab CI": {
    steps: (job) => {
      const jobs: Readonly<Record<BranchJob, { readonly script: readonly string[] }>> = parse(
        recipe("gitlab-branches.yml"),
      );
      return jobs[job].script;
    },
    env: { GITLAB_CI: "true", CI_MERGE_REQUEST_SOURCE_BRANCH_NAME: "feature/login" },
  },
};

it.each(Object.keys(branchRecipes))(
  "the recipe for branches in %s pushes a pull request, checks it, and merges its translations",
  async (name) => {
    const at = await place("en", "fr", {
      "lang/en.json": '{ "home": "Home" }\n',
      "lang/fr.json": '{ "home": "Accueil" }\n',
    });
    const user = "git -c user.name=Somebody -c user.email=somebody@example.org";
    await start(at, "lang/{locale}.json");
    await bash(at, `git checkout -q -b main && git add . && ${user} commit -qm first`);
    const { steps, env } = branchRecipes[name] ?? { steps: () => [], env: {} };
    const run = async (job: BranchJob): Promise<Ran> => {
      let ran: Ran = { code: 0, stdout: "", stderr: "" };
      for (const script of steps(job)) if (ran.code === 0) ran = await bash(at, script, env);
      return ran;
    };
    const commit = async (files: Readonly<Record<string, string>>): Promise<void> => {
      writeAll(at.app, files);
      await bash(at, `git add . && ${user} commit -qm change`);
    };
    const exported = async (locale: string): Promise<unknown> => {
      const path = `/api/hives/web/export?locale=${locale}&names=hive`;
      const { json } = await request(at, at.token, "GET", path);
      return JSON.parse(json.files["en.json"]);
    };
    await bash(at, "git switch -q -c feature/login");
    await commit({ "lang/en.json": '{ "home": "Home", "login": "Log in" }\n' });
    // A CI system checks a commit out.
    await bash(at, "git switch -q --detach feature/login");
    expect(await run("open")).toMatchObject({ code: 3 });
    const translations = { files: { "en.json": { login: "Connexion" } } };
    const path = "/api/hives/web/translations/fr?branch=feature/login";
    await request(at, at.token, "POST", path, translations);
    expect(await run("open")).toMatchObject({ code: 0 });
    expect([await exported("en"), await exported("fr")]).toEqual([{ home: "Home" }, { home: "Accueil" }]);
    // The merge in git, and the push of main.
    await bash(at, "git switch -q main && git merge -q --ff-only feature/login && skep push");
    expect(await run("closed")).toMatchObject({ code: 0 });
    expect([await exported("en"), await exported("fr")]).toEqual([
      { home: "Home", login: "Log in" },
      { home: "Accueil", login: "Connexion" },
    ]);
    expect((await bash(at, "skep branch list --json")).stdout.trim()).toBe("[]");
  },
);
