export { everyRow, operationOf, planBulk, type Step, useBulk } from "./bulk";
export { invalidate, queryClient } from "./cache";
export { type Ask, carryOut, type Done, type Outcome, type Plan, tryOut } from "./change";
export { setUp } from "./client";
export { useComponent, useComponents, useComponentsLive } from "./components";
export { type ConnectionState, connection, onRecovered, useConnection } from "./connection";
export { useCurrent } from "./current";
export { ApiError, type Uses } from "./error";
export { flattened } from "./flattened";
export * from "./generated";
export * from "./generated/@tanstack/react-query.gen";
export { healthQuery, isOutdated, sawVersion, useHealth, useHealthWatch, useOutdated } from "./health";
export { type LiveStatus, openLive, useLive } from "./live";
export { ifMatch, type ListQuery, type Page, page } from "./page";
export { type StateOf, useProblems, useProblemsLive, useStateCounts, useStates } from "./problems";
export { onPasswordNeeded, proven } from "./proof";
export { type PageImport, type PageModule, reloadOnce } from "./reload";
export {
	defineResource,
	planRemove,
	planSave,
	type Resource,
	type Row,
	type Save,
	useRemove,
	useSave,
} from "./resource";
export { identityQuery, session, useCan, useIdentity, useSessionOver } from "./session";
export { asResource, defineSettings, type Settings, useSettings } from "./settings";
export { Store, useStore } from "./store";
export { secondsLeft, steady, type Waiting, waitingIn, waitingOf } from "./waiting";
export { askForPageWords, askForWords, onMessage, onPageWords } from "./words";
export { wrongAt } from "./wrongAt";
