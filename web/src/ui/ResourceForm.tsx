import { ApiError, type Resource, type Row, useSave } from "@api";
import { useMemo, useState } from "react";
import { useTranslation } from "react-i18next";
import { ConflictDialog } from "./ConflictDialog";
import { FormDialog } from "./FormDialog";
import type { Field, FormSchema } from "./fields";

/** FormSpec is what a form asks; a feature's form.ts exports one, so that it is loaded when a dialog opens. */
export interface FormSpec {
	/** Generated schema of what create and update take. */
	schema: FormSchema;
	fields: Field[];
}

interface Props<R extends Row, In> extends FormSpec {
	resource: Resource<R, In>;
	/** The row to change; without it one is created. */
	row?: R;
	/** Namespace of "field.*", "help.*" and "option.*". */
	ns: string;
	title: string;
	onSaved: (row: R) => void;
	onClose: () => void;
}

interface Conflict<R, In> {
	theirs: R;
	body: In;
	resolve: (saved: R) => void;
	reject: (error: unknown) => void;
}

/**
 * ResourceForm creates or changes a row in a dialog. When somebody else changed the
 * row meanwhile it shows both versions and lets the operator choose.
 */
export function ResourceForm<R extends Row, In>({
	resource,
	row,
	ns,
	schema,
	fields,
	title,
	onSaved,
	onClose,
}: Props<R, In>) {
	const { t } = useTranslation("ui");
	const { mutateAsync: save } = useSave(resource);
	const [base, setBase] = useState(row);
	const [conflict, setConflict] = useState<Conflict<R, In>>();
	const asked = useMemo(() => fields.filter((f) => !f.only || (f.only === "edit") === Boolean(row)), [fields, row]);

	const submit = (body: In) =>
		save({ row: base, body }).catch((error: unknown) => {
			if (!(error instanceof ApiError) || error.status !== 412) throw error;
			return new Promise<R>((resolve, reject) => {
				setConflict({ theirs: error.current as R, body, resolve, reject });
			});
		});
	const overwrite = async ({ theirs, body, resolve }: Conflict<R, In>) => resolve(await save({ row: theirs, body }));
	const takeTheirs = ({ theirs, reject }: Conflict<R, In>) => {
		reject(new ApiError(412, "reloaded", t("conflict.reloaded")));
		setBase(theirs);
	};
	return (
		<>
			<FormDialog<In, R>
				key={base?.revision ?? 0}
				title={title}
				schema={schema}
				ns={ns}
				fields={asked}
				initial={base}
				submit={submit}
				onDone={onSaved}
				submitLabel={row ? t("save") : t("create")}
				onClose={onClose}
			/>
			{conflict && (
				<ConflictDialog
					ns={ns}
					names={asked.map((field) => field.name)}
					theirs={conflict.theirs}
					mine={conflict.body as object}
					onOverwrite={() => overwrite(conflict)}
					onTakeTheirs={() => takeTheirs(conflict)}
					onCancel={() => conflict.reject(new ApiError(412, "conflict", t("conflict.kept")))}
					onClose={() => setConflict(undefined)}
				/>
			)}
		</>
	);
}
