import { ApiError, allowOperation, onPasswordNeeded } from "@api";
import { later } from "@ui/later";
import { subjectOf, useOperationTitle } from "@ui/operationTitle";
import { useTranslation } from "@ui/translation";
import { Suspense, useEffect, useState } from "react";

const load = async () => ({ default: (await import("@ui/OwnPasswordDialog")).OwnPasswordDialog<string> });
const Dialog = later("password", load);

/** soon is when its code is fetched, in milliseconds: after the page, and before somebody has filled in a form. */
const soon = 3_000;

interface Asked {
	operation: string;
	/** What it is done to; "" where that is not known. */
	subject: string;
	answer: (ticket?: string) => void;
}

/** PasswordAgain lies over a page whose request needs the password once more, and lets the request go on with it. */
export function PasswordAgain() {
	const { t } = useTranslation();
	const [asked, ask] = useState<Asked>();
	const title = useOperationTitle(asked?.operation ?? "");
	const what = asked?.subject ? `${title} (${asked.subject})` : title;
	// Once the gateway is updated this code is gone from it, and with it what was typed into the form that asks.
	useEffect(() => {
		const timer = setTimeout(() => void load().catch(() => {}), soon);
		return () => clearTimeout(timer);
	}, []);
	useEffect(() => {
		let last: Asked | undefined;
		const stop = onPasswordNeeded(
			(operation, body) =>
				new Promise((answer) => {
					last = { operation, subject: subjectOf(operation, body), answer };
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
	const allow = async (password: string) => {
		try {
			return (await allowOperation({ body: { password, operation } })).data.ticket;
		} catch (error) {
			// The sign-in waits until no request is under way, and the one below waits for this dialog.
			if (error instanceof ApiError && error.code === "unauthenticated") done();
			throw error;
		}
	};
	return (
		<Suspense fallback={null}>
			<Dialog
				title={t("password.title")}
				description={t("password.text", { what })}
				button={t("password.button")}
				submit={allow}
				onDone={done}
				onClose={() => done()}
			/>
		</Suspense>
	);
}
