import { Outlet } from "@tanstack/react-router";
import { ConnectionBanner } from "./ConnectionBanner";
import { Toasts } from "./Toasts";

/** Root is around every page, inside or outside of the shell. */
export function Root() {
	return (
		<>
			<ConnectionBanner />
			<Outlet />
			<Toasts />
		</>
	);
}
