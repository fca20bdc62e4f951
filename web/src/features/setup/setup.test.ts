import { ApiError } from "@api";
import { expect, test } from "vitest";
import { groupCode, isWholeCode } from "./code";
import { isFullName, nodeOf, requestOf, rulesBroken, startValues } from "./form";
import { routeError } from "./steps";

const refused = (...fields: string[]) =>
	new ApiError(
		422,
		"invalid",
		"the request is not valid",
		fields.map((field) => ({ field, message: "is wrong" })),
	);

test("a complaint leads back to the step of its input", () => {
	expect(routeError(refused("fqdn"), "").step).toBe("name");
	expect(routeError(refused("acme.directory_url"), "").step).toBe("certificates");
	expect(routeError(refused("email"), "").step).toBe("admin");
	expect(routeError(refused("password", "acme.email"), "").step).toBe("certificates");
});

test("a wrong code leads back to the code", () => {
	const { step, atField } = routeError(new ApiError(401, "wrong_setup_code", "no"), "Not the code");
	expect(step).toBe("code");
	expect(atField).toEqual([{ name: "code", message: "Not the code" }]);
});

test("what belongs to no input stays on the review", () => {
	expect(routeError(refused("cluster"), "")).toEqual({ step: undefined, atField: [], above: ["cluster: is wrong"] });
	expect(routeError(new ApiError(429, "too_many_requests", "wait", [], undefined, 30), "").above).toEqual([]);
});

test("the code is grouped while it is typed, and the caret stays at its letter", () => {
	expect(groupCode("abcd", 4)).toEqual({ value: "ABCD", caret: 4 });
	expect(groupCode("abcde", 5)).toEqual({ value: "ABCD-E", caret: 6 });
	expect(groupCode(" 4vck mrw8_035x!! ", 18)).toEqual({ value: "4VCK-MRW8-035X", caret: 14 });
	expect(groupCode("AXBCD-E", 2)).toEqual({ value: "AXBC-DE", caret: 2 });
	expect(isWholeCode("4vck mrw8 035x")).toBe(true);
	expect(isWholeCode("4VCK-MRW8-035")).toBe(false);
});

test("the name begins with the one in the address bar, when it is one", () => {
	expect(startValues(["10.0.0.1", "gw1.example.com"]).fqdn).toBe("gw1.example.com");
	expect(startValues(["localhost", "vm"]).fqdn).toBe("");
	expect(isFullName("2001:db8::1")).toBe(false);
	expect(isFullName("GW1.Example.com")).toBe(true);
});

test("certificates that wait for later are neither checked nor sent", () => {
	const values = { ...startValues([]), code: "4VCK-MRW8-035X", fqdn: "gw1.example.com.", email: "a@b.c" };
	expect(Object.keys(rulesBroken(values))).toEqual(["acme.email", "acme.terms_agreed"]);
	expect(rulesBroken({ ...values, later: true })).toEqual({});
	expect(requestOf({ ...values, later: true })).toEqual({
		code: "4VCK-MRW8-035X",
		fqdn: "gw1.example.com",
		email: "a@b.c",
		password: "",
	});
});

test("a node without an administrator is checked and sent without an account", () => {
	const values = { ...startValues(["gw1.example.com"]), code: "4VCK-MRW8-035X", later: true, password: "typed before" };
	expect(Object.keys(rulesBroken(values))).toEqual(["email", "repeat"]);
	expect(rulesBroken({ ...values, accountless: true })).toEqual({});
	expect(nodeOf(values)).toEqual({ code: "4VCK-MRW8-035X", fqdn: "gw1.example.com" });
});
