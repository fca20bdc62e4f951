import type { Certificate } from "@api";
import { CertificateIcon } from "@patternfly/react-icons";
import { CertificateState, type Column, DomainName, later, ResourceSection, type RowDialog, RowLink, Time } from "@ui";
import { useTranslation } from "@ui/translation";
import { ExpiryBar } from "./ExpiryBar";
import { certificates } from "./resource";

const Removing = later("what loses a certificate", () => import("./Removing"));
const RenewDialog = later("renew a certificate", () => import("./RenewDialog"));

/** CertificatesTab is all certificates, each with how long it lasts. */
export function CertificatesTab() {
	const { t } = useTranslation("cert");
	const columns: Column<Certificate>[] = [
		{ key: "names", title: t("certificate.field.names"), sortable: true, width: 30, cell: (one) => <Names of={one} /> },
		{
			key: "status",
			title: t("certificate.state"),
			width: 15,
			cell: (one) => <CertificateState id={one.id} status={one.status} />,
		},
		{
			// The server sorts by its own name for the end.
			key: "not_after" as "expires_at",
			title: t("certificate.expires"),
			sortable: true,
			width: 20,
			cell: (one) => <ExpiryBar certificate={one} />,
		},
		{
			key: "source",
			title: t("certificate.field.source"),
			sortable: true,
			width: 15,
			cell: (one) => t(`certificate.short.${one.source}`),
		},
		{ key: "last_renewed_at", title: t("certificate.renewed"), cell: (one) => <Since at={one.last_renewed_at} /> },
	];
	const filter = {
		key: "filter",
		label: t("certificate.all"),
		options: ["acme", "upload", "self_signed"].map((source) => ({
			value: `source:${source}`,
			label: t(`certificate.short.${source}`),
		})),
	};
	const renew: RowDialog<Certificate> = {
		id: "renew",
		title: t("renew.title"),
		fits: (one) => one.source !== "upload",
		dialog: (one, close) => <RenewDialog certificate={one} onClose={close} />,
	};
	return (
		<ResourceSection
			resource={certificates}
			ns="cert/certificate"
			icon={CertificateIcon}
			columns={columns}
			filters={[filter]}
			defaultSort="names"
			dialogs={[renew]}
			removing={(one) => <Removing certificate={one} />}
			form={() => import("./certificateForm")}
		/>
	);
}

function Names({ of }: { of: Certificate }) {
	const { t } = useTranslation("cert");
	const [first = "", ...others] = of.names;
	return (
		<span title={of.names.join(", ")}>
			<RowLink to={`/certificates/${of.id}`}>
				<DomainName name={first} />
			</RowLink>
			{others.length > 0 && <span className="gw-cert-more"> {t("certificate.more", { count: others.length })}</span>}
		</span>
	);
}

const Since = ({ at }: { at: string | null }) => (at ? <Time value={at} /> : "–");
