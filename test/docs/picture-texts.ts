/** Texts for pictures of the console: a Hive as it is after some months, with all that pages have to show. */
import { toHiveSlug, toTeamName } from "../../src/domain/names.ts";
import { toWebhookUrl } from "../../src/domain/hives/webhook.ts";
import { addEngine } from "../../src/service/admin/engines.ts";
import { addWebhook } from "../../src/service/admin/webhooks.ts";
import { toMirrorUrl } from "../../src/domain/hives/mirror-url.ts";
import { deleteHive } from "../../src/service/admin/hives.ts";
import { addMirror, pushNow } from "../../src/service/admin/mirrors.ts";
import type { Storage } from "../../src/service/storage.ts";
import { webhookOwner } from "../helpers/events/webhook-owner.ts";

const english = {
  failed: "These credentials do not match our records.",
  password: "The password is wrong.",
  throttle: "Too many login attempts. Please try again in :seconds seconds.",
  welcome: "Welcome back, :name!",
  sign_in: "Sign in",
  sign_out: "Sign out",
};
const french = {
  failed: "Ces identifiants ne correspondent pas à nos enregistrements.",
  password: "Le mot de passe est faux.",
  welcome: "Bon retour, :name !",
  sign_in: "Se connecter",
};
const german = {
  ...french,
  failed: "Diese Zugangsdaten sind unbekannt.",
  password: "Das Passwort ist falsch.",
  sign_out: "Abmelden",
  throttle: "Zu viele Versuche. Bitte in :seconds Sekunden noch einmal.",
};
const japanese = { welcome: "おかえりなさい、:name さん", sign_in: "ログイン", sign_out: "ログアウト" };
const arabic = { welcome: ":name، مرحباً بعودتك", sign_in: "تسجيل الدخول", password: "كلمة المرور خاطئة." };

const words =
  "Save Cancel Delete Edit New Open Close Search Settings Profile Help Back Next Done Share".split(" ");
const menu = Object.fromEntries(words.map((word) => [word.toLowerCase(), word]));
const menuGerman: Readonly<Record<string, string>> = {
  save: "Speichern",
  cancel: "Abbrechen",
  delete: "Löschen",
  edit: "Bearbeiten",
  new: "Neu",
  open: "Öffnen",
};
const cart = {
  empty: "Your cart is empty.",
  items_one: "{{count}} item",
  items_other: "{{count}} items",
  "a_key_that_is_far_longer_than_anybody_would_write_by_hand.but_which_a_program_made.of_several_parts":
    "Total",
};
const sentence =
  "You may use this service only in accordance with these terms, and with all laws that apply to you. ";
const legal = {
  terms: sentence.repeat(12),
  imprint: "Line 1\nLine 2\nLine 3\nLine 4\nLine 5\nLine 6\nLine 7\nLine 8",
};

interface Api {
  readonly url: string;
  readonly token: string;
  /** Of another person, who changes a text and answers a question. */
  readonly another: string;
  /** A picture of a page that asks for a password, and where in it the button is. */
  readonly picture: {
    readonly content: Buffer;
    readonly box: Readonly<Record<"x" | "y" | "width" | "height", number>>;
  };
}

/** Commits that pictures show. */
interface Commits {
  readonly first: string;
  readonly last: string;
  readonly undoable: string;
}

