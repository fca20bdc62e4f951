// stage.mjs serves the build of the browser UI beside answers that are made up: one address for each kind of data.
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import { extname } from "node:path";
import { answerTo } from "./answers.mjs";

const dist = process.env.WEB_DIST ? `file://${process.env.WEB_DIST}/` : new URL("../../dist/", import.meta.url);
const types = {
	".html": "text/html; charset=utf-8",
	".js": "text/javascript",
	".css": "text/css",
	".svg": "image/svg+xml",
	".woff2": "font/woff2",
};

/** The server's own policy, so that a style it forbids is missing here too. */
const policy =
	"default-src 'self'; img-src 'self' data:; object-src 'none'; base-uri 'none'; frame-ancestors 'none'; form-action 'self'";

function file(path) {
	const name = /^\/(assets\/.+|favicon\.svg)$/.test(path) ? path.slice(1) : "index.html";
	const headers = {
		"content-type": types[extname(name)] ?? "application/octet-stream",
		"content-security-policy": policy,
	};
	if (name.startsWith("assets/")) headers["cache-control"] = "public, max-age=3600, immutable";
	return { status: 200, headers, body: readFileSync(new URL(name, dist)) };
}

/** stage starts a server and answers its address. */
export async function stage(kind) {
	const server = createServer((request, response) => {
		const { pathname } = new URL(request.url, "http://localhost");
		const { pathname: page } = new URL(request.headers.referer ?? "http://localhost/");
		const asked = /^\/api\/v1(\/.*)$/.exec(pathname)?.[1];
		const found = asked ? answerTo(decodeURI(asked), kind, page) : file(pathname);
		response.writeHead(found.status, { "content-type": "application/json", ...found.headers }).end(found.body);
	});
	server.on("upgrade", accept);
	await new Promise((done) => server.listen(0, "127.0.0.1", done));
	server.unref();
	return { kind, base: `http://localhost:${server.address().port}`, close: () => server.closeAllConnections() };
}

/** accept opens a stream on which nothing is said. */
function accept(request, socket) {
	const key = `${request.headers["sec-websocket-key"]}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`;
	const proof = createHash("sha1").update(key).digest("base64");
	socket.on("error", () => {});
	socket.write(
		`HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: ${proof}\r\n\r\n`,
	);
}
