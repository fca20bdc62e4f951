package proxy

import (
	"slices"
	"strings"
	"time"

	"gateway/internal/component/proxy/haproxyconf"
	"gateway/internal/fault"
	"gateway/internal/problem"
)

// judge derives states from the rows and from what HAProxy says.
type judge struct {
	*healthRows
	now      time.Time
	stats    map[[2]string]haproxyconf.BackendStat // by backend and server
	report   problem.Report
	names    map[string]string            // of backends, by id
	affected map[string][]problem.Subject // what uses a backend, by its id
}

const wholeBackend = "BACKEND"

func (h *healthRows) report(counted haproxyconf.Stats, now time.Time) problem.Report {
	j := &judge{
		healthRows: h, now: now, stats: make(map[[2]string]haproxyconf.BackendStat, len(counted.Backends)),
		names: make(map[string]string, len(h.backends)), affected: map[string][]problem.Subject{},
	}
	j.report.States = map[string]problem.States{"domain": {}, "backend": {}, "server": {}, "tcp_service": {}}
	for _, s := range counted.Backends {
		j.stats[[2]string{s.BackendID, s.Server}] = s
	}
	for _, b := range h.backends {
		j.names[b.ID] = b.Name
	}
	j.findUsers()
	for _, b := range h.backends {
		j.backend(b)
		j.notApplied("backend", b.ID, "backend "+b.Name)
		for _, s := range h.servers[b.ID] {
			j.notApplied("server", s.ID, "server "+s.Name+" of backend "+b.Name)
		}
	}
	for _, d := range h.domains {
		if state, ok := j.domain(d); ok {
			j.report.States["domain"][d.ID] = state
		}
	}
	for _, s := range h.services {
		if state, ok := j.tcpService(s); ok {
			j.report.States["tcp_service"][s.ID] = state
		}
	}
	if counted.NoAccessLog {
		j.report.Add(accessLogOff.On(haproxySubject, "/system", nil))
	}
	return j.report
}

// findUsers says who would suffer from a backend's failure.
func (j *judge) findUsers() {
	for _, d := range j.domains {
		if !d.Active || d.Maintenance {
			continue
		}
		for _, id := range j.backendsOf(d) {
			j.affected[id] = append(j.affected[id], problem.Subject{Kind: "domain", ID: d.ID, Name: d.Name})
		}
	}
	for _, s := range j.services {
		if s.Active {
			j.affected[s.BackendID] = append(j.affected[s.BackendID], problem.Subject{Kind: "tcp_service", ID: s.ID, Name: s.Name})
		}
	}
}

// backendsOf are those a domain uses, the default one first.
func (j *judge) backendsOf(d domainRow) []string {
	var ids []string
	if d.BackendID != nil {
		ids = append(ids, *d.BackendID)
	}
	for _, id := range j.rules[d.ID] {
		if d.BackendID == nil || id != *d.BackendID {
			ids = append(ids, id)
		}
	}
	return ids
}

func (j *judge) backend(b backendRow) {
	states := j.report.States["backend"]
	down := j.serversOf(b)
	params := problem.Params{"backend": b.Name}
	users := j.affected[b.ID]
	add := func(k problem.Kind, state string, params problem.Params) problem.Problem {
		states[b.ID] = k.Because(state, params)
		return k.On(problem.Subject{Kind: "backend", ID: b.ID, Name: b.Name}, backendPage(b.ID), params).Affecting(users)
	}
	row, live := j.stats[[2]string{b.ID, wholeBackend}]
	switch {
	case !b.Active && len(users) > 0:
		j.report.Add(add(backendDisabled, "disabled", params))
	case !b.Active:
		states[b.ID] = problem.Chosen("disabled")
	case !j.hasServer(b):
		if p := add(backendEmpty, "no_servers", params); len(users) > 0 {
			j.report.Add(p)
		}
	case !live:
		states[b.ID] = notLive.Because("unknown", nil)
	case row.Status == "DOWN":
		check, why := checkReason(j.withoutCheck(b))
		if len(down) > 0 {
			check, why = down[0].check()
		}
		p := add(backendDown, "down", problem.Params{"backend": b.Name, "check": check, "reason": why}).SinceAt(j.ago(row.LastChange))
		if len(users) == 0 {
			p = p.As(problem.Warning) // nobody misses it
		}
		j.report.Add(p)
	case len(down) > 0:
		check, why := down[0].check()
		states[b.ID] = down[0].kind.Because("degraded", problem.Params{"server": down[0].name, "backend": b.Name, "check": check, "reason": why})
		for _, s := range down {
			j.report.Add(s.problem(j, b, users))
		}
	case !b.HealthCheck:
		states[b.ID] = unchecked.Because("unchecked", params)
	case j.starting(b):
		states[b.ID] = notCheckedYet.Because("unknown", params)
	}
}