/** Fills the Hive `web` over the API, so that each change is a commit of its own. */
export async function fillHive(
  storage: Storage,
  { url: server, token, another, picture }: Api,
): Promise<Commits> {
  const send = async (
    path: string,
    body: object,
    message = "",
    method: "POST" | "PUT" | "PATCH" = "POST",
    by = token,
    headers: Readonly<Record<string, string>> = {},
  ): Promise<string> => {
    const response = await fetch(`${server}/api/hives/web${path}`, {
      method,
      headers: {
        authorization: `Bearer ${by}`,
        "content-type": "application/json",
        "x-commit-message": message,
        "x-commit-ref": "https://ci.example.org/runs/42",
        ...headers,
      },
      body: JSON.stringify(body),
    });
    if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`);
    return response.headers.get("x-skep-commit") ?? "";
  };
  const files = (name: string, texts: object) => ({ files: { [name]: texts } });
  const overwrite = (name: string, texts: object) => ({
    ...files(name, texts),
    overwrite_strategy: "overwrite",
  });
  await send(
    "/strings",
    { files: { "auth.php": english, "menu.json": menu, "cart.json": cart } },
    "First import",
  );
  await send(
    "/translations/de",
    { files: { "auth.php": german, "menu.json": menuGerman } },
    "From the agency",
  );
  await send("/translations/fr", files("auth.php", french), "From the agency");
  await send("/translations/ja", files("auth.php", japanese));
  await send("/translations/ar", files("auth.php", arabic));
  await send("/translations/nl", files("menu.json", menu));
  await send("/tags", { name: "v1.0", message: "What went to the shops" });
  await send("/strings", files("legal.json", legal), "Terms of use");
  await send("/branches", { name: "feature/login" });
  await send("/strings?branch=feature/login", files("auth.php", { sign_in: "Log in", forgot: "Forgot it?" }));
  const first = await send(
    "/strings",
    files("auth.php", { password: "This password is not right." }),
    "Kinder",
  );
  await send(
    "/strings",
    files("auth.php", { password: "That password is not right.", sign_in: "Sign in now" }),
  );
  const undoable = await send("/translations/de", overwrite("auth.php", { welcome: "Willkommen, :name!" }));
  for (const text of ["Mot de passe faux.", "Mot de passe erroné.", "Le mot de passe n’est pas bon."])
    await send("/translations/fr", overwrite("auth.php", { password: text }), "Retouche");
  for (let n = 0; n < 12; n++)
    await send("/translations/pl", overwrite("menu.json", { save: `Zapisz ${n}` }));
  const last = await send(
    "/strings",
    files("auth.php", { throttle: "Too many attempts. Try again in :seconds s." }),
  );
  const password = {
    note: "Above the form, after a wrong password.",
    ask: "May this be formal?",
    tags: ["login"],
  };
  await send("/notes", files("auth.php", { password: { ...password, max_length: 30 } }), "", "PATCH");
  const shown = { note: "Shown in a red box.", where: ["src/login/form.ts:112"] };
  await send("/strings", { files: {}, notes: { "auth.php": { password: shown } } });
  const terms = [
    {
      source: "password",
      meaning: "What one types in to sign in; never a PIN.",
      translations: {
        fr: { text: "mot de passe", forbidden: ["code secret"] },
        de: { text: "Passwort", accepted: ["Kennwort"] },
        ja: { text: "パスワード" },
      },
    },
    { source: "cart", part_of_speech: "noun", translations: { fr: { text: "panier" } } },
  ];
  await send("/glossary", { terms });
  await send("/pictures", {
    name: "login.png",
    content: picture.content.toString("base64"),
    strings: ["auth.php:password", "auth.php:sign_*"],
    boxes: [{ string: "auth.php:password", ...picture.box }],
  });
  await send("/style/fr", { text: "Vouvoyez. Une espace fine avant les signes doubles." }, "", "PUT");
  await send(
    "/translations/fr",
    overwrite("auth.php", { failed: "Ces identifiants sont inconnus." }),
    "",
    "POST",
    another,
  );
  const byModel = { "x-commit-origin": "model", "x-commit-model": "mistral-small" };
  const suggested = { delete: "Effacer", save: "Sauver", cancel: "Annuler", search: "Rechercher" };
  await send("/translations/fr", files("menu.json", suggested), "", "POST", token, byModel);
  const about = { file: "auth.php", key: "password", locale: "fr" };
  await send("/comments", { ...about, text: "Is this the label of the field?", ask: true });
  await send("/comments", { ...about, text: "Yes, above the field." }, "", "POST", another);
  await send("/channels/production", { at: "v1.0", public: true }, "", "PUT");
  const web = toHiveSlug("web");
  const url = toWebhookUrl("https://ci.example.org/skep");
  const owner = webhookOwner(toTeamName("acme"));
  await addWebhook(storage, owner, { url, hive: web });
  const engine = { name: "mistral", type: "openai", url: "https://api.mistral.ai/v1" } as const;
  const model = { model: "mistral-small-latest", key: "example" };
  await addEngine(storage, { ...owner, isStorageOwner: false }, { ...engine, ...model });
  await addMirror(storage, web, toMirrorUrl("/nowhere/that/exists/web.git"));
  await pushNow(storage, web, new AbortController().signal);
  await deleteHive(storage, toHiveSlug("old"));
  return { first, last, undoable };
}
