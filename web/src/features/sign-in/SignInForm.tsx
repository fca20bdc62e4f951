import { session } from "@api";
import { useState } from "react";
import { CodeStep } from "./CodeStep";
import { PasswordStep } from "./PasswordStep";

/** SignInForm asks for the password, then for the second factor where the account has one. */
export default function SignInForm({ email }: { email?: string }) {
	const [token, setToken] = useState<string>();
	if (token) return <CodeStep token={token} onDone={session.begin} onBack={() => setToken(undefined)} />;
	return <PasswordStep email={email} onDone={session.begin} onSecondFactor={setToken} />;
}
