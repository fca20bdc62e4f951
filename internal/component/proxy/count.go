package proxy

import "strings"

// countFrom is the rate of requests from which on not every one is counted: then one of
// sixteen is, for sixteen. A count costs as much as all other lookups together.
const countFrom = "500"

// count keeps figures for each site: requests, milliseconds to their answers, and answers
// with a status of 500 and above, and of 400 and above.
func (r *rendering) count(b *strings.Builder) {
	const counted = " if { var(txn.weight) -m found }"
	b.WriteString("\thttp-request set-var(txn.weight) int(1) if { fe_req_rate lt " + countFrom + " }\n" +
		"\thttp-request set-var(txn.weight) int(16) if !{ var(txn.weight) -m found } { rand(16) eq 0 }\n" +
		"\thttp-request track-sc1 var(txn.site),field(2,|) table gateway_sites" + counted + "\n" +
		"\thttp-request sc-add-gpc(0,1) var(txn.weight)" + counted + "\n" +
		"\thttp-after-response sc-add-gpc(1,1) res.timer.hdr,mul(txn.weight)" + counted + "\n" +
		"\thttp-after-response sc-add-gpc(2,1) var(txn.weight)" + counted + " { status ge 500 }\n" +
		"\thttp-after-response sc-add-gpc(3,1) var(txn.weight)" + counted + " { status ge 400 } { status lt 500 }\n")
}

// tables are where the proxy counts.
func (r *rendering) tables(b *strings.Builder) {
	b.WriteString("# What is asked of each site.\nbackend gateway_sites\n" +
		"\tstick-table type string len 36 size 100k expire 1h store gpc(4)\n\n")
	if r.hosts.use.limit {
		b.WriteString("# Who asked how often, for sites with a rate limit.\nbackend gateway_rates\n" +
			"\tstick-table type string len 90 size 200k expire 20s store http_req_rate(10s)\n\n")
	}
}
