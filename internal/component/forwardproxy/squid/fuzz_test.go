package squid

import (
	"context"
	"fmt"
	"html"
	"math/rand/v2"
	"net/netip"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"gateway/internal/component/componenttest"
	"gateway/internal/daemon"
	"gateway/internal/sys"
	"gateway/tools/bar"
)

// texts are what somebody may write into a field, or into a row past the API.
var texts = []string{
	"", "example.com", "192.0.2.0/24", "2001:db8::/32", "80", "8000-8100", "GET", "mon-fri 08:00-18:00", "22:00-06:00", "curl", "http://example.com/*", "*.exe", "a b", "a\nb", "a\r\nb",
	"\nurl_rewrite_program /bin/sh", "x\nhttp_access allow all", `"/etc/passwd"`, `'/etc/passwd'`, "-n", "-i", "+i", "--", "#", "# x", `\`, `a\`, "x\\\n", "${process_name}", "$(id)", "`id`", "%U", "@Squid{%ssl}", "\x00", "\u2028", "\u202e", "é",
	"all", "!all", "0.0.0.0/0", "::/0", "010.0.0.1", "127.0.0.1", "999", "-1", "*", "**", "(", "[", "]", "^", "$", ".*", "a{2}", "a|b", "[[:alpha:]]", "<script>alert(1)</script>", "&amp;", strings.Repeat("a", 600), strings.Repeat("[", 512), "PURGE", "SMTWHFA 00:00-23:59",
	"include /etc/passwd", "if true", "endif", "parameters(\"/etc/passwd\")",
}

// generator makes rows, half of the time of good values only, else with some bad ones among them.
type generator struct {
	*rand.Rand
	spoil int // in a hundred
}

func (g generator) pick(good ...string) string {
	if g.IntN(100) < g.spoil {
		return texts[g.IntN(len(texts))]
	}
	return good[g.IntN(len(good))]
}

func (g generator) some(n int, good ...string) (out []string) {
	for range g.IntN(n + 1) {
		out = append(out, g.pick(good...))
	}
	return out
}

func (g generator) port() int {
	if g.IntN(300) < g.spoil { // a bad one closes the proxy, and hides all else
		return []int{0, 70000, InternalPort}[g.IntN(3)]
	}
	return []int{3128, 8888}[g.IntN(2)]
}

func fuzzed(r *rand.Rand) State {
	g := generator{r, max(0, r.IntN(60)-30)}
	yes, cache := r.IntN(2) == 0, r.IntN(3)*100
	s := State{Own: []netip.Addr{netip.MustParseAddr("192.0.2.1"), netip.MustParseAddr("2001:db8::1")}}
	s.Settings = Settings{
		Enabled: &yes, Port: g.port(), ListenAddresses: nil, Zones: []string{"lan"}, AllowedNetworks: []string{"192.0.2.0/24"},
		DefaultAction: "allow", Ports: []string{"80", "443"}, ConnectPorts: []string{"443"}, CacheSize: &cache, ParentPort: 3128, AccessLog: &yes, LogRetention: 14,
	}
	switch r.IntN(4) { // one bad value closes the proxy, so that they come one by one
	case 0:
		s.Settings.ListenAddresses, s.Settings.AllowedNetworks = g.some(2, "192.0.2.1", "2001:db8::1"), g.some(3, "192.0.2.0/24", "10.0.0.0/8")
	case 1:
		s.Settings.Ports, s.Settings.ConnectPorts = g.some(3, "80", "400-500"), g.some(2, "443")
	case 2:
		s.Settings.ParentHost, s.Settings.Contact, s.Settings.DNSServers = g.pick("proxy.example.com", "192.0.2.9"), g.pick("it@example.com"), g.some(2, "9.9.9.9")
	}
	for range r.IntN(3) {
		s.Lists = append(s.Lists, List{Name: g.pick("ads", "few"), Parts: g.some(2, strings.Repeat("0", 32), strings.Repeat("a", 32))})
	}
	kinds := []string{bySource, byDomain, byList, byPort, byURL, byMethod, byTime, byUserAgent}
	for i := range r.IntN(8) {
		kind := kinds[r.IntN(len(kinds))]
		good := map[string][]string{
			bySource: {"192.0.2.0/24", "192.0.2.7"}, byDomain: {"example.com", "a.example.com"}, byList: {"ads", "few"}, byPort: {"80", "8000-8100"}, byURL: {"http://example.com/*", "*.exe", "*a.b*c", "*\\*", `*"*`, "*#*", "*${x}*"},
			byMethod: {"GET", "POST"}, byTime: {"mon-fri 08:00-18:00", "22:00-06:00"}, byUserAgent: {"curl", "a b", `"x"`},
		}[kind]
		s.Rules = append(s.Rules, StoredRule{fmt.Sprint(i), Rule{
			Action: g.pick(allow, deny), Type: kind, Value: g.pick(good...), OnlyFrom: g.some(1, "192.0.2.64/26"), OnlyDuring: g.pick("", "", "mon 08:00-09:00"), Name: g.pick("", "", "No games"),
		}, r.IntN(6) > 0})
	}
	return s
}

