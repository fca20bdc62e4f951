import { allowOperation, onPasswordNeeded } from "@api";
import { later } from "@ui/later";
import { Suspense, useEffect, useState } from "react";
import { useTranslation } from "react-i18next";

const Dialog = later("password", async () => ({
	default: (await import("@ui/OwnPasswordDialog")).OwnPasswordDialog<string>,
}));

interface Asked {
	operation: string;
	answer: (ticket?: string) => void;
}

/** PasswordAgain lies over a page whose request needs the password once more, and lets the request go on with it. */
export function PasswordAgain() {
	const { t } = useTranslation();
	const [asked, ask] = useState<Asked>();
	useEffect(() => {
		let last: Asked | undefined;
		const stop = onPasswordNeeded(
			(operation) =>
				new Promise((answer) => {
					last = { operation, answer };
					ask(last);
				}),
		);
		return () => {
			stop();
			last?.answer(); // a request does not wait for a dialog that is gone
		};
	}, []);
	if (!asked) return null;
	const done = (ticket?: string) => {
		ask(undefined);
		asked.answer(ticket);
	};
	const { operation } = asked;
	return (
		<Suspense fallback={null}>
			<Dialog
				title={t("password.title")}
				description={t("password.text")}
				button={t("password.button")}
				submit={async (password) => (await allowOperation({ body: { password, operation } })).data.ticket}
				onDone={done}
				onClose={() => done()}
			/>
		</Suspense>
	);
}
