import { ApiError } from "@api";
import { serverText } from "./serverText";
import { useTranslation } from "./translation";

/** Codes that we word ourselves; anything else is the server's own sentence. */
const ours = [
	"network",
	"api_unavailable",
	"database_unavailable",
	"unauthenticated",
	"forbidden",
	"switched_off",
	"too_many_requests",
	"unexpected",
];

/** useErrorText words an error for people. */
export function useErrorText(): (error: unknown) => string {
	const { t } = useTranslation("ui");
	return (error) => {
		if (!(error instanceof ApiError)) return t("error.unexpected");
		if (error.code === "too_many_requests" && error.retryAfter) return t("error.wait", { count: error.retryAfter });
		if (ours.includes(error.code)) return t(`error.${error.code}`);
		return sentence(serverText(error));
	};
}

/** sentence gives the server's lower-case message a capital and a full stop. */
export function sentence(message: string): string {
	const text = message.trim();
	if (text === "") return "";
	return text[0]!.toUpperCase() + ended(text.slice(1));
}

/** ended gives a text its full stop. */
export const ended = (text: string) => text + (/[.!?…]$/.test(text) ? "" : ".");
