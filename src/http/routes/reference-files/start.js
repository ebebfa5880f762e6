/** Starts the viewer of the API reference, in the reader's colour scheme; shows exported files as they are, and no token. */

const dark = matchMedia("(prefers-color-scheme: dark)");
const follow = () => document.documentElement.classList.toggle("dark-mode", dark.matches);
dark.addEventListener("change", follow);
follow();

/** Shows commands for curl without the token that the request is sent with. */
const withoutToken = () => ({
  wrapComponents: {
    curl: (Curl, { React }) =>
      function CurlWithoutToken(props) {
        const headers = ["headers", "Authorization"];
        const request = props.request.hasIn(headers)
          ? props.request.setIn(headers, "Bearer YOUR_TOKEN")
          : props.request;
        return React.createElement(Curl, { ...props, request });
      },
  },
});

/** The files in an export, which it has as texts in JSON; none for what is no export. */
function exportedFiles(shown) {
  try {
    const { files } = JSON.parse(shown);
    const found = Object.entries(files);
    return found.every(([, content]) => typeof content === "string") ? found : [];
  } catch {
    return [];
  }
}

/** Shows each exported file as it would be on the disk, above the answer that it is in. */
const withFiles = () => ({
  wrapComponents: {
    HighlightCode: (Code, { React: { createElement, Fragment } }) =>
      function CodeWithFiles(props) {
        const answer = createElement(Code, { ...props, key: "answer" });
        const files = exportedFiles(props.children).map(([name, content], at) =>
          createElement(
            "details",
            { className: "exported-file", key: name, open: at === 0 },
            createElement("summary", null, name),
            createElement("pre", { tabIndex: 0, dir: "auto" }, content),
          ),
        );
        return files.length === 0 ? answer : createElement(Fragment, null, files, answer);
      },
  },
});

SwaggerUIBundle({
  url: "openapi.json",
  dom_id: "#reference",
  deepLinking: true,
  defaultModelsExpandDepth: 0,
  // It would send the document elsewhere.
  validatorUrl: null,
  plugins: [withoutToken, withFiles],
});