// notApplied replaces a state that HAProxy's figures make of what it has, where something else
// is stored. Down is down either way.
func (j *judge) notApplied(kind, id, what string) {
	if j.unlive[id] && j.report.States[kind][id].State != "down" {
		j.report.States[kind][id] = notApplied.Because("not_applied", problem.Params{"name": fault.Named(what)})
	}
}

// withoutCheck is why a backend is down though no check failed.
func (j *judge) withoutCheck(b backendRow) string {
	for _, s := range j.servers[b.ID] {
		if s.Active && !s.Drain {
			return "NONE"
		}
	}
	return "DRAIN"
}

// starting reports that no server was ever checked: HAProxy takes them for up until then.
func (j *judge) starting(b backendRow) bool {
	for _, s := range j.servers[b.ID] {
		if s.Active && !notChecked(j.stats[[2]string{b.ID, s.ProxyName}]) {
			return false
		}
	}
	return true
}

func (j *judge) hasServer(b backendRow) bool {
	for _, s := range j.servers[b.ID] {
		if s.Active {
			return true
		}
	}
	return false
}

// downServer is one that does not do what it should.
type downServer struct {
	id, name string
	kind     problem.Kind
	stat     haproxyconf.BackendStat
}

func (s downServer) check() (code, words string) { return checkReason(s.stat.CheckStatus) }

func (s downServer) problem(j *judge, b backendRow, users []problem.Subject) problem.Problem {
	check, why := s.check()
	params := problem.Params{"server": s.name, "backend": b.Name, "check": check, "reason": why}
	return s.kind.On(problem.Subject{Kind: "server", ID: s.id, Name: s.name}, backendPage(b.ID), params).
		SinceAt(j.ago(s.stat.LastChange)).Affecting(users)
}

// serversOf sets the state of each server of a backend, and returns those that are down.
func (j *judge) serversOf(b backendRow) (down []downServer) {
	states := j.report.States["server"]
	for _, s := range j.servers[b.ID] {
		row, live := j.stats[[2]string{b.ID, s.ProxyName}]
		check, why := checkReason(row.CheckStatus)
		params := problem.Params{"server": s.Name, "backend": b.Name, "check": check, "reason": why}
		switch {
		case !s.Active || !b.Active:
			states[s.ID] = problem.Chosen("disabled")
		case !live:
			states[s.ID] = notLive.Because("unknown", nil)
		case row.Status == "DOWN" && row.Mode == "ready":
			states[s.ID] = serverDown.Because("down", params)
			down = append(down, downServer{s.ID, s.Name, serverDown, row})
		case s.Drain || row.Mode == "drain":
			states[s.ID] = problem.Chosen("draining")
		case row.Mode == "maint":
			states[s.ID] = notLive.Because("unknown", nil)
		case notChecked(row):
			states[s.ID] = notCheckedYet.Because("unknown", problem.Params{"backend": b.Name})
		case row.Status == "DEGRADED":
			states[s.ID] = serverFailing.Because("degraded", params)
			down = append(down, downServer{s.ID, s.Name, serverFailing, row})
		case row.CheckStatus == "":
			states[s.ID] = unchecked.Because("unchecked", problem.Params{"backend": b.Name})
		}
	}
	return down
}

// domain is its state, unless it is served as it should be. The gravest reason wins.
func (j *judge) domain(d domainRow) (problem.State, bool) {
	switch {
	case j.unlive[d.ID]:
		return notApplied.Because("not_applied", problem.Params{"name": fault.Named("domain " + d.Name)}), true
	case !d.Active:
		return problem.Chosen("disabled"), true
	case d.Maintenance:
		return problem.Chosen("maintenance"), true
	}
	used := j.backendsOf(d)
	subject := problem.Subject{Kind: "domain", ID: d.ID, Name: d.Name}
	params := problem.Params{"domain": d.Name}
	if len(used) == 0 {
		j.report.Add(noBackend.On(subject, domainPage(d.ID), params))
		return noBackend.Because("down", params), true
	}
	of, broken := j.worst(used, d.BackendID)
	cert, uncertified := j.certificate(d)
	switch {
	case broken && of.State == "down":
		return of, true
	case uncertified:
		return cert, true
	}
	return of, broken
}

// certificate is what the certificates of a domain's names make of it: the gravest counts. Who is redirected from one
// name to the other needs both.
func (j *judge) certificate(d domainRow) (problem.State, bool) {
	var worst problem.State
	found := false
	for _, name := range (servedDomain{d.ID, d.Name, d.WWW}).names() {
		if state, wrong := j.certificateOf(name, d.HTTPS); wrong && (!found || gravity[state.State] > gravity[worst.State]) {
			worst, found = state, true
		}
	}
	if worst.Code == noCertificate.Code {
		subject := problem.Subject{Kind: "domain", ID: d.ID, Name: d.Name}
		j.report.Add(noCertificate.On(subject, domainPage(d.ID), worst.Params))
	}
	return worst, found
}

