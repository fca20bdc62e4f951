import type { IntentRow } from "@api";
import { nounOf, StatusLabel, Table, Tbody, Td, Th, Thead, Tr } from "@ui";
import { useTranslation } from "@ui/translation";
import { fieldsOf, nameOf, text } from "./images";

const looks = { INSERT: "success", UPDATE: "info", DELETE: "danger" } as const;

/** What is new has no before, what is gone no after. */
const sidesOf = { INSERT: ["after"], UPDATE: ["before", "after"], DELETE: ["before"] } as const;

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
	const noun = nounOf(row.table);
	const sides = sidesOf[row.operation];
	return (
		<div className="gw-table gw-change-row">
			<h3>
				<StatusLabel status={looks[row.operation]}>{t(`operation.${row.operation}`)}</StatusLabel>
				{noun ?? <code>{row.table}</code>} {name}
			</h3>
			<Table variant="compact" aria-label={`${noun ?? row.table} ${name}`}>
				<Thead>
					<Tr>
						<Th width={20}>{t("column.field")}</Th>
						{sides.map((side) => (
							<Th key={side}>{t(`column.${side}`)}</Th>
						))}
					</Tr>
				</Thead>
				<Tbody>
					{fieldsOf(row).map((change) => (
						<Tr key={change.field}>
							<Td dataLabel={t("column.field")}>{change.field}</Td>
							{sides.map((side) => (
								<Td key={side} dataLabel={t(`column.${side}`)} className="gw-mono" modifier="breakWord">
									{text(change[side])}
								</Td>
							))}
						</Tr>
					))}
				</Tbody>
			</Table>
		</div>
	);
}
