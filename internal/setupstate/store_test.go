package setupstate

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"gateway/internal/fault"
	"gateway/internal/secret"
)

const hash = "$2a$12$N9qo8uLOickgx2ZMRZoMyeIjZAgcfl7p92ldGxad68LJZdL17lhWy"

func open(t *testing.T, path string) *Store {
	t.Helper()
	s, err := Open(path)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func newStore(t *testing.T) *Store {
	t.Helper()
	return open(t, filepath.Join(t.TempDir(), "setup.json"))
}

func load(t *testing.T, s *Store) State {
	t.Helper()
	state, err := s.Load()
	if err != nil {
		t.Fatal(err)
	}
	return state
}

func update(t *testing.T, s *Store, change func(*State)) State {
	t.Helper()
	state, err := s.Update(func(st *State) error { change(st); return nil })
	if err != nil {
		t.Fatal(err)
	}
	return state
}

// keys returns the file as any JSON reader sees it.
func keys(t *testing.T, s *Store) map[string]any {
	t.Helper()
	data, err := os.ReadFile(s.path)
	if err != nil {
		t.Fatal(err)
	}
	var got map[string]any
	if err := json.Unmarshal(data, &got); err != nil {
		t.Fatal(err)
	}
	return got
}

func full() State {
	return State{
		Complete: true, CompletedAt: time.Date(2025, 6, 1, 12, 0, 0, 0, time.UTC),
		Admin: &Admin{
			UserID: "0190b5a0-0000-7000-8000-000000000001", Email: "admin@example.com", PasswordHash: hash, SecondFactor: true, Disabled: true,
			TOTPSecret: []byte("sealed"), LastStep: 7, Epoch: 3, ResetAt: time.Date(2025, 6, 2, 12, 0, 0, 0, time.UTC),
		},
		FQDN: "gw1.example.com", ACME: ACME{Email: "ops@example.com", DirectoryURL: "https://acme.example/dir", TermsAgreed: true},
		IsClusterNode: true, PrimaryFQDN: "gw0.example.com", IPv6Enabled: false, Maintenance: true, AutoUpdate: true,
		Retention: Retention{Backups: 3, AuditDays: 30},
	}
}

func TestAMissingFileIsAnApplianceNotSetUp(t *testing.T) {
	got := load(t, newStore(t))
	want := State{IPv6Enabled: true, Retention: Retention{Backups: 14, AuditDays: 365}}
	if d := cmp.Diff(got, want); d != "" {
		t.Error(d)
	}
}

// shows SETUP-14
func TestTheFileHoldsAdminFQDNAndACME(t *testing.T) {
	s := newStore(t)
	update(t, s, func(st *State) { *st = full() })
	got := keys(t, s)
	want := map[string]any{
		"complete": true, "completed_at": "2025-06-01T12:00:00Z", "fqdn": "gw1.example.com",
		"admin": map[string]any{
			"user_id": "0190b5a0-0000-7000-8000-000000000001", "email": "admin@example.com", "password_hash": hash, "second_factor": true, "disabled": true,
			"totp_secret": "c2VhbGVk", "last_step": 7.0, "epoch": 3.0, "reset_at": "2025-06-02T12:00:00Z",
		},
		"acme": map[string]any{"email": "ops@example.com", "directory_url": "https://acme.example/dir", "terms_agreed": true},
	}
	for key, value := range want {
		if d := cmp.Diff(got[key], value); d != "" {
			t.Errorf("%s: %s", key, d)
		}
	}
	if info, err := os.Stat(s.path); err != nil || info.Mode() != 0o600 {
		t.Errorf("file = %v, %v, want mode 0600", info, err)
	}
	if d := cmp.Diff(load(t, open(t, s.path)), full()); d != "" {
		t.Errorf("after a restart: %s", d)
	}
}

// shows SETUP-15
// shows SETUP-16
// shows SETUP-17
// shows SETUP-18
func TestTheFileHoldsClusterFlagsAndRetention(t *testing.T) {
	for _, tc := range []struct {
		name   string
		change func(*State)
		want   map[string]any
	}{
		{"by default", func(*State) {}, map[string]any{
			"is_cluster_node": false, "primary_fqdn": "", "ipv6_enabled": true, "maintenance": false, "auto_update": false,
			"retention": map[string]any{"backups": 14.0, "audit_days": 365.0}, "complete": false, "admin": nil,
		}},
		{"of a cluster node", func(s *State) { s.IsClusterNode, s.PrimaryFQDN = true, "gw0.example.com" }, map[string]any{
			"is_cluster_node": true, "primary_fqdn": "gw0.example.com",
		}},
		{"with the flags turned", func(s *State) { s.IPv6Enabled, s.Maintenance, s.AutoUpdate = false, true, true }, map[string]any{
			"ipv6_enabled": false, "maintenance": true, "auto_update": true,
		}},
		{"with other retention", func(s *State) { s.Retention = Retention{Backups: 2, AuditDays: 90} }, map[string]any{
			"retention": map[string]any{"backups": 2.0, "audit_days": 90.0},
		}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			s := newStore(t)
			returned := update(t, s, tc.change)
			got := keys(t, s)
			for key, value := range tc.want {
				if d := cmp.Diff(got[key], value); d != "" {
					t.Errorf("%s: %s", key, d)
				}
			}
			if d := cmp.Diff(load(t, s), returned); d != "" {
				t.Errorf("loaded and returned differ: %s", d)
			}
		})
	}
}

