import type { FreeradiusSignIn } from "@api";
import { HistoryIcon } from "@patternfly/react-icons";
import { EmptyState, Loaded, StatusLabel, Table, TableTools, Tbody, Td, Th, Thead, Time, Tr } from "@ui";
import { useTranslation } from "@ui/translation";
import { useSignIns } from "./requests";
import { lookOf } from "./results";

/** SignInsTab is what came of the last sign-ins. */
export function SignInsTab() {
	const { t } = useTranslation("radius");
	return (
		<Loaded query={useSignIns()} height="16rem">
			{({ recent }, current) =>
				recent.length === 0 ? (
					<EmptyState icon={HistoryIcon} title={t("signIns.empty")}>
						{t("signIns.emptyText")}
					</EmptyState>
				) : (
					<List recent={recent} current={current} />
				)
			}
		</Loaded>
	);
}

function List({ recent, current }: { recent: FreeradiusSignIn[]; current: boolean }) {
	const { t } = useTranslation("radius");
	// Two of one second may be alike, so their place from the end tells them apart: it stays when others come.
	const key = (i: number) => recent.length - i;
	return (
		<div className="gw-table">
			<TableTools name="radius-sign-ins" rows={recent} />
			<Table aria-label={t("tab.sign-ins")} variant="compact" gridBreakPoint="grid-md">
				<Thead>
					<Tr>
						<Th width={15}>{t("column.time")}</Th>
						<Th width={25}>{t("user.field.name")}</Th>
						<Th width={20}>{t("column.result")}</Th>
						<Th width={20}>{t("column.client")}</Th>
						<Th width={20}>{t("column.station")}</Th>
					</Tr>
				</Thead>
				<Tbody>
					{recent.map((one, i) => (
						<Tr key={key(i)}>
							<Td dataLabel={t("column.time")}>
								<Time value={one.at} />
							</Td>
							<Td dataLabel={t("user.field.name")}>{one.user}</Td>
							<Td dataLabel={t("column.result")}>
								<StatusLabel status={lookOf(one.result, current)}>{t(`result.${one.result}`)}</StatusLabel>
							</Td>
							<Td dataLabel={t("column.client")}>
								<span title={one.from}>{one.client}</span>
							</Td>
							<Td dataLabel={t("column.station")}>
								<code className="gw-mono">{one.station || "–"}</code>
							</Td>
						</Tr>
					))}
				</Tbody>
			</Table>
		</div>
	);
}
