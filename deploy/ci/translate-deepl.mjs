/**
 * For `skep translate --with`: DeepL. What must stay as it is (arguments, placeholders and tags) is marked. DeepL knows no
 * plural rules within a text, so a message of ICU with `{count, plural, …}` is skipped.
 * DEEPL_API_KEY; DEEPL_BASE_URL names another server.
 */
import { readFileSync } from "node:fs";

const { DEEPL_API_KEY, DEEPL_BASE_URL = "https://api-free.deepl.com" } = process.env;
const kept = /(\{\{.*?\}\}|\{[^{}]*\}|%(?:\d+\$)?[\d.]*[sdifu@]|(?<![\w:]):[a-z]\w*|<[^<>]+>)/;
const escaped = (text) => text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
const marked = (text) =>
  text
    .split(kept)
    .map((part, i) => (i % 2 === 1 ? `<x>${escaped(part)}</x>` : escaped(part)))
    .join("");
const plain = (text) =>
  text
    .replaceAll(/<\/?x>/g, "")
    .replaceAll("&lt;", "<")
    .replaceAll("&gt;", ">")
    .replaceAll("&amp;", "&");

const answers = new Map();
const texts = [];
for (const line of readFileSync(0, "utf8").trim().split("\n")) {
  const { file, key, locale, source_locale: from, forms } = JSON.parse(line);
  const answer = { file, key, forms: {} };
  if (forms.some(({ source }) => /\{[^{}]*\{/.test(source.replaceAll("{{", ""))))
    answer.skip = "a message of ICU";
  else for (const { form, source } of forms) texts.push({ answer, form, source, locale, from });
  answers.set(line, answer);
}
// At most 50 texts in a request.
for (let at = 0; at < texts.length; at += 50) {
  const part = texts.slice(at, at + 50);
  const response = await fetch(`${DEEPL_BASE_URL}/v2/translate`, {
    method: "POST",
    headers: { "Content-Type": "application/json", Authorization: `DeepL-Auth-Key ${DEEPL_API_KEY}` },
    body: JSON.stringify({
      text: part.map(({ source }) => marked(source)),
      source_lang: part[0].from.split(/[-_]/)[0].toUpperCase(),
      target_lang: part[0].locale.replaceAll("_", "-").toUpperCase(),
      tag_handling: "xml",
      ignore_tags: ["x"],
      preserve_formatting: true,
    }),
  });
  if (!response.ok) throw new Error(`${response.status}: ${await response.text()}`);
  const { translations } = await response.json();
  part.forEach(({ answer, form }, i) => (answer.forms[form] = plain(translations[i].text)));
}
for (const { forms, ...answer } of answers.values())
  console.log(JSON.stringify(answer.skip === undefined ? { ...answer, forms } : answer));
