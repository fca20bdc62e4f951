import {
	CheckCircleIcon,
	CircleIcon,
	CogIcon,
	ExclamationTriangleIcon,
	KeyIcon,
	PencilAltIcon,
	PlusCircleIcon,
	SignInAltIcon,
	SignOutAltIcon,
	SyncAltIcon,
	TrashIcon,
} from "@patternfly/react-icons";
import type { ComponentType } from "react";
import { type Kind, kindOf } from "./actions";

const icons: Record<Kind, ComponentType> = {
	signIn: SignInAltIcon,
	signOut: SignOutAltIcon,
	refused: ExclamationTriangleIcon,
	create: PlusCircleIcon,
	update: PencilAltIcon,
	delete: TrashIcon,
	secret: KeyIcon,
	restart: SyncAltIcon,
	setting: CogIcon,
	done: CheckCircleIcon,
	other: CircleIcon,
};

/** EventIcon shows the kind of an action; the words beside it say the same. */
export function EventIcon({ action }: { action: string }) {
	const kind = kindOf(action);
	const Icon = icons[kind];
	return (
		<span className="gw-audit-icon" data-kind={kind} aria-hidden="true">
			<Icon />
		</span>
	);
}
