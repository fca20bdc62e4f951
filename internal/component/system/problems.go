package system

import (
	"context"
	"slices"
	"strings"
	"time"

	"gateway/internal/problem"
	"gateway/internal/sys"
)

var (
	serviceFailed = problem.Kind{
		Code: "system.service_failed", Severity: problem.Error, Alert: "component.degraded",
		Message: "{service} has failed",
		Remedy:  "Read its log (journalctl -u {unit}). Then restart it with systemctl restart {unit}, or under System, Services where it has a button.",
	}
	serviceStopped = problem.Kind{
		Code: "system.service_stopped", Severity: problem.Error, Alert: "component.degraded",
		Message: "{service} is not running",
		Remedy:  "Start it with systemctl start {unit}, or under System, Services where it has a button. If it stops again, its log says why (journalctl -u {unit}).",
	}
	serviceSilent = problem.Kind{
		Code: "system.service_silent", Severity: problem.Error, Alert: "component.degraded",
		Message: "{service} does not answer",
		Remedy:  "systemd restarts it by itself within a minute. If it does not, use systemctl restart {unit}. Its log (journalctl -u {unit}) says what it was doing.",
	}
	filterMissing = problem.Kind{
		Code: "system.filter_missing", Severity: problem.Critical, Alert: "component.degraded",
		Message: "The packet filter is not loaded: no rule is in effect",
		Remedy:  "Apply the configuration again under System, Configuration. The log of gateway-apply says why it is missing.",
	}
	databaseDown = problem.Kind{
		Code: "system.database_down", Severity: problem.Critical,
		Message: "The database does not answer: nothing can be changed",
		Remedy:  "The daemons keep running. Check PostgreSQL (systemctl status postgresql@17-main) and free disk space.",
	}
	applierDown = problem.Kind{
		Code: "system.applier_down", Severity: problem.Critical, Alert: "component.degraded",
		Message: "The applier does not answer: changes are stored but not applied",
		Remedy:  "Check gateway-apply (systemctl status gateway-apply.socket gateway-apply). It applies what is stored when it is back.",
	}
	diskFull = problem.Kind{
		Code: "system.disk_full", Severity: problem.Warning, Alert: "disk",
		Message: "The file system {path} is {percent} % full",
		Remedy:  "Free some space: remove old logs and packages, or shorten the retention under System, Settings.",
	}
	diskSilent = problem.Kind{
		Code: "system.disk_silent", Severity: problem.Error, Alert: "disk",
		Message: "A file system does not answer: {path}",
		Remedy:  "Whatever reads or writes there hangs. Check the disk, or the server that it is mounted from (mount, dmesg).",
	}
	memoryFull = problem.Kind{
		Code: "system.memory_full", Severity: problem.Warning, Alert: "memory",
		Message: "{percent} % of the memory is in use",
		Remedy:  "See under System, Services which one uses it.",
	}
	connectionsFull = problem.Kind{
		Code: "system.connections_full", Severity: problem.Warning, Alert: "conntrack",
		Message: "{percent} % of the connection table is in use; when it is full, new connections are dropped",
		Remedy:  "See under Firewall, Connections who opens so many.",
	}
	inMaintenance = problem.Kind{
		Code: "system.maintenance", Severity: problem.Warning,
		Message: "Maintenance mode is on",
		Remedy:  "End it under System, Settings when the work is done.",
	}
	setupUnreadable = problem.Kind{
		Code: "system.setup_unreadable", Severity: problem.Error,
		Message: "The setup store of this node cannot be read",
		Remedy:  "Restore setup.json in the state folder from a backup; the log of gateway-api says what is wrong with it.",
	}
	updates = problem.Kind{
		Code: "system.updates", Severity: problem.Info,
		Message: "Updates are available: {packages}",
		Remedy:  "Install them under System, Packages, or by apt.",
	}
)

// The shares, in percent, from which it is told.
const (
	diskWarns, diskFails = 90, 97
	memoryWarns          = 95
	connectionsWarn      = 80
)

const servicePage = "/system"

// databaseService is the one that the others store everything in.
const databaseService = "database"

// applierService is the one that answers for what is in the kernel.
const applierService = "apply"

func (h *handlers) problems() problem.Source {
	return problem.Source{
		Kinds: []problem.Kind{
			serviceFailed, serviceStopped, serviceSilent, filterMissing, databaseDown, applierDown, diskFull, diskSilent, memoryFull, connectionsFull, inMaintenance,
			setupUnreadable, updates,
		},
		Objects: []string{"service"},
		Find:    h.find,
	}
}

func (h *handlers) find(ctx context.Context) (problem.Report, error) {
	services, err := h.list(ctx)
	r := problem.Report{States: map[string]problem.States{"service": {}}}
	for _, s := range services {
		h.judge(&r, s)
	}
	h.judgeApplier(&r, services)
	h.judgeDatabase(&r)
	h.judgeHost(&r)
	h.judgeSetup(&r)
	h.judgePackages(ctx, &r)
	return r, err
}