func TestADamagedFileIsNeverAnApplianceNotSetUp(t *testing.T) {
	s := newStore(t)
	update(t, s, func(st *State) { *st = full() })
	whole, err := os.ReadFile(s.path)
	if err != nil {
		t.Fatal(err)
	}
	for _, tc := range []struct{ name, content string }{
		{"empty, as after a power cut", ""},
		{"zeros, as after a power cut", strings.Repeat("\x00", 512)},
		{"cut in the middle", string(whole[:len(whole)/2])},
		{"cut at the last brace", strings.TrimRight(string(whole), "}\n")},
		{"two files in one", string(whole) + string(whole)},
		{"null", "null"},
		{"an object without anything", "{}"},
		{"an array", "[]"},
		{"a wrong type", `{"complete":"yes"}`},
		{"complete is null", `{"complete":null}`},
		{"a retention that deletes everything", `{"complete":true,"retention":{"backups":0,"audit_days":1}}`},
	} {
		t.Run(tc.name, func(t *testing.T) {
			if err := os.WriteFile(s.path, []byte(tc.content), 0o600); err != nil {
				t.Fatal(err)
			}
			if _, err := s.Load(); err == nil || !strings.Contains(err.Error(), "damaged") {
				t.Errorf("load: %v, want it to say damaged", err)
			}
			if _, err := Open(s.path); err == nil {
				t.Error("opened")
			}
			if _, err := s.Update(func(*State) error { t.Error("change ran"); return nil }); err == nil {
				t.Error("updated over it")
			}
			if after, _ := os.ReadFile(s.path); string(after) != tc.content {
				t.Error("the damaged file was changed, want it kept for repair")
			}
		})
	}
}

func TestNoPrefixOfAFileIsAnotherState(t *testing.T) {
	whole, err := encode(full())
	if err != nil {
		t.Fatal(err)
	}
	end := strings.LastIndex(string(whole), "}")
	for n := range end {
		if state, err := decode(whole[:n]); err == nil {
			t.Fatalf("the first %d bytes give %+v", n, state)
		}
	}
}

