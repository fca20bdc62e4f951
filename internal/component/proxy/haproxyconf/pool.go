package haproxyconf

import (
	"fmt"
	"net/netip"
	"slices"
	"strconv"
	"strings"

	"gateway/internal/db"
	"gateway/internal/fault"
	"gateway/internal/value"
)

func (p pool) valid() error {
	if err := db.CheckID(p.ID); err != nil {
		return err
	}
	if !slices.Contains([]string{"http", "https", "tcp"}, p.Scheme) {
		return fault.Say("invalid scheme %q", p.Scheme)
	}
	if !slices.Contains([]string{"roundrobin", "leastconn", "source"}, p.Algorithm) {
		return fault.Say("invalid load-balancing algorithm %q", p.Algorithm)
	}
	for _, name := range []string{p.TLSName, p.Host} {
		if got, err := value.HostName(name); name != "" && (err != nil || got != name) {
			return fault.Say("%q is not a valid host name", name)
		}
	}
	if err := URLPath(p.Path); err != nil {
		return fmt.Errorf("the path of its health check %w", err)
	}
	if p.Status != 0 && (p.Status < 100 || p.Status > 599) {
		return fault.Say("invalid health check status")
	}
	if p.Interval < 1 || p.Interval > 3600 {
		return fault.Say("invalid health check interval")
	}
	return nil
}

// pool is one section. What is in it needs a reload to change, but for its servers.
func (r *rendering) pool(b *strings.Builder, p pool) {
	b.WriteString("backend " + section(p.ID) + "\n\tid " + r.sections[p.ID] + "\n")
	if p.Scheme == "tcp" {
		b.WriteString("\tmode tcp\n\ttimeout server 1h\n")
	}
	b.WriteString("\tbalance " + p.Algorithm + "\n")
	if p.Algorithm == "source" {
		// Consistent, so that servers come and go without a reload, and clients stay.
		b.WriteString("\thash-type consistent\n")
	}
	if p.Websocket && p.Scheme != "tcp" {
		b.WriteString("\ttimeout tunnel 1h\n")
	}
	if p.Sticky && p.Scheme != "tcp" {
		// Dynamic: worked out from a server's address, also for one that came while running.
		fmt.Fprintf(b, "\tcookie GATEWAY_SERVER insert indirect nocache httponly dynamic\n\tdynamic-cookie-key %s\n", p.ID)
	}
	if p.Checks && p.Scheme != "tcp" {
		p.healthCheck(b)
	}
	settings := p.settings()
	for _, m := range r.servers[p.ID] {
		if err := m.valid(r.own); err != nil {
			r.leaveOut(fmt.Sprintf("server %s of backend %s", m.Name, p.Name), err)
			continue
		}
		b.WriteString("\tserver " + m.line(settings) + "\n")
		r.resolves = r.resolves || m.looksUp()
	}
	b.WriteByte('\n')
}

func (p pool) healthCheck(b *strings.Builder) {
	host := "localhost"
	if p.TLSName != "" {
		host = p.TLSName
	}
	if p.Host != "" {
		host = p.Host
	}
	fmt.Fprintf(b, "\toption httpchk\n\thttp-check send meth GET uri %s ver HTTP/1.1 hdr Host %s hdr User-Agent gateway-health-check\n", quoted(p.Path), host)
	if p.Status == 0 {
		b.WriteString("\thttp-check expect status 200-399\n")
	} else {
		fmt.Fprintf(b, "\thttp-check expect status %d\n", p.Status)
	}
}

// settings are what all servers of the pool have in common. They stand on each line and
// not in a default-server, so that a line is all there is to know of a server.
func (p pool) settings() string {
	var s strings.Builder
	if p.Checks {
		// Three failed checks take a server out. The second and third come sooner: visitors wait meanwhile.
		fmt.Fprintf(&s, " check inter %ds fastinter %dms", p.Interval, p.Interval*500)
	}
	if p.Scheme != "https" {
		return s.String()
	}
	s.WriteString(" ssl")
	if p.Verify {
		s.WriteString(" verify required ca-file @system-ca")
	} else {
		s.WriteString(" verify none")
	}
	if p.TLSName != "" {
		fmt.Fprintf(&s, " sni str(%s) check-sni %s", p.TLSName, p.TLSName)
	} else {
		s.WriteString(" sni req.hdr(host),field(1,:)")
	}
	if p.ForceHTTP1 {
		s.WriteString(" alpn http/1.1")
	} else {
		s.WriteString(" alpn h2,http/1.1")
	}
	if p.Checks {
		s.WriteString(" check-alpn http/1.1")
	}
	return s.String()
}

func (m member) valid(own []netip.Addr) error {
	if name, err := ProxyName(m.Name); err != nil || name != m.Name {
		return fault.Say("its name is invalid")
	}
	if addr, err := value.HostOrName(m.Address); err != nil || addr != m.Address {
		return fault.Say("%q is neither an address nor a host name", m.Address)
	}
	if m.Port < 1 || m.Port > 65535 || m.Weight < 0 || m.Weight > 256 {
		return fault.Say("invalid port or weight")
	}
	if HandsOut(m.Address) {
		return fault.Say("its address is link-local or one at which clouds hand out credentials")
	}
	if who := OwnService(m.Address, m.Port, own); who != "" {
		return fault.Say("it is this node itself, where its port is reserved for %s", who)
	}
	return nil
}

// line is all that HAProxy is told of a server. The name, the address and what may change
// while running come first; the planner relies on that.
func (m member) line(settings string) string {
	weight := m.Weight
	if m.Drain {
		weight = 0
	}
	var s strings.Builder
	s.WriteString(m.Name + " " + m.at() + " weight " + strconv.Itoa(weight))
	if !m.Active {
		s.WriteString(" disabled")
	}
	if m.Backup {
		s.WriteString(" backup")
	}
	s.WriteString(settings)
	if m.looksUp() {
		s.WriteString(" resolvers gateway_names init-addr libc,none resolve-prefer ipv4")
	}
	return s.String()
}

func (m member) at() string {
	if addr, err := netip.ParseAddr(m.Address); err == nil {
		return netip.AddrPortFrom(addr, uint16(m.Port)).String() // valid checked its range
	}
	return fmt.Sprintf("%s:%d", m.Address, m.Port)
}

func (m member) looksUp() bool {
	_, err := netip.ParseAddr(m.Address)
	return err != nil
}

// quoted is a word of HAProxy's configuration that is taken as it stands.
func quoted(s string) string { return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'" }
