package unbound

import (
	"fmt"
	"maps"
	"net/netip"
	"slices"
	"strings"

	"gateway/internal/daemon"
	"gateway/internal/fault"
	"gateway/internal/value"
)

// Path is the one file that is ours; Debian's unbound reads every file of its folder.
const Path = "/etc/unbound/unbound.conf.d/gateway.conf"

// The file has three parts, which reach a running unbound by different ways.
const (
	zonesBelow   = "server: # zones\n"
	recordsBelow = "server: # records\n"
)

// render writes the file. What cannot be used is left out and said.
func render(s state, m *memo) daemon.Rendering {
	r := renderer{local: map[string]string{}}
	zones := r.zones(s.zones)
	lines, problems := arrange(s.records, zones, m, r.local)
	r.problems = append(r.problems, problems...)
	r.settings(s.settings, zones)
	r.WriteString(zonesBelow)
	r.localZones(zones)
	r.forwards(s.settings.UpstreamForwards, zones)
	r.WriteString(recordsBelow)
	size := 0
	for _, l := range lines {
		size += len(l) + 1
	}
	r.Grow(size)
	for _, l := range lines {
		r.WriteString(l)
		r.WriteByte('\n')
	}
	return daemon.Rendering{
		Files:    []daemon.File{{Path: Path, Mode: 0o644, Data: []byte(r.String())}},
		Units:    []daemon.Unit{{Name: Unit, Up: s.settings.On()}},
		Problems: r.problems,
	}
}

type renderer struct {
	strings.Builder
	problems []daemon.Problem
	local    map[string]string // what unbound is to do with a name and what is below it
}

func (r *renderer) line(format string, args ...any) { fmt.Fprintf(r, format+"\n", args...) }

func (r *renderer) leaveOut(subject string, why error) {
	r.problems = append(r.problems, daemon.Problem{Subject: subject, Sentence: fault.SentenceOf(why)})
}

// typed parses stored values once more: only what a type printed ever reaches the file.
func typed[T comparable](r *renderer, what string, list []string, parse func(string) (T, error)) []T {
	var out []T
	for _, s := range list {
		v, err := parse(s)
		if err == nil && slices.Contains(out, v) {
			err = errTwice
		}
		if err != nil {
			r.leaveOut(what+" "+s, err)
			continue
		}
		out = append(out, v)
	}
	return out
}

// zones returns the servers of each zone by its complete name.
func (r *renderer) zones(stored []Zone) map[string][]server {
	zones := map[string][]server{}
	for _, z := range stored {
		name, err := zoneName(z.Name)
		if err != nil {
			r.leaveOut("zone "+z.Name, err)
			continue
		}
		zones[name] = typed(r, "server of zone "+z.Name, z.ForwardTo, parseForward)
		// Also for reverse zones of private networks, which unbound would answer itself else.
		r.local[name] = "transparent"
	}
	return zones
}

func (r *renderer) settings(s Settings, zones map[string][]server) {
	r.line("# Written by gateway from its database. Manual edits are overwritten.")
	r.line("server:")
	r.listen(typed(r, "listen address", s.ListenAddresses, value.Listen))
	for _, n := range typed(r, "network", s.AccessACL, parseNetwork) {
		r.line("\taccess-control: %s allow", n.Prefix)
	}
	if s.CacheMinTTL < 0 || s.CacheMaxTTL < s.CacheMinTTL || s.CacheMaxTTL > 604800 {
		r.leaveOut("the cache TTL limits", fault.Say("its TTL limits are invalid"))
	} else {
		r.line("\tcache-min-ttl: %d", s.CacheMinTTL)
		r.line("\tcache-max-ttl: %d", s.CacheMaxTTL)
	}
	modules := "iterator"
	if s.DNSSEC == nil || *s.DNSSEC {
		modules = "validator iterator"
	}
	r.line("\tmodule-config: %q", modules)
	r.line("\tqname-minimisation: %s", yes(s.QNAMEMinimisation == nil || *s.QNAMEMinimisation))
	r.line("\tprefetch: yes")
	r.line("\thide-identity: yes")
	r.line("\thide-version: yes")
	r.line("\textended-statistics: yes")
	// unbound does not ask servers on its own machine unless told so.
	r.line("\tdo-not-query-localhost: %s", yes(!r.asksLoopback(s.UpstreamForwards, zones)))
}

func yes(b bool) string {
	if b {
		return "yes"
	}
	return "no"
}

// listen binds addresses that no interface has yet, too: a machine boots, a cluster's
// address moves. For all addresses at once, answers must leave from the one that was asked.
func (r *renderer) listen(addrs []netip.Addr) {
	if slices.ContainsFunc(addrs, netip.Addr.IsUnspecified) {
		r.line("\tinterface-automatic: yes")
		return
	}
	for _, a := range addrs {
		r.line("\tinterface: %s", a)
	}
	r.line("\tip-freebind: yes")
}

func (r *renderer) asksLoopback(upstream []string, zones map[string][]server) bool {
	local := func(s server) bool { return s.addr.IsLoopback() }
	for _, servers := range zones {
		if slices.ContainsFunc(servers, local) {
			return true
		}
	}
	return slices.ContainsFunc(upstream, func(s string) bool {
		f, err := parseForward(s)
		return err == nil && local(f)
	})
}

// localZones also lets forwarded zones be unsigned: a private zone has no chain of trust.
func (r *renderer) localZones(zones map[string][]server) {
	for _, name := range slices.Sorted(maps.Keys(r.local)) {
		r.line("\tlocal-zone: %q %s", name, r.local[name])
		if len(zones[name]) > 0 {
			r.line("\tdomain-insecure: %q", name)
		}
	}
}

func (r *renderer) forwards(upstream []string, zones map[string][]server) {
	r.forward(".", typed(r, "upstream", upstream, parseForward))
	for _, name := range slices.Sorted(maps.Keys(zones)) {
		r.forward(name, zones[name])
	}
}

func (r *renderer) forward(name string, servers []server) {
	if len(servers) == 0 {
		return
	}
	r.line("forward-zone:")
	r.line("\tname: %q", name)
	for _, s := range servers {
		r.line("\tforward-addr: %s", s)
	}
}
