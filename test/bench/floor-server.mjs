// The floor of reading: a bare node:http server that sends the same bytes with the same headers.
// Its argument is a file of answers: path → { status, headers, body (base64) }.
import { readFileSync } from "node:fs";
import { createServer } from "node:http";

const answers = new Map(
  Object.entries(JSON.parse(readFileSync(process.argv[2], "utf8"))).map(
    ([path, { status, headers, body }]) => [path, { status, headers, body: Buffer.from(body, "base64") }],
  ),
);

const server = createServer((request, response) => {
  const answer = answers.get(request.url);
  if (answer === undefined) return response.writeHead(404).end();
  response.writeHead(answer.status, answer.headers);
  return response.end(answer.body);
});
server.listen(0, "127.0.0.1", () =>
  process.stdout.write(`listens on http://127.0.0.1:${server.address().port}\n`),
);
