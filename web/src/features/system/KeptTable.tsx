import type { SystemKept } from "@api";
import { formatBytes, formatNumber, Loaded, Table, TableTools, Tbody, Td, Th, Thead, Time, Tr } from "@ui";
import { useTranslation } from "@ui/translation";
import { unitText } from "@ui/units";
import { useKept } from "./requests";

/** KeptTable is what the node keeps of the past: how much there is, and how much there can be. */
export default function KeptTable() {
	const { t } = useTranslation("system");
	return (
		<Loaded query={useKept()} height="12rem">
			{(list) => (
				<div className="gw-table">
					<TableTools name="kept" rows={list} />
					<Table aria-label={t("kept.title")} variant="compact" gridBreakPoint="grid-md">
						<Thead>
							<Tr>
								<Th width={30}>{t("kept.what")}</Th>
								<Th width={25}>{t("kept.now")}</Th>
								<Th width={25}>{t("kept.most")}</Th>
								<Th width={20}>{t("kept.oldest")}</Th>
							</Tr>
						</Thead>
						<Tbody>
							{list.map((one) => (
								<Tr key={one.name}>
									<Td dataLabel={t("kept.what")}>{t(`kept.name.${one.name}`)}</Td>
									<Td dataLabel={t("kept.now")}>{words(now(one, t))}</Td>
									<Td dataLabel={t("kept.most")}>{words(most(one, t))}</Td>
									<Td dataLabel={t("kept.oldest")}>{one.oldest_at ? <Time value={one.oldest_at} /> : "–"}</Td>
								</Tr>
							))}
						</Tbody>
					</Table>
				</div>
			)}
		</Loaded>
	);
}

type Words = (key: string, values: Record<string, unknown>) => string;

const rows = (count: number | null, t: Words) =>
	count === null ? [] : [t("kept.rows", { count, shown: formatNumber(count) })];

const bytes = (count: number | null) => (count === null ? [] : [formatBytes(count)]);

const now = (one: SystemKept, t: Words) => [...rows(one.rows, t), ...bytes(one.bytes)];

const most = ({ max_days: days, max_rows, max_bytes }: SystemKept, t: Words) => [
	...(days === null ? [] : [unitText("days", days)]),
	...rows(max_rows, t),
	...bytes(max_bytes),
];

/** words says that nothing is known where there is nothing. */
const words = (parts: string[]) => parts.join(" · ") || "–";
