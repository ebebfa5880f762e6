/** Starts the viewer of the API reference, in the reader's colour scheme, and keeps tokens out of sight. */

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

SwaggerUIBundle({
  url: "openapi.json",
  dom_id: "#reference",
  deepLinking: true,
  defaultModelsExpandDepth: 0,
  // It would send the document elsewhere.
  validatorUrl: null,
  plugins: [withoutToken],
});
