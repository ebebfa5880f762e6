/** The pictures of a string, in which it is marked, and each image at an address of its own. */
import type { Child } from "hono/jsx";
import { useHive } from "../requests/context.tsx";
import type { StringAddress } from "../../../domain/move.ts";
import { addressText, mediaTypeOf, type Picture } from "../../../domain/pictures/picture.ts";
import { readImage } from "../../../service/context/pictures.ts";
import { mayWriteAll } from "../parts/navigation.tsx";
import { attributeText, Name } from "../parts/text.tsx";
import type { PageRoute } from "../requests/page.ts";
import { t } from "../texts/texts.ts";

/**
 * Shows the pictures of strings, such as the forms of a plural, and leads to where one is added; nothing where there are
 * none, and none can be added.
 */
export function StringPictures(props: {
  pictures: readonly Picture[];
  /** The strings that are marked in them. */
  strings: readonly StringAddress[];
  /** The string whose pictures can be changed from here. */
  shown?: StringPlace;
}) {
  const { pictures, strings, shown } = props;
  const request = useHive();
  const canAdd = shown !== undefined && mayWriteAll(request);
  if (pictures.length === 0 && !canAdd) return <></>;
  return (
    <>
      {pictures.length > 0 && <h2>{t("pictures.pictures")}</h2>}
      <PictureList
        pictures={pictures}
        strings={strings}
        action={({ hash }) =>
          canAdd && (
            <a href={request.hiveLink(["pictures", "box"], { picture: hash, ...shown })}>
              {t("pictures.mark_the_string")}
            </a>
          )
        }
      />
      {canAdd && (
        <p>
          <a href={request.hiveLink(["pictures"], { ...shown })}>{t("pictures.add_a_picture")}</a>
        </p>
      )}
    </>
  );
}

/** A string as an address names it. */
interface StringPlace {
  readonly file: string;
  readonly key: string;
}

/**
 * Pictures, each with its name.
 * @param props.strings those that are marked in them; all if not given.
 */
export function PictureList(props: {
  pictures: readonly Picture[];
  strings?: readonly StringAddress[];
  action?: (picture: Picture) => Child;
}) {
  const { pictures, strings, action } = props;
  const { hiveLink } = useHive();
  if (pictures.length === 0) return <></>;
  return (
    <ul class="pictures">
      {pictures.map((picture) => (
        <li>
          <a href={hiveLink(["pictures", picture.hash])}>
            <span class="picture">
              <img
                src={hiveLink(["pictures", picture.hash])}
                alt=""
                width={String(picture.width)}
                height={String(picture.height)}
                loading="lazy"
              />
              <Boxes picture={picture} strings={strings} />
            </span>
            <Name name={picture.name} />
          </a>
          {action?.(picture)}
        </li>
      ))}
    </ul>
  );
}

/** Frames around the strings, drawn over their picture. */
function Boxes(props: { picture: Picture; strings?: readonly StringAddress[] }) {
  const { picture, strings } = props;
  const { boxes, width, height } = picture;
  const shown = strings && new Set(strings.map(addressText));
  const own = boxes.filter(({ string }) => shown?.has(string) ?? true);
  if (own.length === 0) return null;
  return (
    <svg viewBox={`0 0 ${width} ${height}`} aria-hidden="true">
      {own.map((box) => (
        <rect x={box.x} y={box.y} width={box.width} height={box.height} rx={3} />
      ))}
    </svg>
  );
}

/**
 * A picture in which somebody marks a string: as a script lets them draw, beside the form with the numbers.
 * @param props.at the string, whose frames are not those of others.
 * @param props.form the address of the form.
 */
export function DrawnPicture(props: { picture: Picture; at: StringPlace; form: string }) {
  const { picture, at, form } = props;
  const { hash, name, boxes, width, height } = picture;
  const own = addressText(at);
  return (
    <figure class="drawing">
      <span class="picture" data-draws={form}>
        <img
          src={useHive().hiveLink(["pictures", hash])}
          alt={attributeText(name)}
          width={String(width)}
          height={String(height)}
          draggable={false}
        />
        <svg viewBox={`0 0 ${width} ${height}`} aria-hidden="true">
          {boxes.map(({ string, ...box }) => (
            <rect class={string === own ? undefined : "other"} {...box} rx={3} />
          ))}
          <rect class="drawn" />
        </svg>
      </span>
    </figure>
  );
}

export const picturePages: readonly PageRoute[] = [
  {
    kind: "hive",
    path: "/hives/:slug/pictures/:hash",
    handler: async ({ storage, branch, param }) => {
      const { read, type } = await readImage(storage, branch, param("hash"));
      return { image: await read(), type: mediaTypeOf(type) };
    },
  },
];
