import {
	createNtpPool,
	defineResource,
	defineSettings,
	deleteNtpPool,
	getNtpPool,
	getNtpSettings,
	getNtpSettingsQueryKey,
	listNtpPools,
	type NtpPool,
	type NtpPoolInput,
	type NtpSettings,
	type NtpSettingsInput,
	updateNtpPool,
	updateNtpSettings,
} from "@api";

export const pools = defineResource<NtpPool, NtpPoolInput>({
	path: "/ntp/pools",
	tag: "ntp",
	component: "ntp",
	name: (pool) => pool.address,
	list: listNtpPools,
	get: getNtpPool,
	create: createNtpPool,
	update: updateNtpPool,
	remove: deleteNtpPool,
});

export const settings = defineSettings<NtpSettings, NtpSettingsInput>({
	tag: "ntp",
	component: "ntp",
	key: getNtpSettingsQueryKey(),
	get: getNtpSettings,
	update: updateNtpSettings,
});