func TestAMissingDirectoryOrALinkIsAnError(t *testing.T) {
	dir := t.TempDir()
	if _, err := Open(filepath.Join(dir, "not-mounted", "setup.json")); err == nil {
		t.Error("a missing directory was taken for an appliance not set up")
	}
	link := filepath.Join(dir, "setup.json")
	if err := os.Symlink(filepath.Join(dir, "elsewhere"), link); err != nil {
		t.Fatal(err)
	}
	if _, err := Open(link); err == nil {
		t.Error("a dangling link was taken for an appliance not set up")
	}
	if err := errors.Join(os.Remove(link), os.Mkdir(link, 0o700)); err != nil {
		t.Fatal(err)
	}
	if _, err := Open(link); err == nil {
		t.Error("a directory was taken for an appliance not set up")
	}
}

func TestOlderAndNewerFilesAreRead(t *testing.T) {
	s := newStore(t)
	if err := os.WriteFile(s.path, []byte(`{"complete":true,"fqdn":"gw.example.com","from_the_future":1}`), 0o600); err != nil {
		t.Fatal(err)
	}
	want := Default()
	want.Complete, want.FQDN = true, "gw.example.com"
	if d := cmp.Diff(load(t, s), want); d != "" {
		t.Error(d)
	}
}

func TestAFailedUpdateLeavesTheOldFile(t *testing.T) {
	broken := errors.New("no space left on device")
	for _, tc := range []struct {
		name    string
		replace func(string, []byte, fs.FileMode) error
		change  func(*State) error
		want    func(error) bool
	}{
		{
			"when the change fails", nil,
			func(st *State) error { st.FQDN = "half"; return broken },
			func(err error) bool { return errors.Is(err, broken) },
		},
		{
			"when the new state is not valid", nil,
			func(st *State) error { st.Retention.Backups = -1; return nil },
			func(err error) bool { return fault.Is(err, fault.Invalid) },
		},
		{
			"when the process dies between writing and renaming",
			func(path string, data []byte, mode fs.FileMode) error {
				return errors.Join(os.WriteFile(filepath.Join(filepath.Dir(path), ".setup.json4711"), data[:len(data)/2], mode), broken)
			},
			func(st *State) error { st.FQDN = "half"; return nil },
			func(err error) bool { return errors.Is(err, broken) },
		},
	} {
		t.Run(tc.name, func(t *testing.T) {
			s := newStore(t)
			update(t, s, func(st *State) { *st = full() })
			before, _ := os.ReadFile(s.path)
			if tc.replace != nil {
				s.replace = tc.replace
			}
			if _, err := s.Update(tc.change); !tc.want(err) {
				t.Errorf("error = %v", err)
			}
			if after, _ := os.ReadFile(s.path); string(after) != string(before) {
				t.Error("the file changed")
			}
			if d := cmp.Diff(load(t, s), full()); d != "" {
				t.Errorf("the store shows what was not written: %s", d)
			}
			next := open(t, s.path)
			if got := update(t, next, func(st *State) { st.FQDN = "next" }); got.FQDN != "next" {
				t.Error("the next update did not work")
			}
		})
	}
}

func TestParallelUpdatesLoseNothing(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "setup.json")
	var wg sync.WaitGroup
	// Each store has its own mutex, as in another process; between them is only the file lock.
	for range 5 {
		s := open(t, path)
		for range 10 {
			wg.Go(func() {
				if _, err := s.Update(func(st *State) error { st.Retention.Backups++; return nil }); err != nil {
					t.Error(err)
				}
			})
			wg.Go(func() {
				if _, err := s.Load(); err != nil {
					t.Errorf("load while others write: %v", err)
				}
			})
		}
	}
	wg.Wait()
	if got := load(t, open(t, path)).Retention.Backups; got != 14+50 {
		t.Errorf("backups = %d, want 64", got)
	}
	entries, _ := os.ReadDir(dir)
	if len(entries) != 2 {
		t.Errorf("%d files, want the store and its lock", len(entries))
	}
}

