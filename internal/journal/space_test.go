package journal

import (
	"os"
	"path/filepath"
	"testing"
)

func write(t *testing.T, root, path, text string) {
	t.Helper()
	path = filepath.Join(root, path)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// The bound is what journald goes by: its last file, and else its default, which depends on the disk.
func TestTheSpaceOfTheJournal(t *testing.T) {
	root := t.TempDir()
	if s, err := SpaceOf(root, ""); err == nil {
		t.Errorf("without a journal: %+v", s)
	}
	write(t, root, "/run/log/journal/a/system.journal", "in memory")
	write(t, root, "/var/log/journal/a/system.journal", "12345")
	write(t, root, "/var/log/journal/a.ns/system.journal", "123")
	s, err := SpaceOf(root, "")
	if err != nil || s.Used != 5 || s.Days != 0 || s.Most <= 0 || s.Most > mostByDefault {
		t.Errorf("by default: %+v (%v)", s, err)
	}
	for _, tc := range []struct {
		path, text string
		want       int64
	}{
		{"/usr/lib/systemd/journald.conf", "[Journal]\n#SystemMaxUse=7G\n", s.Most},
		{"/usr/lib/systemd/journald.conf.d/50-a.conf", "[Journal]\nSystemMaxUse=1G\n", 1 << 30},
		{"/etc/systemd/journald.conf", "[Journal]\nSystemMaxUse = 500M\nRuntimeMaxUse=1\n", 1 << 30},
		{"/etc/systemd/journald.conf.d/50-a.conf", "[Journal]\n", 500 << 20},
		{"/run/systemd/journald.conf.d/60-b.conf", "[Journal]\nSystemMaxUse=1.5K\n", 1536},
		{"/etc/systemd/journald.conf.d/70-c.conf", "[Journal]\nSystemMaxUse=\n", s.Most},
	} {
		write(t, root, tc.path, tc.text)
		if got, err := SpaceOf(root, ""); err != nil || got.Most != tc.want {
			t.Errorf("with %s: %+v (%v), want %d", tc.path, got, err, tc.want)
		}
	}
}

// A namespace has a folder and settings of its own, and none of those of the main journal.
func TestTheSpaceOfANamespace(t *testing.T) {
	root := t.TempDir()
	write(t, root, "/var/log/journal/a/system.journal", "12345")
	write(t, root, "/var/log/journal/a.ns/system.journal", "123")
	write(t, root, "/var/log/journal/a.other/system.journal", "1")
	write(t, root, "/etc/systemd/journald.conf", "[Journal]\nSystemMaxUse=500M\nMaxRetentionSec=7day\n")
	if s, err := SpaceOf(root, "ns"); err != nil || s.Used != 3 || s.Most == 500<<20 || s.Days != 0 {
		t.Errorf("without settings: %+v (%v)", s, err)
	}
	write(t, root, "/usr/lib/systemd/journald@ns.conf.d/gateway.conf", "[Journal]\nSystemMaxUse=1G\nMaxRetentionSec=30day\n")
	if s, err := SpaceOf(root, "ns"); err != nil || s != (Space{Used: 3, Most: 1 << 30, Days: 30}) {
		t.Errorf("with the package's: %+v (%v)", s, err)
	}
	write(t, root, "/etc/systemd/journald@ns.conf.d/gateway.conf", "[Journal]\nSystemMaxUse=2G\nMaxRetentionSec=1month\n")
	if s, err := SpaceOf(root, "ns"); err != nil || s != (Space{Used: 3, Most: 2 << 30}) {
		t.Errorf("with the operator's: %+v (%v)", s, err)
	}
	// The package has a link to a file that gateway-apply is yet to make.
	link, made := filepath.Join(root, "/usr/lib/systemd/journald@ns.conf.d/zz-gateway.conf"), filepath.Join(root, "made.conf")
	if err := os.Symlink(made, link); err != nil {
		t.Fatal(err)
	}
	if s, err := SpaceOf(root, "ns"); err != nil || s.Most != 2<<30 {
		t.Errorf("with a link that leads nowhere: %+v (%v)", s, err)
	}
	write(t, root, "/made.conf", "[Journal]\nSystemMaxUse=64M\nMaxRetentionSec=7day\n")
	if s, err := SpaceOf(root, "ns"); err != nil || s != (Space{Used: 3, Most: 64 << 20, Days: 7}) {
		t.Errorf("with what is set: %+v (%v)", s, err)
	}
}
