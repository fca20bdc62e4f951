import { session, useConnection, useIdentity } from "@api";
import { Dialog } from "@ui/Dialog";
import { useFeatures } from "@ui/features";
import { later } from "@ui/later";
import { useTranslation } from "@ui/translation";
import { Suspense, useState } from "react";

/**
 * SignInAgain lies over a page whose session ended, so that nothing typed on it is lost. Without the database the session may
 * still be there, and somebody asked to sign in as the setup administrator: that can be left.
 */
export function SignInAgain() {
	const { t } = useTranslation();
	const email = useIdentity()?.email;
	const away = useConnection() === "database";
	const load = useFeatures().find((feature) => feature.signIn)?.signIn;
	const [Form] = useState(() => load && later("sign-in again", load));
	if (!Form) return null;
	// The form is loaded before the dialog opens: a dialog without anything to focus is an error.
	return (
		<Suspense fallback={null}>
			<Dialog
				title={t("again.title")}
				description={t(away ? "again.limited" : "again.text")}
				focus={email && 'input[name="password"]'}
				onClose={away ? () => session.over.set(false) : undefined}
			>
				<Form email={email} />
			</Dialog>
		</Suspense>
	);
}
