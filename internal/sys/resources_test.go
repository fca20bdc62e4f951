package sys

import (
	"encoding/json"
	"os"
	"path/filepath"
	"runtime"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func fixedClock() time.Time {
	return time.Date(2026, 3, 1, 12, 0, 0, 0, time.FixedZone("CET", 3600))
}

func TestResourcesFromASampleOfProc(t *testing.T) {
	got, err := (&Host{now: fixedClock, proc: "testdata/proc"}).Resources()
	if err != nil {
		t.Fatal(err)
	}
	got.Disk = Disk{} // of the real machine
	want := Resources{
		Load1: 0.52, Load5: 0.58, Load15: 0.59, NumCPUs: 2,
		Memory: Memory{
			Total: 4000000 << 10, Available: 3000000 << 10, Used: 1000000 << 10,
			Free: 500000 << 10, SwapTotal: 1000000 << 10, SwapFree: 900000 << 10,
		},
		Conntrack:     &Conntrack{Count: 1234, Max: 262144},
		UptimeSeconds: 93784,
		CPU:           CPU{BusySeconds: 17, TotalSeconds: 220},
		TakenAt:       time.Date(2026, 3, 1, 11, 0, 0, 0, time.UTC),
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("Resources (-want +got):\n%s", d)
	}
}

func TestResourcesOfThisMachine(t *testing.T) {
	got, err := NewHost(time.Now).Resources()
	if err != nil {
		t.Fatal(err)
	}
	if got.NumCPUs < 1 || runtime.NumCPU() > got.NumCPUs {
		t.Errorf("num_cpus = %d, want at least the %d we may use", got.NumCPUs, runtime.NumCPU())
	}
	m := got.Memory
	if m.Total == 0 || m.Used == 0 || m.Used+m.Available != m.Total || m.Free > m.Total {
		t.Errorf("memory does not add up: %+v", m)
	}
	d := got.Disk
	if d.Total == 0 || d.Used == 0 || d.Used+d.Free > d.Total {
		t.Errorf("disk does not add up: %+v", d)
	}
	if c := got.CPU; c.BusySeconds <= 0 || c.BusySeconds > c.TotalSeconds {
		t.Errorf("cpu does not add up: %+v", c)
	}
	if got.UptimeSeconds == 0 {
		t.Error("uptime_seconds = 0")
	}
}

func TestResourcesWithoutConnectionTracking(t *testing.T) {
	proc := copyProc(t)
	if err := os.RemoveAll(filepath.Join(proc, "sys")); err != nil {
		t.Fatal(err)
	}
	got, err := (&Host{now: fixedClock, proc: proc}).Resources()
	if err != nil || got.Conntrack != nil {
		t.Fatalf("conntrack = %v, %v, want nil", got.Conntrack, err)
	}
	text, _ := json.Marshal(got)
	var doc map[string]any
	if err := json.Unmarshal(text, &doc); err != nil {
		t.Fatal(err)
	}
	if v, ok := doc["conntrack"]; ok {
		t.Errorf("conntrack in JSON = %v, want it left out", v)
	}
}

func TestResourcesReportWhatCannotBeRead(t *testing.T) {
	for _, file := range []string{
		"loadavg", "stat", "meminfo", "uptime",
		"sys/net/netfilter/nf_conntrack_count", "sys/net/netfilter/nf_conntrack_max",
	} {
		t.Run("garbage in "+file, func(t *testing.T) {
			proc := copyProc(t)
			// The first line of stat is parsed only when it starts with "cpu".
			if err := os.WriteFile(filepath.Join(proc, file), []byte("cpu x: y\n"), 0o600); err != nil {
				t.Fatal(err)
			}
			if _, err := (&Host{now: fixedClock, proc: proc}).Resources(); err == nil {
				t.Error("no error")
			}
		})
	}
	if _, err := (&Host{now: fixedClock, proc: "/no/such"}).Resources(); err == nil {
		t.Error("no error without /proc")
	}
}

func copyProc(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	if err := os.CopyFS(dir, os.DirFS("testdata/proc")); err != nil {
		t.Fatal(err)
	}
	return dir
}

func TestEachFileSystemIsNamedOnce(t *testing.T) {
	dir := t.TempDir()
	got, err := NewHost(time.Now).Disks(dir, filepath.Join(dir, "absent"), dir, "/proc")
	if err != nil || len(got) != 2 || got[0].Path != dir || got[1].Path != "/proc" || got[0].Total == 0 {
		t.Errorf("%+v, %v", got, err)
	}
}
