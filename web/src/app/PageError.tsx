import { ApiError } from "@api";
import { Bullseye } from "@patternfly/react-core";
import { useRouter } from "@tanstack/react-router";
import { ErrorState } from "@ui/ErrorState";

/** PageError keeps a broken page from taking the shell with it. */
export function PageError({ error, reset }: { error: unknown; reset: () => void }) {
	const router = useRouter();
	const retry = () => {
		reset();
		void router.invalidate();
	};
	// A lost connection comes back by itself and then loads the page.
	const waiting = error instanceof ApiError && error.away;
	return (
		<Bullseye className="gw-alone">
			<ErrorState error={error} retry={waiting ? undefined : retry} />
		</Bullseye>
	);
}
