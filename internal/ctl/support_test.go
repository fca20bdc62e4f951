package ctl_test

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"gateway/internal/component/diag/bundle"
	"gateway/internal/ctl"
)

// bundleIn reads the bundle that was written to a file.
func bundleIn(t *testing.T, path string) (map[string][]byte, bundle.Manifest) {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	files, err := bundle.Unpack(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	about, err := bundle.ManifestOf(files)
	if err != nil {
		t.Fatal(err)
	}
	return files, about
}

func TestSupportBundle(t *testing.T) {
	n := newNode(t)
	path := filepath.Join(t.TempDir(), "support.tar.gz")
	if err := os.WriteFile(path, []byte("an older one"), 0o600); err != nil {
		t.Fatal(err)
	}
	out, err := n.try("support-bundle", path, "--json")
	if err != nil || !strings.Contains(out, `"missing":[`) {
		t.Errorf("printed %s (%v)", out, err)
	}
	files, about := bundleIn(t, path)
	if about.MadeBy != "local" || !bytes.Contains(files["configuration.yaml"], []byte("dns:")) {
		t.Errorf("manifest = %+v, configuration = %s", about, files["configuration.yaml"])
	}
	if got := n.Actions()[0]; got != "diag.support_bundle" {
		t.Errorf("the audit log ends with %s", got)
	}

	// What the database has is missing without it, and says so. The rest is there.
	n.Config.Database = "host=/nonexistent user=gateway dbname=gateway"
	if out, err := n.try("support-bundle", path); err != nil || !strings.Contains(out, "configuration.yaml is not available") {
		t.Errorf("without a database: %s (%v)", out, err)
	}
	files, about = bundleIn(t, path)
	if got := string(files["configuration.yaml"]); !strings.Contains(got, "database") || len(got) > 200 {
		t.Errorf("configuration = %s", got)
	}
	whole := 0
	for _, f := range about.Files {
		if f.Error == "" {
			whole++
		}
	}
	if got := string(files["system/resources.json"]); !strings.Contains(got, "num_cpus") || whole < 4 {
		t.Errorf("%d files are there, the resources are %s", whole, got)
	}
}

func TestASupportBundleIsForNoTerminal(t *testing.T) {
	terminal, err := os.OpenFile("/dev/ptmx", os.O_RDWR, 0)
	if err != nil {
		t.Skip(err)
	}
	defer terminal.Close()
	for name, tc := range map[string]struct {
		args []string
		want string
	}{
		"a terminal": {[]string{"support-bundle"}, "name a FILE"},
		"the same":   {[]string{"support-bundle", "-"}, "name a FILE"},
	} {
		cmd := ctl.New()
		cmd.SetOut(terminal)
		cmd.SetArgs(tc.args)
		if err := ctl.Execute(t.Context(), cmd); code(err) != 2 || !strings.Contains(err.Error(), tc.want) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if out, err := run(t, "support-bundle", "--json"); code(err) != 2 || !strings.Contains(out, "needs a FILE") {
		t.Errorf("an archive as JSON: %s (%v)", out, err)
	}
}
