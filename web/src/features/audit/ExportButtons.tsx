import { DownloadIcon } from "@patternfly/react-icons";
import { BusyButton, formatNumber, toast, useErrorText } from "@ui";
import { download } from "@ui/csv";
import { saveAs } from "@ui/saveAs";
import { useTranslation } from "@ui/translation";
import { useState } from "react";
import { everyEntry, most, toCsv, toJson } from "./export";
import type { Filters } from "./filters";

type Kind = "csv" | "json";

const name = () => `audit-${new Date().toISOString().slice(0, 19).replaceAll(":", "")}`;

/** ExportButtons have all entries that fit the filters as a file, also those that were not scrolled to. */
export function ExportButtons({ filters, none }: { filters: Filters; none: boolean }) {
	const { t } = useTranslation("audit");
	const text = useErrorText();
	const [busy, setBusy] = useState<Kind>();
	const save = async (kind: Kind) => {
		setBusy(kind);
		try {
			const { entries, more } = await everyEntry(filters);
			if (kind === "csv") download(`${name()}.csv`, toCsv(entries));
			else saveAs(`${name()}.json`, `${toJson(entries)}\n`, "application/json");
			if (more) toast.info(t("export.part", { shown: formatNumber(entries.length) }));
		} catch (error) {
			toast.danger(t("export.failed"), { detail: text(error) });
		} finally {
			setBusy(undefined);
		}
	};
	return (["csv", "json"] as const).map((kind) => (
		<BusyButton
			key={kind}
			variant="link"
			size="sm"
			icon={<DownloadIcon />}
			busy={busy === kind}
			isDisabled={none || busy !== undefined}
			aria-label={t(`export.${kind}`, { most: formatNumber(most) })}
			title={t(`export.${kind}`, { most: formatNumber(most) })}
			onClick={() => void save(kind)}
		>
			{kind.toUpperCase()}
		</BusyButton>
	));
}
