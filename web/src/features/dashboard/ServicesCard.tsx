import { type SystemService, useCurrent, useProblems } from "@api";
import { Button, Card, CardBody, CardHeader, CardTitle } from "@patternfly/react-core";
import { Link, Loaded, lookOf, reasonsOf, ServiceState, serviceName, stateOf } from "@ui";
import { useTranslation } from "@ui/translation";
import { useState } from "react";
import { useServices } from "./requests";
import { counts, sorted } from "./services";

/** ServicesCard lists what runs here, trouble first. */
export function ServicesCard() {
	const { t } = useTranslation("dashboard");
	const query = useServices();
	const found = useCurrent(useProblems());
	const looked = useCurrent(query, !query.isStale);
	const known = looked && found && reasonsOf(looked.services).length === 0;
	return (
		<Card isCompact>
			<CardHeader className="gw-card-head">
				<CardTitle component="h2">{t("services.title")}</CardTitle>
				{known && <span className="gw-subtle">{t("services.count", counts(looked.services, found.problems))}</span>}
			</CardHeader>
			<CardBody>
				<Loaded query={query} withoutDatabase={!query.isStale}>
					{({ services }, current) => <Services services={sorted(services)} current={current} />}
				</Loaded>
			</CardBody>
		</Card>
	);
}

/** Services: what is not installed stays out of sight until asked for. */
function Services({ services, current }: { services: SystemService[]; current: boolean }) {
	const { t } = useTranslation("dashboard");
	const [all, setAll] = useState(false);
	const installed = services.filter((service) => stateOf(service) !== "absent");
	const absent = services.length - installed.length;
	return (
		<>
			{reasonsOf(services).map((reason) => (
				<p key={reason} className="gw-subtle gw-reason">
					{reason}
				</p>
			))}
			<ul className="gw-rows">
				{(all ? services : installed).map((service) => (
					<ServiceRow key={service.name} service={service} current={current} />
				))}
			</ul>
			{absent > 0 && (
				<Button variant="link" isInline aria-expanded={all} onClick={() => setAll(!all)}>
					{all ? t("services.fewer") : t("services.all", { count: absent })}
				</Button>
			)}
		</>
	);
}

function ServiceRow({ service, current }: { service: SystemService; current: boolean }) {
	const name = serviceName(service.name, service.description);
	const bad = lookOf(service) === "danger";
	return (
		<li>
			{bad ? <Link to="/system">{name}</Link> : <span>{name}</span>}
			<ServiceState service={service} current={current} />
		</li>
	);
}
