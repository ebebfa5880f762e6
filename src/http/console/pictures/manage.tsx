/** All pictures of a Hive, or those of one string: adding one, marking a string in one, deleting one. */
import { z } from "zod";
import { invalid } from "../../../domain/errors.ts";
import { imageTypes } from "../../../domain/pictures/image-header.ts";
import { mediaTypeOf, type Box, type Picture } from "../../../domain/pictures/picture.ts";
import { addPicture, deletePicture, listPictures, readImage } from "../../../service/context/pictures.ts";
import { pageQuery, toOffsetLimit } from "../../../api/page.ts";
import { pictureBox } from "../../../api/content/pictures.ts";
import { once } from "../../../api/objects.ts";
import { check } from "../../schemas/schemas.ts";
import type { FormField } from "../parts/fields.tsx";
import { mayWriteAll, hivePage, ListWithForm, Pager } from "../parts/navigation.tsx";
import { hiveForm, PageForm, type HiveForm } from "../parts/page-form.tsx";
import { Confirm } from "../parts/post-form.tsx";
import { Key } from "../parts/text.tsx";
import type { Form, FormState } from "../requests/form.ts";
import { stringLink } from "../requests/links.ts";
import type { HiveFormRequest, HiveRequest, PageResult, PageRoute, View } from "../requests/page.ts";
import { savedNotice, undoOf } from "../requests/undoable.ts";
import { t } from "../texts/texts.ts";
import { DrawnPicture, PictureList } from "./pictures.tsx";

const ability = "write";
const perPage = 24;
const picturesQuery = pageQuery.pick({ page: true }).extend({ file: once, key: once });

/** The numbers of a box, in pixels. */
const sides = ["x", "y", "width", "height"] as const;
const boxFields: readonly FormField[] = sides.map((name) => ({ name, type: "number" }) as const);

/** The string that a page or a form is about. */
interface Shown {
  readonly file: string;
  readonly key: string;
}

function shownIn({ file, key = "" }: { readonly file?: string; readonly key?: string }): Shown | undefined {
  return file === undefined ? undefined : { file, key };
}

async function show(request: HiveRequest, submitted?: FormState): Promise<View> {
  const { storage, branch, query, signal, hiveLink } = request;
  const { page, ...named } = check(picturesQuery, submitted === undefined ? query : {}, "query");
  const at = submitted === undefined ? shownIn(named) : shownIn(submitted.values);
  const paging = { page, per_page: perPage };
  const found = await listPictures(storage, branch, { ...toOffsetLimit(paging), ...at, signal });
  const { entries, total } = await found.read();
  const canAdd = mayWriteAll(request);
  const list = (
    <>
      {at !== undefined && (
        <p>
          <Key name={at.key} href={stringLink(hiveLink, at.file, at.key)} />
        </p>
      )}
      {total === 0 && <p>{t("pictures.there_is_none")}</p>}
      <PictureList
        pictures={entries}
        action={(picture) =>
          canAdd && (
            <Confirm
              of="pictures/delete"
              what={picture.name}
              button={t("pictures.delete_it")}
              hidden={{ hash: picture.hash }}
            />
          )
        }
      />
      <Pager paging={paging} total={total} path={["pictures"]} query={{ ...at }} />
    </>
  );
  return picturesPage(
    request,
    canAdd ? (
      <ListWithForm
        list={list}
        form={<PageForm of={newPicture} submitted={submitted} fields={fieldsFor(at)} hidden={{ ...at }} />}
      />
    ) : (
      list
    ),
  );
}

/** @param picture the picture that the page is about. */
function picturesPage(request: HiveRequest, body: View["body"], picture?: Picture): View {
  const { hiveLink } = request;
  const strings = { label: t("common.strings"), href: hiveLink(["strings"]) };
  const all = { label: t("pictures.pictures"), href: hiveLink(["pictures"]) };
  return hivePage(request, "Strings", body, {
    title: picture === undefined ? t("pictures.pictures") : picture.name,
    between: picture === undefined ? [strings] : [strings, all],
  });
}

function fieldsFor(at: Shown | undefined): readonly FormField[] {
  return [
    { kind: "file", name: "content", accept: imageTypes.map(mediaTypeOf).join() },
    { name: "name" },
    { kind: "area", name: "strings", required: true, value: at && `${at.file}:${at.key}` },
    ...(at === undefined ? [] : boxFields),
  ];
}

