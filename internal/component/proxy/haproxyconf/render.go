package haproxyconf

import (
	_ "embed"
	"errors"
	"fmt"
	"hash/fnv"
	"maps"
	"slices"
	"strconv"
	"strings"

	"gateway/internal/daemon"
	"gateway/internal/db"
	"gateway/internal/fault"
	"gateway/internal/value"
)

// Where HAProxy finds what is rendered. The list of certificates is package cert's.
const (
	dir      = "/etc/gateway/haproxy/"
	Path     = dir + "haproxy.cfg"
	mapsDir  = dir + "maps/"
	crtList  = dir + "crt-list.txt"
	fileMode = 0o640
	// Digests of passwords are for HAProxy's master alone, which is root.
	secretMode = 0o600
)

var (
	//go:embed global.cfg
	global string
	//go:embed management.cfg
	management string
)

// rendering is one on its way. Nothing in it grows a line of configuration with a domain:
// what differs between domains is looked up in maps.
type rendering struct {
	state
	sections map[string]string // backend id -> the number of where its sites lead
	numbers  map[uint32]bool   // in use
	passing  map[string]bool   // backends that services lead to, and sites cannot
	resolves bool              // a server is known by its name only
	hosts    sites
	problems []daemon.Problem
}

// render is a pure function of the state. Files come in the order in which they are
// installed, what others refer to first: HAProxy may start with any part of them new.
func render(s state) daemon.Rendering {
	r := &rendering{state: s, sections: make(map[string]string, len(s.backends)), numbers: make(map[uint32]bool, len(s.backends)), passing: map[string]bool{}}
	pools := r.pools()
	r.hosts = r.sites()
	files := r.hosts.files()
	var b strings.Builder
	b.WriteString(global)
	r.frontends(&b)
	b.WriteString(pools)
	r.services(&b)
	files = append(files, daemon.File{Path: Path, Mode: fileMode, Data: []byte(b.String())})
	return daemon.Rendering{Files: files, Problems: r.problems}
}

// leaveOut tells the operator of something that cannot be rendered, and would take the rest with it.
func (r *rendering) leaveOut(subject string, err error) {
	r.problems = append(r.problems, daemon.Problem{Subject: subject, Sentence: fault.SentenceOf(err)})
}

func (r *rendering) frontends(b *strings.Builder) {
	r.public(b)
	r.plain(b)
	b.WriteString("frontend management\n" + accessLog)
	const tls = " ssl crt /etc/gateway/tls/management.pem alpn h2,http/1.1\n"
	r.bind(b, "", "3443", tls)
	b.WriteString(management)
	r.tables(b)
	if r.resolves {
		b.WriteString("# Names of servers are looked up while running, so that one that is not found stops nothing.\n" +
			"resolvers gateway_names\n\tparse-resolv-conf\n\thold valid 10s\n\taccepted_payload_size 4096\n\n")
	}
}

// bind listens at a port, on IPv6 only while that is switched on.
func (r *rendering) bind(b *strings.Builder, kind, port, rest string) {
	four, six := "0.0.0.0:", "[::]:"
	if kind == "quic" {
		four, six = "quic4@:", "quic6@:"
	}
	b.WriteString("\tbind " + four + port + rest)
	if r.ipv6 {
		b.WriteString("\tbind " + six + port + " v6only" + rest)
	}
}

// AccessLog is the journal namespace that the frontends log to: a line for each request would drown
// what else the node writes, and the main journal drops lines of whoever writes many.
const AccessLog = "gateway-access"

// accessLog has a frontend log to that journal only. The rest, such as servers that went down, is in
// the main one. The path is the same where HAProxy is locked up: its unit mounts the folder there.
const accessLog = "\tno log\n\tlog /run/systemd/journal." + AccessLog + "/dev-log local1\n"

// quiet logs what went wrong, and leaves the rest to the counters: a line for each request
// costs more than the request.
const quiet = "\toption dontlog-normal\n"

// public is what the world talks to by HTTPS.
func (r *rendering) public(b *strings.Builder) {
	b.WriteString("frontend gateway_https\n" + accessLog + quiet)
	r.bind(b, "", "443", " ssl crt-list "+crtList+" alpn h2,http/1.1\n")
	r.bind(b, "quic", "443", " ssl crt-list "+crtList+" alpn h3\n")
	r.forwarded(b, "https")
	r.lookUp(b)
	r.count(b)
	r.gates(b, "https")
	r.answers(b)
	r.lead(b, "")
}

// plain is what the world talks to by HTTP: it redirects, but for sites that want both.
func (r *rendering) plain(b *strings.Builder) {
	b.WriteString("frontend gateway_http\n" + accessLog + quiet)
	r.bind(b, "", "80", "\n")
	const proof = "{ path_beg /.well-known/acme-challenge/ }"
	if !r.hosts.use.plain {
		b.WriteString("\thttp-request redirect scheme https code 301 if !" + proof + "\n")
		r.forwarded(b, "http")
		b.WriteString("\tdefault_backend api\n\n")
		return
	}
	r.forwarded(b, "http")
	// Whoever gives out certificates asks without a password, from anywhere.
	b.WriteString("\thttp-request allow if " + proof + "\n")
	r.lookUp(b)
	b.WriteString("\thttp-request redirect scheme https code 301 if !" + has("p") + "\n")
	r.count(b)
	r.gates(b, "http")
	r.headersOut(b)
	r.lead(b, "\tuse_backend api if "+proof+"\n")
}

