/** Exports of the files of a Hive, as the API gives them: one file by itself, or several in an archive. */
import { failingTexts } from "../../../domain/export/export.ts";
import { formats } from "../../../domain/export/formats/formats.ts";
import { pseudoLocalesFor } from "../../../domain/export/pseudo-locales.ts";
import { localesOf } from "../../../domain/hives/hive-settings.ts";
import { exportStates, missingTexts } from "../../../domain/review/exported-texts.ts";
import { exportFiles } from "../../../service/content/queries.ts";
import { hiveOutline } from "../../../service/content/string-search.ts";
import { exportQuery } from "../../../api/content/translations.ts";
import { zipOf } from "../../responses/zip.ts";
import { check } from "../../schemas/schemas.ts";
import { localeOptions } from "../parts/fields.tsx";
import { stringTags } from "../parts/hive-states.ts";
import { hivePage } from "../parts/navigation.tsx";
import { FilterForm } from "../parts/page-form.tsx";
import { stateOf } from "../requests/form.ts";
import type { HiveRequest, PageResult, PageRoute, View } from "../requests/page.ts";
import { t } from "../texts/texts.ts";

const formatOptions = Object.keys(formats).map((name) => [name, name.toUpperCase()] as const);

async function show(request: HiveRequest): Promise<View> {
  const { storage, branch, hiveLink, query } = request;
  const { settings } = await hiveOutline(storage, branch);
  const pseudo = pseudoLocalesFor(settings).map(({ code }) => [code, t("export.pseudo", { code })] as const);
  const locales = [...localeOptions(request, localesOf(settings)), ...pseudo];
  const value = typeof query.locale === "string" ? query.locale : undefined;
  const asStored = t("export.as_stored");
  return hivePage(
    request,
    "Strings",
    <>
      <p class="soft">{t("export.about")}</p>
      <FilterForm
        page={["export", "download"]}
        button={t("export.download")}
        isStacked
        // What is given of texts is the same as in a channel.
        state={stateOf(undefined, "channels")}
        fields={[
          { kind: "one", name: "locale", all: t("common.all_locales"), options: locales, value },
          { kind: "one", name: "format", options: formatOptions },
          { kind: "one", name: "shape", options: ["flat", "nested"] },
          { kind: "one", name: "state", all: asStored, options: exportStates },
          { kind: "one", name: "failing", all: asStored, options: failingTexts },
          { kind: "one", name: "missing", options: missingTexts },
          { name: "tag", options: await stringTags(request) },
          { name: "min_complete", type: "number" },
        ]}
      />
    </>,
    {
      title: t("export.export"),
      between: [{ label: t("common.strings"), href: hiveLink(["strings"]) }],
    },
  );
}

async function download({ storage, branch, hive, query, signal }: HiveRequest): Promise<PageResult> {
  // The form has a shape for the format that has one.
  const { shape: _, ...given } = query;
  const asked = check(exportQuery, given.format === "php" ? given : query, "query");
  const wanted = { ...asked, tags: asked.tag, minComplete: asked.min_complete, signal };
  const { parts } = await (await exportFiles(storage, branch, wanted)).read();
  const files = async function* (): AsyncGenerator<readonly [string, Buffer]> {
    for (const part of parts)
      for (const [name, pieces] of await part.read()) yield [name, Buffer.from(pieces.join(""))];
  };
  const all = files();
  const [first, second] = [await all.next(), await all.next()];
  const name = `${hive.slug}-${asked.locale ?? "all"}`;
  if (first.done !== true && second.done === true) {
    const [path, content] = first.value;
    return { file: content, name: path.slice(path.lastIndexOf("/") + 1), type: "application/octet-stream" };
  }
  const archive = zipOf(
    (async function* () {
      for (const one of [first, second]) if (one.done !== true) yield one.value;
      yield* all;
    })(),
  );
  return { file: await archive, name: `${name}.zip`, type: "application/zip" };
}

const path = "/hives/:slug/export";

export const exportPages: readonly PageRoute[] = [
  { kind: "hive", path, handler: show },
  { kind: "hive", path: `${path}/download`, isSlow: true, handler: download },
];
