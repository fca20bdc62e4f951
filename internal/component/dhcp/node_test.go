package dhcp_test

import (
	"strings"
	"testing"
	"time"

	"gateway/internal/component/dhcp/control"
	"gateway/internal/component/dhcp/kea"
	"gateway/lab"
	"gateway/packaging/packagingtest"
)

// appliance is a node with what the package has for Kea.
type appliance struct {
	*lab.Node
	t *testing.T
}

func newAppliance(t *testing.T) appliance {
	t.Helper()
	l := lab.New(t)
	a := appliance{l.Node("gw"), t}
	files := packagingtest.Assemble(t)
	l.Must(a.CopyIn(files+"/postrm", "/root/postrm", 0o755))
	for _, file := range []string{
		"/usr/lib/systemd/system/kea-dhcp4-server.service.d/gateway.conf", "/usr/lib/systemd/system/gateway-dhcp-control.socket",
		"/usr/lib/systemd/system/gateway-dhcp-control.service", "/usr/lib/tmpfiles.d/gateway-dhcp.conf",
	} {
		l.Must(a.CopyIn(files+"/root"+file, file, 0o644))
	}
	a.MustRun(t, "systemd-tmpfiles", "--create", "gateway-dhcp.conf")
	a.MustRun(t, "systemctl", "daemon-reload")
	return a
}

// conf is a file as the rows of a node would have it.
func conf(t *testing.T) []byte {
	t.Helper()
	yes := true
	r, err := kea.State{
		Settings: kea.Settings{Enabled: &yes},
		Subnets:  []kea.StoredSubnet{{ID: "a", Subnet: kea.Subnet{Interface: "eth0", Network: "192.0.2.0/24", Pools: []string{"192.0.2.10-192.0.2.20"}, LeaseTime: 600}}},
		Zones:    map[string]string{"eth0": "lan"}, Links: []string{"eth0"}, Hooks: []string{"/usr/lib/x86_64-linux-gnu/kea/hooks/libdhcp_lease_cmds.so"},
		Socket: control.KeaSocket, LeaseFile: "/var/lib/kea/kea-leases4.csv",
	}.Render()
	if err != nil || len(r.Problems) > 0 {
		t.Fatalf("%+v, %v", r.Problems, err)
	}
	return r.File(kea.ConfFile)
}

// ask sends a command by a socket, as root with no more power than gateway-apply has.
func (a appliance) ask(socket, command string) string {
	const script = `use IO::Socket::UNIX; my $s = IO::Socket::UNIX->new($ARGV[0]) or die "no way in: $!\n"; print $s $ARGV[1]; local $/; print <$s>`
	out, _ := a.Run(a.t.Context(), "setpriv", "--bounding-set=-dac_override,-dac_read_search,-setuid,-setgid,-chown,-fowner", "--clear-groups", "perl", "-e", script, socket, `{"command":"`+command+`"}`)
	return out
}

// The way to Kea's control socket, on a node with systemd.
func TestTheServerIsReachedOnANode(t *testing.T) {
	a := newAppliance(t)
	if err := a.WriteFile(kea.ConfFile, conf(t), 0o644); err != nil {
		t.Fatal(err)
	}
	a.MustRun(t, "systemctl", "start", kea.Unit)
	var status string
	for end := time.Now().Add(20 * time.Second); !strings.Contains(status, `"result": 0`); status = a.ask(control.Socket, "status-get") {
		if time.Now().After(end) {
			log, _ := a.Run(t.Context(), "journalctl", "-n", "60", "--no-pager", "-u", kea.Unit, "-u", "gateway-dhcp-control.service")
			t.Fatalf("the server answers %q\n%s", status, log)
		}
		<-time.After(100 * time.Millisecond)
	}
	if !strings.Contains(status, `"ready"`) {
		t.Errorf("status: %s", status)
	}
	if direct := a.ask(control.KeaSocket, "status-get"); !strings.Contains(direct, "no way in") {
		t.Errorf("without the way that the package has, the answer is %q", direct)
	}
	if out := a.ask(control.Socket, "config-reload"); !strings.Contains(out, `"result": 0`) {
		t.Errorf("reload: %s", out)
	}
	if out := a.ask(control.Socket, "leases-reclaim"); out == "" {
		t.Error("no answer at all")
	}
	a.MustRun(t, "systemctl", "stop", kea.Unit)
	if out := a.ask(control.Socket, "status-get"); out != "" {
		t.Errorf("a server that is stopped answers %q", out)
	}
	// What the group reads, gateway-apply reads: the leases, and its own folder.
	for _, path := range []string{"/var/lib/kea/kea-leases4.csv", kea.ConfFile} {
		a.MustRun(t, "setpriv", "--bounding-set=-dac_override,-dac_read_search", "--groups=_kea", "cat", path)
	}
}
