import type { Done, Resource, Row } from "@api";
import { type ComponentType, useMemo, useState } from "react";
import type { Control } from "react-hook-form";
import { FailedDialog } from "./change/FailedDialog";
import { FormDialog } from "./FormDialog";
import type { Field, FormSchema } from "./fields";
import { useTranslation } from "./translation";
import { useSaving } from "./useSaving";

/** FormSpec is what a form asks; a feature's form.ts exports one, so that it is loaded when a dialog opens. */
export interface FormSpec {
	/** Generated schema of what create and update take. */
	schema: FormSchema;
	fields: Field[];
	/** A hook: values that a new row starts with, beside the schema's own. */
	useInitial?: () => object;
	/** Stands above the buttons, in sight, and says what the fields mean together. */
	Summary?: ComponentType<{ control: Control }>;
}

interface Props<R extends Row, In> extends FormSpec {
	resource: Resource<R, In>;
	/** The row to change; without it one is created. */
	row?: R;
	/** Namespace of "field.*", "help.*" and "option.*". */
	ns: string;
	title: string;
	onSaved: (done: Done<R>) => void;
	onClose: () => void;
}

const nothing = () => undefined;

/**
 * ResourceForm creates or changes a row in a sheet at the side. When somebody else changed the
 * row meanwhile it shows both versions and lets the operator choose.
 */
export function ResourceForm<R extends Row, In>(props: Props<R, In>) {
	const { resource, row, ns, schema, fields, title, onSaved, onClose, Summary } = props;
	const { t } = useTranslation("ui");
	const useInitial = props.useInitial ?? nothing;
	const initial = useInitial();
	const [failed, setFailed] = useState<Done<R>>();
	const asked = useMemo(() => fields.filter((f) => !f.only || (f.only === "edit") === Boolean(row)), [fields, row]);
	const { base, submit, foot, dialog } = useSaving(resource, row, ns, asked);
	const done = (saved: Done<R>) => (saved.outcome?.apply === "failed" ? setFailed(saved) : onSaved(saved));
	if (failed?.outcome && resource.component)
		return <FailedDialog title={title} component={resource.component} outcome={failed.outcome} onClose={onClose} />;
	return (
		<>
			<FormDialog<In, Done<R>>
				key={base?.revision ?? 0}
				title={title}
				schema={schema}
				ns={ns}
				fields={asked}
				initial={base ?? initial}
				submit={submit}
				onDone={done}
				foot={(form) => {
					const { bar, action } = foot(form);
					return {
						bar: (
							<>
								{Summary && <Summary control={form.control} />}
								{bar}
							</>
						),
						action,
					};
				}}
				wide
				submitLabel={row ? t("save") : t("create")}
				onClose={onClose}
			/>
			{dialog}
		</>
	);
}
