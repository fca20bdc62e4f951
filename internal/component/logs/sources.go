package logs

import (
	"slices"
	"strings"

	"gateway/internal/daemon"
	"gateway/internal/fault"
	"gateway/internal/journal"
)

// Source is where log entries come from.
type Source struct {
	Name  string `json:"name" doc:"Its name in the parameter sources"`
	Unit  string `json:"unit,omitempty" doc:"The systemd unit whose entries it has; none for the audit log"`
	Title string `json:"title" doc:"What it is"`

	namespace string // of the journal; empty for the main one
}

const (
	auditSource  = "audit"
	tunnelSource = "tunnel"
)

// sources are the services that have a unit, without those that nothing here runs yet, and what
// the specification names beside them. The tunnels have no unit of their own: gateway-apply makes them in the kernel, and writes of them.
func sources(services []daemon.Service) []Source {
	var out []Source
	for _, s := range services {
		if s.Unit != "" && (s.Component != "" || s.Required) {
			out = append(out, Source{Name: s.Name, Unit: s.Unit, Title: s.Title})
		}
		if s.AccessLog != "" {
			out = append(out, Source{Name: s.AccessName(), Unit: s.Unit, Title: "Access log: " + s.Title, namespace: s.AccessLog})
		}
	}
	return append(out,
		Source{Name: tunnelSource, Unit: applyUnit, Title: "Tunnels (in the log of the applier)"},
		Source{Name: "journal", Unit: "systemd-journald.service", Title: "Log daemon (systemd-journald)"},
		Source{Name: auditSource, Title: "Audit log"})
}

const applyUnit = "gateway-apply.service"

// chosen are the sources that a request names; all of them but access logs when it names none: to read that of the
// reverse proxy by way of it adds to it.
func (h *handlers) chosen(names []string) ([]Source, error) {
	var out []Source
	if len(names) == 0 {
		for _, s := range h.sources {
			if s.namespace == "" {
				out = append(out, s)
			}
		}
		return out, nil
	}
	for _, name := range names {
		i := slices.IndexFunc(h.sources, func(s Source) bool { return s.Name == name })
		if i < 0 {
			return nil, fault.At("sources", "%s is not a source; GET /logs/sources lists them", name)
		}
		out = append(out, h.sources[i])
	}
	return out, nil
}

// unitsOf are those that are wanted of one journal, each once.
type unitsOf struct {
	namespace string
	units     []string
}

// journals are those that the chosen sources are in, of which each is read by itself.
func journals(chosen []Source) (out []unitsOf) {
	for _, s := range chosen {
		if s.Unit == "" {
			continue
		}
		i := slices.IndexFunc(out, func(j unitsOf) bool { return j.namespace == s.namespace })
		if i < 0 {
			i, out = len(out), append(out, unitsOf{namespace: s.namespace})
		}
		if !slices.Contains(out[i].units, s.Unit) {
			out[i].units = append(out[i].units, s.Unit)
		}
	}
	return out
}

// sourceOf is the name of the first source with the entry's unit in that journal.
func (h *handlers) sourceOf(e journal.Entry) string {
	for _, s := range h.sources {
		if s.Unit == e.Unit && s.namespace == e.Namespace {
			return s.Name
		}
	}
	return strings.TrimSuffix(e.Unit, ".service")
}