// formed reads the file as Squid does, by words, and knows every form that a line may have.
func formed(r daemon.Rendering) error {
	text, ok := strings.CutPrefix(string(r.File(ConfFile)), madeBy)
	if !ok || !strings.HasSuffix(text, "\n") {
		return fmt.Errorf("it begins or ends otherwise")
	}
	defined := map[string]bool{"all": true, "manager": true, "to_localhost": true, "to_linklocal": true}
	for line := range strings.Lines(text) {
		line = strings.TrimSuffix(line, "\n")
		if strings.ContainsAny(line, "\r\x00") || strings.HasSuffix(line, `\`) || strings.Contains(line, "${") || len(line) > 8000 {
			return fmt.Errorf("a line %q", line)
		}
		if !slices.ContainsFunc(forms, func(f *regexp.Regexp) bool { return f.MatchString(line) }) {
			return fmt.Errorf("a line of no form: %q", line)
		}
		words := strings.Fields(line)
		switch words[0] {
		case "acl":
			defined[words[1]] = true
		case "http_access":
			for _, w := range words[2:] {
				if !defined[strings.TrimPrefix(w, "!")] {
					return fmt.Errorf("nobody defined what %q asks", line)
				}
			}
		}
	}
	for _, f := range r.Files {
		if name, ok := strings.CutPrefix(f.Path, ListsFolder+"/"); ok && !regexp.MustCompile(`^[a-z0-9][a-z0-9_-]{0,62}\.[1-9][0-9]*\.[0-9]+$`).MatchString(name) {
			return fmt.Errorf("a file of a list is called %q", name)
		}
		if strings.HasPrefix(f.Path, PagesFolder) {
			if err := readPage(string(f.Data)); err != nil {
				return err
			}
		}
	}
	return nil
}

// forms are all that a line may be, written down apart from the renderer.
var forms = func() (out []*regexp.Regexp) {
	const address, network = `[0-9a-f.:]+`, `[0-9a-f.:]+/[0-9]+`
	const atom = `(?:[0-9A-Za-z/:]|\.\*|\\\^|\[\[:space:\]\]|\[\]\]|\[[^\]^ 0-9A-Za-z]\])`
	for _, f := range []string{
		`visible_hostname gateway\.invalid`, `client_ip_max_connections 1024`, `cachemgr_passwd none info counters server_list filedescriptors idns`, `cachemgr_passwd disable all`, `pid_filename /run/squid/gateway\.pid`, `cache_log /dev/null`, `coredump_dir none`, `pinger_enable off`, `shutdown_lifetime 1 seconds`,
		`logfile_rotate 0`, `forwarded_for delete`, `error_directory /etc/squid/gateway/errors`, `access_log (none|stdio:/var/log/squid/gateway-access logformat=squid on-error=drop !internal)`, `cache deny all`, `cache_mem [0-9]+ MB`,
		`maximum_object_size_in_memory [0-9]+ KB`, `dns_nameservers( ` + address + `)+`, `cache_peer [0-9a-z.:_-]+ parent [0-9]+ 0 no-query no-digest no-netdb-exchange default`, `never_direct allow all`,
		`http_port 127\.0\.0\.1:13128 name=internal`, `http_port (` + address + `|\[[0-9a-f:]+\]:[0-9]+)`, `acl internal myportname internal`, `acl connect method CONNECT`, `acl self dstdomain -n gateway\.invalid`, `acl web proto HTTP HTTPS`,
		`acl (networks|rule[0-9]+(_from)?) src ` + network, `acl own dst ` + address, `acl metadata dst ` + network, `acl (ports|connect_ports|rule[0-9]+) port [0-9]+(-[0-9]+)?`, `acl rule[0-9]+ dstdomain -n \.[0-9a-z._-]+`,
		`external_acl_type lists ttl=0 negative_ttl=0 children-max=1 children-startup=1 children-idle=1 concurrency=10000 queue-size=20000 %DST /usr/lib/squid/gateway-squid-lists /etc/squid/gateway/lists`,
		`acl rule[0-9]+ external lists( [a-z0-9][a-z0-9_-]{0,62})+`, `acl rule[0-9]+ method [A-Z]+`, `acl rule[0-9]+(_at)? time [SMTWHFA]+ [0-9]{2}:[0-9]{2}-[0-9]{2}:[0-9]{2}`, `acl rule[0-9]+ (url_regex|browser) -i \^?` + atom + `+\$?`,
		`http_access allow internal manager`, `http_access deny (internal|manager|self|!connect !web|all|!networks|!ports|connect|connect !connect_ports|to_localhost|to_linklocal|metadata|own)`, `http_access allow all`,
		`http_access (allow|deny)( rule[0-9]+_from)?( rule[0-9]+_at)? rule[0-9]+`, `deny_info GATEWAY_[0-9A-F]{16} rule[0-9]+`, `deny_info http://generation\.invalid/[0-9a-f]{32} internal`,
	} {
		out = append(out, regexp.MustCompile(`^(?:`+f+`)$`))
	}
	return out
}()

