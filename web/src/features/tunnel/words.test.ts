import { expect, test } from "vitest";
import de from "./messages/de.json";
import en from "./messages/en.json";

// shows TUN-12
test("the form tells to use /32 for a peer", () => {
	for (const words of [en, de]) {
		expect(words.peer.help.allowed_ips).toContain("/32");
	}
	expect(en.peer.help.allowed_ips).toContain("other peers");
});
