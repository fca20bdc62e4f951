package haproxy

import (
	"context"
	"errors"
	"fmt"
	"net/netip"
	"strconv"
	"strings"
	"time"
)

// ErrBusy says that a server still has connections and is in place as before.
var ErrBusy = errors.New("the server still has connections")

// Server is one of a backend, as it is now.
type Server struct {
	Backend, Name string
	Addr          netip.AddrPort // the address is not valid while a name is not resolved
	Weight        int
	Up            bool // takes requests, as far as the checks know
	Maintenance   bool // told to take none at all
	Drain         bool // told to take no new ones
}

// States of a server that an operator gives it.
const (
	Ready       = "ready"
	Maintenance = "maint"
	Drain       = "drain"
)

// target is a server in a command.
func target(backend, server string) (string, error) {
	if strings.Contains(backend, "/") {
		return "", fmt.Errorf("%q is not a valid backend name", backend)
	}
	return word(backend + "/" + server), checkWords(backend, server)
}

// ServerWeight takes 0 to 256.
func (r Runtime) ServerWeight(ctx context.Context, backend, server string, weight int) error {
	t, err := target(backend, server)
	if err != nil {
		return err
	}
	return r.silent(ctx, fmt.Sprintf("set server %s weight %d", t, weight))
}

// ServerState makes a server Ready or puts it into Maintenance or Drain.
func (r Runtime) ServerState(ctx context.Context, backend, server, state string) error {
	t, err := target(backend, server)
	if err == nil {
		err = checkWords(state)
	}
	if err != nil {
		return err
	}
	return r.silent(ctx, "set server "+t+" state "+word(state))
}

// ServerAddr has new connections go elsewhere. Established ones stay.
func (r Runtime) ServerAddr(ctx context.Context, backend, server string, addr netip.AddrPort) error {
	t, err := target(backend, server)
	if err != nil {
		return err
	}
	answer, err := r.ask(ctx, fmt.Sprintf("set server %s addr %s port %d", t, addr.Addr(), addr.Port()))
	if err != nil {
		return err
	}
	if !strings.Contains(answer, " changed from ") && answer != "nothing changed" {
		return refuse("set server", answer)
	}
	return r.moved(ctx, backend, server, addr)
}

// moved waits until a server is where it was told to be: HAProxy answers first, and has all
// its threads pause for the change a moment later.
func (r Runtime) moved(ctx context.Context, backend, server string, addr netip.AddrPort) error {
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	for {
		now, err := r.server(ctx, backend, server)
		if err != nil || now.Addr == addr {
			return err
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("wait for server %s/%s to move: %w", backend, server, context.Cause(ctx))
		case <-time.After(time.Millisecond):
		}
	}
}

// ServerAdd adds a server to a backend and has it take requests. The settings are those of
// a server line after its name; health says that they have a check.
func (r Runtime) ServerAdd(ctx context.Context, backend, server, settings string, health bool) error {
	t, err := target(backend, server)
	if err != nil {
		return err
	}
	if !plain(settings) || strings.ContainsAny(settings, ";") {
		return fmt.Errorf("%q are not valid server settings", settings)
	}
	if err := r.says(ctx, "add server "+t+" "+settings, "New server registered."); err != nil {
		return err
	}
	enable := []string{"enable server " + t}
	if health {
		enable = []string{"enable health " + t, "enable server " + t}
	}
	out, err := r.do(ctx, enable...)
	if answer := strings.Join(out, ""); err == nil && answer != "" {
		err = refuse("enable server", answer)
	}
	if err != nil {
		err = errors.Join(err, r.drop(ctx, "set server "+t+" state maint;del server "+t))
	}
	return err
}

// ServerRemove takes a server out of its backend, once its connections have ended. When
// they have not within the wait, it puts the server back and answers ErrBusy.
func (r Runtime) ServerRemove(ctx context.Context, backend, server string, wait time.Duration) error {
	t, err := target(backend, server)
	if err != nil {
		return err
	}
	before, err := r.server(ctx, backend, server)
	if err != nil {
		return err
	}
	out, err := r.do(ctx, "set server "+t+" state maint",
		fmt.Sprintf("wait %dms srv-removable %s", min(max(1, wait.Milliseconds()), (timeout-time.Second).Milliseconds()), t), "del server "+t)
	if err == nil && out[2] == "Server deleted." {
		return nil
	}
	if err == nil && strings.Contains(out[2], "connections attached") {
		err = ErrBusy
	} else if err == nil {
		err = refuse("del server", out[2])
	}
	if !before.Maintenance {
		err = errors.Join(err, r.drop(ctx, "set server "+t+" state "+Ready))
	}
	return err
}

func (r Runtime) server(ctx context.Context, backend, server string) (Server, error) {
	all, err := r.ServersOf(ctx, backend)
	for _, s := range all {
		if s.Name == server {
			return s, nil
		}
	}
	if err == nil {
		err = refuse("show servers", "No such server.")
	}
	return Server{}, err
}

// Servers lists the servers of all backends.
func (r Runtime) Servers(ctx context.Context) ([]Server, error) {
	return r.servers(ctx, "show servers state")
}

func (r Runtime) servers(ctx context.Context, command string) ([]Server, error) {
	answer, err := r.ask(ctx, command)
	if err != nil {
		return nil, err
	}
	return parseServers(answer)
}

// parseServers reads a table whose columns are named in its second line; the first is a
// version number.
func parseServers(answer string) ([]Server, error) {
	_, rest, _ := strings.Cut(answer, "\n")
	header, rest, _ := strings.Cut(rest, "\n")
	names := strings.Fields(strings.TrimPrefix(header, "#"))
	if !strings.HasPrefix(header, "# ") {
		return nil, refuse("show servers", answer)
	}
	column := map[string]int{}
	for i, name := range names {
		column[name] = i
	}
	var servers []Server
	for line := range strings.Lines(rest) {
		fields := strings.Fields(line)
		if len(fields) != len(names) {
			return nil, refuse("show servers", line)
		}
		servers = append(servers, parseServer(func(name string) string {
			i, ok := column[name]
			if !ok {
				return ""
			}
			return fields[i]
		}))
	}
	return servers, nil
}

// The bits of srv_admin_state, and the value of srv_op_state for one that runs. 0x04 is not
// among them: it stays with a server that a file disables, whatever it is told afterwards.
const (
	anyMaintenance = 0x01 | 0x02 | 0x20
	anyDrain       = 0x08 | 0x10
	running        = 2
)

func parseServer(field func(string) string) Server {
	number := func(name string) int {
		n, _ := strconv.Atoi(field(name)) // HAProxy writes a dash for none
		return n
	}
	addr, _ := netip.ParseAddr(field("srv_addr"))
	admin := number("srv_admin_state")
	return Server{
		Backend: field("be_name"), Name: field("srv_name"), Weight: number("srv_uweight"),
		Addr: netip.AddrPortFrom(addr, uint16(number("srv_port"))), Up: number("srv_op_state") == running,
		Maintenance: admin&anyMaintenance != 0, Drain: admin&anyDrain != 0,
	}
}
