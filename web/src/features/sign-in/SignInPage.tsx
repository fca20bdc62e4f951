import { useHealth, useIdentity } from "@api";
import { Navigate, useRouter } from "@tanstack/react-router";
import { BarePage, Link, useUrlState } from "@ui";
import { useTranslation } from "@ui/translation";
import { useEffect } from "react";
import { safeNext } from "./next";
import SignInForm from "./SignInForm";

/** SignInPage signs in and goes on to where the visitor wanted to go. */
export default function SignInPage() {
	const { t } = useTranslation("sign-in");
	const [search] = useUrlState();
	const identity = useIdentity();
	const { data: health } = useHealth();
	const { history } = useRouter();
	useEffect(() => {
		if (identity) history.replace(safeNext(search.next));
	}, [identity, history, search.next]);
	if (health && !health.setup_complete) return <Navigate to="/setup" replace />;
	return (
		<BarePage title={t("title")} lead={health?.hostname} footer={<Link to="/reset-password">{t("forgot")}</Link>}>
			<SignInForm />
		</BarePage>
	);
}
