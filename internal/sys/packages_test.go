package sys

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"gateway/internal/fault"
)

func TestPackagesFromACapturedListing(t *testing.T) {
	listing, err := os.ReadFile("testdata/policy/list.txt")
	if err != nil {
		t.Fatal(err)
	}
	names := []string{"squid", "gateway", "haproxy", "chrony", "crowdsec-firewall-bouncer", "unbound", "old-config", "unheard-of"}
	apt := NewApt(func(_ context.Context, c Command) (Result, error) {
		if want := append([]string{"policy", "--"}, names...); !slices.Equal(c.Args, want) {
			t.Errorf("args = %q, want %q", c.Args, want)
		}
		return Result{Stdout: listing}, nil
	})
	got, err := apt.Packages(t.Context(), names)
	if err != nil {
		t.Fatal(err)
	}
	want := []PackageVersion{
		{Name: "squid", Available: "6.13-2"},
		{Name: "gateway", Installed: "1.4.2", Available: "1.4.10", Upgradable: true},
		{Name: "haproxy", Installed: "3.0.11-1+deb13u1", Available: "3.0.11-1+deb13u1"},
		{Name: "chrony", Installed: "1:4.6.1-3", Available: "4.9-1"}, // a pin downwards is no upgrade
		{Name: "crowdsec-firewall-bouncer"},
		{Name: "unbound", Installed: "1.22.0-2", Available: "1.22.0-2+deb13u1", Upgradable: true},
		{Name: "old-config", Available: "2.0-1"},
		{Name: "unheard-of"},
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("Packages (-want +got):\n%s", d)
	}
}

func TestPackagesOfThisMachine(t *testing.T) {
	if _, err := os.Stat("/usr/bin/apt-cache"); err != nil {
		t.Skip("apt is not installed")
	}
	got, err := NewApt(Run).Packages(t.Context(), []string{"dpkg", "no-such-package-here"})
	if err != nil {
		t.Fatal(err)
	}
	if len(got) != 2 || got[0].Installed == "" || got[1] != (PackageVersion{Name: "no-such-package-here"}) {
		t.Errorf("Packages = %+v, want dpkg installed and the other unknown", got)
	}
}

func TestPackagesWithoutNamesAsksNobody(t *testing.T) {
	got, err := NewApt(nil).Packages(t.Context(), nil)
	if err != nil || got == nil || len(got) != 0 {
		t.Errorf("Packages = %v, %v, want an empty list", got, err)
	}
}

func TestPackagesRefusesWhatIsNoName(t *testing.T) {
	for _, name := range []string{"", "a", "-o", "--help", "a b", "haproxy*", "Haproxy", "../x", "a\nb"} {
		if _, err := NewApt(nil).Packages(t.Context(), []string{"haproxy", name}); !fault.Is(err, fault.Invalid) {
			t.Errorf("Packages(%q) = %v, want an invalid fault", name, err)
		}
	}
}

func TestPackagesReportsThatAptFailed(t *testing.T) {
	broken := errors.New("broken")
	apt := NewApt(func(context.Context, Command) (Result, error) { return Result{}, broken })
	if _, err := apt.Packages(t.Context(), []string{"haproxy"}); !errors.Is(err, broken) {
		t.Errorf("err = %v, want the cause kept", err)
	}
}

func TestInstalledPackagesAreReadWithoutApt(t *testing.T) {
	root := t.TempDir()
	status := filepath.Join(root, statusFile)
	if err := os.MkdirAll(filepath.Dir(status), 0o755); err != nil {
		t.Fatal(err)
	}
	write := func(text string) {
		t.Helper()
		if err := os.WriteFile(status, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write("Package: haproxy\nStatus: install ok installed\nVersion: 3.0.11-1\nDescription: a\n Version: 9\n\n" +
		"Package: squid\nStatus: deinstall ok config-files\nVersion: 6.13-2\n\nPackage: gateway\nStatus: hold ok installed\nVersion: 1.4.2\n")
	apt := &Apt{root: root}
	got, err := apt.Installed([]string{"gateway", "squid", "haproxy", "unheard-of"})
	if err != nil {
		t.Fatal(err)
	}
	want := []PackageVersion{{Name: "gateway", Installed: "1.4.2"}, {Name: "squid"}, {Name: "haproxy", Installed: "3.0.11-1"}, {Name: "unheard-of"}}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("Installed (-want +got):\n%s", d)
	}
	before := apt.Stamp()
	if again := apt.Stamp(); again != before || before == "" {
		t.Errorf("the stamp is %q, then %q, and nothing changed", before, again)
	}
	write("Package: gateway\n")
	if apt.Stamp() == before {
		t.Error("the stamp is the same though another package is installed")
	}
}