// forwarded tells servers who asked, and how. What a client said about that does not survive.
func (r *rendering) forwarded(b *strings.Builder, scheme string) {
	b.WriteString("\thttp-request del-header Forwarded\n" +
		"\thttp-request del-header X-Forwarded- -m beg\n" +
		"\thttp-request set-header X-Forwarded-For %[src]\n" +
		"\thttp-request set-header X-Forwarded-Proto " + scheme + "\n" +
		"\thttp-request set-header X-Real-IP %[src]\n")
}

// pools renders a section for each backend, and remembers where its sites lead.
func (r *rendering) pools() string {
	var b strings.Builder
	for _, p := range r.backends {
		if !p.Active && db.ValidID(p.ID) {
			r.sections[p.ID] = unavailable
			continue
		}
		if err := p.valid(); err != nil {
			r.leaveOut("backend "+p.Name, err)
			r.sections[p.ID] = unavailable
			continue
		}
		r.sections[p.ID] = r.number(p.ID)
		if p.Scheme == "tcp" {
			r.passing[p.ID] = true
		}
		r.pool(&b, p)
	}
	for _, id := range slices.Sorted(maps.Keys(r.servers)) {
		if r.sections[id] == "" {
			r.leaveOut("server "+r.servers[id][0].Name, errNoBackend)
		}
	}
	return b.String()
}

var errNoBackend = fault.Say("its backend does not exist")

func section(id string) string { return "gateway_backend_" + id }

// unavailable is the number of the section for sites whose backend is switched off.
const unavailable = "500000000"

// number is what a record calls a section by: HAProxy finds one among ten thousand sooner
// by a number than by a name. It is worked out from the id, so that it means the same in
// files of before and after a change; where two come out the same, the second takes the next.
func (r *rendering) number(id string) string {
	h := fnv.New32a()
	_, _ = h.Write([]byte(id)) // never fails
	n := 1<<29 + h.Sum32()>>2
	for r.numbers[n] {
		n++
	}
	r.numbers[n] = true
	return strconv.FormatUint(uint64(n), 10)
}

// services are ports that are passed through.
func (r *rendering) services(b *strings.Builder) {
	for _, s := range r.ports {
		if err := s.valid(); err != nil {
			r.leaveOut("TCP service "+s.Name, err)
			continue
		}
		if r.sections[s.BackendID] == "" {
			r.leaveOut("TCP service "+s.Name, errNoBackend)
			continue
		}
		if r.sections[s.BackendID] == unavailable {
			continue // switched off with its backend
		}
		if !r.passing[s.BackendID] {
			r.leaveOut("TCP service "+s.Name, fault.Say("its backend does not have the scheme tcp"))
			continue
		}
		fmt.Fprintf(b, "frontend gateway_tcp_%d\n"+accessLog+"\tmode tcp\n\toption tcplog\n\ttimeout client 1h\n", s.Port)
		r.bind(b, "", fmt.Sprint(s.Port), "\n")
		s.admit(b)
		fmt.Fprintf(b, "\tdefault_backend %s\n\n", section(s.BackendID))
	}
}

// admit lets in whom the service is for. Each family is looked up by itself: HAProxy finds
// an IPv4 address among those of IPv6, and the other way round.
func (s service) admit(b *strings.Builder) {
	if len(s.AllowFrom) == 0 {
		return
	}
	b.WriteString("\tacl six src -m sub :\n")
	s.admitFamily(b, "!six", "four", func(n string) bool { return strings.Contains(n, ":") })
	s.admitFamily(b, "six", "six", func(n string) bool { return !strings.Contains(n, ":") })
}

func (s service) admitFamily(b *strings.Builder, who, family string, other func(string) bool) {
	nets := slices.DeleteFunc(slices.Clone(s.AllowFrom), other)
	for some := range slices.Chunk(nets, 50) {
		b.WriteString("\tacl allowed_" + family + " src " + strings.Join(some, " ") + "\n")
	}
	b.WriteString("\ttcp-request connection reject if " + who)
	if len(nets) > 0 {
		b.WriteString(" !allowed_" + family)
	}
	b.WriteByte('\n')
}

func (s service) valid() error {
	if s.Port < 1 || s.Port > 65535 {
		return fault.Say("its port is invalid")
	}
	if who, ok := value.TakenPorts[s.Port]; ok {
		return fault.Say("its port is reserved for %s", who)
	}
	for _, n := range s.AllowFrom {
		if got, err := value.Network(n); err != nil || got != n {
			return fault.Say("%q is not a valid network", n)
		}
	}
	return errors.Join(db.CheckID(s.ID), db.CheckID(s.BackendID))
}
