import type { SystemService } from "@api";
import { Button, Card, CardBody, CardHeader, CardTitle, Skeleton } from "@patternfly/react-core";
import { ErrorState, Link, StatusLabel, sentence } from "@ui";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { useServices } from "./requests";
import { counts, lookOf, sorted, stateOf } from "./services";

/** ServicesCard lists what runs here, trouble first. What is not installed stays out of sight until asked for. */
export function ServicesCard() {
	const { t } = useTranslation("dashboard");
	const { data, error, refetch } = useServices();
	const [all, setAll] = useState(false);
	const list = sorted(data?.services ?? []);
	const shown = all ? list : list.filter((service) => stateOf(service) !== "absent");
	const silent = list.filter((service) => stateOf(service) === "unknown");
	const reasons = [...new Set(silent.map((service) => service.message ?? ""))].filter(Boolean);
	const count = counts(list);
	return (
		<Card isCompact>
			<CardHeader className="gw-card-head">
				<CardTitle component="h2">{t("services.title")}</CardTitle>
				{data && silent.length === 0 && <span className="gw-subtle">{t("services.count", count)}</span>}
			</CardHeader>
			<CardBody>
				{!data && !error && <Skeleton height="12rem" screenreaderText={t("loading")} />}
				{!data && error && <ErrorState error={error} retry={() => void refetch()} />}
				{reasons.map((reason) => (
					<p key={reason} className="gw-subtle gw-reason">
						{sentence(reason)}
					</p>
				))}
				<ul className="gw-rows">
					{shown.map((service) => (
						<ServiceRow key={service.name} service={service} />
					))}
				</ul>
				{list.length > count.installed && (
					<Button variant="link" isInline aria-expanded={all} onClick={() => setAll(!all)}>
						{all ? t("services.fewer") : t("services.all", { count: list.length - count.installed })}
					</Button>
				)}
			</CardBody>
		</Card>
	);
}

function ServiceRow({ service }: { service: SystemService }) {
	const { t } = useTranslation("dashboard");
	const state = stateOf(service);
	const look = lookOf(state);
	const name = t(`service.${service.name}`, { defaultValue: service.description });
	return (
		<li>
			{look === "danger" ? <Link to="/system">{name}</Link> : <span>{name}</span>}
			<StatusLabel status={look}>{t(`state.${state}`)}</StatusLabel>
		</li>
	);
}
