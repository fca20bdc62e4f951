import {
	allowBackupDownload,
	type Backup,
	type BackupPassphraseInput,
	type BackupRestoreInputWritable,
	type BackupSettingsInput,
	confirmRestore,
	deleteBackup,
	getBackupSettingsOptions,
	getBackupStatusOptions,
	getRestoreOptions,
	getRetentionOptions,
	ifMatch,
	invalidate,
	listBackupsOptions,
	previewRestoreOptions,
	queryClient,
	setBackupPassphrase,
	setRetention,
	startRestore,
	testBackupTarget,
	undoRestore,
	updateBackupSettings,
	verifyBackup,
	wrongAt,
} from "@api";
import { useMutation, useQuery } from "@tanstack/react-query";
import { underWay } from "./sight";

const busy = ({ status, verify_status: verified, progress }: Backup) =>
	status === "running" || verified === "running" || Boolean(progress);

/** useBackups looks often while something is under way. */
export const useBackups = () =>
	useQuery({
		...listBackupsOptions(),
		refetchInterval: ({ state }) => (state.data?.some(busy) ? 1_000 : 10_000),
	});

export const useStatus = () => useQuery({ ...getBackupStatusOptions(), refetchInterval: 10_000 });

export const useSettings = () => useQuery(getBackupSettingsOptions());

export const useRetention = () => useQuery(getRetentionOptions());

const told = () => invalidate("backup", "audit");

export const useVerify = () =>
	useMutation({ mutationFn: (id: string) => verifyBackup({ path: { id } }), onSettled: told });

export const useDelete = () =>
	useMutation({ mutationFn: (id: string) => deleteBackup({ path: { id } }), onSettled: told });

/** Plan is when backups are made, and how many of them stay. */
export type Plan = BackupSettingsInput & { backups: number };

/** useSavePlan: how many stay is one of the node's settings of what it keeps, and stored with those. */
export const useSavePlan = (revision: number, kept: number) =>
	useMutation({
		mutationFn: async ({ backups, ...body }: Plan) => {
			await updateBackupSettings({ body, headers: ifMatch({ revision }) });
			if (backups !== kept) await setRetention({ body: { backups } });
		},
		onSettled: () => invalidate("backup", "system", "change", "audit"),
	});

/** usePassphrase; wrong words a password that is not right. */
export const usePassphrase = (wrong: string) =>
	useMutation({
		mutationFn: (body: BackupPassphraseInput) => wrongAt("password", wrong, setBackupPassphrase({ body })),
		onSettled: told,
	});

/** useTicket asks for what lets this browser download a backup once. */
export const useTicket = (id: string) =>
	useMutation({
		mutationFn: async (password: string) =>
			(await allowBackupDownload({ path: { id }, body: { password } })).data.ticket,
		onSettled: told,
	});

export const useTestTarget = () =>
	useMutation({ mutationFn: async (id: string) => (await testBackupTarget({ path: { id } })).data, onSettled: told });

/** usePreview looks once: what differs does not change under the eyes of the reader. */
export const usePreview = (id: string) =>
	useQuery({
		...previewRestoreOptions({ path: { id } }),
		staleTime: Number.POSITIVE_INFINITY,
		gcTime: 0,
		retry: false,
	});

/** useStart begins a restore; wrong words a password that is not right. */
export const useStart = (id: string, wrong: string) =>
	useMutation({
		mutationFn: (body: BackupRestoreInputWritable) => wrongAt("password", wrong, startRestore({ path: { id }, body })),
		onSettled: told,
	});

/** useRestore asks on, also while nobody answers: the API restarts in the middle of a restore. */
export const useRestore = () =>
	useQuery({
		...getRestoreOptions(),
		staleTime: 0,
		retry: false,
		refetchInterval: ({ state }) => (underWay(state.data) || state.error ? 1_000 : 10_000),
		refetchIntervalInBackground: true,
	});

/** decided: everything may be another after it. */
const decided = () => queryClient.invalidateQueries();

export const useConfirm = () => useMutation({ mutationFn: () => confirmRestore(), onSettled: decided });

export const useUndo = () => useMutation({ mutationFn: () => undoRestore(), onSettled: decided });
