export { actionTitle, actionTitles } from "./action";
export { BarePage } from "./BarePage";
export type { BulkAction } from "./BulkBar";
export { BusyButton } from "./BusyButton";
export { CertificateState, certificateLooks } from "./CertificateState";
export { ChangeList } from "./ChangeList";
export { ChangeState } from "./ChangeState";
export { Command } from "./Command";
export { ConfirmDialog } from "./ConfirmDialog";
export { CopyButton } from "./CopyButton";
export { Csv } from "./Csv";
export { askOf, unsaid } from "./change/ask";
export { ChangeBar } from "./change/ChangeBar";
export { FileDiffs } from "./change/FileDiffs";
export { tell, undo } from "./change/outcome";
export { fieldsOf, nameOf } from "./change/rows";
export { useLockout } from "./change/useLockout";
export { actorOf, nounOf, nounsOf, subjectOf, titleOf } from "./change/words";
export { Dialog } from "./Dialog";
export { DiffView, type DiffViewProps } from "./DiffView";
export { DomainName } from "./DomainName";
export { EmptyState } from "./EmptyState";
export { ErrorState } from "./ErrorState";
export { sentence, useErrorText } from "./errorText";
export { FieldHint } from "./FieldHint";
export { type Figure, Figures } from "./Figures";
export { FormDialog } from "./FormDialog";
export type { Feature, FeatureRoute, PaletteContext, PaletteEntry, Problem, SectionId, Translate } from "./feature";
export type { Choice, ChoiceSource, Field, FieldKind, FormSchema } from "./fields";
export {
	formatAgo,
	formatBytes,
	formatClock,
	formatDuration,
	formatExact,
	formatNumber,
	formatPercent,
	formatRate,
	formatShort,
} from "./format";
export { LastChanges } from "./LastChanges";
export { LeaveGuard } from "./LeaveGuard";
export { Link } from "./Link";
export { LiveChart, type LiveChartProps } from "./LiveChart";
export { Loaded } from "./Loaded";
export { Logo, Mark } from "./Logo";
export { LogView } from "./LogView";
export { later } from "./later";
export { Notice } from "./Notice";
export { ObjectState } from "./ObjectState";
export { Page } from "./Page";
export { PasswordInput } from "./PasswordInput";
export { ProblemItems } from "./ProblemItems";
export { ProblemNotice, ProblemsOf } from "./ProblemNotice";
export { ProblemsAsOf } from "./ProblemsAsOf";
export { PropertyList } from "./PropertyList";
export { useProblemList } from "./problemStore";
export { problemRemedy, problemTitle } from "./problemText";
export { type FormSpec, ResourceForm } from "./ResourceForm";
export { ResourcePage } from "./ResourcePage";
export { ResourceSection, type RowDialog } from "./ResourceSection";
export { type Column, ResourceTable, type ResourceTableProps } from "./ResourceTable";
export { RowLink } from "./RowLink";
export type { RowAction } from "./RowMenu";
export { SchemaForm, type SchemaFormProps } from "./SchemaForm";
export { SecretBox } from "./SecretBox";
export { ServiceCard } from "./ServiceCard";
export { ServicePage } from "./ServicePage";
export { ServiceState, useServiceProblem } from "./ServiceState";
export { type Status, StatusLabel } from "./StatusLabel";
export { StrengthHint } from "./StrengthHint";
export { place } from "./serverErrors";
export { serverText } from "./serverText";
export { lookOf, reasonsOf, restartText, serviceName, stateOf, useServiceState } from "./service";
export { Table, Tbody, Td, Th, Thead, Tr } from "./Table";
export type { DayFilter, Filter } from "./TableToolbar";
export { TableTools } from "./TableTools";
export { Time } from "./Time";
export { setTheme, startTheme, type Theme, useDark, useTheme } from "./theme";
export { type Toast, toast, toasts } from "./toast";
export { UnknownState } from "./UnknownState";
export { UrlTabs } from "./UrlTabs";
export { useUrlState } from "./urlState";
export { storedInput, useSwitchBulk } from "./useSwitchBulk";
export { useValueText } from "./valueText";
export { Waiting } from "./Waiting";
