import "./form.css";
import type { Plan } from "@api";
import { Form } from "@patternfly/react-core";
import { type ReactNode, Suspense, useId } from "react";
import type { Control } from "react-hook-form";
import { ErrorSummary } from "./ErrorSummary";
import { FormFooter } from "./FormFooter";
import { FormSections } from "./FormSections";
import type { Field, FormSchema } from "./fields";
import { later } from "./later";
import { Notice } from "./Notice";
import { useTranslation } from "./translation";
import { UsedBy } from "./UsedBy";
import { useSchemaForm } from "./useSchemaForm";

/** Most forms are sent without a look at what would change, and that of the first page asks nobody who leaves it. */
const Planned = later("planned", async () => ({ default: (await import("./change/Planned")).Planned }));
const LeaveGuard = later("leave guard", async () => ({ default: (await import("./LeaveGuard")).LeaveGuard }));

/** FormFoot is what the foot of a form needs to know of it. */
export interface FormFoot<In> {
	control: Control;
	/** It is being sent. */
	busy: boolean;
	/** Does something with what the form holds, when it is valid; complaints are shown as those of submit are. */
	check: (act: (body: In) => Promise<void>) => Promise<void>;
	/** Shows what would change in place of the fields, until it is called with nothing. */
	onPlan: (plan?: Plan) => void;
	/** That is being looked at. */
	planned: boolean;
	/** Of the form, for an input that stands outside of it. */
	id: string;
}

/** FootParts is what stands at a form's end beside the button that sends it. */
export interface FootParts {
	bar?: ReactNode;
	/** Stands beside that button. */
	action?: ReactNode;
}

/** FormParts is a form in two parts, for a window whose foot stays in sight. */
export interface FormParts {
	body: ReactNode;
	foot: ReactNode;
	planned: boolean;
}

export interface SchemaFormProps<In, Out> {
	/** Generated zod schema of the request's body. */
	schema: FormSchema;
	/** Namespace of "field.*", "help.*", "option.*", "section.*" and "zero.*". */
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
	id?: string;
	/** Told when something differs from what the form started with, and when it does not any more. */
	onDirty?: (dirty: boolean) => void;
	/** Asks before typed input is lost; off for sign-in. */
	guard?: boolean;
	/** The button is as wide as the form. */
	block?: boolean;
	/** Two columns where there is room, and a summary of what is wrong. */
	wide?: boolean;
	/** Stands between the fields and the buttons. */
	children?: ReactNode;
	/** The same, for what has to do with the form; it stays in sight. */
	foot?: (form: FormFoot<In>) => FootParts;
	/** Puts the parts where they belong; one after the other otherwise. */
	frame?: (parts: FormParts) => ReactNode;
}

/** SchemaForm builds a form out of a generated schema and puts the server's complaints at their fields. */
export function SchemaForm<In, Out>(props: SchemaFormProps<In, Out>) {
	const { ns, wide = false, guard = true } = props;
	const own = useId();
	const id = props.id ?? own;
	const { t } = useTranslation("ui");
	const { form, inputs, above, uses, busy, looking, save, check, plan, setPlan, lost } = useSchemaForm<In, Out>(props);
	const planned = plan !== undefined;
	const parts = props.foot?.({ control: form.control, busy, check, onPlan: setPlan, planned, id });
	const foot = (
		<FormFooter
			form={id}
			busy={busy}
			label={props.submitLabel}
			block={props.block}
			sticky={Boolean(props.foot) && !props.frame}
			onCancel={props.onCancel}
			{...parts}
		/>
	);
	const body = (
		<Form id={id} onSubmit={save} noValidate className={wide ? "gw-form gw-form-wide" : "gw-form"}>
			<div className="gw-form-body" hidden={planned} inert={looking}>
				{above.map((message) => (
					<Notice key={message} kind="danger" title={message} />
				))}
				{uses && (
					<Notice kind="info" title={t("uses.title")}>
						<UsedBy {...uses} />
					</Notice>
				)}
				{wide && <ErrorSummary ns={ns} inputs={inputs} state={form.formState} />}
				<FormSections ns={ns} inputs={inputs} control={form.control} />
				{props.children}
			</div>
			{plan && (
				<Suspense fallback={null}>
					<Planned plan={plan} ns={ns} inputs={inputs} />
				</Suspense>
			)}
			{!props.frame && foot}
		</Form>
	);
	return (
		<>
			{props.frame ? props.frame({ body, foot, planned }) : body}
			{guard && (
				<Suspense fallback={null}>
					<LeaveGuard when={lost} />
				</Suspense>
			)}
		</>
	);
}
