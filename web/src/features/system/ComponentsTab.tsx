import { useCan, useComponents } from "@api";
import { Loaded, Table, TableTools, Tbody, Th, Thead, Tr } from "@ui";
import { useTranslation } from "@ui/translation";
import { ComponentRow } from "./ComponentRow";
import { ConfigActions } from "./ConfigActions";
import { ConfigFiles } from "./ConfigFiles";

/** ComponentsTab is how far the configuration got: wanted, on disk, and in use by each daemon, with its text. */
export function ComponentsTab() {
	const { t } = useTranslation("system");
	const admin = useCan("admin");
	const components = useComponents();
	return (
		<div className="gw-system-config">
			{admin && <ConfigActions />}
			<Loaded query={components} height="12rem" withoutDatabase={!components.isStale}>
				{(states, current) => (
					<>
						<div className="gw-table">
							<TableTools name="components" rows={states} />
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
										<ComponentRow key={state.component} state={state} current={current} admin={admin} />
									))}
								</Tbody>
							</Table>
						</div>
						<ConfigFiles components={states.map((state) => state.component)} />
					</>
				)}
			</Loaded>
		</div>
	);
}
