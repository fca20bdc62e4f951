// Package e2e tells what operators and faults do to the installed product, and what
// must then be seen: the real .deb on real Debian 13 nodes, asked over HTTPS from a
// client beside them. What needs no node is left to the tests of the packages.
//
// Stories that change what every other one relies on (installing, setting up, purging)
// have a node of their own; the rest share one, which TestMain ends.
package e2e

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"gateway/lab"
)

func TestMain(m *testing.M) {
	code := m.Run()
	if shared.appliance != nil {
		if err := shared.appliance.lab.Close(); err != nil {
			fmt.Fprintln(os.Stderr, "close the shared lab:", err)
			code = max(code, 1)
		}
	}
	os.Exit(code)
}

// appliance is one node and a client beside it, as one test sees them.
type appliance struct {
	t      *testing.T
	lab    *lab.Lab
	node   *lab.Node
	client *lab.Client
	admin  account // once it is set up

	version string        // of the installed package
	pause   time.Duration // between two looks of eventually; 0 for 20 ms
}

type account struct{ email, password string }

var firstAdmin = account{"admin@example.com", "Harbour-Lantern-42"}

// fresh is a Debian 13 that never saw the product.
func fresh(t *testing.T) *appliance {
	t.Helper()
	l := lab.New(t)
	return &appliance{t: t, lab: l, node: l.Node("gw1"), client: l.Client("c1")}
}

// shared is the installed node of all stories that leave it as they found it.
var shared struct {
	once      sync.Once
	appliance *appliance
}

// installed is that node, set up, for this test.
func installed(t *testing.T) *appliance {
	t.Helper()
	if testing.Short() || os.Geteuid() != 0 {
		t.Skip("a lab needs root and takes seconds to boot")
	}
	shared.once.Do(func() { shared.appliance = openShared(t) })
	if shared.appliance == nil {
		t.Fatal("the shared node could not be installed; an earlier test says why")
	}
	a := *shared.appliance
	a.t = t
	t.Cleanup(a.tellOnFailure)
	return &a
}

func openShared(t *testing.T) *appliance {
	t.Helper()
	l, err := lab.Open(context.Background()) // it outlives the test that happens to be first
	if err != nil {
		t.Fatalf("open a lab: %v", err)
	}
	ready := false
	defer func() {
		if !ready {
			_ = l.Close() // the failure was told already
		}
	}()
	a := startSetUp(t, l)
	ready = true
	return a
}

