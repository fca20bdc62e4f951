import type { CertProvider, DnsproviderKind } from "@api";
import { isAsked } from "@ui/fields";
import { expect, test } from "vitest";
import { expiryOf } from "./expiry";
import { flatOf, nestedOf } from "./provider";
import { formOf } from "./providerForm";

const day = 86_400_000;
const bar = (total: number, left: number) => {
	const now = Date.parse("2026-01-01T00:00:00Z");
	const at = (ms: number) => new Date(ms).toISOString();
	return expiryOf({ not_before: at(now + (left - total) * day), expires_at: at(now + left * day) }, now);
};

test("a bar is the share of the lifetime that is left", () => {
	expect(bar(90, 45)).toEqual({ left: 0.5, days: 45, look: "success" });
	expect(bar(90, 13)?.look).toBe("warning");
	expect(bar(90, 14)?.look).toBe("success");
	expect(bar(90, 0)?.look).toBe("danger");
	expect(bar(90, -3)).toEqual({ left: 0, days: -3, look: "danger" });
	expect(bar(90, 95)?.left).toBe(1);
});

test("a short lifetime is warned of when a quarter is left", () => {
	expect(bar(6, 2)?.look).toBe("success");
	expect(bar(6, 1.4)?.look).toBe("warning");
});

test("what is not issued yet has no bar", () => {
	expect(expiryOf({ not_before: null, expires_at: null }, 0)).toBeUndefined();
});

const kinds = [
	{
		kind: "rfc2136",
		title: "Own",
		settings: [
			{ name: "server", title: "Server", required: true, secret: false },
			{ name: "key", title: "Key", required: true, secret: true },
		],
	},
	{ kind: "desec", title: "deSEC", settings: [{ name: "key", title: "Key", required: true, secret: true }] },
] as DnsproviderKind[];

test("a provider is asked for the settings of its kind only, and secrets are hidden", () => {
	const { fields } = formOf(kinds);
	const asked = (kind: string) => fields.filter((field) => isAsked(field, { kind })).map((field) => field.name);
	expect(asked("desec")).toEqual(["name", "kind", "desec__key"]);
	expect(fields.find((field) => field.name === "rfc2136__key")?.kind).toBe("password");
});

test("settings are fields of a form and come back as they were", () => {
	const stored = { id: "1", name: "own", kind: "desec", settings: { key: "***SET***" } } as unknown as CertProvider;
	expect(flatOf(stored)).toMatchObject({ desec__key: "***SET***" });
	const body = { name: "own", kind: "desec", settings: {}, desec__key: "***SET***", rfc2136__key: "left over" };
	expect(nestedOf(body)).toEqual({ name: "own", kind: "desec", settings: { key: "***SET***" } });
});
