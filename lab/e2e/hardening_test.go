package e2e

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"gateway/tools/bar"
)

var exposure = regexp.MustCompile(`Overall exposure level for \S+: ([0-9.]+)`)

func TestBarFoundation09Hardening(t *testing.T) {
	a := installed(t)
	a.signedIn(a.admin).services() // asks gateway-apply, which starts it
	var figures, targets []string
	fits := true
	defer func() {
		bar.Report(t, "foundation", 9, strings.Join(figures, ", "), strings.Join(targets, ", "), fits && !t.Failed())
	}()
	for _, unit := range []struct {
		name string
		most float64
	}{{"api", 2}, {"scheduler", 2}, {"apply", 3}} {
		got := a.exposure("gateway-" + unit.name + ".service")
		figures = append(figures, fmt.Sprintf("%s %.1f", unit.name, got))
		targets = append(targets, fmt.Sprintf("%s <=%.1f", unit.name, unit.most))
		fits = fits && got <= unit.most
	}
	a.processesHaveNoPower()
	a.cannotWriteTheSystem()
	a.filesAreClosed()
	a.onlyTheGroupAsksTheApplier()
	a.onlyTheAPIAsksForPackets()
}

// exposure is systemd's own score, 0 for none and 10 for all of it.
func (a *appliance) exposure(unit string) float64 {
	a.t.Helper()
	out := a.run("systemd-analyze", "security", "--no-pager", unit)
	m := exposure.FindStringSubmatch(out)
	if m == nil {
		a.t.Fatalf("systemd-analyze security %s: %s", unit, out)
	}
	score, err := strconv.ParseFloat(m[1], 64)
	if err != nil {
		a.t.Fatal(err)
	}
	return score
}

// The score counts settings; these look at the effect.
func (a *appliance) processesHaveNoPower() {
	a.t.Helper()
	uid := a.run("id", "-u", "gateway")
	const none, netAdmin = "0000000000000000", "0000000000001000"
	for unit, want := range map[string]struct{ uid, caps string }{
		"gateway-api.service":       {uid, none},
		"gateway-scheduler.service": {uid, none},
		"gateway-apply.service":     {"0", netAdmin},
	} {
		pid := a.mainPID(unit)
		ids := strings.Join([]string{want.uid, want.uid, want.uid, want.uid}, " ")
		for field, value := range map[string]string{
			"Uid": ids, "CapEff": want.caps, "CapPrm": want.caps, "CapBnd": want.caps, "CapAmb": none,
			"NoNewPrivs": "1", "Seccomp": "2",
		} {
			if got := a.procStatus(pid, field); got != value {
				a.t.Errorf("%s: %s is %q, want %q", unit, field, got, value)
			}
		}
	}
}

func (a *appliance) cannotWriteTheSystem() {
	a.t.Helper()
	for _, unit := range []string{"gateway-api.service", "gateway-scheduler.service", "gateway-apply.service"} {
		pid := a.mainPID(unit)
		for _, dir := range []string{"/etc", "/usr", "/run", "/var", "/boot"} {
			a.fails("nsenter", "-m", "-t", pid, "touch", dir+"/written-by-"+unit)
		}
	}
	api := a.mainPID("gateway-api.service") // the same door, where writing is meant
	a.run("nsenter", "-m", "-t", api, "touch", "/var/lib/gateway/probe")
	a.run("rm", "/var/lib/gateway/probe")
}

func (a *appliance) filesAreClosed() {
	a.t.Helper()
	for path, want := range map[string]string{
		"/var/lib/gateway":                "700 gateway:gateway",
		"/var/lib/gateway/master.key":     "400 gateway:gateway",
		"/var/lib/gateway/jwt.secret":     "400 gateway:gateway",
		"/var/lib/gateway/setup.json":     "600 gateway:gateway",
		"/run/gateway":                    "750 root:gateway",
		"/run/gateway/capture":            "750 root:gateway",
		"/run/gateway/apply.sock":         "660 root:gateway",
		"/etc/gateway/tls":                "700 root:root",
		"/etc/gateway/tls/management.pem": "600 root:root",
	} {
		if got := a.mode(path); got != want {
			a.t.Errorf("%s is %s, want %s", path, got, want)
		}
	}
	if got := a.sh("find /var/lib/gateway -perm /077 -o ! -user gateway"); got != "" {
		a.t.Errorf("others may use, or own:\n%s", got)
	}
}

// gateway-scheduler has the account that may, and does not see the socket, also when it is made anew.
func (a *appliance) onlyTheAPIAsksForPackets() {
	a.t.Helper()
	a.run("systemctl", "restart", "gateway-capture.socket")
	for unit, try := range map[string]func(...string) string{"gateway-api.service": a.run, "gateway-scheduler.service": a.fails} {
		try("nsenter", "-m", "-t", a.mainPID(unit), "test", "-S", "/run/gateway/capture/capture.sock")
	}
}

func (a *appliance) onlyTheGroupAsksTheApplier() {
	a.t.Helper()
	const ask = `echo '{"verb":"packet-filter"}' | timeout 5 curl -s --unix-socket /run/gateway/apply.sock telnet://applier`
	for _, user := range []string{"root", "gateway"} { // so that the refusal below is not that of a broken question
		if got := a.run("runuser", "-u", user, "--", "sh", "-c", ask); !strings.Contains(got, `"loaded":`) {
			a.t.Errorf("the applier answered %s: %q", user, got)
		}
	}
	for _, user := range []string{"nobody", "postgres", "haproxy"} {
		if got := a.fails("runuser", "-u", user, "--", "sh", "-c", ask); got != "" {
			a.t.Errorf("the applier answered %s: %q", user, got)
		}
	}
	// With the group but another uid the socket opens, and the applier hangs up.
	if got, _ := a.node.Run(a.t.Context(), "setpriv", "--reuid=nobody", "--regid=gateway", "--clear-groups", "sh", "-c", ask); got != "" {
		a.t.Errorf("the applier answered nobody of the group gateway: %q", got)
	}
}
