import { Button, Modal, ModalBody, ModalFooter, ModalHeader } from "@patternfly/react-core";
import { useState } from "react";
import { useTranslation } from "react-i18next";
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
	return (
		<Modal isOpen variant="small" onClose={onClose} aria-labelledby="dialog-title" elementToFocus={first}>
			<ModalHeader title={title} labelId="dialog-title" description={description} />
			<ModalBody>
				<SchemaForm {...form} id="dialog-form" onBusy={setBusy} />
			</ModalBody>
			<ModalFooter>
				<Button type="submit" form="dialog-form" isDisabled={busy} isLoading={busy}>
					{form.submitLabel}
				</Button>
				<Button variant="link" onClick={onClose}>
					{t("cancel")}
				</Button>
			</ModalFooter>
		</Modal>
	);
}
