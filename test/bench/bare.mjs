/**
 * As little as a gateway can be: a request over HTTP becomes a question to the language server, and its reply the answer.
 * No session, no token, no check, no file looked at. What a gateway costs beyond this is its own.
 * `node bare.mjs '{"server": …, "folder": …, "files": […]}'` prints its address.
 */
import { createServer } from "node:http";
import { join } from "node:path";
import { RawServer } from "./raw.mjs";

const { server, folder, files } = JSON.parse(process.argv[2]);
const raw = await new RawServer(server, folder).open();
for (const path of files) await raw.didOpen(join(folder, path), server.languageId);

const http = createServer(async (request, response) => {
  const chunks = [];
  for await (const chunk of request) chunks.push(chunk);
  const { method, params } = JSON.parse(Buffer.concat(chunks).toString("utf8"));
  const text = JSON.stringify(await raw.request(method, params));
  response.writeHead(200, {
    "content-type": "application/json",
    "content-length": Buffer.byteLength(text),
  });
  response.end(text);
});
http.listen(0, "127.0.0.1", () => process.stderr.write(`http://127.0.0.1:${http.address().port}/\n`));
process.once("SIGTERM", async () => {
  http.close();
  http.closeAllConnections();
  await raw.close();
});
