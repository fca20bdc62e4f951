import { type SystemService, useCan } from "@api";
import { Loaded, Notice, reasonsOf, Table, TableTools, Tbody, Th, Thead, Tr } from "@ui";
import { useTranslation } from "@ui/translation";
import { useServices } from "./requests";
import { ServiceRow } from "./ServiceRow";
import { sorted } from "./services";

/** ServicesTab lists all services. Administrators restart and switch them. */
export function ServicesTab() {
	const { t } = useTranslation("system");
	const admin = useCan("admin");
	const query = useServices(5);
	return (
		<Loaded query={query} height="16rem" withoutDatabase={!query.isStale}>
			{({ services }, current) => (
				<div className="gw-table">
					<Reasons services={services} />
					<TableTools name="services" rows={services} />
					<Table aria-label={t("tab.services")} variant="compact" gridBreakPoint="grid-md">
						<Thead>
							<Tr>
								<Th width={30}>{t("column.service")}</Th>
								<Th width={15}>{t("column.state")}</Th>
								<Th width={15}>{t("column.since")}</Th>
								<Th width={10}>{t("column.memory")}</Th>
								<Th width={15}>{t("column.boot")}</Th>
								{admin && <Th width={15} screenReaderText={t("column.actions")} className="gw-system-act" />}
							</Tr>
						</Thead>
						<Tbody>
							{sorted(services).map((service) => (
								<ServiceRow key={service.name} service={service} current={current} admin={admin} />
							))}
						</Tbody>
					</Table>
				</div>
			)}
		</Loaded>
	);
}

/** Reasons says once why states are unknown, however many are. */
function Reasons({ services }: { services: SystemService[] }) {
	const reasons = reasonsOf(services);
	if (reasons.length === 0) return null;
	return (
		<div className="gw-system-reasons">
			{reasons.map((reason) => (
				<Notice key={reason} kind="warning" title={reason} />
			))}
		</div>
	);
}
