package sbom

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"
)

const lock = `{"packages": {
	"": {"version": "0.0.0"},
	"node_modules/react": {"version": "19.2.0", "license": "MIT", "integrity": "sha512-z4PhNX7vuL3xVChQ1m2AB9Yg5AULVxXcg/SpIdNs6c5H0NE8XYXysP+DGNKHfuwvY7kxvUdBeoGlODJ6+SfaPg=="},
	"node_modules/prop-types/node_modules/react-is": {"version": "16.13.1"},
	"node_modules/@lezer/common": {"version": "1.2.3"},
	"node_modules/vite": {"version": "7.0.0", "dev": true},
	"node_modules/typescript": {"version": "5.9.0", "devOptional": true},
	"node_modules/fsevents": {"version": "2.3.3", "optional": true}
}}`

func TestTheUIsPackagesAreListedWithoutTools(t *testing.T) {
	all, err := packages([]byte(lock))
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, c := range all {
		got = append(got, c.PURL)
		if c.Name == "react" && (len(c.Hashes) != 1 || c.Hashes[0].Content[:8] != "cf83e135" || c.Licenses[0].Expression != "MIT") {
			t.Errorf("react is %+v", c)
		}
	}
	slices.Sort(got)
	if want := []string{"pkg:npm/%40lezer/common@1.2.3", "pkg:npm/react-is@16.13.1", "pkg:npm/react@19.2.0"}; !slices.Equal(got, want) {
		t.Errorf("packages = %q, want %q", got, want)
	}
}

// A program of ours with modules in it, as the linker wrote it down.
func TestEveryLinkedModuleIsListed(t *testing.T) {
	program := filepath.Join(t.TempDir(), "gateway-apply")
	build := exec.CommandContext(t.Context(), "go", "build", "-o", program, "gateway/cmd/gateway-apply")
	build.Env = append(os.Environ(), "CGO_ENABLED=0") // as the package has it, and not compiled again for the race detector's sake
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	d, err := New("1.2.3", []string{program}, []byte(lock))
	if err != nil {
		t.Fatal(err)
	}
	if missing, err := Missing(d, program); err != nil || len(missing) > 0 {
		t.Errorf("missing: %q, %v", missing, err)
	}
	pgx := slices.IndexFunc(d.Components, func(c Component) bool { return c.Name == "github.com/jackc/pgx/v5" })
	if pgx < 0 {
		t.Fatal("the database driver is not listed")
	}
	d.Components = slices.Delete(d.Components, pgx, pgx+1)
	if missing, err := Missing(d, program); err != nil || len(missing) != 1 {
		t.Errorf("without the database driver: missing %q, %v, want it alone", missing, err)
	}
	if _, err := json.Marshal(d); err != nil {
		t.Error(err)
	}
}
