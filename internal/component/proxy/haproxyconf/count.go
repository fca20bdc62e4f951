package haproxyconf

import "strings"

// countFrom is the rate of requests from which on not every one is counted but one of
// sixteen, in a table of its own: counting costs as much as all lookups together.
const countFrom = "500"

// count keeps figures for each site: requests, those that ended with a status of 500 and
// above or of 400 and above, which HAProxy does by itself, and milliseconds to the answers.
func (r *rendering) count(b *strings.Builder) {
	b.WriteString("\thttp-request track-sc1 " + domainField + " table gateway_sites if { fe_req_rate lt " + countFrom + " }\n" +
		"\thttp-request track-sc1 " + domainField + " table gateway_sampled if !{ fe_req_rate lt " + countFrom + " } { rand(16) eq 0 }\n" +
		"\thttp-after-response sc-add-gpc(0,1) res.timer.hdr if { sc1_tracked }\n")
}

// tables are where the proxy counts.
func (r *rendering) tables(b *strings.Builder) {
	const figures = "\tstick-table type string len 36 size 100k expire 1h store http_req_cnt,http_err_cnt,http_fail_cnt,gpc(1)\n\n"
	b.WriteString("# What is asked of each site, and one of sixteen where that is much.\nbackend gateway_sites\n" + figures +
		"backend gateway_sampled\n" + figures)
	if r.hosts.use.limit {
		b.WriteString("# Who asked how often, for sites with a rate limit.\nbackend gateway_rates\n" +
			"\tstick-table type string len 90 size 200k expire 20s store http_req_rate(10s)\n\n")
	}
}
