// samples.mjs makes up values for the fields of the API's answers: some that are ordinary, and some as long as the
// API takes them.

/** Most a text without a limit of its own gets: what people paste, not what they name things by. */
const longest = 200;

export const uuid = (n) => `00000000-0000-4000-8000-${String(n).padStart(12, "0")}`;

const pick = (all, i) => all[i % all.length];

/** hostname is a name of so many letters, in labels of at most 50. */
function hostname(i, length) {
	const end = `-${i}.a-rather-long-subdomain-of-the-customer.example.com`;
	const labels = "production-storefront-with-a-long-label".repeat(8).match(/.{1,50}/g);
	return `${labels
		.join(".")
		.slice(0, Math.max(4, length - end.length))
		.replace(/[.-]+$/, "")}${end}`;
}

/** unbroken begins alike in all rows, so that what tells them apart is at the end, and has no place to break. */
const unbroken = (i, length) => `${"Produktionsumgebungsverwaltungsgesellschaft".repeat(6).slice(0, length - 3)}${i}`;
const words = (i, length) => `${"Storefront of the branch office ".repeat(8).slice(0, length - 3)}${i}`;

const longName = (i, length) => (i % 2 ? words(i, length) : unbroken(i, length));
const v6 = (i) => `2001:db8:1234:5678:9abc:def0:1234:${(0x1000 + i).toString(16)}`;
const agent =
	"Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36";
const services = ["dns", "ntp", "reverse-proxy", "packet-filter", "scheduler", "waf", "forward-proxy", "ids"];
const components = ["proxy", "firewall", "dns", "ntp"];
const zones = ["lan", "wan", "dmz", "guest", "mgmt", "voip"];
const actions = [
	"dns.record.create",
	"firewall.rule.update",
	"proxy.domain.delete",
	"auth.login.failed",
	"user.create",
];
const tables = ["proxy_domains", "firewall_rules", "proxy_backends", "dns_records"];
const texts = ["example.com is not reachable from here", "the daemon does not answer"];
const diff = "--- a\n+++ b\n@@ -1,3 +1,4 @@\n # made by gateway\n-server one 192.0.2.1:80\n+server one 192.0.2.2:80\n";

/** A zone has 32 letters at most, an interface 15. */
const zone = (i, long) => (long ? `${"production-segment-of-branch".slice(0, 28)}-${i % 6}` : pick(zones, i));
const device = (i, long) => (long ? `enp125s0f1np${100 + (i % 30)}` : `eth${i % 30}`);
const cidr = (i, long) => (long ? `${v6(i)}/128` : `192.0.2.${i % 250}/32`);
const address = (i, long) => (long ? v6(i) : `192.0.2.${1 + (i % 250)}`);
const host = (i, long, length = 253) => (long ? hostname(i, length) : `shop${i}.example.com`);
const email = (i, long) =>
	long ? `${"firstname.of.the.operator".repeat(2)}.${i}@${hostname(i, 180)}` : `ann${i}@example.com`;

