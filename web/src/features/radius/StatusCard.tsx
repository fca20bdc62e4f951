import { type ProblemState, type RadiusSettings, useCan, useCurrent } from "@api";
import { Button } from "@patternfly/react-core";
import { later, ObjectState, ServiceCard, UnknownState, useServiceState, Waiting } from "@ui";
import { useTranslation } from "@ui/translation";
import { Suspense, useState } from "react";
import { useSettings } from "./requests";

const TestDialog = later("radius test", () => import("./TestDialog"));

/** StatusCard is how the server stands: where it listens, and for whom its ports are open. */
export function StatusCard() {
	const { t } = useTranslation("radius");
	const query = useSettings();
	const { data } = query;
	const current = useCurrent(query) !== undefined;
	// Asked for beside the settings, not after them.
	const state = useServiceState("radius");
	const admin = useCan("admin");
	const [testing, setTesting] = useState(false);
	// A server that is not to run cannot be asked.
	const test = admin && data?.enabled && (
		<Button variant="secondary" onClick={() => setTesting(true)}>
			{t("test.button")}
		</Button>
	);
	return (
		<ServiceCard label={t("status.title")} actions={test}>
			{data ? <Facts settings={data} state={state} current={current} /> : <Waiting height="3rem" />}
			{testing && (
				<Suspense>
					<TestDialog onClose={() => setTesting(false)} />
				</Suspense>
			)}
		</ServiceCard>
	);
}

interface Props {
	settings: RadiusSettings;
	state: ProblemState | undefined;
	/** The settings were looked at just now. */
	current: boolean;
}

function Facts({ settings, state, current }: Props) {
	const { t } = useTranslation("radius");
	const { enabled, listen_addresses: listen, auth_port: auth, accounting_port: accounting, zones } = settings;
	const open = enabled && zones.length > 0;
	return (
		<dl>
			<div>
				<dt>{t("status.title")}</dt>
				<dd>{current ? <ObjectState state={state} normal="running" /> : <UnknownState />}</dd>
			</div>
			<div>
				<dt>{t("status.listen")}</dt>
				<dd>{listen.length > 0 ? listen.join(", ") : t("status.everywhere")}</dd>
			</div>
			<div>
				<dt>{t("status.ports")}</dt>
				<dd>{t("status.udp", { auth, accounting })}</dd>
			</div>
			<div>
				<dt>{t("status.zones")}</dt>
				<dd>{open ? zones.join(", ") : t("status.closed")}</dd>
			</div>
		</dl>
	);
}
