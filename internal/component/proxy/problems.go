package proxy

import (
	"context"
	"fmt"
	"strings"
	"time"

	"gateway/internal/change"
	"gateway/internal/component/proxy/haproxyconf"
	"gateway/internal/db"
	"gateway/internal/fault"
	"gateway/internal/problem"
)

var (
	notRunning = problem.Kind{
		Code: "proxy.not_running", Severity: problem.Critical, Alert: "component.degraded",
		Message: "HAProxy does not answer: no domain is served",
		Remedy:  "Restart the reverse proxy under System, Services; its log says why it stopped (journalctl -u haproxy).",
	}
	accessLogOff = problem.Kind{
		Code: "proxy.access_log_off", Severity: problem.Warning,
		Message: "HAProxy writes no access log",
		Remedy:  "Restart the reverse proxy under System, Services, at a time when connections may break. If that does not help, see systemctl status systemd-journald@gateway-access.socket.",
	}
	backendDown = problem.Kind{
		Code: "proxy.backend_down", Severity: problem.Error, Alert: "backend.down",
		Message: "No server of backend {backend} is up: {reason}",
		Remedy:  "Check that its servers run and that this node reaches them.",
	}
	backendEmpty = problem.Kind{
		Code: "proxy.backend_empty", Severity: problem.Error,
		Message: "Backend {backend} has no enabled server",
		Remedy:  "Add a server to it, or enable one.",
	}
	backendDisabled = problem.Kind{
		Code: "proxy.backend_disabled", Severity: problem.Error,
		Message: "Backend {backend} is in use but disabled",
		Remedy:  "Enable it, or choose another backend where it is used.",
	}
	serverDown = problem.Kind{
		Code: "proxy.server_down", Severity: problem.Warning,
		Message: "Server {server} of backend {backend} is down: {reason}",
		Remedy:  "Check that it runs and that this node reaches it; the other servers take its requests.",
	}
	serverFailing = problem.Kind{
		Code: "proxy.server_failing", Severity: problem.Warning,
		Message: "Health checks of server {server} of backend {backend} have begun to fail: {reason}",
		Remedy:  "Check that it runs and that this node reaches it.",
	}
	noBackend = problem.Kind{
		Code: "proxy.no_backend", Severity: problem.Warning,
		Message: "Domain {domain} has neither a backend nor a routing rule",
		Remedy:  "Choose its default backend.",
	}
	noCertificate = problem.Kind{
		Code: "proxy.no_certificate", Severity: problem.Warning,
		Message: "No certificate covers domain {domain}: browsers refuse it",
		Remedy:  "Order or upload a certificate for this name.",
	}
	certificateExpired = problem.Kind{
		Code: "proxy.certificate_expired", Severity: problem.Error,
		Message: "The certificate of domain {domain} expired on {at}",
		Remedy:  "Renew the certificate; its page says why that failed.",
	}
	certificateExpiring = problem.Kind{
		Code: "proxy.certificate_expiring", Severity: problem.Warning,
		Message: "The certificate of domain {domain} expires on {at}",
		Remedy:  "Renew the certificate; its page says why that failed.",
	}
	certificateNotApplied = problem.Kind{
		Code: "proxy.certificate_not_applied", Severity: problem.Error,
		Message: "The certificate of domain {domain} is saved but not applied: visitors get the previous one",
		Remedy:  "See why under System, Configuration. Correct the change, or revert it in the history.",
	}
	notApplied = problem.Kind{
		Code: "proxy.not_applied", Severity: problem.Error,
		Message: "{name} is saved but not applied: HAProxy runs without this change",
		Remedy:  "See why under System, Configuration. Correct the change, or revert it in the history.",
	}
	notCheckedYet = problem.Kind{
		Code: "proxy.not_checked_yet", Severity: problem.Info,
		Message: "The first health check of backend {backend} has not finished",
		Remedy:  "Wait for the interval of the health checks.",
	}
	notLive = problem.Kind{
		Code: "proxy.not_live", Severity: problem.Warning,
		Message: "HAProxy does not know it yet",
		Remedy:  "It is applied with the next change of the reverse proxy; its problems say what prevents that.",
	}
	unchecked = problem.Kind{
		Code: "proxy.unchecked", Severity: problem.Info,
		Message: "Health checks of backend {backend} are disabled, so its state is not known",
		Remedy:  "Enable health checks of the backend.",
	}
)