// judge says whether a service is as it should be.
func (h *handlers) judge(r *problem.Report, s Service) {
	subject := problem.Subject{Kind: "service", ID: s.Name, Name: s.Description}
	params := problem.Params{"service": s.Description, "unit": s.Unit}
	add := func(k problem.Kind, state string) {
		r.Add(k.On(subject, servicePage, params).SinceAt(s.EnteredAt))
		r.States["service"][s.Name] = k.Because(state, params)
	}
	switch {
	case s.Unit == "" && s.ActiveState == "no-table" && s.Required:
		add(filterMissing, "failed")
	case s.Unit == "" && s.ActiveState == unknown: // the problem is the applier's
		r.States["service"][s.Name] = applierDown.Because(unknown, params)
	case s.Unit == "" && slices.Contains([]string{"failed", "inactive"}, s.ActiveState):
		// That its component is not applied is a problem of that, with a remedy; there is no unit to restart.
		r.States["service"][s.Name] = serviceStopped.Because("failed", params)
	case s.Installed != nil && !*s.Installed && !s.Required:
		r.States["service"][s.Name] = problem.Chosen("absent")
	case s.failing(h.Now()):
		add(serviceFailed, "failed")
	case h.silent(s):
		add(serviceSilent, "failed")
	case s.late():
		r.States["service"][s.Name] = serviceSilent.Because(unknown, params)
	case s.Required && s.ActiveState == "inactive":
		add(serviceStopped, "stopped")
	case s.ActiveState == "inactive":
		r.States["service"][s.Name] = problem.Chosen("off")
	case s.ActiveState == "failed": // and is not to run
		r.States["service"][s.Name] = serviceFailed.Because("failed", params)
	}
}

// judgeApplier tells that gateway-apply does not answer: nobody else can look at what is in the kernel. A process that
// hangs runs, as far as systemd knows.
func (h *handlers) judgeApplier(r *problem.Report, services []Service) {
	if !slices.ContainsFunc(services, func(s Service) bool { return s.Unit == "" && s.ActiveState == unknown }) {
		return
	}
	subject := problem.Subject{Kind: "service", ID: applierService, Name: applierService}
	params := problem.Params{}
	for _, s := range services {
		if s.Name == applierService {
			subject.Name = s.Description
			params = problem.Params{"service": s.Description, "unit": s.Unit}
		}
	}
	r.Add(applierDown.On(subject, servicePage, params))
	r.States["service"][applierService] = applierDown.Because("failed", params)
}

// judgeDatabase also tells of one that hangs: it runs, as far as systemd knows.
func (h *handlers) judgeDatabase(r *problem.Report) {
	if h.Database.Up() {
		return
	}
	r.Add(databaseDown.On(problem.Subject{Kind: "service", ID: databaseService, Name: "PostgreSQL"}, servicePage, nil))
	if _, known := r.States["service"][databaseService]; !known {
		r.States["service"][databaseService] = databaseDown.Because("failed", nil)
	}
}

// recovers is how long a service that systemd restarted has to run until it counts as running again.
const recovers = 2 * time.Second

// failing reports that a service does not stay up. One that systemd keeps restarting looks healthy
// every other moment, and a page must not blink; systemd knows that it restarted it, until
// somebody else does.
func (s Service) failing(now time.Time) bool {
	wanted := s.Required || s.Boot != "disabled"
	installed := s.Installed == nil || *s.Installed
	switch {
	case !wanted || !installed:
		return false
	case s.ActiveState == "failed" || strings.HasPrefix(s.SubState, "auto-restart"):
		return true
	case s.ActiveState == "deactivating":
		return s.result != "" && s.result != "success"
	case s.restarts == 0:
		return false
	case s.ActiveState == "activating":
		return true
	}
	up := s.ActiveState == "active" || s.ActiveState == "reloading"
	return up && s.EnteredAt != nil && now.Sub(*s.EnteredAt) < recovers
}

func (h *handlers) judgeHost(r *problem.Report) {
	h.judgeDisks(r)
	res, err := h.Host.Resources()
	if err != nil {
		return // the page that shows them says so
	}
	node := problem.Subject{Kind: "node", ID: "node"}
	if percent := share(res.Memory.Used, res.Memory.Total); percent >= memoryWarns {
		r.Add(memoryFull.On(node, "/", problem.Params{"percent": percent}))
	}
	if c := res.Conntrack; c != nil {
		if percent := share(c.Count, c.Max); percent >= connectionsWarn {
			r.Add(connectionsFull.On(node, "/connections", problem.Params{"percent": percent}))
		}
	}
}

func share(used, total uint64) int {
	if total == 0 {
		return 0
	}
	return int(float64(used) / float64(total) * 100)
}

func (h *handlers) judgeSetup(r *problem.Report) {
	node := problem.Subject{Kind: "node", ID: "node"}
	state, err := h.Setup.Load()
	switch {
	case err != nil:
		r.Add(setupUnreadable.On(node, servicePage, nil))
	case state.Maintenance:
		r.Add(inMaintenance.On(node, "/system?tab=settings", nil))
	}
}

// judgePackages never waits for apt, which takes seconds: it asks for what the next look shows.
func (h *handlers) judgePackages(ctx context.Context, r *problem.Report) {
	known := h.versions.latest(ctx)
	upgradable := slices.DeleteFunc(slices.Clone(known), func(v sys.PackageVersion) bool { return !v.Upgradable })
	if len(upgradable) == 0 {
		return
	}
	var names []string
	for _, v := range upgradable {
		names = append(names, v.Name+" "+v.Available)
	}
	r.Add(updates.On(problem.Subject{Kind: "node", ID: "node"}, "/system?tab=packages", problem.Params{"packages": strings.Join(names, ", "), "count": len(names)}))
}
