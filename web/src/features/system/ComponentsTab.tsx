import { useCan, useComponents } from "@api";
import { Loaded, Table, Tbody, Th, Thead, Tr } from "@ui";
import { useTranslation } from "react-i18next";
import { ComponentRow } from "./ComponentRow";

/** ComponentsTab is how far the configuration got: wanted, on disk, and in use by each daemon. */
export function ComponentsTab() {
	const { t } = useTranslation("system");
	const admin = useCan("admin");
	return (
		<Loaded query={useComponents()} height="12rem">
			{(states) => (
				<div className="gw-table">
					<Table aria-label={t("tab.components")} variant="compact" gridBreakPoint="grid-md">
						<Thead>
							<Tr>
								<Th width={30}>{t("column.service")}</Th>
								<Th width={15}>{t("column.state")}</Th>
								<Th width={15}>{t("column.disk")}</Th>
								<Th width={15}>{t("column.running")}</Th>
								<Th width={25}>{t("column.edits")}</Th>
							</Tr>
						</Thead>
						<Tbody>
							{states.map((state) => (
								<ComponentRow key={state.component} state={state} admin={admin} />
							))}
						</Tbody>
					</Table>
				</div>
			)}
		</Loaded>
	);
}
