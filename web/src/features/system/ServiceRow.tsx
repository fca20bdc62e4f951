import type { SystemService } from "@api";
import { Button } from "@patternfly/react-core";
import { formatBytes, ServiceState, serviceName, stateOf, Td, Time, Tr, useServiceProblem, useUrlState } from "@ui";
import { useTranslation } from "@ui/translation";
import { ServiceSwitch } from "./ServiceSwitch";
import { bootOf } from "./services";

interface Props {
	service: SystemService;
	/** The service was looked at just now. */
	current: boolean;
	admin: boolean;
}

/** ServiceRow is one service as it is now, with what an administrator can do to it. */
export function ServiceRow({ service, current, admin }: Props) {
	const { t } = useTranslation("system");
	const state = stateOf(service);
	const boot = bootOf(service);
	const name = serviceName(service.name, service.description);
	const problem = useServiceProblem(service);
	return (
		<Tr>
			<Td dataLabel={t("column.service")}>
				<div>
					{name}
					{service.unit && <div className="gw-system-unit">{service.unit}</div>}
					{problem && <div className="gw-system-sub">{problem}</div>}
				</div>
			</Td>
			<Td dataLabel={t("column.state")}>
				<ServiceState service={service} current={current} />
			</Td>
			<Td dataLabel={t("column.since")} className={blank(state !== "absent" && service.entered_at)}>
				<Time value={state === "absent" ? null : service.entered_at} />
			</Td>
			<Td dataLabel={t("column.memory")} className={`gw-system-figure ${blank(service.memory_bytes)}`}>
				{service.memory_bytes ? formatBytes(service.memory_bytes) : "–"}
			</Td>
			<Td dataLabel={t("column.boot")} className={blank(boot)}>
				{boot ? t(`boot.${boot}`) : "–"}
			</Td>
			{admin && (
				<Td className={`gw-system-act ${blank(acts(service))}`} dataLabel={t("column.actions")}>
					{acts(service) && <Act service={service} name={name} />}
				</Td>
			)}
		</Tr>
	);
}

/** blank cells are left out where a row is a block, on a narrow screen. */
const blank = (value: unknown) => (value ? "" : "gw-system-blank");

const acts = (service: SystemService) =>
	service.installed !== false &&
	((service.restart && stateOf(service) !== "off") || (service.toggle && service.installed === true));

function Act({ service, name }: { service: SystemService; name: string }) {
	const { t } = useTranslation("system");
	const [, set] = useUrlState();
	if (service.toggle) return <ServiceSwitch service={service} name={name} />;
	return (
		<Button
			variant="secondary"
			size="sm"
			aria-label={t("restart.title", { name })}
			onClick={() => set({ do: "restart", id: service.name }, { push: true })}
		>
			{t("restart.button")}
		</Button>
	);
}
