import { ApiError } from "@api";
import { Button, Form, FormGroup, TextInput } from "@patternfly/react-core";
import { type FormEvent, type ReactNode, useEffect, useId, useState } from "react";
import { BusyButton } from "./BusyButton";
import { Dialog } from "./Dialog";
import { useErrorText } from "./errorText";
import { Refusal } from "./Refusal";
import { useTranslation } from "./translation";

interface Props {
	title: string;
	/** What will happen, in one or two sentences. */
	children: ReactNode;
	/** Label of the button that does it. */
	confirm: string;
	/** Label of the button that does not; "Cancel" when left out. */
	cancel?: string;
	danger?: boolean;
	/** Has a table in it. */
	wide?: boolean;
	/** The operator types this first: for what cannot be undone and hurts many. */
	typed?: string;
	/** False while something is missing in the dialog. */
	complete?: boolean;
	/** Words an error; useErrorText when left out. */
	errorText?: (error: unknown) => string;
	/** What was found out meanwhile about why it cannot be done. */
	refused?: unknown;
	/** Rejecting keeps the dialog open and shows why. */
	onConfirm: () => unknown | Promise<unknown>;
	onClose: () => void;
}

/**
 * ConfirmDialog asks before something that matters. Mount it to open it. Where the answer is that something else uses the
 * object, nothing is left to ask: it leads there instead.
 */
export function ConfirmDialog({ title, children, danger = false, wide, typed, complete, ...rest }: Props) {
	const { onConfirm, onClose, refused, ...words } = rest;
	const { t } = useTranslation("ui");
	const plain = useErrorText();
	const text = words.errorText ?? plain;
	const id = useId();
	const [word, setWord] = useState("");
	const [busy, setBusy] = useState(false);
	const [error, setError] = useState<unknown>();
	const submit = async (event: FormEvent) => {
		event.preventDefault();
		// It may stand within a form on another page or dialog, which is not what was answered here.
		event.stopPropagation();
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
	const stuck = [error, refused].find((one) => one instanceof ApiError && one.inUse);
	// The button that was pressed is gone then.
	useEffect(() => {
		if (stuck) document.getElementById(`${id}cancel`)?.focus();
	}, [stuck, id]);
	const ready = complete !== false && (typed === undefined || word === typed);
	const footer = (
		<>
			{!stuck && (
				<BusyButton type="submit" form={id} variant={danger ? "danger" : "primary"} isDisabled={!ready} busy={busy}>
					{words.confirm}
				</BusyButton>
			)}
			<Button id={`${id}cancel`} variant={stuck ? "secondary" : "link"} onClick={onClose}>
				{stuck ? t("close") : (words.cancel ?? t("cancel"))}
			</Button>
		</>
	);
	// Enter, pressed too early, does nothing that cannot be undone.
	const first = typed === undefined ? (danger ? `${id}cancel` : undefined) : `${id}word`;
	const focus = first ? `[id="${first}"]` : `[form="${id}"]`;
	return (
		<Dialog
			title={title}
			warning={danger}
			size={wide ? "medium" : "small"}
			onClose={onClose}
			focus={focus}
			footer={footer}
		>
			{stuck ? (
				<Refusal error={stuck} text={text} />
			) : (
				<Form id={id} onSubmit={submit}>
					<div>{children}</div>
					{typed !== undefined && (
						<FormGroup label={t("confirm.type", { word: typed })} fieldId={`${id}word`}>
							<TextInput id={`${id}word`} value={word} autoComplete="off" onChange={(_, value) => setWord(value)} />
						</FormGroup>
					)}
					{error !== undefined && <Refusal error={error} text={text} />}
				</Form>
			)}
		</Dialog>
	);
}
