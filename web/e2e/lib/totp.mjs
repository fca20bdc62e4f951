// totp.mjs is an authenticator app: it reads the QR code off the screen and shows codes.
import { createHmac } from "node:crypto";
import jsQR from "jsqr";
import { later } from "./driver.mjs";

const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";

function bytes(base32) {
	const bits = [...base32].map((c) => alphabet.indexOf(c).toString(2).padStart(5, "0")).join("");
	return Buffer.from(bits.match(/.{8}/g).map((byte) => Number.parseInt(byte, 2)));
}

function codeOf(secret, step) {
	const counter = Buffer.alloc(8);
	counter.writeBigUInt64BE(BigInt(step));
	const hash = createHmac("sha1", bytes(secret)).update(counter).digest();
	const at = hash[19] & 15;
	return String((hash.readUInt32BE(at) & 0x7fffffff) % 1_000_000).padStart(6, "0");
}

/** Authenticator takes a step's code once only, as the server does. */
export class Authenticator {
	#last = 0;

	constructor(url) {
		const parsed = new URL(url);
		if (parsed.protocol !== "otpauth:") throw new Error(`the QR code says ${url}`);
		this.secret = parsed.searchParams.get("secret");
	}

	async code() {
		const step = () => Math.floor(Date.now() / 30_000);
		// The server takes a code of the step before or after too, and none twice. One of the step before may be over on the way.
		while (this.#last > step()) await later(250);
		this.#last = Math.max(this.#last + 1, step());
		return codeOf(this.secret, this.#last);
	}
}

/** scan is the authenticator of a code on the screen. */
export const scan = async (picture) => new Authenticator(await readCode(picture));

/** readCode looks at the picture as it is on the screen, with the eyes of another page. */
export async function readCode(picture) {
	await picture.scrollIntoViewIfNeeded();
	const png = await picture.screenshot({ scale: "css" });
	const eyes = await picture.page().context().browser().newPage();
	try {
		const { data, width, height } = await eyes.evaluate(
			async (url) => {
				const image = new Image();
				image.src = url;
				await image.decode();
				const canvas = document.createElement("canvas");
				Object.assign(canvas, { width: image.width, height: image.height });
				const drawing = canvas.getContext("2d");
				drawing.drawImage(image, 0, 0);
				const { data } = drawing.getImageData(0, 0, image.width, image.height);
				return { data: [...data], width: image.width, height: image.height };
			},
			`data:image/png;base64,${png.toString("base64")}`,
		);
		const found = jsQR(Uint8ClampedArray.from(data), width, height);
		if (!found) throw new Error("no QR code can be read on the screen");
		return found.data;
	} finally {
		await eyes.close();
	}
}
