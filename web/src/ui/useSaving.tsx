import { ApiError, type Done, planSave, type Resource, type Row, useSave } from "@api";
import { Suspense, useState } from "react";
import { useChangeBar } from "./change/useChangeBar";
import { useLockout } from "./change/useLockout";
import type { Field } from "./fields";
import { later } from "./later";
import { useTranslation } from "./translation";

// Somebody else is seldom faster, and its table weighs more than the rest of a form.
const ConflictDialog = later("conflict", () => import("./ConflictDialog"));

interface Conflict<R, In> {
	theirs: R;
	body: In;
	resolve: (saved: Done<R>) => void;
	reject: (error: unknown) => void;
}

/**
 * useSaving is how every form saves a row: with the change bar when it configures a daemon, and
 * with both versions shown when somebody else changed the row meanwhile.
 */
export function useSaving<R extends Row, In>(
	resource: Resource<R, In>,
	row: R | undefined,
	ns: string,
	fields: Field[],
) {
	const { t } = useTranslation("ui");
	const { mutateAsync: save } = useSave(resource);
	const lockout = useLockout();
	const [base, setBase] = useState(row);
	const [conflict, setConflict] = useState<Conflict<R, In>>();
	const bar = useChangeBar<In>({
		component: resource.component,
		risky: (body) => resource.risky?.(base, body) ?? false,
		plan: (body) => planSave(resource, { row: base, body }),
	});
	const submit = (body: In) =>
		lockout
			.run(bar.ask(body), (ask) => save({ row: base, body, ask }))
			.catch((error: unknown) => {
				if (!(error instanceof ApiError) || error.status !== 412) throw error;
				return new Promise<Done<R>>((resolve, reject) => {
					setConflict({ theirs: error.current as R, body, resolve, reject });
				});
			});
	const overwrite = async ({ theirs, body, resolve }: Conflict<R, In>) =>
		resolve(await save({ row: theirs, body, ask: bar.ask(body) }));
	const takeTheirs = ({ theirs, reject }: Conflict<R, In>) => {
		reject(new ApiError(412, "reloaded", t("conflict.reloaded")));
		setBase(theirs);
	};
	const dialog = conflict ? (
		<Suspense fallback={null}>
			<ConflictDialog
				ns={ns}
				fields={fields}
				theirs={conflict.theirs}
				mine={conflict.body as object}
				onOverwrite={() => overwrite(conflict)}
				onTakeTheirs={() => takeTheirs(conflict)}
				onCancel={() => conflict.reject(new ApiError(412, "conflict", t("conflict.kept")))}
				onClose={() => setConflict(undefined)}
			/>
		</Suspense>
	) : (
		lockout.dialog
	);
	return { base, setBase, submit, foot: bar.foot, forget: bar.forget, dialog };
}
