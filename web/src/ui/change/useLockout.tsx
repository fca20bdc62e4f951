import { ApiError, type Ask } from "@api";
import { Suspense, useState } from "react";
import { later } from "../later";

// Hardly anybody cuts himself off; the question is loaded when somebody would.
const LockoutDialog = later("lockout", () => import("./LockoutDialog"));

/** Seconds in which somebody must come back and confirm it. */
const within = 60;

interface Asked {
	error: ApiError;
	again: () => Promise<unknown>;
	leave: () => void;
}

/**
 * useLockout makes a change. When the server refuses it because it would cut off whoever makes it, it asks whether it
 * may be tried with a way back; saying no leaves it refused.
 */
export function useLockout() {
	const [asked, setAsked] = useState<Asked>();
	const run = <T,>(ask: Ask, act: (ask: Ask) => Promise<T>): Promise<T> =>
		act(ask).catch((error: unknown) => {
			if (!(error instanceof ApiError) || error.code !== "would_lock_out" || ask.confirmWithin) throw error;
			return new Promise<T>((resolve, reject) => {
				const again = () => act({ ...ask, confirmWithin: within }).then(resolve, reject);
				setAsked({ error, again, leave: () => reject(error) });
			});
		});
	const close = () => {
		// After an answer this says nothing any more.
		asked?.leave();
		setAsked(undefined);
	};
	const dialog = asked && (
		<Suspense fallback={null}>
			<LockoutDialog error={asked.error} seconds={within} onAgain={asked.again} onClose={close} />
		</Suspense>
	);
	return { run, dialog };
}
