package logs

import (
	"slices"
	"strings"

	"gateway/internal/daemon"
	"gateway/internal/fault"
)

// Source is where log entries come from.
type Source struct {
	Name  string `json:"name" doc:"Its name in the parameter sources"`
	Unit  string `json:"unit,omitempty" doc:"The systemd unit whose entries it has; none for the audit log"`
	Title string `json:"title" doc:"What it is"`
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
	}
	return append(out,
		Source{Name: tunnelSource, Unit: applyUnit, Title: "Tunnels (in the log of the applier)"},
		Source{Name: "journal", Unit: "systemd-journald.service", Title: "Log daemon (systemd-journald)"},
		Source{Name: auditSource, Title: "Audit log"})
}

const applyUnit = "gateway-apply.service"

// chosen are the sources that a request names; all of them when it names none.
func (h *handlers) chosen(names []string) ([]Source, error) {
	if len(names) == 0 {
		return h.sources, nil
	}
	var out []Source
	for _, name := range names {
		i := slices.IndexFunc(h.sources, func(s Source) bool { return s.Name == name })
		if i < 0 {
			return nil, fault.At("sources", "%s is not a source; GET /logs/sources lists them", name)
		}
		out = append(out, h.sources[i])
	}
	return out, nil
}

// units are those of the journal, each once.
func units(chosen []Source) []string {
	var out []string
	for _, s := range chosen {
		if s.Unit != "" && !slices.Contains(out, s.Unit) {
			out = append(out, s.Unit)
		}
	}
	return out
}

// sourceOf is the name of the first source with that unit.
func (h *handlers) sourceOf(unit string) string {
	for _, s := range h.sources {
		if s.Unit == unit {
			return s.Name
		}
	}
	return strings.TrimSuffix(unit, ".service")
}
