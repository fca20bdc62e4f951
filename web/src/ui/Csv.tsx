import { Button } from "@patternfly/react-core";
import { DownloadIcon } from "@patternfly/react-icons";
import { formatNumber } from "./format";
import { toast } from "./toast";
import { useTranslation } from "./translation";

/** Part is what a file holds of a list that may be longer. */
interface Part {
	rows: object[];
	total: number;
}

interface Props {
	/** Of the file, without its end. */
	name: string;
	/** The list as it is searched and filtered now. */
	rows: () => object[] | Promise<object[] | Part>;
}

/** Csv hands a list to the browser as a file. When that is not all of it, it says so. */
export function Csv({ name, rows }: Props) {
	const { t } = useTranslation("ui");
	const save = async () => {
		const [{ csvOf, download }, found] = await Promise.all([import("./csv"), rows()]);
		const { rows: held, total } = Array.isArray(found) ? { rows: found, total: found.length } : found;
		download(`${name}.csv`, csvOf(held));
		if (total > held.length)
			toast.info(t("table.csvPart", { shown: formatNumber(held.length), total: formatNumber(total) }));
	};
	return (
		<Button
			variant="plain"
			icon={<DownloadIcon />}
			aria-label={t("table.csv")}
			title={t("table.csv")}
			onClick={() => void save().catch(() => toast.danger(t("table.csvFailed")))}
		/>
	);
}
