package e2e

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"gateway/internal/api/apitest"
	"gateway/lab"
	"gateway/packaging/sbom"
	"gateway/tools/bar"
)

// maxInstalled is what the package may take on a node's disk, in bytes.
const maxInstalled = 80_000_000

// What a stranger's tools say of the package, without installing it.
func TestBarPeople10Package(t *testing.T) {
	deb := firstDeb(t)
	root := unpacked(t, deb)
	planted := lintian(t, withPlantedError(t, root))
	complaints := slices.DeleteFunc(slices.Clone(planted), func(c string) bool { return strings.Contains(c, "usr/local/") })
	linted := "the package without its two programs"
	if bar.GateSize(0, 1, 1) > 0 {
		complaints, linted = lintian(t, deb), "the package"
	}
	size, programs := installedSize(t, deb), []string{root + "/usr/lib/gateway/gateway", root + "/usr/sbin/gateway-apply", root + "/usr/lib/gateway/gateway-capture", root + "/usr/lib/gateway/gateway-logship", root + "/usr/lib/squid/gateway-squid-lists"}
	modules, missing, noticed := billOfMaterials(t, root, programs)
	described, lacking, seen := describedAPI(t)
	arch := arm64(t)

	for _, c := range append(append(complaints, missing...), lacking...) {
		t.Error(c)
	}
	controls := count(planted, "E: gateway: file-in-usr-local") == 1 && noticed && seen
	figure := fmt.Sprintf("lintian of %s: %d errors, %d warnings (control: planted error found %d times); %.1f MB installed; arm64: %s; "+
		"%d of %d operations, parameters and properties described (control: found %v); %d of %d modules in the SBOM (control: found %v)",
		linted, count(complaints, "E: "), count(complaints, "W: "), count(planted, "E: gateway: file-in-usr-local"), float64(size)/1e6, arch,
		described-len(lacking), described, seen, modules-len(missing), modules, noticed)
	bar.Report(t, "people", 10, figure, "0 errors, 0 unexplained warnings, <=80 MB, builds, 100 % described, every linked module",
		len(complaints) == 0 && size <= maxInstalled && arch != "does not build" && len(lacking) == 0 && len(missing) == 0 && controls)
}

