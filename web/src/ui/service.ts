import { type ProblemState, type SystemService, useStates } from "@api";
import i18next from "i18next";
import { sentence } from "./errorText";
import { useFeatures } from "./features";
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
	off: "neutral",
	absent: "neutral",
};

/** words of a service are in the messages of whichever feature it belongs to. */
const words = (key: string, unknown: string) =>
	i18next.t(key, { ns: Object.keys(i18next.store.data[i18next.language] ?? {}), defaultValue: unknown });

/** serviceName is what people call a service or component; the node's own words for one that we do not know. */
export const serviceName = (name: string, unknown = name) => words(`services.${name}.name`, unknown);

/** restartText says what a restart of the service means to the people behind the gateway. */
export const restartText = (name: string) => words(`services.${name}.restart`, "");

type Running = Pick<SystemService, "active_state" | "installed" | "off" | "required">;

/** stateOf is the state of a service for people: systemd's, "absent" for one that is not installed, "off" for one that is not to run. */
export function stateOf(service: Pick<SystemService, "active_state" | "installed" | "off">): string {
	if (service.installed === false) return "absent";
	if (service.active_state === "inactive" && service.off) return "off";
	return service.active_state in looks ? service.active_state : "unknown";
}

/** isMissing says that a service does not run and has to. */
export const isMissing = (service: Running) =>
	service.required && ["inactive", "off", "no-table"].includes(stateOf(service));

/** lookOf is the colour of a service's state. */
export const lookOf = (service: Running): Status =>
	isMissing(service) ? "danger" : (looks[stateOf(service)] ?? "warning");

/** isSettled says that a service is as it is to be, or failed: it is neither on its way up nor down. */
export const isSettled = (service: Running) =>
	service.off ? stateOf(service) !== "active" : lookOf(service) !== "info" && !isMissing(service);

/** everyUntil looks at services so often, and each second while one of them starts or stops: nothing else tells when it has. */
export const everyUntil =
	(seconds: number) => (query: { state: { data?: { services: SystemService[] } | undefined } }) =>
		query.state.data?.services.every(isSettled) === false ? 1_000 : seconds * 1_000;

/** useKindOf is the kind of object that a service is; of one without a kind of its own, the server tells how its unit is. */
export const useKindOf = (name: string) =>
	useFeatures().find(({ service }) => service?.name === name)?.service?.kind ?? "service";

/** useServiceState is the state of a service as the server tells it, the same on every page; undefined for one that does its job. */
export function useServiceState(name: string): ProblemState | undefined {
	const unit = useStates("service")(name);
	const own = useStates(useKindOf(name))(name);
	return unit ?? own;
}

/** reasonsOf says once, in sentences, why states are unknown, however many are. */
export function reasonsOf(services: SystemService[]): string[] {
	const silent = services.filter((service) => stateOf(service) === "unknown");
	const messages = silent.map(({ message = "", text, params, nested }) =>
		serverText({ message, text, params, nested }),
	);
	return [...new Set(messages)].filter(Boolean).map(sentence);
}
