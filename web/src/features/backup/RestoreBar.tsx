import { useRouterState } from "@tanstack/react-router";
import { Confirmation } from "./Confirmation";
import { stageOf } from "./sight";
import { useSight } from "./useSight";

/** RestoreBar asks above every page whether a restore stays; the page of the restore asks by itself. */
export default function RestoreBar() {
	const path = useRouterState({ select: ({ location }) => location.pathname });
	const { kind, last, until } = useSight();
	const waits = kind === "known" && last && stageOf(last) === "waiting";
	return waits && path !== "/backups/restore" ? <Confirmation until={until} /> : null;
}
