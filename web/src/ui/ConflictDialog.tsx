import { Button } from "@patternfly/react-core";
import { useState } from "react";
import { Dialog } from "./Dialog";
import { useErrorText } from "./errorText";
import type { Field } from "./fields";
import { Notice } from "./Notice";
import { Table, Tbody, Td, Th, Thead, Tr } from "./Table";
import { useTranslation } from "./translation";
import { useValueText } from "./valueText";
import { useWords } from "./words";

interface Props {
	ns: string;
	fields: Pick<Field, "name" | "unit">[];
	theirs: object;
	mine: object;
	onOverwrite: () => Promise<void>;
	onTakeTheirs: () => void;
	onCancel: () => void;
	onClose: () => void;
}

/** differences are the fields in which the two versions differ; what I did not send stays as it is. */
export function differences(names: string[], theirs: object, mine: object): [string, unknown, unknown][] {
	const a = theirs as Record<string, unknown>;
	const b = mine as Record<string, unknown>;
	return names
		.filter((n) => n in a && n in b && JSON.stringify(a[n]) !== JSON.stringify(b[n]))
		.map((n) => [n, a[n], b[n]]);
}

/** ConflictDialog says that somebody else changed the row meanwhile, and shows where the two versions differ. */
export default function ConflictDialog({
	ns,
	fields,
	theirs,
	mine,
	onOverwrite,
	onTakeTheirs,
	onCancel,
	onClose,
}: Props) {
	const { t } = useTranslation("ui");
	const { t: own } = useWords(ns);
	const text = useErrorText();
	const [error, setError] = useState<unknown>();
	const words = useValueText(ns, fields);
	const rows = differences(
		fields.map((field) => field.name),
		theirs,
		mine,
	);
	const overwrite = () => onOverwrite().then(onClose, setError);
	const leave = (act: () => void) => () => {
		act();
		onClose();
	};
	const footer = (
		<>
			<Button onClick={leave(onTakeTheirs)}>{t("conflict.takeTheirs")}</Button>
			<Button variant="secondary" onClick={overwrite}>
				{t("conflict.overwrite")}
			</Button>
			<Button variant="link" onClick={leave(onCancel)}>
				{t("cancel")}
			</Button>
		</>
	);
	return (
		<Dialog
			title={t("conflict.title")}
			description={t("conflict.text")}
			warning
			size="medium"
			onClose={leave(onCancel)}
			footer={footer}
		>
			{error !== undefined && <Notice kind="danger" title={text(error)} />}
			<Table variant="compact" aria-label={t("conflict.title")}>
				<Thead>
					<Tr>
						<Th>{t("conflict.field")}</Th>
						<Th>{t("conflict.theirs")}</Th>
						<Th>{t("conflict.mine")}</Th>
					</Tr>
				</Thead>
				<Tbody>
					{rows.map(([name, stored, typed]) => (
						<Tr key={name}>
							<Td dataLabel={t("conflict.field")}>{own(`field.${name}`)}</Td>
							<Td dataLabel={t("conflict.theirs")}>{words(name, stored)}</Td>
							<Td dataLabel={t("conflict.mine")}>{words(name, typed)}</Td>
						</Tr>
					))}
				</Tbody>
			</Table>
		</Dialog>
	);
}
