import type { IntentRow } from "@api";
import { StatusLabel, Table, Tbody, Td, Th, Thead, Tr } from "@ui";
import { useTranslation } from "react-i18next";
import { fieldsOf, nameOf, text } from "./images";

const looks = { INSERT: "success", UPDATE: "info", DELETE: "danger" } as const;

/** RowImages shows each row that a change wrote, field by field. */
export function RowImages({ images }: { images: IntentRow[] }) {
	return images.map((row, n) => (
		// biome-ignore lint/suspicious/noArrayIndexKey: the rows of a change that is done keep their place
		<RowImage key={n} row={row} />
	));
}

function RowImage({ row }: { row: IntentRow }) {
	const { t } = useTranslation("change");
	const name = nameOf(row);
	return (
		<div className="gw-table gw-change-row">
			<h3>
				<StatusLabel status={looks[row.operation]}>{t(`operation.${row.operation}`)}</StatusLabel>
				<code>{row.table}</code> {name}
			</h3>
			<Table variant="compact" aria-label={`${row.table} ${name}`}>
				<Thead>
					<Tr>
						<Th width={20}>{t("column.field")}</Th>
						<Th width={40}>{t("column.before")}</Th>
						<Th width={40}>{t("column.after")}</Th>
					</Tr>
				</Thead>
				<Tbody>
					{fieldsOf(row).map(({ field, before, after }) => (
						<Tr key={field}>
							<Td dataLabel={t("column.field")}>{field}</Td>
							<Td dataLabel={t("column.before")} className="gw-mono" modifier="breakWord">
								{text(before)}
							</Td>
							<Td dataLabel={t("column.after")} className="gw-mono" modifier="breakWord">
								{text(after)}
							</Td>
						</Tr>
					))}
				</Tbody>
			</Table>
		</div>
	);
}
