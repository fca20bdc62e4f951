/** fileOf is the name of a file with the list at a path of the API: "/dns/zones" → "dns-zones". */
export const fileOf = (path: string) => path.slice(1).replaceAll("/", "-");
