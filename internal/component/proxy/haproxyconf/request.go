package haproxyconf

import (
	"fmt"
	"strings"
)

// The rules that a request meets. Each is there once for all domains, and only while a
// domain wants it; what it needs to know it takes from the record of the site.

// lookUp finds the site's record.
func (r *rendering) lookUp(b *strings.Builder) {
	const host = "req.hdr(host),field(1,:),rtrim(.),lower"
	if !r.hosts.use.wildcard {
		b.WriteString("\thttp-request set-var(txn.site) " + host + ",map_str(" + sitesMap + ")\n")
	} else {
		b.WriteString("\thttp-request set-var(txn.host) " + host + "\n" +
			"\thttp-request set-var(txn.site) var(txn.host),map_str(" + sitesMap + ")\n")
		// Not by a regular expression: the processes that check this may not compile one.
		const missed = " if !{ var(txn.site) -m found }\n"
		b.WriteString("\thttp-request set-var(txn.parent) var(txn.host),field(2,.,0)" + missed +
			"\thttp-request set-var(txn.site) str(*.),concat(,txn.parent),map_str(" + sitesMap + ")" + missed)
	}
	u := r.hosts.use
	if u.allow || u.login || u.limit || u.routes || len(r.hosts.headers) > 0 {
		b.WriteString("\thttp-request set-var(txn.domain) " + domainField + "\n")
	}
}

// has looks for a letter of the record. Whether a field is there cannot be asked instead:
// an empty one before another is found too.
func has(letter string) string { return "{ var(txn.site),field(1,|) -m sub " + letter + " }" }

// The other fields of the record.
const (
	limitField    = "var(txn.site),field(2,|)"
	bodyField     = "var(txn.site),field(3,|)"
	domainField   = "var(txn.site),field(4,|)"
	redirectField = "var(txn.site),field(5,|)"
	hstsField     = "var(txn.site),field(6,|)"
	sectionField  = "var(txn.site),field(-1,|)"
)

// gates are what may keep a request from its site.
func (r *rendering) gates(b *strings.Builder, scheme string) {
	u := r.hosts.use
	if u.redirect {
		fmt.Fprintf(b, "\thttp-request redirect code 301 prefix %s://%%[%s] if %s\n", scheme, redirectField, has("w"))
	}
	if u.allow {
		b.WriteString("\thttp-request set-var(txn.net) src,map_ip(" + netsMap + ") if " + has("a") + "\n" +
			"\thttp-request deny deny_status 403 if " + has("a") + " !{ var(txn.domain),concat(|,txn.net),map_str(" + allowedMap + ") -m found }\n")
	}
	if u.limit {
		b.WriteString("\thttp-request set-var(txn.limit) " + limitField + " if " + has("c") + "\n" +
			"\thttp-request track-sc0 src,concat(|,txn.domain) table gateway_rates if { var(txn.limit) -m found }\n" +
			"\thttp-request deny deny_status 429 hdr Retry-After 10 if { sc_http_req_rate(0),sub(txn.limit) gt 0 }\n")
	}
	if u.maintenance {
		b.WriteString("\thttp-request return status 503 content-type \"text/html; charset=utf-8\" hdr Retry-After 300 hdr Cache-Control no-store string " +
			quoted(maintenancePage) + " if " + has("m") + "\n")
	}
	if u.body {
		// By HTTP/1 a body without a length says so. By HTTP/2 and 3 a request does not say that
		// it has one: it is seen to come. What is to be upgraded is not waited for: it has no body.
		const limited = "{ var(txn.body) -m found }"
		const chunked = limited + " { req.hdr(transfer-encoding) -m found }"
		const silent = limited + " !{ req.hdr(content-length) -m found } !{ req.hdr(upgrade) -m found }"
		const refuse = "\thttp-request return status 411 content-type text/plain string \"Content-Length is required.\" if "
		b.WriteString("\thttp-request set-var(txn.body) " + bodyField + " if " + has("b") + "\n" +
			refuse + chunked + "\n" +
			"\thttp-request wait-for-body time 10s at-least 1 if " + silent + "\n" +
			refuse + silent + " { req.body_len gt 0 }\n" +
			"\thttp-request deny deny_status 413 if " + limited + " { req.hdr(content-length),sub(txn.body) gt 0 }\n")
	}
	if u.login {
		b.WriteString("\thttp-request set-var(txn.login) req.hdr(authorization),word(2,\" \"),concat(|,txn.domain),sha2(256),hex if " + has("l") + "\n" +
			"\thttp-request auth realm site if " + has("l") + " !{ var(txn.login),map_str(" + loginsMap + ") -m found }\n")
	}
}

const maintenancePage = `<!doctype html><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>Maintenance</title>` +
	`<style>body{font:1.1rem/1.5 system-ui,sans-serif;max-width:32rem;margin:20vh auto;padding:0 1rem;color:#222}</style>` +
	`<h1>We will be back soon</h1><p>This site is under maintenance. Please try again in a few minutes.</p>`

// answers are what a site's answers carry, also those that HAProxy gives itself.
func (r *rendering) answers(b *strings.Builder) {
	u := r.hosts.use
	b.WriteString("\thttp-after-response set-header Alt-Svc 'h3=\":443\"; ma=86400'")
	if u.noH3 {
		b.WriteString(" if !" + has("q"))
	}
	b.WriteByte('\n')
	if u.hsts {
		b.WriteString("\thttp-after-response set-header Strict-Transport-Security %[" + hstsField + "] if " + has("s") + "\n")
	}
	r.headersOut(b)
}

func (r *rendering) headersOut(b *strings.Builder) {
	for i, h := range r.hosts.headers {
		fmt.Fprintf(b, "\thttp-after-response set-var(txn.h%d) var(txn.domain),map_str(%s)\n"+
			"\thttp-after-response set-header %s %%[var(txn.h%d)] if { var(txn.h%d) -m found }\n", i, h.path(), h.name, i, i)
	}
}

// lead says which section serves the request; first is what goes before all sites.
func (r *rendering) lead(b *strings.Builder, first string) {
	if r.hosts.use.routes {
		first += "\tuse_backend '#%[var(txn.route)]' if { var(txn.route) -m found }\n"
		b.WriteString("\thttp-request set-var(txn.path) path if " + has("r") + "\n" +
			"\thttp-request set-var(txn.route) var(txn.domain),concat(,txn.path),map_beg(" + routesMap + ") if " + has("r") + "\n")
	}
	b.WriteString(first + "\tuse_backend '#%[" + sectionField + "]'\n" +
		"\tdefault_backend gateway_unknown\n\n")
}
