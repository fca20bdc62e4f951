import { type Done, planRemove, type Resource, type Row, useRemove } from "@api";
import type { ReactNode } from "react";
import { ConfirmDialog } from "../ConfirmDialog";
import { useQuestion } from "./useQuestion";

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
	const { mutateAsync: remove, isPending: busy } = useRemove(resource);
	const risky = resource.risky?.(row, undefined) ?? false;
	const { component } = resource;
	const { carry, bar, refused } = useQuestion({ component, risky, plan: () => planRemove(resource, row), busy });
	const confirm = () => carry((ask) => remove({ row, ask })).then(onRemoved);
	return (
		<ConfirmDialog title={title} confirm={title} danger refused={refused} onConfirm={confirm} onClose={onClose}>
			<p>{children}</p>
			{more}
			{bar}
		</ConfirmDialog>
	);
}