// certificateOf judges one name. One that is also served without TLS does not depend on a certificate.
func (j *judge) certificateOf(name string, https bool) (problem.State, bool) {
	cover, covered := j.covers.of(name)
	_, parent, _ := strings.Cut(name, ".")
	switch {
	case j.stale[name] || j.stale["*."+parent]:
		return certificateNotApplied.Because("not_applied", problem.Params{"domain": name}), true
	case !https && (!covered || cover.NotAfter.After(j.now)):
		return problem.State{}, false
	case !https: // visitors of http:// do not see it
		return certificateExpired.Because("degraded", problem.Params{"domain": name, "at": cover.NotAfter.UTC()}), true
	case !covered || cover.NotBefore.After(j.now):
		return noCertificate.Because("no_certificate", problem.Params{"domain": name}), true
	case !cover.NotAfter.After(j.now): // the problem is the certificate's
		return certificateExpired.Because("down", problem.Params{"domain": name, "at": cover.NotAfter.UTC()}), true
	case cover.expiring(j.now):
		return certificateExpiring.Because("degraded", problem.Params{"domain": name, "at": cover.NotAfter.UTC()}), true
	}
	return problem.State{}, false
}

// gravity orders the states of backends and certificates by what they do to whoever uses them.
var gravity = map[string]int{"no_certificate": 6, "down": 5, "no_servers": 5, "disabled": 5, "degraded": 4, "not_applied": 4, "unknown": 3, "unchecked": 2}

// worst is what the backends make of their user: it is down with its default backend, or
// with all of them, and degraded with any other.
func (j *judge) worst(used []string, standard *string) (problem.State, bool) {
	var worst problem.State
	dead, found := 0, false
	for _, id := range used {
		state, ok := j.report.States["backend"][id]
		if !ok {
			continue
		}
		if gravity[state.State] == gravity["down"] {
			dead++
			if state.Code == "" { // disabled by choice, and used all the same
				state = backendDisabled.Because("", problem.Params{"backend": j.names[id]})
			}
			state.State = "degraded"
			if standard != nil && id == *standard {
				state.State = "down"
			}
		}
		if !found || gravity[state.State] > gravity[worst.State] {
			worst, found = state, true
		}
	}
	if dead == len(used) {
		worst.State = "down"
	}
	return worst, found
}

func (j *judge) tcpService(s serviceRow) (problem.State, bool) {
	if j.unlive[s.ID] {
		return notApplied.Because("not_applied", problem.Params{"name": fault.Named("TCP service " + s.Name)}), true
	}
	if !s.Active {
		return problem.Chosen("disabled"), true
	}
	return j.worst([]string{s.BackendID}, &s.BackendID)
}

func (j *judge) ago(seconds int64) *time.Time {
	at := j.now.Add(-time.Duration(seconds) * time.Second)
	return &at
}

func backendPage(id string) string { return "/proxy/pools/" + id }
func domainPage(id string) string  { return "/proxy/sites/" + id }

// checkReasons are the words for what HAProxy's checks end with.
var checkReasons = map[string]string{
	"L4CON": "connection refused or host unreachable", "L4TOUT": "connection timed out",
	"L6RSP": "TLS handshake failed", "L6TOUT": "TLS handshake timed out",
	"L7RSP": "invalid response", "L7TOUT": "response timed out", "L7STS": "unexpected status",
	"SOCKERR": "socket error", "DNS": "its name does not resolve", "NONE": "no server is up", "DRAIN": "all servers are draining",
	checksPass: "its health checks succeed again, but not yet often enough",
}

// checksPass is the reason of what is down though its last check succeeded: it has to succeed several times.
const checksPass = "PASSED"

// passed are the results of checks that succeeded.
var passed = []string{"L4OK", "L6OK", "L7OK", "L7OKC"}

// notChecked reports whether the first check of a server is still to come, or under way.
func notChecked(s haproxyconf.BackendStat) bool {
	return strings.TrimPrefix(s.CheckStatus, "* ") == "INI"
}

func checkReason(status string) (code, words string) {
	status = strings.TrimPrefix(status, "* ") // while the next check is under way
	if status == "" {
		status = "DNS" // it has no address to be checked at
	}
	if slices.Contains(passed, status) {
		status = checksPass
	}
	if words, known := checkReasons[status]; known {
		return status, words
	}
	return status, status
}