func (a *appliance) tellOnFailure() {
	if !a.t.Failed() {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
	defer cancel()
	if out, err := a.node.Run(ctx, "journalctl", "--no-pager", "-n", "60"); err == nil {
		a.t.Logf("journal of %s:\n%s", a.node.Name(), out)
	}
}

// run runs a command on the node that has to succeed, and returns its output without the last newline.
func (a *appliance) run(command ...string) string {
	a.t.Helper()
	return strings.TrimSuffix(a.node.MustRun(a.t, command...), "\n")
}

// sh is run for a line of shell.
func (a *appliance) sh(line string) string {
	a.t.Helper()
	return a.run("sh", "-c", line)
}

// fails runs a command that must not succeed.
func (a *appliance) fails(command ...string) string {
	a.t.Helper()
	out, err := a.node.Run(a.t.Context(), command...)
	if err == nil {
		a.t.Errorf("%v succeeded, and printed %q", command, out)
	}
	return out
}

// sql asks the node's PostgreSQL as its superuser.
func (a *appliance) sql(database, query string) string {
	a.t.Helper()
	return a.run("runuser", "-u", "postgres", "--", "psql", "-XAtq", "-v", "ON_ERROR_STOP=1", "-d", database, "-c", query)
}

// asChange lets the statements that follow it in a transaction write past the API: as a change that nobody made.
const asChange = `with made as (insert into changes (id, component, action, subject, actor, created_at)
	values (gen_random_uuid(), 'batch', 'batch', '', 'test', now()) returning id) select set_config('gateway.change_id', id::text, true) from made`

func (a *appliance) mainPID(unit string) string {
	a.t.Helper()
	pid := a.run("systemctl", "show", "-p", "MainPID", "--value", unit)
	if pid == "0" {
		a.t.Fatalf("%s has no process", unit)
	}
	return pid
}

// install brings the package onto the node, which has no network to fetch anything from.
func (a *appliance) install(deb string) {
	a.t.Helper()
	a.dpkg(deb)
	a.answers()
}

// answers waits for the API and its database.
func (a *appliance) answers() {
	a.t.Helper()
	c := a.stranger()
	a.eventually(patience, "health tells that the database answers", func() bool {
		r, err := c.try("GET", "/system/health", nil)
		var health struct{ Database bool }
		return err == nil && r.status == 200 && r.decode(&health) && health.Database
	})
}

var debName = regexp.MustCompile(`^gateway_([0-9.]+)_amd64\.deb$`)

// dpkg installs, or upgrades to, a package.
func (a *appliance) dpkg(deb string) string {
	a.t.Helper()
	a.version = versionOf(a.t, deb)
	a.lab.Must(a.node.CopyIn(deb, "/root/gateway.deb", 0o644))
	return a.run("dpkg", "-i", "/root/gateway.deb")
}

// versionOf is the version that the name of a package tells.
func versionOf(t *testing.T, deb string) string {
	t.Helper()
	m := debName.FindStringSubmatch(filepath.Base(deb))
	if m == nil {
		t.Fatalf("%s is not called gateway_x.y.z_amd64.deb", deb)
	}
	return m[1]
}

// setUp takes an installed node through the wizard's one request.
func (a *appliance) setUp(admin account) {
	a.t.Helper()
	a.admin = admin
	a.stranger().post("/setup/complete", map[string]any{
		"code": a.run("gateway-ctl", "setup-code"), "fqdn": "gw1.example.com",
		"email": admin.email, "password": admin.password,
	}).want(200)
}

// patience is how long something may take that is no figure: it tells never from late, on a busy machine too.
const patience = 30 * time.Second

// eventually waits until what holds. Waiting is all a story can do with another machine.
func (a *appliance) eventually(limit time.Duration, what string, holds func() bool) time.Duration {
	a.t.Helper()
	began := time.Now()
	for !holds() {
		if time.Since(began) > limit {
			a.t.Fatalf("not within %v: %s", limit, what)
		}
		time.Sleep(cmp.Or(a.pause, 20*time.Millisecond))
	}
	return time.Since(began)
}

// firstDeb is the package that stories install, and nextDeb the one they upgrade to.
func firstDeb(t *testing.T) string { return built(t, "GATEWAY_E2E_DEB", "0.1.0") }
func nextDeb(t *testing.T) string  { return built(t, "GATEWAY_E2E_DEB_NEXT", "0.1.1") }

var building sync.Map // version to func() (string, error)

// built returns the package of that version, from the variable or as "make deb" makes it, once.
func built(t *testing.T, variable, version string) string {
	t.Helper()
	if deb := os.Getenv(variable); deb != "" {
		return deb
	}
	if testing.Short() || os.Geteuid() != 0 {
		t.Skip("a lab needs root and takes seconds to boot")
	}
	build, _ := building.LoadOrStore(version, sync.OnceValues(func() (string, error) { return makeDeb(version) }))
	deb, err := build.(func() (string, error))()
	if err != nil {
		t.Fatal(err)
	}
	return deb
}

func makeDeb(version string) (string, error) {
	return makeDebFor(version, "amd64")
}

func makeDebFor(version, arch string) (string, error) {
	root, err := filepath.Abs("../..")
	if err != nil {
		return "", err
	}
	cmd := exec.Command("make", "--no-print-directory", "deb", "VERSION="+version, "ARCH="+arch)
	cmd.Dir = root
	for _, v := range os.Environ() { // a make above us must not tell this one what to do
		if !regexp.MustCompile(`^(MAKE|MFLAGS|GNUMAKEFLAGS|VERSION=|ARCH=)`).MatchString(v) {
			cmd.Env = append(cmd.Env, v)
		}
	}
	if out, err := cmd.CombinedOutput(); err != nil {
		return "", fmt.Errorf("make deb VERSION=%s ARCH=%s: %w\n%s", version, arch, err, out)
	}
	return filepath.Join(root, "dist", "gateway_"+version+"_"+arch+".deb"), nil
}
