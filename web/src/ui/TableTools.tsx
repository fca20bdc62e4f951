import { Csv } from "./Csv";
import { formatNumber } from "./format";
import { useTranslation } from "./translation";

/** TableTools stands above a short table, which is neither searched nor filtered: its length, and the table as a file. */
export function TableTools({ name, rows }: { name: string; rows: object[] }) {
	const { t } = useTranslation("ui");
	return (
		<div className="gw-toolbar">
			<span className="gw-toolbar-count">
				{t("table.count", { count: rows.length, shown: formatNumber(rows.length) })}
			</span>
			<Csv name={name} rows={() => rows} />
		</div>
	);
}
