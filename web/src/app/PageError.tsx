import { ApiError, useIdentity } from "@api";
import { Bullseye } from "@patternfly/react-core";
import { useRouter } from "@tanstack/react-router";
import { ErrorState } from "@ui/ErrorState";
import { Link } from "@ui/Link";
import { useTranslation } from "@ui/translation";

/** PageError keeps a broken page from taking the shell with it. */
export function PageError({ error, reset }: { error: unknown; reset: () => void }) {
	const { t } = useTranslation();
	const router = useRouter();
	const somebody = useIdentity();
	const retry = () => {
		reset();
		void router.invalidate();
	};
	// A lost connection comes back by itself and then loads the page.
	const waiting = error instanceof ApiError && error.away;
	// Without the database one account can still sign in, and look at the system.
	const locked = error instanceof ApiError && error.code === "database_unavailable" && !somebody;
	return (
		<Bullseye className="gw-alone">
			<div>
				<ErrorState error={error} retry={waiting ? undefined : retry} />
				{locked && (
					<p className="gw-alone-more">
						<Link to="/sign-in">{t("limited.signIn")}</Link>
					</p>
				)}
			</div>
		</Bullseye>
	);
}
