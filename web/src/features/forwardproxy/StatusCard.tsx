import { type ForwardproxySettings, useCan } from "@api";
import { Button } from "@patternfly/react-core";
import { later, ObjectState, ServiceCard, useServiceState, useUrlState, Waiting } from "@ui";
import { useTranslation } from "@ui/translation";
import { Suspense } from "react";
import { listensOn, openIn } from "./listening";
import { useSettings } from "./requests";

const TestDialog = later("forward proxy test", () => import("./TestDialog"));

/** StatusCard is how the proxy stands: where it listens, where its port is open, and who may use it. */
export function StatusCard() {
	const { t } = useTranslation("forwardproxy");
	const { data } = useSettings();
	const admin = useCan("admin");
	const [search, set] = useUrlState();
	const test = admin && (
		<Button variant="secondary" onClick={() => set({ test: "yes" }, { push: true })}>
			{t("test.title")}
		</Button>
	);
	return (
		<ServiceCard label={t("status.title")} actions={test}>
			{data ? <Facts settings={data} /> : <Waiting height="3rem" />}
			{admin && search.test && (
				<Suspense>
					<TestDialog onClose={() => set({ test: undefined })} />
				</Suspense>
			)}
		</ServiceCard>
	);
}

function Facts({ settings }: { settings: ForwardproxySettings }) {
	const { t } = useTranslation("forwardproxy");
	const state = useServiceState("forward-proxy");
	const facts = [
		{ key: "listen", value: listensOn(settings).join(", ") || t("status.everywhere", { port: settings.port }) },
		{ key: "zones", value: openIn(settings).join(", ") || t("status.closed") },
		{ key: "networks", value: settings.allowed_networks.join(", ") || t("status.nobody") },
	];
	return (
		<dl>
			<div>
				<dt>{t("status.title")}</dt>
				<dd>
					<ObjectState state={state} normal="running" />
				</dd>
			</div>
			{facts.map(({ key, value }) => (
				<div key={key}>
					<dt>{t(`status.${key}`)}</dt>
					<dd>{value}</dd>
				</div>
			))}
		</dl>
	);
}