// readPage finds no element, code or entity that is not ours.
func readPage(text string) error {
	plain := strings.Replace(text, "<code>%U</code>", "", 1)
	for _, tag := range regexp.MustCompile(`<[^>]*>?`).FindAllString(plain, -1) {
		if !regexp.MustCompile(`^</?(html|head|meta|title|body|h1|p|strong)( (lang="(en|de)"|charset="utf-8"))?>$|^<!DOCTYPE html>$|^<!--\n$`).MatchString(tag) {
			return fmt.Errorf("a page has %q", tag)
		}
	}
	if strings.ContainsAny(plain, "%@") || html.UnescapeString(plain) == plain && strings.Contains(plain, "&") {
		return fmt.Errorf("a page has a code of Squid's: %q", plain)
	}
	return nil
}

// Whatever rows there are, Squid takes the file without a warning and as the lines that it has, and
// an independent reader finds in it what the good rows say, and nothing else. Without escaping, it
// finds more.
//
// shows T22
func TestBarServices02Squid(t *testing.T) {
	bar.NotShort(t)
	n, every := bar.GateSize(250, 500, 20000), bar.GateSize(10, 1, 1) // it takes a process each
	seed := componenttest.FuzzSeed(t)
	random := rand.New(rand.NewPCG(seed, seed))
	raw := quoting{func(s string) (string, error) { return s, nil }, func(s string, _ bool) string { return s }, func(s string) string { return s }}
	whole, broken, checked, rules := 0, 0, 0, 0
	for i := range n {
		s := fuzzed(random)
		want := s.meant()
		r, err := s.Render()
		if err != nil {
			t.Fatalf("seed %d: %v\n%#v", seed, err, s)
		}
		if err := formed(r); err != nil {
			t.Fatalf("seed %d: %v\n%#v", seed, err, s)
		}
		if diff := cmp.Diff(want, readBack(r)); diff != "" {
			t.Fatalf("seed %d: the files say something else (-rows +files):\n%s\n%#v", seed, diff, s)
		}
		for _, line := range want {
			if strings.Contains(line, " from [") {
				rules++
			}
		}
		if i%every == 0 {
			checked++
			if err := readBySquid(t, r); err != nil {
				t.Fatalf("seed %d: %v\n%s", seed, err, r.File(ConfFile))
			}
		}
		if len(r.Problems) == 0 {
			whole++
		}
		if r, err := s.render(raw); err != nil || formed(r) != nil {
			broken++
		}
	}
	t.Logf("seed %d", seed)
	figure := fmt.Sprintf("Squid: %d configurations, %d of them taken whole, %d groups of rules, 0 bad, %d checked by squid -k parse; without escaping %d broke out", n, whole, rules, checked, broken)
	bar.Report(t, "services", 2, figure, fmt.Sprintf("0 bad of %d; control breaks out", n), whole > 0 && whole < n && broken > 0 && rules > n)
}

var processed = regexp.MustCompile(`(?m)^[0-9/]+ [0-9:]+\| Processing: (.*)$`)

// readBySquid has Squid check the files, and tell which lines it made of them: one that swallows the
// next, or is more than one, is no longer what is in the file.
func readBySquid(t *testing.T, r daemon.Rendering) error {
	t.Helper()
	said, run := "", componenttest.ExecInRoot(t)
	d := New(Options{Exec: func(ctx context.Context, c sys.Command) (sys.Result, error) {
		out, err := run(ctx, c)
		said = string(out.Stderr)
		return out, err
	}})
	if err := componenttest.Check(t, d.Config, r); err != nil {
		return err
	}
	var got, want []string
	for _, m := range processed.FindAllStringSubmatch(said, -1) {
		got = append(got, m[1])
	}
	for line := range strings.Lines(strings.TrimPrefix(string(r.File(ConfFile)), madeBy)) {
		if line = strings.TrimSuffix(line, "\n"); !strings.HasPrefix(line, "error_directory ") { // which the checker cannot see
			want = append(want, line)
		}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		return fmt.Errorf("squid reads other lines (-file +squid):\n%s", diff)
	}
	return nil
}
