/** The pictures of a string, and each image at an address of its own. */
import { mediaTypeOf, type Picture } from "../../../domain/pictures/picture.ts";
import { readImage } from "../../../service/context/pictures.ts";
import { Name } from "../parts/text.tsx";
import type { Link } from "../requests/links.ts";
import type { PageRoute } from "../requests/page.ts";

/** Shows the pictures of a string; nothing where there are none. */
export function StringPictures({
  pictures,
  hiveLink,
}: {
  readonly pictures: readonly Picture[];
  readonly hiveLink: Link;
}) {
  if (pictures.length === 0) return <></>;
  return (
    <>
      <h2>Pictures</h2>
      <ul class="pictures">
        {pictures.map(({ hash, name, width, height }) => (
          <li>
            <a href={hiveLink(["pictures", hash])}>
              <img
                src={hiveLink(["pictures", hash])}
                alt=""
                width={String(width)}
                height={String(height)}
                loading="lazy"
              />
              <Name name={name} />
            </a>
          </li>
        ))}
      </ul>
    </>
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
