import { type Done, planRemove, type Resource, type Row, useRemove } from "@api";
import { type ReactNode, useState } from "react";
import { ConfirmDialog } from "../ConfirmDialog";
import { useErrorText } from "../errorText";
import { Notice } from "../Notice";
import { askOf, unsaid } from "./ask";
import { ChangeBar } from "./ChangeBar";
import { useLockout } from "./useLockout";

interface Props<R extends Row, In> {
	resource: Resource<R, In>;
	row: R;
	title: string;
	children: ReactNode;
	/** What else there is to know before. */
	more?: ReactNode;
	onRemoved: (done: Done<unknown>) => void;
	onClose: () => void;
}

/** RemoveDialog asks before a row is deleted, and shows what that changes. */
export default function RemoveDialog<R extends Row, In>(props: Props<R, In>) {
	const { resource, row, title, children, more, onRemoved, onClose } = props;
	const text = useErrorText();
	const { mutateAsync: remove, isPending } = useRemove(resource);
	const [said, say] = useState(unsaid);
	const [error, setError] = useState<unknown>();
	const risky = resource.risky?.(row, undefined) ?? false;
	const look = () =>
		planRemove(resource, row).catch((failure: unknown) => {
			setError(failure);
			return undefined;
		});
	const lockout = useLockout();
	const confirm = () =>
		lockout.run(resource.component ? askOf(said, risky) : {}, (ask) => remove({ row, ask })).then(onRemoved);
	return (
		<ConfirmDialog title={title} confirm={title} danger onConfirm={confirm} onClose={onClose}>
			<p>{children}</p>
			{more}
			{resource.component && (
				<div className="gw-remove-bar">
					{error !== undefined && <Notice kind="danger" title={text(error)} />}
					<ChangeBar
						component={resource.component}
						risky={risky}
						said={said}
						onSay={say}
						plan={look}
						busy={isPending}
					/>
				</div>
			)}
			{lockout.dialog}
		</ConfirmDialog>
	);
}