func TestWhatAnotherProcessWroteIsSeenAtOnce(t *testing.T) {
	api := newStore(t)
	ctl := open(t, api.path)
	// Same length and, on most file systems, same time: only the inode tells them apart.
	for i := range 200 {
		want := fmt.Sprintf("gw%03d.example.com", i)
		update(t, ctl, func(st *State) { st.FQDN = want })
		if got := load(t, api).FQDN; got != want {
			t.Fatalf("fqdn = %q, want %q", got, want)
		}
	}
	if err := os.Remove(api.path); err != nil {
		t.Fatal(err)
	}
	if got := load(t, api).FQDN; got != "" {
		t.Errorf("after removal fqdn = %q, want the default", got)
	}
}

func TestLoadReadsAnUnchangedFileOnce(t *testing.T) {
	s := newStore(t)
	update(t, s, func(st *State) { *st = full() })
	load(t, s)
	first := s.cached
	load(t, s)
	if s.cached != first {
		t.Error("the file was read again")
	}
}

func TestACallerCannotChangeTheCache(t *testing.T) {
	s := newStore(t)
	spoil := func(st *State) {
		st.Admin.Email = "mallory@example.com"
		st.Pending.To[0] = 'f'
	}
	returned := update(t, s, func(st *State) {
		*st = full()
		st.Pending = &Pending{Action: "system.ipv6", To: json.RawMessage("true")}
	})
	spoil(&returned)
	loaded := load(t, s)
	spoil(&loaded)
	_, _ = s.Update(func(st *State) error { spoil(st); return errors.New("no") })
	if got := load(t, s); got.Admin.Email != "admin@example.com" || string(got.Pending.To) != "true" {
		t.Errorf("email = %q, pending %s, want them untouched", got.Admin.Email, got.Pending.To)
	}
}

func TestAChangeMayLoad(t *testing.T) {
	s := newStore(t)
	update(t, s, func(st *State) {
		st.FQDN = "new.example.com"
		if got := load(t, s).FQDN; got != "" {
			t.Errorf("inside the change fqdn = %q, want the old one", got)
		}
	})
}

func TestThePasswordHashDoesNotPrint(t *testing.T) {
	s := newStore(t)
	state := update(t, s, func(st *State) { *st = full() })
	encoded, err := json.Marshal(state)
	if err != nil {
		t.Fatal(err)
	}
	if all := fmt.Sprintf("%+v %#v %s", state, *state.Admin, encoded); strings.Contains(all, hash) {
		t.Errorf("the hash is in %q", all)
	}
}

func TestWhatRootWritesBelongsToTheService(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("only root can give files away")
	}
	dir := t.TempDir()
	if err := os.Chown(dir, 4711, 4712); err != nil {
		t.Fatal(err)
	}
	s := open(t, filepath.Join(dir, "setup.json"))
	update(t, s, func(*State) {})
	for _, path := range []string{s.path, s.path + ".lock"} {
		info, err := os.Stat(path)
		if err != nil {
			t.Fatal(err)
		}
		if st := info.Sys().(*syscall.Stat_t); st.Uid != 4711 || st.Gid != 4712 {
			t.Errorf("%s belongs to %d:%d, want 4711:4712", path, st.Uid, st.Gid)
		}
	}
}

func TestAnyStateSurvivesTheFile(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		want := full()
		want.Complete = rapid.Bool().Draw(t, "complete")
		want.FQDN = rapid.String().Draw(t, "fqdn")
		want.IPv6Enabled = rapid.Bool().Draw(t, "ipv6")
		want.Admin = rapid.Ptr(rapid.Custom(func(t *rapid.T) Admin {
			return Admin{Email: rapid.String().Draw(t, "email"), PasswordHash: secret.Text(rapid.String().Draw(t, "hash")), Disabled: rapid.Bool().Draw(t, "disabled")}
		}), true).Draw(t, "admin")
		data, err := encode(want)
		if err != nil {
			t.Fatal(err)
		}
		got, err := decode(data)
		if err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff(got, want); d != "" {
			t.Fatal(d)
		}
	})
}
