package apply

import (
	"slices"

	"gateway/internal/daemon"
	"gateway/internal/fault"
)

// Action is what to do with a service.
type Action string

// The actions. On and off last beyond the next boot.
const (
	Restart Action = "restart"
	On      Action = "on"  // enable and start
	Off     Action = "off" // stop and disable
)

// Allowed are the services that the action is allowed for.
func Allowed(services []daemon.Service, a Action) []daemon.Service {
	return slices.DeleteFunc(slices.Clone(services), func(s daemon.Service) bool { return !allows(s, a) })
}

func allows(s daemon.Service, a Action) bool {
	switch a {
	case Restart:
		return s.Restart
	case On, Off:
		return s.Toggle
	default:
		return false
	}
}

// permit finds the service by its name. What was not declared cannot be named over the
// socket, and no unit by its own name.
func permit(services []daemon.Service, a Action, name string) (daemon.Service, error) {
	if a != Restart && a != On && a != Off {
		return daemon.Service{}, fault.New(fault.Invalid, "there is no action %q", a)
	}
	i := slices.IndexFunc(services, func(s daemon.Service) bool { return s.Name == name })
	if i < 0 {
		return daemon.Service{}, fault.New(fault.Invalid, "there is no service %q", name)
	}
	if !allows(services[i], a) {
		return daemon.Service{}, fault.New(fault.Invalid, "the action %q is not available for the service %q", a, name)
	}
	return services[i], nil
}
