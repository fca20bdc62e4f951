import type { SysPackageVersion } from "@api";
import { Loaded, type Status, StatusLabel, Table, TableTools, Tbody, Td, Th, Thead, Time, Tr, UnknownState } from "@ui";
import { useTranslation } from "@ui/translation";
import { kindOf, sorted } from "./packages";
import { usePackages } from "./requests";

const looks: Record<ReturnType<typeof kindOf>, Status> = { upgradable: "info", current: "success", absent: "neutral" };

/** PackagesTab compares what is installed with what the package sources offer. */
export function PackagesTab() {
	const { t } = useTranslation("system");
	const query = usePackages(60);
	return (
		<Loaded query={query} height="16rem">
			{({ packages, taken_at }, current) => (
				<div className="gw-table">
					<TableTools name="packages" rows={packages} />
					<Table aria-label={t("tab.packages")} variant="compact" gridBreakPoint="grid-md">
						<Thead>
							<Tr>
								<Th>{t("column.package")}</Th>
								<Th>{t("column.installed")}</Th>
								<Th>{t("column.available")}</Th>
								<Th>{t("column.state")}</Th>
							</Tr>
						</Thead>
						<Tbody>
							{sorted(packages).map((one) => (
								<PackageRow key={one.name} one={one} current={current} />
							))}
						</Tbody>
					</Table>
					<p className="gw-system-note">
						{t("packages.read")} <Time value={taken_at} />
					</p>
				</div>
			)}
		</Loaded>
	);
}

function PackageRow({ one, current }: { one: SysPackageVersion; current: boolean }) {
	const { t } = useTranslation("system");
	const kind = kindOf(one);
	return (
		<Tr className={`gw-system-${kind}`}>
			<Td dataLabel={t("column.package")}>{one.name}</Td>
			<Td dataLabel={t("column.installed")} className="gw-system-version">
				{one.installed || "–"}
			</Td>
			<Td dataLabel={t("column.available")} className="gw-system-version">
				{one.available || "–"}
			</Td>
			<Td dataLabel={t("column.state")}>
				{current ? <StatusLabel status={looks[kind]}>{t(`packages.${kind}`)}</StatusLabel> : <UnknownState />}
			</Td>
		</Tr>
	);
}
