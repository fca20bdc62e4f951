import { ApiError } from "@api";
import { ActionGroup, Button, Form } from "@patternfly/react-core";
import { type ReactNode, useEffect, useMemo, useRef, useState } from "react";
import { type Control, useForm } from "react-hook-form";
import { useTranslation } from "react-i18next";
import { BusyButton } from "./BusyButton";
import { useErrorText } from "./errorText";
import { FormField } from "./FormField";
import { describe, type Field, type FormSchema, initialOf } from "./fields";
import { LeaveGuard } from "./LeaveGuard";
import { Notice } from "./Notice";
import { schemaResolver } from "./resolver";
import { place } from "./serverErrors";

/** FormFoot is what the foot of a form needs to know of it. */
export interface FormFoot<In> {
	control: Control;
	/** It is being sent. */
	busy: boolean;
	/** Does something with what the form holds, when it is valid; complaints are shown as those of submit are. */
	check: (act: (body: In) => Promise<void>) => Promise<void>;
}

export interface SchemaFormProps<In, Out> {
	/** Generated zod schema of the request's body. */
	schema: FormSchema;
	/** Namespace of "field.*", "help.*" and "option.*". */
	ns: string;
	fields: Field[];
	/** Values to start with; the schema's defaults for the rest. */
	initial?: object;
	/** Sends it. A thrown ApiError is shown, at the fields it names. */
	submit: (body: In) => Promise<Out>;
	/** Gets what submit answered; the form counts as clean by then. */
	onDone?: (out: Out) => void;
	submitLabel: string;
	onCancel?: () => void;
	/** For a button elsewhere (a dialog's footer): then the form shows none. */
	id?: string;
	onBusy?: (busy: boolean) => void;
	/** Told when something differs from what the form started with, and when it does not any more. */
	onDirty?: (dirty: boolean) => void;
	/** Asks before typed input is lost; off for sign-in. */
	guard?: boolean;
	/** The button is as wide as the form. */
	block?: boolean;
	/** Stands between the fields and the buttons. */
	children?: ReactNode;
	/** The same, for what has to do with the form. */
	foot?: (form: FormFoot<In>) => ReactNode;
}

/** SchemaForm builds a form out of a generated schema and puts the server's complaints at their fields. */
export function SchemaForm<In, Out>(props: SchemaFormProps<In, Out>) {
	const { schema, ns, fields, initial, submit, onDone, onBusy, onDirty, guard = true } = props;
	const { t } = useTranslation("ui");
	const text = useErrorText();
	const inputs = useMemo(() => fields.map((field) => describe(schema, field)), [schema, fields]);
	const form = useForm({
		defaultValues: initialOf(inputs, initial),
		resolver: schemaResolver(schema, inputs, t),
		mode: "onTouched",
	});
	const [above, setAbove] = useState<string[]>([]);
	const saved = useRef(false);
	const { isDirty } = form.formState;
	// Not react-hook-form's own word for it: a look at what would change counts as sending there.
	const [busy, setBusy] = useState(false);

	useEffect(() => onDirty?.(isDirty), [onDirty, isDirty]);

	const fail = (error: unknown) => {
		if (!(error instanceof ApiError) || error.fields.length === 0) return setAbove([text(error)]);
		const placed = place(
			error,
			inputs.map((input) => input.name),
		);
		setAbove(placed.above);
		placed.atField.forEach(({ name, message }, i) => {
			form.setError(name, { type: "server", message }, { shouldFocus: i === 0 });
		});
	};
	const save = form.handleSubmit(async (body) => {
		setAbove([]);
		setBusy(true);
		onBusy?.(true);
		try {
			const out = await submit(body as In);
			saved.current = true;
			onDone?.(out);
		} catch (error) {
			fail(error);
		} finally {
			setBusy(false);
			onBusy?.(false);
		}
	});
	const check = (act: (body: In) => Promise<void>) =>
		form.handleSubmit(async (body) => {
			setAbove([]);
			await act(body as In).catch(fail);
		})();
	return (
		<Form id={props.id} onSubmit={save} noValidate>
			{above.map((message) => (
				<Notice key={message} kind="danger" title={message} />
			))}
			{inputs.map((input) => (
				<FormField key={input.name} ns={ns} input={input} control={form.control} />
			))}
			{props.children}
			{props.foot?.({ control: form.control, busy, check })}
			{!props.id && (
				<ActionGroup>
					<BusyButton type="submit" isBlock={props.block} busy={busy}>
						{props.submitLabel}
					</BusyButton>
					{props.onCancel && (
						<Button variant="link" onClick={props.onCancel}>
							{t("cancel")}
						</Button>
					)}
				</ActionGroup>
			)}
			{guard && <LeaveGuard when={() => isDirty && !saved.current} />}
		</Form>
	);
}
