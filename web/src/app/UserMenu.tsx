import { ApiError, session, useIdentity } from "@api";
import { Divider, Dropdown, DropdownGroup, DropdownItem, DropdownList, MenuToggle } from "@patternfly/react-core";
import { UserIcon } from "@patternfly/react-icons";
import { useNavigate, useRouter } from "@tanstack/react-router";
import { type Density, densities, setDensity, useDensity } from "@ui/density";
import { useErrorText } from "@ui/errorText";
import { useFeatures } from "@ui/features";
import { setTheme, type Theme, useTheme } from "@ui/theme";
import { toast } from "@ui/toast";
import { useTranslation } from "@ui/translation";
import { useState } from "react";
import { type Language, languages, setLanguage } from "./language";

const themes: Theme[] = ["light", "dark", "system"];

/** UserMenu says who is signed in and holds what belongs to a person: account, API reference, theme, density, language, sign out. */
export function UserMenu() {
	const { t, i18n } = useTranslation();
	const text = useErrorText();
	const [open, setOpen] = useState(false);
	const identity = useIdentity();
	const theme = useTheme();
	const density = useDensity();
	const navigate = useNavigate();
	const router = useRouter();
	const pages = useFeatures()
		.filter((feature) => feature.menu)
		.sort((a, b) => a.menu!.order - b.menu!.order);
	const signOut = () =>
		session.leave().then(
			() => navigate({ to: "/sign-in" }).then(() => router.invalidate()),
			(error: unknown) => error instanceof ApiError && toast.danger(text(error)),
		);
	const choose = (value: unknown) => {
		const [kind, choice] = String(value).split(":");
		if (kind === "theme") setTheme(choice as Theme);
		if (kind === "density") setDensity(choice as Density);
		if (kind === "language") void setLanguage(choice as Language);
		if (kind === "page") void navigate({ to: choice });
		if (kind === "sign-out") void signOut();
		setOpen(false);
	};
	if (!identity) return null;
	return (
		<Dropdown
			isOpen={open}
			onOpenChange={setOpen}
			onSelect={(_, value) => choose(value)}
			popperProps={{ position: "right", appendTo: "inline" }}
			toggle={(ref) => (
				<MenuToggle
					ref={ref}
					variant="plainText"
					className="gw-user"
					isExpanded={open}
					onClick={() => setOpen(!open)}
					aria-label={t("user.menu", { email: identity.email })}
					icon={<UserIcon />}
				>
					<span className="gw-user-name">{identity.email}</span>
				</MenuToggle>
			)}
		>
			<p className="gw-user-head">
				<strong>{identity.email}</strong>
				{t(`user.${identity.role}`)}
			</p>
			<DropdownList>
				{pages.map(({ id, menu, routes }) => (
					<DropdownItem key={id} value={`page:${routes[0]?.path}`}>
						{t(menu!.titleKey, { ns: id })}
					</DropdownItem>
				))}
			</DropdownList>
			<Divider />
			<DropdownGroup label={t("theme.label")} labelHeadingLevel="h2">
				<DropdownList>
					{themes.map((one) => (
						<DropdownItem key={one} value={`theme:${one}`} isSelected={theme === one}>
							{t(`theme.${one}`)}
						</DropdownItem>
					))}
				</DropdownList>
			</DropdownGroup>
			<DropdownGroup label={t("density.label")} labelHeadingLevel="h2">
				<DropdownList>
					{densities.map((one) => (
						<DropdownItem key={one} value={`density:${one}`} isSelected={density === one}>
							{t(`density.${one}`)}
						</DropdownItem>
					))}
				</DropdownList>
			</DropdownGroup>
			<DropdownGroup label={t("language.label")} labelHeadingLevel="h2">
				<DropdownList>
					{languages.map((one) => (
						<DropdownItem key={one} value={`language:${one}`} lang={one} isSelected={i18n.resolvedLanguage === one}>
							{t(`language.${one}`)}
						</DropdownItem>
					))}
				</DropdownList>
			</DropdownGroup>
			<Divider />
			<DropdownList>
				<DropdownItem value="sign-out">{t("user.signOut")}</DropdownItem>
			</DropdownList>
		</Dropdown>
	);
}
