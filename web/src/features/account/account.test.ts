import i18next from "i18next";
import { expect, test } from "vitest";
import { expiryOf } from "./expiry";
import { parseUserAgent } from "./userAgent";

const agents: [text: string, program: string | undefined, system: string | undefined][] = [
	["Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0", "Firefox", "Linux"],
	[
		"Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/139.0.0.0 Safari/537.36 Edg/139.0.0.0",
		"Edge",
		"Windows",
	],
	[
		"Mozilla/5.0 (Linux; Android 15; Pixel 9) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/139.0.0.0 Mobile Safari/537.36",
		"Chrome",
		"Android",
	],
	[
		"Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.5 Safari/605.1.15",
		"Safari",
		"macOS",
	],
	[
		"Mozilla/5.0 (iPhone; CPU iPhone OS 18_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) CriOS/139.0 Mobile/15E148 Safari/604.1",
		"Chrome",
		"iOS",
	],
	["curl/8.14.1", "curl", undefined],
	["<script>alert(1)</script>", undefined, undefined],
	["", undefined, undefined],
];

test.each(agents)("%s", (text, program, system) => {
	expect(parseUserAgent(text)).toEqual({ program, system });
});

test("a token says when it is over, or nearly", () => {
	const now = new Date("2026-01-10T12:00:00Z");
	const wordOf = (at: string) => i18next.t(`account:tokens.${expiryOf(at, now).key}`);
	expect(wordOf("2026-01-10T12:00:00Z")).toBe("Expired");
	expect(expiryOf("2025-12-01T00:00:00Z", now).status).toBe("danger");
	expect(wordOf("2026-01-20T12:00:00Z")).toBe("Expires soon");
	expect(expiryOf("2026-04-10T12:00:00Z", now)).toEqual({ key: "valid", status: undefined });
});