// haproxySubject is the service as the list of services names it.
var haproxySubject = problem.Subject{Kind: "service", ID: "reverse-proxy", Name: "HAProxy"}

func (s *service) problems() problem.Source {
	return problem.Source{
		Kinds: []problem.Kind{
			notRunning, accessLogOff, backendDown, backendEmpty, backendDisabled, serverDown, serverFailing, noBackend, noCertificate,
			certificateExpired, certificateExpiring, certificateNotApplied, notApplied, notCheckedYet, notLive, unchecked,
		},
		Objects: []string{"domain", "backend", "server", "tcp_service"},
		Find:    s.findProblems,
	}
}

func (s *service) findProblems(ctx context.Context) (problem.Report, error) {
	rows, err := readHealth(ctx, s.DB)
	if err != nil {
		return problem.Report{}, err
	}
	var counted haproxyconf.Stats
	if err := s.leftOut(ctx, rows); err != nil {
		return problem.Report{}, err
	}
	err = s.Applier.Ask(ctx, haproxyconf.Name, haproxyconf.VerbStats, nil, &counted)
	if f, ok := fault.Of(err); ok && f.Code == haproxyconf.Unavailable {
		return rows.withoutProxy(), nil
	}
	if err != nil {
		return problem.Report{}, err
	}
	return rows.report(counted, time.Now()), nil
}

// leftOut marks what could not be rendered: HAProxy does not know it. That itself is a problem
// of the component's configuration.
func (s *service) leftOut(ctx context.Context, rows *healthRows) error {
	states, err := s.Applier.States(ctx)
	if err != nil {
		return err
	}
	left := map[string]bool{}
	for _, state := range states {
		for _, p := range state.Problems {
			name, isCertificate := strings.CutPrefix(p.Subject, "certificate ")
			switch {
			case state.Component == certificates && isCertificate:
				rows.stale[name] = true
			case state.Component == haproxyconf.Name:
				left[p.Subject] = true
				if _, owner, part := lastCut(p.Subject, " of "); part { // a user, a header, a server
					left["domain "+owner], left[owner] = true, true
				}
			}
		}
	}
	mark := func(id, subject string) {
		if left[subject] {
			rows.unlive[id] = true
		}
	}
	for _, d := range rows.domains {
		mark(d.ID, "domain "+d.Name)
	}
	for _, p := range rows.services {
		mark(p.ID, "TCP service "+p.Name)
	}
	for _, b := range rows.backends {
		mark(b.ID, "backend "+b.Name)
		for _, one := range rows.servers[b.ID] {
			mark(one.ID, "server "+one.Name+" of backend "+b.Name)
		}
	}
	return nil
}

func lastCut(s, sep string) (before, after string, found bool) {
	i := strings.LastIndex(s, sep)
	if i < 0 {
		return s, "", false
	}
	return s[:i], s[i+len(sep):], true
}

// healthRows are what states are derived from, beside HAProxy's own figures.
type healthRows struct {
	backends []backendRow
	servers  map[string][]serverRow // by backend
	domains  []domainRow
	rules    map[string][]string // backends by domain
	services []serviceRow
	covers   covers
	unlive   map[string]bool // ids of those that HAProxy runs otherwise than they are stored
	stale    map[string]bool // names, and wildcards, that HAProxy serves with another certificate than the stored one
}

type backendRow struct {
	ID, Name            string
	Active, HealthCheck bool
}

type serverRow struct {
	ID, BackendID, Name, ProxyName string
	Active, Drain                  bool
}

type domainRow struct {
	ID, Name    string
	BackendID   *string
	Active      bool
	Maintenance bool
	HTTPS       bool // plain HTTP is redirected there
	WWW         bool // the name with www. is served too
}

type serviceRow struct {
	ID, Name, BackendID string
	Active              bool
}

type ruleRow struct{ DomainID, BackendID string }

