import type { SystemService } from "@api";
import i18next from "i18next";
import { sentence } from "./errorText";
import type { Status } from "./StatusLabel";
import { serverText } from "./serverText";

/** States that have words of their own in messages, "state.*". */
const looks: Record<string, Status> = {
	failed: "danger",
	unknown: "warning",
	activating: "info",
	deactivating: "info",
	reloading: "info",
	active: "success",
	"kernel-loaded": "success",
	"no-table": "neutral",
	inactive: "neutral",
	absent: "neutral",
};

/** serviceName is what people call a service; the node's own words for one that we do not know. */
export const serviceName = (name: string, unknown = name) =>
	i18next.t(`service.${name}`, { ns: "ui", defaultValue: unknown });

/** stateOf is the state of a service for people: systemd's, or "absent" for one that is not installed. */
export function stateOf(service: Pick<SystemService, "active_state" | "installed">): string {
	if (service.installed === false) return "absent";
	return service.active_state in looks ? service.active_state : "unknown";
}

/** needed are the services that have to run on every node; the others only where they are used. */
const needed = new Set(["api", "scheduler", "apply", "database", "reverse-proxy", "dns", "ntp", "packet-filter"]);

/** isMissing says that a service does not run and has to. */
export const isMissing = (service: Pick<SystemService, "name" | "active_state" | "installed">) =>
	needed.has(service.name) && ["inactive", "no-table"].includes(stateOf(service));

/** lookOf is the colour of a service's state. */
export const lookOf = (service: Pick<SystemService, "name" | "active_state" | "installed">): Status =>
	isMissing(service) ? "danger" : (looks[stateOf(service)] ?? "warning");

/** reasonsOf says once, in sentences, why states are unknown, however many are. */
export function reasonsOf(services: SystemService[]): string[] {
	const silent = services.filter((service) => stateOf(service) === "unknown");
	const messages = [...new Set(silent.map((service) => service.message ?? ""))];
	return messages.filter(Boolean).map((message) => sentence(serverText(message)));
}