// lintian returns what Debian 13's lintian has to say, beyond what the package explains.
func lintian(t *testing.T, deb string) []string {
	t.Helper()
	file := filepath.Join(temporary(t), filepath.Base(deb)) // the program sees /tmp alone
	if err := os.Link(deb, file); err != nil {
		data, err := os.ReadFile(deb)
		if err == nil {
			err = os.WriteFile(file, data, 0o644)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	command := lab.InRootWith(t, []string{"lintian"}, "lintian", "--allow-root", "--tag-display-limit", "0", "--fail-on", "none", file)
	out, err := exec.CommandContext(t.Context(), command[0], command[1:]...).CombinedOutput()
	if err != nil {
		t.Fatalf("lintian: %v\n%s", err, out)
	}
	return regexp.MustCompile(`(?m)^[EW]: .*$`).FindAllString(string(out), -1)
}

func count(lines []string, what string) (n int) {
	for _, l := range lines {
		if strings.Contains(l, what) {
			n++
		}
	}
	return n
}

func temporary(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("/tmp", "package")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	return dir
}

func command(t *testing.T, name string, args ...string) []byte {
	t.Helper()
	out, err := exec.CommandContext(t.Context(), name, args...).CombinedOutput()
	if err != nil {
		t.Fatalf("%s: %v\n%s", name, err, out)
	}
	return out
}

// unpacked is the package's files, and what dpkg knows of it below DEBIAN.
func unpacked(t *testing.T, deb string) string {
	t.Helper()
	dir := filepath.Join(temporary(t), "root")
	command(t, "dpkg-deb", "-R", deb, dir)
	return dir
}

// plant takes the big programs out, which make the package slow to look at, and puts a file
// where none may be. The gate looks at no other, and its figure says so: what lintian has to say of
// the programs themselves is for the other sizes.
const plant = `cd "$0" && rm usr/lib/gateway/gateway usr/sbin/gateway-apply &&
install -D -m 644 usr/share/doc/gateway/copyright usr/local/share/planted &&
find . -type f ! -path "./DEBIAN/*" -printf "%P\\0" | xargs -0 md5sum >DEBIAN/md5sums`

// withPlantedError is the same package with something wrong.
func withPlantedError(t *testing.T, root string) string {
	t.Helper()
	dir := temporary(t)
	command(t, "cp", "-a", root, dir+"/root")
	command(t, "sh", "-c", plant, dir+"/root")
	command(t, "dpkg-deb", "-Zgzip", "-z1", "-b", dir+"/root", dir+"/gateway_0.1.0_amd64.deb")
	return dir + "/gateway_0.1.0_amd64.deb"
}

// installedSize adds up the files, as they are and not as the package says.
func installedSize(t *testing.T, deb string) (sum int64) {
	t.Helper()
	for line := range strings.Lines(string(command(t, "dpkg-deb", "-c", deb))) {
		if f := strings.Fields(line); len(f) > 2 && strings.HasPrefix(f[0], "-") {
			n, err := strconv.ParseInt(f[2], 10, 64)
			if err != nil {
				t.Fatal(err)
			}
			sum += n
		}
	}
	return sum
}

// billOfMaterials compares the package's list with what the linker says; noticed is whether
// a module that is taken out of the list is.
func billOfMaterials(t *testing.T, root string, programs []string) (modules int, missing []string, noticed bool) {
	t.Helper()
	text, err := os.ReadFile(root + "/usr/share/doc/gateway/sbom.cdx.json")
	if err != nil {
		t.Fatal(err)
	}
	var d, empty sbom.Document
	linked := map[string]bool{}
	if err := json.Unmarshal(text, &d); err != nil {
		t.Fatal(err)
	}
	for _, p := range programs {
		lacks, err := sbom.Missing(d, p)
		all, err2 := sbom.Missing(empty, p)
		if err != nil || err2 != nil {
			t.Fatal(err, err2)
		}
		missing = append(missing, lacks...)
		for _, m := range all {
			linked[m] = true
		}
	}
	for i, c := range d.Components {
		if c.Name == "github.com/jackc/pgx/v5" {
			d.Components = append(d.Components[:i:i], d.Components[i+1:]...)
			break
		}
	}
	lacks, err := sbom.Missing(d, programs[0])
	return len(linked), missing, err == nil && len(lacks) == 1
}

// describedAPI counts what the OpenAPI document describes; seen is whether it is noticed
// that one description is taken out.
func describedAPI(t *testing.T) (all int, lacking []string, seen bool) {
	t.Helper()
	doc, err := os.ReadFile("../../web/openapi.json")
	if err != nil {
		t.Fatal(err)
	}
	lacking, all, err = apitest.Undescribed(doc)
	if err != nil {
		t.Fatal(err)
	}
	one := regexp.MustCompile(`"description": "Null on success",?`).FindIndex(doc)
	if one == nil {
		t.Fatal("there is nothing to take out")
	}
	without := append(bytes.Clone(doc[:one[0]]), doc[one[1]:]...)
	found, _, err := apitest.Undescribed(without)
	return all, lacking, err == nil && len(found) == len(lacking)+1
}

// arm64 builds the package for it. At the gate, whose cache knows no other architecture, it
// asks only whether every package has files for it.
func arm64(t *testing.T) string {
	t.Helper()
	if bar.GateSize(0, 1, 1) == 0 {
		cmd := exec.CommandContext(t.Context(), "go", "list", "-deps", "gateway/cmd/gateway", "gateway/cmd/gateway-apply")
		cmd.Env = append(os.Environ(), "GOARCH=arm64", "CGO_ENABLED=0")
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Errorf("%v\n%s", err, out)
			return "does not build"
		}
		return "has all packages"
	}
	deb, err := makeDebFor("0.1.0", "arm64")
	if err != nil {
		t.Error(err)
		return "does not build"
	}
	if arch := command(t, "dpkg-deb", "-f", deb, "Architecture"); string(bytes.TrimSpace(arch)) != "arm64" {
		t.Errorf("it is for %s", arch)
		return "does not build"
	}
	return "builds"
}
