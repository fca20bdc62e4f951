import { ApiError } from "@api";
import { Notice } from "./Notice";
import { UsedBy } from "./UsedBy";

interface Props {
	error: unknown;
	/** Words it. */
	text: (error: unknown) => string;
}

/** Refusal says why something was not done, and leads to what is in the way. */
export function Refusal({ error, text }: Props) {
	const uses = error instanceof ApiError ? error.uses : undefined;
	return (
		<Notice kind="danger" title={text(error)}>
			{uses && uses.total > 0 && <UsedBy {...uses} />}
		</Notice>
	);
}
