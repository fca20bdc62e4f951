import type { MouseEvent } from "react";

interface Props {
	label: string;
	ticked: boolean;
	/** Some of those that it stands for are ticked. */
	partly?: boolean;
	/** range: with the Shift key held, as everywhere else. */
	onTick: (on: boolean, range: boolean) => void;
}

/** TickBox chooses a row, or all of them, for what can be done to many at once. */
export function TickBox({ label, ticked, partly = false, onTick }: Props) {
	const click = (event: MouseEvent<HTMLInputElement>) => {
		onTick(event.currentTarget.checked, event.shiftKey);
	};
	return (
		<input
			type="checkbox"
			className="gw-tick"
			aria-label={label}
			checked={ticked}
			ref={(box) => {
				if (box) box.indeterminate = partly;
			}}
			onClick={click}
			// The click says more: whether the Shift key was held.
			onChange={() => {}}
		/>
	);
}
