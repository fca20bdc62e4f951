import type { Plan } from "@api";
import { useState } from "react";
import { ApplyProgress } from "./ApplyProgress";
import type { Said } from "./ask";
import { ChangeFields } from "./ChangeFields";
import { Planned } from "./Planned";
import { PreviewButton } from "./PreviewButton";

interface Props {
	component: string;
	/** The change as it is typed now can cut the administrator off. */
	risky: boolean;
	/** No daemon is concerned: it takes effect at once, and waits for nobody. */
	atOnce?: boolean;
	said: Said;
	onSay: (said: Said) => void;
	/** Asks what would change; undefined when that cannot be said, and says so itself. */
	plan: () => Promise<Plan | undefined>;
	/** The change is on its way. */
	busy: boolean;
}

/** ChangeBar stands at the end of a question that configures a daemon: what will change, undo by itself, why. */
export function ChangeBar({ component, risky, atOnce, said, onSay, plan, busy }: Props) {
	const [shown, setShown] = useState<Plan>();
	if (busy) return <ApplyProgress component={component} />;
	return (
		<>
			<ChangeFields risky={risky} atOnce={atOnce} said={said} onSay={onSay}>
				<PreviewButton
					shown={Boolean(shown)}
					onLook={async () => setShown(await plan())}
					onBack={() => setShown(undefined)}
				/>
			</ChangeFields>
			{shown && <Planned plan={shown} />}
		</>
	);
}
