import { useSessionOver } from "@api";
import { Button } from "@patternfly/react-core";
import { BarsIcon } from "@patternfly/react-icons";
import { Outlet, useRouterState } from "@tanstack/react-router";
import { Link } from "@ui/Link";
import { Logo } from "@ui/Logo";
import { useTranslation } from "@ui/translation";
import { useEffect, useState } from "react";
import { Navigation } from "./Navigation";
import { PaletteButton } from "./PaletteButton";
import { PasswordAgain } from "./PasswordAgain";
import { Problems } from "./Problems";
import { SignInAgain } from "./SignInAgain";
import { UserMenu } from "./UserMenu";
import { WaitingBar } from "./WaitingBar";

const wide = window.matchMedia("(min-width: 75rem)");
const main = () => document.getElementById("main");

/** Shell is around all pages of somebody signed in: masthead, navigation, the page. */
export function Shell() {
	const { t } = useTranslation();
	const over = useSessionOver();
	const [open, setOpen] = useNavigationOpen();
	return (
		<div className="gw-shell" data-nav={open ? "open" : "closed"}>
			<button type="button" className="gw-skip" onClick={() => main()?.focus()}>
				{t("skip")}
			</button>
			<header className="gw-masthead">
				<Button
					variant="plain"
					icon={<BarsIcon />}
					aria-label={t("navigation.toggle")}
					aria-expanded={open}
					aria-controls="nav"
					onClick={() => setOpen(!open)}
				/>
				<Link to="/" className="gw-home">
					<Logo />
				</Link>
				<PaletteButton />
				<div className="gw-masthead-end">
					<Problems />
					<UserMenu />
				</div>
			</header>
			<Navigation open={open} />
			{open && <div className="gw-nav-shade" aria-hidden="true" onClick={() => setOpen(false)} />}
			<div className="gw-body">
				<WaitingBar />
				<main id="main" tabIndex={-1}>
					<Outlet />
				</main>
			</div>
			<PasswordAgain />
			{over && <SignInAgain />}
		</div>
	);
}

/** useNavigationOpen: beside the page on a wide screen, over it on a narrow one, where another page closes it. */
function useNavigationOpen() {
	const path = useRouterState({ select: (state) => state.location.pathname });
	const [open, setOpen] = useState(wide.matches);
	useEffect(() => {
		const follow = () => setOpen(wide.matches);
		wide.addEventListener("change", follow);
		return () => wide.removeEventListener("change", follow);
	}, []);
	// biome-ignore lint/correctness/useExhaustiveDependencies: another page starts at its top, without the navigation over it.
	useEffect(() => {
		if (!wide.matches) setOpen(false);
		main()?.scrollTo({ top: 0 });
	}, [path]);
	return [open, setOpen] as const;
}
