import type { SystemService } from "@api";
import { expect, test } from "vitest";
import { lookOf, reasonsOf, serviceName, stateOf } from "./service";

const service = (active_state: string, installed: boolean | null = true, message = "") =>
	({ name: "dns", active_state, installed, message, off: false, required: true }) as SystemService;

test("states of services", () => {
	expect(stateOf(service("active"))).toBe("active");
	expect(stateOf(service("inactive", false))).toBe("absent");
	expect(stateOf(service("something new"))).toBe("unknown");
	expect(lookOf(service("failed"))).toBe("danger");
	expect(lookOf(service("kernel-loaded"))).toBe("success");
	expect(lookOf(service("inactive"))).toBe("danger"); // a resolver has to run
	expect(lookOf({ ...service("inactive"), required: false })).toBe("neutral");
	expect(stateOf({ ...service("inactive"), off: true })).toBe("off");
	expect(lookOf(service("inactive", false))).toBe("neutral");
});

test("a service that we do not know keeps the node's name for it", () => {
	expect(serviceName("dns")).toBe("DNS resolver (Unbound)");
	expect(serviceName("toaster", "Toaster daemon")).toBe("Toaster daemon");
});

test("why nobody knows is said once", () => {
	const away = service("unknown", null, "the applier is away");
	expect(reasonsOf([away, away, service("active", true, "fine")])).toEqual(["The applier is away."]);
});
