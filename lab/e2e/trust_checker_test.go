package e2e

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"gateway/lab"
	"gateway/tools/bar"
)

// What a daemon's checker runs, when somebody got a program into its configuration, is nobody on
// the node: the tests of package sys that need a systemd and an HAProxy run there. And gateway-apply starts each
// checker so.
func TestBarTrust04Checkers(t *testing.T) {
	l := lab.New(t)
	gw := l.Node("gw1")
	program := filepath.Join(t.TempDir(), "sys.test")
	build := exec.CommandContext(t.Context(), "go", "test", "-c", "-o", program, "gateway/internal/sys")
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("build the tests: %v\n%s", err, out)
	}
	l.Must(gw.CopyIn(program, "/root/sys.test", 0o755))
	out, err := gw.Run(t.Context(), "/root/sys.test", "-test.v", "-test.run", "^TestAPayload|^TestAConfined")
	t.Logf("%s", out)
	said := err == nil && strings.Count(string(out), "--- PASS") == 2
	verdict := map[bool]string{true: "is nobody: no root, capability, file, bus or network; control: unconfined it has each of them", false: "has something"}[said]
	confined, found := checkersOfTheProduct(t)
	figure := fmt.Sprintf("a payload that HAProxy's checker runs %s; %d of %d checkers are started so by gateway-apply, control: %d of them refuse when told to where they are", verdict, confined, len(checkers), found)
	bar.Report(t, "trust", 4, figure, "nothing, all, control all", said && confined == len(checkers) && found == len(checkers))
}

// checker is the program that looks at a daemon's configuration, and a change that has it do so.
type checker struct {
	component, path string
	args            string // by which gateway-apply calls it, as a pattern of the shell
	change          func(c *caller, i int) (path string, body object)
}

var checkers = []checker{
	{"proxy", "/usr/sbin/haproxy", `"-c -f "*`, func(c *caller, i int) (string, object) {
		pool := c.post("/backends", object{"name": fmt.Sprintf("mail%d", i), "scheme": "tcp"}).want(201).id()
		return "/tcp-services", object{"name": fmt.Sprintf("mail%d", i), "port": 2525 + i, "backend_id": pool}
	}},
	{"dns", "/usr/sbin/unbound-checkconf", `/proc/self/fd/0`, func(c *caller, i int) (string, object) {
		return "/dns/zones", object{"name": fmt.Sprintf("zone%d.example.com", i), "forward_to": []string{"192.0.2.53"}}
	}},
	{"ntp", "/usr/sbin/chronyd", `"-p -U -f /dev/stdin"`, func(c *caller, i int) (string, object) {
		return "/ntp/pools", object{"kind": "server", "address": fmt.Sprintf("192.0.2.%d", 100+i)}
	}},
	{"dhcp", "/usr/sbin/kea-dhcp4", `"-t /dev/stdin"`, func(c *caller, i int) (string, object) {
		return "/dhcp/subnets", object{"interface": "eth0", "subnet": fmt.Sprintf("10.9%d.0.0/24", i), "pools": []string{fmt.Sprintf("10.9%[1]d.0.10-10.9%[1]d.0.20", i)}}
	}},
	{"radius", "/usr/sbin/freeradius", `"-C -l stdout "*`, func(c *caller, i int) (string, object) {
		return "/radius/clients", object{"name": fmt.Sprintf("switch%d", i), "address": fmt.Sprintf("192.0.2.%d", 10+i), "secret": "correct-horse-battery"}
	}},
	{"forwardproxy", "/usr/sbin/squid", `"-k parse -f /dev/stdin"`, func(c *caller, i int) (string, object) {
		return "/forward-proxy/acls", object{"action": "deny", "type": "domain", "value": fmt.Sprintf("bad%d.example.com", i), "only_from": []string{}}
	}},
}

// looker takes the place of a checker, and goes on as the checker where it has nothing, or where it has something.
const looker = `#!/bin/sh
case "$*" in
%[2]s)
	has=nothing
	[ "$(id -u)" != 0 ] || has=root
	grep -q '^CapEff:[[:space:]]*0*$' /proc/self/status || has=capabilities
	[ "$(grep -c : /proc/net/dev)" = 1 ] || has=network
	! cat /var/lib/gateway/master.key >/dev/null 2>&1 || has=key
	! touch /etc/looker /var/lib/gateway/looker 2>/dev/null || has=files
	if [ "$has" %[3]s nothing ]; then
		echo "the looker has $has" >&2
		exit 1
	fi
	;;
esac
exec %[1]s.real "$@"
`

// checkersOfTheProduct is how many checkers were started with nothing, and of how many that was seen at all: those that refuse
// to go on so.
func checkersOfTheProduct(t *testing.T) (nothing, found int) {
	a, c := alone(t)
	s := &switching{appliance: a, caller: c, ways: map[string]int{}}
	s.prepare()
	_, asked := s.set(c, true, switchable(t)...)
	s.agrees(true, "nothing", asked, switchable(t)...)
	a.settles(c, patience)
	for _, k := range checkers {
		a.sh("mv " + k.path + " " + k.path + ".real")
	}
	for _, k := range checkers {
		if k.ends(s, 0, "!=") == "" {
			nothing++
		}
		if k.ends(s, 1, "=") != "" {
			found++
		}
	}
	return nothing, found
}

// ends makes a change that has the checker look, and refuse by what it has; it answers why the change is not applied.
func (k checker) ends(s *switching, i int, refuses string) (why string) {
	s.t.Helper()
	s.lab.Must(s.node.WriteFile(k.path, fmt.Appendf(nil, looker, k.path, k.args, refuses), 0o755))
	before := s.caller.standings()[k.component]
	path, body := k.change(s.caller, i)
	s.caller.post(path, body).want(201)
	s.eventually(patience, k.path+" has looked", func() bool {
		now := s.caller.standings()[k.component]
		why = now.Error
		return now.Wanted != before.Wanted && (why != "" || now.settled())
	})
	s.t.Logf("%s refuses what %s nothing: %q", k.path, refuses, why)
	return why
}