func readHealth(ctx context.Context, q db.DB) (*healthRows, error) {
	h := &healthRows{servers: map[string][]serverRow{}, rules: map[string][]string{}}
	var err error
	if h.backends, err = db.List[backendRow](ctx, q, `select id, name, active, health_check from proxy_backends order by name`); err != nil {
		return nil, fmt.Errorf("list backends: %w", err)
	}
	servers, err := db.List[serverRow](ctx, q, `select id, backend_id, name, proxy_name, active, drain from proxy_servers order by name`)
	if err != nil {
		return nil, fmt.Errorf("list servers: %w", err)
	}
	for _, s := range servers {
		h.servers[s.BackendID] = append(h.servers[s.BackendID], s)
	}
	if h.domains, err = db.List[domainRow](ctx, q, `select id, name, backend_id, active, maintenance, http_to_https as https,
		www_redirect <> 'off' as www from proxy_domains order by name`); err != nil {
		return nil, fmt.Errorf("list domains: %w", err)
	}
	rules, err := db.List[ruleRow](ctx, q, `select distinct domain_id, backend_id from proxy_rules where active order by 1, 2`)
	if err != nil {
		return nil, fmt.Errorf("list routing rules: %w", err)
	}
	for _, r := range rules {
		h.rules[r.DomainID] = append(h.rules[r.DomainID], r.BackendID)
	}
	if h.services, err = db.List[serviceRow](ctx, q, `select id, name, backend_id, active from proxy_ports order by name`); err != nil {
		return nil, fmt.Errorf("list TCP services: %w", err)
	}
	if h.covers, err = readCovers(ctx, q); err != nil {
		return nil, err
	}
	if h.unlive, err = readUnlive(ctx, q); err != nil {
		return nil, err
	}
	h.stale, err = readStale(ctx, q)
	return h, err
}

// certificates is the component that has HAProxy serve certificates.
const certificates = "cert"

// readUnlive finds what is stored otherwise than HAProxy has it. A part counts for its owner:
// the login that was deleted still opens the domain, the server of before still gets requests.
func readUnlive(ctx context.Context, q db.DB) (map[string]bool, error) {
	self, domain := []string{"id"}, []string{"domain_id"}
	return change.Unlive(ctx, q, haproxyconf.Name, map[string][]string{
		"proxy_domains": self, "proxy_ports": self, "proxy_backends": self, "proxy_servers": {"id", "backend_id"},
		"proxy_headers": domain, "proxy_users": domain, "proxy_rules": domain,
	})
}

// readStale finds the names whose certificate was changed, and HAProxy serves what was before.
func readStale(ctx context.Context, q db.DB) (map[string]bool, error) {
	var names []string
	err := q.QueryRow(ctx, `select coalesce(array_agg(distinct name), '{}') from `+change.NotLive+`,
		lateral (values (r.new_row), (r.old_row)) images (image), lateral jsonb_array_elements_text(image -> 'names') name
		where r.table_name = 'certificates'`, certificates).Scan(&names)
	if err != nil {
		return nil, fmt.Errorf("list certificates that are not live: %w", err)
	}
	stale := make(map[string]bool, len(names))
	for _, name := range names {
		stale[name] = true
	}
	return stale, nil
}

// withoutProxy is the report while HAProxy does not answer: whatever is wanted is down.
func (h *healthRows) withoutProxy() problem.Report {
	states := map[string]problem.States{"domain": {}, "backend": {}, "server": {}, "tcp_service": {}}
	down := notRunning.Because("down", nil)
	var affected []problem.Subject
	for _, d := range h.domains {
		states["domain"][d.ID] = problem.Chosen("disabled")
		if d.Active {
			states["domain"][d.ID] = down
			affected = append(affected, problem.Subject{Kind: "domain", ID: d.ID, Name: d.Name})
		}
	}
	for _, s := range h.services {
		states["tcp_service"][s.ID] = problem.Chosen("disabled")
		if s.Active {
			states["tcp_service"][s.ID] = down
			affected = append(affected, problem.Subject{Kind: "tcp_service", ID: s.ID, Name: s.Name})
		}
	}
	unknown := notRunning.Because("unknown", nil)
	for _, b := range h.backends {
		states["backend"][b.ID] = unknown
		for _, s := range h.servers[b.ID] {
			states["server"][s.ID] = unknown
		}
	}
	p := notRunning.On(haproxySubject, "/system", nil).Affecting(affected)
	return problem.Report{Problems: []problem.Problem{p}, States: states}
}
