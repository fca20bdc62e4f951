import { Button } from "@patternfly/react-core";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { BusyButton } from "./BusyButton";
import { Dialog } from "./Dialog";
import { SchemaForm, type SchemaFormProps } from "./SchemaForm";

const first = "#dialog-form :is(input, select, textarea)";

interface Props<In, Out> extends Omit<SchemaFormProps<In, Out>, "id" | "onBusy" | "onCancel"> {
	title: string;
	description?: string;
	onClose: () => void;
}

/** FormDialog is a SchemaForm in a dialog. Mount it to open it. */
export function FormDialog<In, Out>({ title, description, onClose, ...form }: Props<In, Out>) {
	const { t } = useTranslation("ui");
	const [busy, setBusy] = useState(false);
	const footer = (
		<>
			<BusyButton type="submit" form="dialog-form" busy={busy}>
				{form.submitLabel}
			</BusyButton>
			<Button variant="link" onClick={onClose}>
				{t("cancel")}
			</Button>
		</>
	);
	return (
		<Dialog title={title} description={description} onClose={onClose} focus={first} footer={footer}>
			<SchemaForm {...form} id="dialog-form" onBusy={setBusy} />
		</Dialog>
	);
}
