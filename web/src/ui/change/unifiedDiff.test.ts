import { expect, test } from "vitest";
import { countOf, parseDiff } from "./unifiedDiff";

const diff = `--- /etc/unbound/unbound.conf.d/gateway.conf
+++ /etc/unbound/unbound.conf.d/gateway.conf
@@ -10,4 +10,4 @@
 server:
-\tlocal-data: "www.example.com. 3600 IN A 192.0.2.1"
+\tlocal-data: "www.example.com. 3600 IN A 192.0.2.2"
 
 # end
@@ -90 +90,2 @@
 last
+--- not a header
\\ No newline at end of file
`;

test("lines keep their kind and their numbers on both sides", () => {
	const [first, second] = parseDiff(diff);
	expect(first?.lines.map(({ kind, before, after }) => [kind, before, after])).toEqual([
		["same", 10, 10],
		["removed", 11, undefined],
		["added", undefined, 11],
		["same", 12, 12],
		["same", 13, 13],
	]);
	expect(first?.lines[1]?.text).toContain("192.0.2.1");
	expect(second?.lines.map((line) => line.text)).toEqual(["last", "--- not a header"]);
	expect(countOf(parseDiff(diff))).toEqual({ added: 2, removed: 1 });
});

test("a new file, an empty diff, and what is no diff", () => {
	expect(parseDiff("@@ -0,0 +1,1 @@\n+one\n")[0]?.lines).toEqual([{ kind: "added", text: "one", after: 1 }]);
	expect(parseDiff("")).toEqual([]);
	expect(parseDiff("Binary files differ")).toEqual([]);
});
