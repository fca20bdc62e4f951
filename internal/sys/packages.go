package sys

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"os"
	"regexp"
	"strings"

	"gateway/internal/fault"
)

// PackageVersion is what is installed of a package beside what the archive offers.
// Empty means none.
type PackageVersion struct {
	Name       string `json:"name" doc:"Debian package"`
	Installed  string `json:"installed" doc:"Installed version; empty if not installed"`
	Available  string `json:"available" doc:"Newest version in the package lists; empty if unknown"`
	Upgradable bool   `json:"upgradable" doc:"Whether a newer version is available"`
}

// packageName follows Debian policy 5.6.1, so a name can be neither an option nor a
// pattern.
var packageName = regexp.MustCompile(`^[a-z0-9][a-z0-9+.-]{1,127}$`)

// Apt reads the package lists as they were last fetched. It needs no privilege, and
// installs nothing.
type Apt struct {
	run  Runner
	root string // "" but in tests
}

// NewApt asks the apt-cache program through run, which is Run but in tests.
func NewApt(run Runner) *Apt { return &Apt{run: run} }

// statusFile is where dpkg keeps what is installed.
const statusFile = "/var/lib/dpkg/status"

// Stamp is another one when a package was installed or removed, or the lists were fetched or are others: as long as it is
// the same, so is what Packages answers. It costs a few looks at files, and apt-cache a second of the processor.
func (a *Apt) Stamp() string {
	var s strings.Builder
	for _, path := range []string{
		statusFile, "/var/lib/apt/lists", "/etc/apt", "/etc/apt/sources.list", "/etc/apt/sources.list.d", "/etc/apt/preferences", "/etc/apt/preferences.d",
	} {
		if info, err := os.Stat(a.root + path); err == nil {
			fmt.Fprintf(&s, "%s %d %d\n", path, info.Size(), info.ModTime().UnixNano())
		}
	}
	return s.String()
}

// Installed is what dpkg says of each of the names, in their order, without asking any program. What the archive offers
// is not known to it.
func (a *Apt) Installed(names []string) ([]PackageVersion, error) {
	f, err := os.Open(a.root + statusFile)
	if err != nil {
		return nil, fmt.Errorf("read what is installed: %w", err)
	}
	defer f.Close()
	known, err := parseStatus(f)
	if err != nil {
		return nil, fmt.Errorf("read what is installed: %w", err)
	}
	out := make([]PackageVersion, len(names))
	for i, n := range names {
		out[i] = PackageVersion{Name: n, Installed: known[n]}
	}
	return out, nil
}

// parseStatus reads the versions of what is installed, by the names of the packages.
func parseStatus(r io.Reader) (map[string]string, error) {
	known := map[string]string{}
	var name, version string
	var installed bool
	end := func() {
		if name != "" && installed {
			known[name] = version
		}
		name, version, installed = "", "", false
	}
	lines := bufio.NewScanner(r)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		key, value, _ := strings.Cut(lines.Text(), ": ")
		switch key {
		case "":
			end()
		case "Package":
			name = value
		case "Status":
			installed = strings.HasSuffix(value, " installed")
		case "Version":
			version = value
		}
	}
	end()
	return known, lines.Err()
}

// Packages answers for each of the names, in their order; a package that apt has never
// heard of has neither version.
func (a *Apt) Packages(ctx context.Context, names []string) ([]PackageVersion, error) {
	for _, n := range names {
		if !packageName.MatchString(n) {
			return nil, fault.New(fault.Invalid, "%q is not a package name", n)
		}
	}
	if len(names) == 0 {
		return []PackageVersion{}, nil // apt-cache would list its sources instead
	}
	res, err := a.run(ctx, Command{
		Path: "/usr/bin/apt-cache",
		Args: append([]string{"policy", "--"}, names...),
		Env:  []string{"LC_ALL=C"},
	})
	if err != nil {
		return nil, fmt.Errorf("ask apt for package versions: %w", err)
	}
	known := parsePolicy(string(res.Stdout))
	out := make([]PackageVersion, len(names))
	for i, n := range names {
		out[i] = known[n]
		out[i].Name = n
	}
	return out, nil
}

// parsePolicy reads the listing of `apt-cache policy`: a package's name starts in the
// first column, its two versions are indented by two. The rest, the version table, is
// indented deeper.
func parsePolicy(listing string) map[string]PackageVersion {
	known := map[string]PackageVersion{}
	var p PackageVersion
	for line := range strings.Lines(listing) {
		line = strings.TrimRight(line, "\n")
		key, value, _ := strings.Cut(line, ":")
		switch {
		case !strings.HasPrefix(line, " "):
			p = PackageVersion{Name: key}
		case key == "  Installed":
			p.Installed = version(value)
		case key == "  Candidate":
			p.Available = version(value)
			p.Upgradable = p.Installed != "" && CompareVersions(p.Available, p.Installed) > 0
			known[p.Name] = p
		}
	}
	return known
}

func version(field string) string {
	v := strings.TrimSpace(field)
	if v == "(none)" {
		return ""
	}
	return v
}
