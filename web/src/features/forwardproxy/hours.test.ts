import { expect, test } from "vitest";
import { hoursText } from "./hours";
import { listensOn, openIn } from "./listening";

test.each([
	["08:00-18:00", "en", "08:00–18:00"],
	["mon,tue,wed,thu,fri 08:00-18:00", "en", "Mon–Fri 08:00–18:00"],
	["mon,wed,sat,sun", "en", "Mon, Wed, Sat, Sun"],
	["mon,tue,thu,fri,sat 22:00-06:00", "en", "Mon, Tue, Thu–Sat 22:00–06:00"],
	["sat,sun", "de", "Sa, So"],
	["something else", "en", "something else"],
])("%s in %s is %s", (stored, language, want) => expect(hoursText(stored, language)).toBe(want));

const proxy = { enabled: true, listen_addresses: [] as string[], port: 3128, zones: ["lan"] };

test("a proxy for this node alone is open nowhere", () => {
	expect(openIn(proxy)).toEqual(["lan"]);
	expect(openIn({ ...proxy, enabled: false })).toEqual([]);
	expect(openIn({ ...proxy, listen_addresses: ["127.0.0.1", "::1"] })).toEqual([]);
	expect(openIn({ ...proxy, listen_addresses: ["127.0.0.1", "192.0.2.1"] })).toEqual(["lan"]);
});

test("an address is shown as clients enter it", () => {
	expect(listensOn({ ...proxy, listen_addresses: ["192.0.2.1", "2001:db8::1"] })).toEqual([
		"192.0.2.1:3128",
		"[2001:db8::1]:3128",
	]);
});