const newPicture: HiveForm = {
  path: "pictures",
  title: "pictures.add_a_picture",
  button: "common.add",
  ability,
  takesFiles: true,
  take: async ({ storage, branch, hiveLink, form, context }) => {
    const file = form.file("content");
    if (file === undefined) throw invalid("content", "choose a file");
    const at = shownIn(form.values);
    const picture = {
      name: form.word("name") ?? file.name,
      content: file.bytes,
      strings: form
        .text("strings")
        .split("\n")
        .map((line) => line.trim())
        .filter((line) => line !== ""),
      boxes: at === undefined ? [] : boxesIn(form, at),
    };
    const done = await addPicture(storage, branch, picture, context);
    const said = { notice: savedNotice(done), undo: undoOf(done) };
    const { hash } = done.result.picture;
    // Where the string stands in it is marked next.
    if (at !== undefined && picture.boxes.length === 0)
      return { to: hiveLink(["pictures", "box"], { picture: hash, ...at }), ...said };
    return { to: hiveLink(["pictures"], { ...at }), ...said };
  },
};

/** The box that a form has, if it has one. @throws SkepError `invalid` on a number. */
function boxesIn(form: Form, { file, key }: Shown): readonly Box[] {
  if (sides.every((side) => form.word(side) === undefined)) return [];
  const numbers = Object.fromEntries(sides.map((side) => [side, Number(form.word(side) ?? NaN)]));
  return [check(pictureBox, { string: `${file}:${key}`, ...numbers }, "form")];
}

const boxQuery = z.strictObject({ picture: once.pipe(z.string("must be given")), file: once, key: once });

/** A picture, with the form that marks a string in it. */
async function showBox(request: HiveRequest, submitted?: FormState): Promise<View> {
  const { storage, branch, query, signal } = request;
  const given = submitted === undefined ? query : picturedIn(submitted.values);
  const { picture: hash, file = "", key = "" } = check(boxQuery, given, "query");
  const at = { file, key };
  const all = await listPictures(storage, branch, { ...at, offset: 0, limit: Infinity, signal });
  const picture = (await all.read()).entries.find((one) => one.hash === hash);
  // It says that there is none.
  if (picture === undefined) return show(request);
  return picturesPage(
    request,
    <ListWithForm
      list={<DrawnPicture picture={picture} at={at} form={request.hiveLink(newBox.path.split("/"))} />}
      form={
        <PageForm of={newBox} submitted={submitted} fields={boxFields} hidden={{ picture: hash, ...at }}>
          <p>
            <Key name={key} href={stringLink(request.hiveLink, file, key)} />
          </p>
          <p class="hint">{t("pictures.has_pixels", { width: picture.width, height: picture.height })}</p>
          <p class="hint needs-script">{t("pictures.draw_or_write")}</p>
        </PageForm>
      }
    />,
    picture,
  );
}

function picturedIn({ picture, file, key }: FormState["values"]): object {
  return { picture, file, key };
}

const newBox: HiveForm = {
  path: "pictures/box",
  title: "pictures.mark_the_string",
  button: "common.save",
  ability,
  take: async ({ storage, branch, hiveLink, form, context, signal }) => {
    const [file, key] = [form.text("file"), form.text("key")];
    const all = await listPictures(storage, branch, { file, key, offset: 0, limit: Infinity, signal });
    const picture = (await all.read()).entries.find(({ hash }) => hash === form.text("picture"));
    const image = await readImage(storage, branch, form.text("picture"));
    const boxes = boxesIn(form, { file, key });
    if (picture === undefined || boxes.length === 0) throw invalid("x", "must be a whole number");
    const sent = { name: picture.name, content: await image.read(), strings: picture.strings, boxes };
    const done = await addPicture(storage, branch, sent, context);
    return { to: stringLink(hiveLink, file, key), notice: savedNotice(done), undo: undoOf(done) };
  },
};

async function remove({ storage, branch, hiveLink, form, context }: HiveFormRequest): Promise<PageResult> {
  const done = await deletePicture(storage, branch, form.text("hash"), context);
  return { to: hiveLink(["pictures"]), notice: "deleted", undo: undoOf(done) };
}

const path = "/hives/:slug/pictures";

export const managePicturePages: readonly PageRoute[] = [
  { kind: "hive", path, handler: (request) => show(request) },
  hiveForm(newPicture, show),
  { kind: "hive", path: `${path}/box`, ability, handler: (request) => showBox(request) },
  hiveForm(newBox, showBox),
  { kind: "hive-form", path: `${path}/delete`, ability, handler: remove },
];
