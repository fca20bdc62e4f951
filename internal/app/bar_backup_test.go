package app_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"gateway/internal/app"
	"gateway/internal/app/apptest"
	"gateway/internal/backup"
	"gateway/internal/backup/archive"
	"gateway/internal/backup/dump"
	"gateway/internal/component/componenttest"
	"gateway/internal/db"
	"gateway/tools/bar"
)

// fillNode fills a node to the size that the product claims, divided.
func fillNode(t *testing.T, a *apptest.App, by int) {
	t.Helper()
	const pool, zone = "00000000-0000-7000-8000-0000000000aa", "00000000-0000-7000-8000-0000000000bb"
	// Without triggers: what they keep of a change would be measured instead, and nobody refers to anybody.
	for _, q := range []string{
		fmt.Sprintf(`insert into proxy_domains (id, revision, created_at, updated_at, name, backend_id, active, http_to_https, disable_h3, hsts_max_age,
				hsts_subdomains, hsts_preload, rate_limit, maintenance, max_body_size, www_redirect, allow_from, notes)
			select gen_random_uuid(), 1, now(), now(), 'host' || n || '.many.example.com', '%s', true, true, false, 0, false, false, 0, false, 0, 'off', '{}', ''
			from generate_series(1, %d) n`, pool, 10_000/by),
		fmt.Sprintf(`insert into firewall_rules (id, revision, created_at, updated_at, name, src_zone, src_kind, src_cidr, dst_zone, dst_kind, dst_cidr,
				service_object_id, action, log, priority, enabled, comment, note, labels)
			select gen_random_uuid(), 1, now(), now(), 'rule ' || n, 'lan', 'cidr', '172.16.' || n / 256 || '.' || n %% 256 || '/32',
				'wan', 'any', '', '00000000-0000-7000-8000-000000300102', 'accept', false, n + 1000, true, '', '', '{}'
			from generate_series(1, %d) n`, 10_000/by),
		fmt.Sprintf(`insert into dns_records (id, revision, created_at, updated_at, zone_id, name, type, value, ttl, fqdn)
			select gen_random_uuid(), 1, now(), now(), '%s', 'r' || n, 'A', '192.0.2.' || (n %% 250 + 1), 60, 'r' || n || '.many.arpa.'
			from generate_series(1, %d) n`, zone, 100_000/by),
	} {
		if _, err := a.Pool.Exec(t.Context(), `set session_replication_role = replica; `+q+`; reset session_replication_role`); err != nil {
			t.Fatal(err)
		}
	}
	fillAudit(t, a, 1_000_000/by)
	if _, err := a.Pool.Exec(t.Context(), `vacuum analyze`); err != nil {
		t.Fatal(err)
	}
}

const backupEnv = "GATEWAY_TEST_BACKUP"

// backed is what a process that makes a backup tells of it.
type backed struct {
	Took        time.Duration
	Before, Top int // MiB
	dump.Written
}

