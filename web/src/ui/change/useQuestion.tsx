import type { Ask, Plan } from "@api";
import { type ReactNode, useState } from "react";
import { useErrorText } from "../errorText";
import { Refusal } from "../Refusal";
import { askOf, unsaid } from "./ask";
import { ChangeBar } from "./ChangeBar";
import { useLockout } from "./useLockout";

interface Given {
	/** Component whose daemon it configures; without one there is nothing to choose. */
	component: string | undefined;
	/** Whether it can cut the administrator off. */
	risky: boolean;
	plan: () => Promise<Plan>;
	busy: boolean;
	/** Words an error; useErrorText when left out. */
	text?: (error: unknown) => string;
}

/**
 * useQuestion is what every question before a change has: the bar with reason, confirmation and preview, and the way
 * on when the change would cut off whoever makes it.
 */
export function useQuestion({ component, risky, plan, busy, text }: Given) {
	const plain = useErrorText();
	const [said, say] = useState(unsaid);
	const [error, setError] = useState<unknown>();
	const lockout = useLockout();
	const look = () =>
		plan().catch((failure: unknown) => {
			setError(failure);
			return undefined;
		});
	const carry = <T,>(act: (ask: Ask) => Promise<T>) => lockout.run(component ? askOf(said, risky) : {}, act);
	const bar: ReactNode = (
		<>
			{component && (
				<div className="gw-remove-bar">
					{error !== undefined && <Refusal error={error} text={text ?? plain} />}
					<ChangeBar component={component} risky={risky} said={said} onSay={say} plan={look} busy={busy} />
				</div>
			)}
			{lockout.dialog}
		</>
	);
	return { carry, bar, refused: error };
}
