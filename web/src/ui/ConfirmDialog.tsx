import { Button, Form, FormGroup, Modal, ModalBody, ModalFooter, ModalHeader, TextInput } from "@patternfly/react-core";
import { type FormEvent, type ReactNode, useState } from "react";
import { useTranslation } from "react-i18next";
import { useErrorText } from "./errorText";
import { Notice } from "./Notice";

interface Props {
	title: string;
	/** What will happen, in one or two sentences. */
	children: ReactNode;
	/** Label of the button that does it. */
	confirm: string;
	danger?: boolean;
	/** The operator types this first: for what cannot be undone and hurts many. */
	typed?: string;
	/** Rejecting keeps the dialog open and shows why. */
	onConfirm: () => unknown | Promise<unknown>;
	onClose: () => void;
}

/** ConfirmDialog asks before something that matters. Mount it to open it. */
export function ConfirmDialog({ title, children, confirm, danger = false, typed, onConfirm, onClose }: Props) {
	const { t } = useTranslation("ui");
	const text = useErrorText();
	const [word, setWord] = useState("");
	const [busy, setBusy] = useState(false);
	const [error, setError] = useState<unknown>();
	const submit = async (event: FormEvent) => {
		event.preventDefault();
		setBusy(true);
		setError(undefined);
		try {
			await onConfirm();
			onClose();
		} catch (failure) {
			setError(failure);
			setBusy(false);
		}
	};
	const ready = typed === undefined || word === typed;
	return (
		<Modal isOpen variant="small" onClose={onClose} aria-labelledby="confirm-title">
			<ModalHeader title={title} labelId="confirm-title" titleIconVariant={danger ? "warning" : undefined} />
			<ModalBody>
				<Form id="confirm-form" onSubmit={submit}>
					<div>{children}</div>
					{typed !== undefined && (
						<FormGroup label={t("confirm.type", { word: typed })} fieldId="confirm-word">
							<TextInput id="confirm-word" value={word} autoComplete="off" onChange={(_, value) => setWord(value)} />
						</FormGroup>
					)}
					{error !== undefined && <Notice kind="danger" title={text(error)} />}
				</Form>
			</ModalBody>
			<ModalFooter>
				<Button
					type="submit"
					form="confirm-form"
					variant={danger ? "danger" : "primary"}
					isDisabled={!ready || busy}
					isLoading={busy}
				>
					{confirm}
				</Button>
				<Button variant="link" onClick={onClose}>
					{t("cancel")}
				</Button>
			</ModalFooter>
		</Modal>
	);
}
