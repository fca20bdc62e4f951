import type { ForwardproxyAcl } from "@api";
import { StatusLabel } from "@ui";
import { useTranslation } from "@ui/translation";
import { memo } from "react";
import { hoursText } from "./hours";

/** AclRow is an access rule in a line: what it compares, what happens, for whom, when, and whether it is asked. */
export const AclRow = memo(function AclRow({ acl }: { acl: ForwardproxyAcl }) {
	const { t, i18n } = useTranslation("forwardproxy");
	const { action, type, value, only_from: from, only_during: at, enabled } = acl;
	const compared = type === "time" ? hoursText(value, i18n.language) : value;
	const about = [acl.name, acl.description].filter(Boolean).join(" · ");
	const whom = from.join(", ") || t("acl.everybody");
	const when = at ? hoursText(at, i18n.language) : t("acl.always");
	return (
		<div className="gw-ordered-row" data-state={enabled ? "on" : "off"}>
			<div className="gw-ordered-name">
				<span className="gw-ordered-title" title={compared}>
					{t(`acl.option.type.${type}`)} <code className="gw-mono">{compared}</code>
				</span>
				{about && (
					<span className="gw-fwp-about" title={about}>
						{about}
					</span>
				)}
			</div>
			<StatusLabel status={action === "allow" ? "success" : "danger"}>{t(`acl.option.action.${action}`)}</StatusLabel>
			<span className="gw-fwp-cell" title={whom}>
				{whom}
			</span>
			<span className="gw-fwp-cell" title={when}>
				{when}
			</span>
			<StatusLabel status="neutral">{t(enabled ? "acl.on" : "acl.off")}</StatusLabel>
		</div>
	);
});
