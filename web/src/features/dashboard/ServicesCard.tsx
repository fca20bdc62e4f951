import { type SystemService, useProblems } from "@api";
import { Button, Card, CardBody, CardHeader, CardTitle } from "@patternfly/react-core";
import { Link, Loaded, lookOf, reasonsOf, ServiceState, serviceName, stateOf } from "@ui";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { useServices } from "./requests";
import { counts, sorted } from "./services";

/** ServicesCard lists what runs here, trouble first. */
export function ServicesCard() {
	const { t } = useTranslation("dashboard");
	const query = useServices();
	const { data: found, isError } = useProblems();
	const known = query.data && found && !isError && reasonsOf(query.data.services).length === 0;
	return (
		<Card isCompact>
			<CardHeader className="gw-card-head">
				<CardTitle component="h2">{t("services.title")}</CardTitle>
				{known && <span className="gw-subtle">{t("services.count", counts(query.data.services, found.problems))}</span>}
			</CardHeader>
			<CardBody>
				<Loaded query={query}>{({ services }) => <Services services={sorted(services)} />}</Loaded>
			</CardBody>
		</Card>
	);
}

/** Services: what is not installed stays out of sight until asked for. */
function Services({ services }: { services: SystemService[] }) {
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
					<ServiceRow key={service.name} service={service} />
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

function ServiceRow({ service }: { service: SystemService }) {
	const name = serviceName(service.name, service.description);
	const bad = lookOf(service) === "danger";
	return (
		<li>
			{bad ? <Link to="/system">{name}</Link> : <span>{name}</span>}
			<ServiceState service={service} />
		</li>
	);
}
