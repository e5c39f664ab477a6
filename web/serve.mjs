// Serves web/dist on this machine: `node web/serve.mjs [port]`. Any static host does; this one is here so that
// nothing need be installed.

import { createServer } from "node:http";
import { readFile } from "node:fs/promises";
import { extname, join, normalize } from "node:path";
import { fileURLToPath } from "node:url";

const DIST = fileURLToPath(new URL("dist", import.meta.url));
const TYPES = {
  ".css": "text/css",
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript",
  ".wasm": "application/wasm",
  ".wav": "audio/wav",
};

// Serves a folder on a port, any free one if it is 0. Resolves to the address.
export function serve(port = 0, folder = DIST) {
  const server = createServer(async ({ url }, answer) => {
    try {
      const path = normalize(decodeURIComponent(new URL(url, "http://localhost").pathname));
      const file = join(folder, path.endsWith("/") ? `${path}index.html` : path);
      const bytes = await readFile(file);
      answer.writeHead(200, { "content-type": TYPES[extname(file)] ?? "application/octet-stream" });
      answer.end(bytes);
    } catch {
      answer.writeHead(404).end();
    }
  });
  return new Promise((done) => {
    server.listen(port, "127.0.0.1", () => {
      done({ address: `http://127.0.0.1:${server.address().port}/`, close: () => server.close() });
    });
  });
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const { address } = await serve(Number(process.argv[2] ?? 8000));
  console.log(`The wand is at ${address}`);
}