/** Fields by the place they are at, "/domains name", and what they hold; the first that fits counts. */
const fields = [
	[/^\/(domains|certificate-domains).* name$/, host],
	[/^\/dns\/.* (name|fqdn)$/, host],
	[/^\/ntp\/.* (name|address|source)$/, host],
	[/^\/firewall\/zones name$/, zone],
	[/^\/firewall\/matrix (name|src|dst)$/, zone],
	[/^\/network-interfaces\S* (name|parent|members|primary)$/, device],
	[/^\/routes\S* dev$/, device],
	[/^\/routes\S* gateway$/, address],
	[/^\/routes\S* table_name$/, (i, long) => (long ? "4294967294" : pick(["main", "main", "100", "local"], i))],
	[/^\/routes\/live protocol$/, (i, long) => (long ? "gateway-tunnel" : pick(["gateway", "kernel", "dhcp"], i))],
	[/^\/routes\S* destination$/, cidr],
	[/^\/system\/interfaces address$/, (i) => `02:00:00:00:00:${(10 + (i % 80)).toString(16)}`],
	[/^\/system\/services name$/, (i) => pick(services, i)],
	[/^\/system\/services unit$/, (i) => `${pick(services, i)}.service`],
	[
		/^\/system\/package-versions name$/,
		(i, long) => (long ? `linux-headers-6.12.43+deb13-cloud-amd64-${i}` : `haproxy${i}`),
	],
	[/ (available|installed)$/, (i, long) => (long ? `1:3.2.5+dfsg-1~bpo13+1ubuntu0.24.04.1~build${i}` : `3.0.${i}`)],
	[/^\/system\/services active_state$/, (i) => pick(["active", "failed", "inactive", "unknown", "activating"], i)],
	[/^\/changes confirm_state$/, (i) => pick([null, null, "confirmed", "reverted", "failed"], i)],
	[/^\/changes apply$/, (i) => pick(["live", "failed", "pending", null], i)],
	[/^\/changes (reverted_by|reverts)$/, (i) => (i % 7 === 3 ? uuid(2) : null)],
	[
		/^\/problems\/states state$/,
		(i) => pick(["down", "degraded", "no_certificate", "maintenance", "disabled", "unknown"], i),
	],
	[/ (subject|issuer)$/, (i, long) => (long ? `CN=${hostname(i, 200)}, O=${words(i, 60)}` : `shop${i}.example.com`)],
	[/ names$/, host],
	[/ (fqdn|health_host|tls_server_name|hostname|server)$/, host],
	[/ (email|actor|oidc_subject)$/, email],
	[/^\/changes\/actors/, email],
	[/ (.*_zone|lockout_zones|role)$/, zone],
	[/ (interface|out_interface|ifname)$/, device],
	[/ (.*_cidr|access_acl|allow_acl|allow_from|lockout_networks|addresses)$/, cidr],
	[/ value$/, (i, long) => (long ? hostname(i, 253) : `192.0.2.${i}`)],
	[
		/ (source|destination|reply_.*|address|local|remote_ip|target_address|.*_addresses|upstream_forwards|forward_to)$/,
		address,
	],
	[/ (component|name)s?$/, (i, long, length, place) => componentOr(place, i, long, length)],
	[/ (path_prefix|health_path)$/, (i, long) => (long ? `/${"a-long-path-segment/".repeat(9)}${i}/` : `/api${i}/`)],
	[
		/ action$/,
		(i, _long, _length, place) =>
			/changes|audit/.test(place) ? pick(actions, i) : pick(["accept", "drop", "reject"], i),
	],
	[/ table$/, (i) => pick(tables, i)],
	[/ user_agent$/, () => agent],
	[/ (proto|protocol)$/, (i) => pick(["tcp", "udp", "icmp", "icmpv6"], i)],
	[/ (chain)$/, (i) => pick(["input", "forward"], i)],
	[/^\/firewall\/connections state$/, (i) => pick(["ESTABLISHED", "TIME_WAIT", "SYN_SENT", ""], i)],
	[/ (sha256)$/, () => "AB:".repeat(32).slice(0, 95)],
	[/ (serial|wanted|observed)$/, () => "0af3".repeat(10)],
	[/ pem$/, () => `-----BEGIN CERTIFICATE-----\n${`${"MIIB".repeat(16)}\n`.repeat(6)}-----END CERTIFICATE-----\n`],
	[/ diff$/, (_, long) => diff + (long ? `+# ${unbroken(1, 180)}\n` : "")],
	[
		/ (path|drift)$/,
		(i, long) => (long ? `/etc/gateway/haproxy/${unbroken(i, 90)}.cfg` : `/etc/unbound/unbound${i}.conf`),
	],
	[/ link$/, () => `/proxy/pools/${uuid(1)}`],
	[/ (directory_url)$/, () => "https://acme-v02.api.letsencrypt.org/directory"],
	[
		/ (message|remedy|error|last_error_message|why|reason)$/,
		(i, long) => (long ? `${words(i, 160)} ${unbroken(i, 60)}` : pick(texts, i)),
	],
	[/ (last_error|code)$/, () => "dns_mismatch"],
	[/ text$/, () => ""],
	[/ (labels)$/, (i, long) => (long ? unbroken(i, 40) : pick(["web", "temporary", "audit 2026"], i))],
	[
		/ (notes?|comment|description|warning)$/,
		(i, long) => (long ? `${words(i, 150)} ${unbroken(i, 80)}` : `Something about ${i}`),
	],
	[/ flags$/, (i) => pick(["UP", "LOWER_UP", "BROADCAST"], i)],
	[/ (family)$/, (i) => pick(["inet", "inet6"], i)],
	[/ scope$/, () => "global"],
	[/ (off)$/, (i) => pick(services, i)],
	[/ services|except$/, (i, long) => (long ? unbroken(i, 60) : pick(["https", "dns", "tcp/8443"], i))],
	[/ boot$/, () => "enabled"],
	[/ sub_state$/, () => "running"],
	[/ check_status$/, (i) => pick(["L7OK", "L4CON", "L4TOUT"], i)],
	[
		/ kind$/,
		(i, _long, _length, place) =>
			/providers|kinds/.test(place) ? "rfc2136" : pick(["backend", "domain", "server"], i),
	],
	[/ version$/, (_i, long) => (long ? "0.13.1-rc.4+build.20261116.abcdef0" : "0.1.0")],
];

/** componentOr: a component has a name that the pages know; all else has one that people made up. */
function componentOr(place, i, long, length = 100) {
	if (place.endsWith(" component")) return pick(components, i);
	return long ? longName(i, Math.min(length, 100)) : `Name ${i}`;
}

/** sampleText is a text for a field. */
export function sampleText(place, i, long, limit) {
	const found = fields.find(([where]) => where.test(place));
	const text = found ? found[1](i, long, limit, place) : long ? words(i, 60) : `Text ${i}`;
	return limit && typeof text === "string" ? text.slice(0, Math.min(limit, longest + 60)) : text;
}