// back makes backups for as long as span, and one at least, in a process of its own, as gateway-scheduler does.
func back(t *testing.T, a *apptest.App, file string, span time.Duration) (m backed) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestMakeABackup$")
	cmd.Env = append(os.Environ(), backupEnv+"="+a.Config.Database, "GATEWAY_TEST_STATE="+a.Config.StateDir, "GATEWAY_TEST_FILE="+file, "GATEWAY_TEST_SPAN="+span.String(), "GOMEMLIMIT=384MiB")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	told, err := os.ReadFile(file + ".json")
	if err == nil {
		err = json.Unmarshal(told, &m)
	}
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// TestMakeABackup is that process, and nothing by itself.
func TestMakeABackup(t *testing.T) {
	database := os.Getenv(backupEnv)
	if database == "" {
		t.Skip("it is started by another test")
	}
	span, err := time.ParseDuration(os.Getenv("GATEWAY_TEST_SPAN"))
	if err != nil {
		t.Fatal(err)
	}
	var m backed
	for end, first := time.Now().Add(span), true; first || time.Now().Before(end); first = false {
		if m, err = makeABackup(t, database, os.Getenv("GATEWAY_TEST_STATE"), os.Getenv("GATEWAY_TEST_FILE")); err != nil {
			t.Fatal(err)
		}
	}
	told, err := json.Marshal(m)
	if err == nil {
		err = os.WriteFile(os.Getenv("GATEWAY_TEST_FILE")+".json", told, 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
}

func makeABackup(t *testing.T, database, state, file string) (m backed, err error) {
	blueprint, err := app.Blueprint()
	if err != nil {
		return m, err
	}
	pool, err := db.Open(database)
	if err != nil {
		return m, err
	}
	defer pool.Close()
	if err := pool.Ping(t.Context()); err != nil {
		return m, err
	}
	keys, err := backup.OpenKeys(filepath.Join(state, backup.KeyFile))
	if err != nil {
		return m, err
	}
	files, err := backup.ReadFiles(state)
	if err != nil {
		return m, err
	}
	f, err := os.Create(file)
	if err != nil {
		return m, err
	}
	b := dump.Backup{Keys: keys.Sealing(), Schemas: blueprint.Schemas(), Files: files, Header: archive.Header{About: archive.About{
		ID: db.NewID(), Product: "0.1.0", Host: "gw1", NodeID: "4711", Kind: "manual", Created: time.Now(),
	}}}
	m.Before = memoryOf(t, "self", "VmRSS")
	start := time.Now()
	m.Written, err = dump.Write(context.Background(), pool, f, b)
	m.Took = time.Since(start)
	m.Top = memoryOf(t, "self", "VmHWM")
	return m, errors.Join(err, f.Close())
}

// bareDump is what everybody would run.
func bareDump(t *testing.T, a *apptest.App, file string) time.Duration {
	t.Helper()
	u, err := url.Parse(a.Pool.Config().ConnString())
	if err != nil {
		t.Fatal(err)
	}
	argv := append(componenttest.Debian(t, "usr/lib/postgresql/17/bin/pg_dump"), "-Fc", "-f", file, u.String())
	start := time.Now()
	if out, err := exec.CommandContext(t.Context(), argv[0], argv[1:]...).CombinedOutput(); err != nil {
		t.Fatalf("pg_dump: %v: %s", err, out)
	}
	return time.Since(start)
}

// asked are the times of requests to the API until the end.
func asked(c *apptest.Client, end func() bool) (took []time.Duration) {
	for !end() {
		took = append(took, timed(func() { c.Get("/users?limit=50").Want(200) }))
		<-time.After(5 * time.Millisecond)
	}
	return took
}

// A backup of a large node takes no longer than a bare dump, little memory, and nobody's time.
func TestBarOperations05Size(t *testing.T) {
	a, admin := apptest.Ready(t)
	fillNode(t, a, bar.GateSize(40, 10, 1))
	dir := t.TempDir()
	var ratios []float64
	var ours, bare []time.Duration
	var last backed
	grown := 0
	for range bar.GateSize(3, 3, 5) { // in turn: what else the machine does changes by the second
		bare = append(bare, bareDump(t, a, filepath.Join(dir, "bare")))
		last = back(t, a, filepath.Join(dir, "ours"), 0)
		ours = append(ours, last.Took)
		grown = max(grown, last.Top-last.Before)
		ratios = append(ratios, ours[len(ours)-1].Seconds()/bare[len(bare)-1].Seconds())
	}
	slices.Sort(ratios)
	ratio := ratios[len(ratios)/2]
	idle, during := beside(t, a, admin, filepath.Join(dir, "again"))
	p := percentile(during, 99).Seconds() / percentile(idle, 99).Seconds()
	whole := readable(t, a, filepath.Join(dir, "ours"))
	figure := fmt.Sprintf("%.1f MB of text, archive of %.1f MB: %.2f s, %.2f x of bare pg_dump -Fc (%.2f s, %.1f MB); RSS %+d MiB; API p99 %.1f ms during it, %.1f ms before (%.2f x); the archive is whole: %t",
		float64(last.DBBytes)/1e6, float64(last.Size)/1e6, slices.Min(ours).Seconds(), ratio, slices.Min(bare).Seconds(), float64(size(t, filepath.Join(dir, "bare")))/1e6,
		grown, percentile(during, 99).Seconds()*1000, percentile(idle, 99).Seconds()*1000, p, whole)
	bar.ReportTimed(t, "operations", 5, figure, "<= 1.3 x of pg_dump -Fc, RSS <= +64 MiB, API p99 <= 1.2 x", whole && grown <= 64, ratio <= 1.3 && p <= 1.2)
}

// beside asks the API while nothing happens, and while backups are made.
func beside(t *testing.T, a *apptest.App, c *apptest.Client, file string) (idle, during []time.Duration) {
	t.Helper()
	span := time.Duration(bar.GateSize(2, 5, 20)) * time.Second
	end := time.Now().Add(span)
	idle = asked(c, func() bool { return time.Now().After(end) })
	done := make(chan struct{})
	go func() {
		defer close(done)
		back(t, a, file, span)
	}()
	a.Until("a backup has begun", func() bool { _, err := os.Stat(file); return err == nil })
	during = asked(c, func() bool {
		select {
		case <-done:
			return true
		default:
			return false
		}
	})
	return idle, during
}

func size(t *testing.T, file string) int64 {
	t.Helper()
	info, err := os.Stat(file)
	if err != nil {
		t.Fatal(err)
	}
	return info.Size()
}

// readable checks the archive, and that all entries of the audit log are in it.
func readable(t *testing.T, a *apptest.App, file string) bool {
	t.Helper()
	keys, err := backup.OpenKeys(filepath.Join(a.Config.StateDir, backup.KeyFile))
	if err != nil {
		t.Fatal(err)
	}
	o, err := keys.Opening()
	if err != nil {
		t.Fatal(err)
	}
	f, err := os.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	_, sums, err := archive.Check(f, o)
	if err != nil {
		t.Errorf("the archive: %v", err)
		return false
	}
	var entries int64
	if err := a.Pool.QueryRow(t.Context(), `select count(1) from audit_entries`).Scan(&entries); err != nil {
		t.Fatal(err)
	}
	return sums.Tables["audit_entries"].Rows == entries && entries > 0
}
