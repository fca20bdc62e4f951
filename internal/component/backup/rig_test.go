package backup

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"gateway/internal/api/apitest"
	"gateway/internal/backup"
	"gateway/internal/backup/offsite"
	"gateway/internal/change"
	"gateway/internal/component"
	"gateway/internal/component/componenttest"
	"gateway/internal/db"
	"gateway/internal/fault"
	"gateway/internal/restore"
	"gateway/internal/secret"
	"gateway/internal/setupstate"
	"gateway/internal/sys"
)

type body = apitest.Object

// rig is the component with a folder, a clock and a disk of the test. What gateway-api asks, it answers itself, as
// gateway-scheduler does.
type rig struct {
	*componenttest.Rig
	s     *service
	setup *setupstate.Store

	mu       sync.Mutex
	ahead    time.Duration // of the real clock
	free     uint64
	deaf     bool // gateway-scheduler does not answer
	restored restore.State
	asked    []string      // of package restore
	refuses  error         // what package restore answers
	holds    chan struct{} // the disk is not looked at before it is closed
}

func newRig(t testing.TB) *rig {
	t.Helper()
	r := &rig{free: 100 << 30}
	dir := t.TempDir()
	store, err := setupstate.Open(filepath.Join(dir, "setup.json"))
	if err != nil {
		t.Fatal(err)
	}
	r.setup = store
	_, err = store.Update(func(s *setupstate.State) error {
		s.Complete, s.CompletedAt = true, time.Now()
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for name, content := range map[string]string{"master.key": "a key\n", "jwt.secret": "another\n"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(content), 0o400); err != nil {
			t.Fatal(err)
		}
	}
	r.Rig = componenttest.New(t, componenttest.Setup{
		Now: r.now,
		Component: func(c *componenttest.Rig) component.Component {
			var all component.Component
			r.s = newService(Options{
				DB: c.Pool, Run: c.Run, Box: c.Box, Setup: store, Questions: r, Host: r, Restores: r, Users: r, Dir: dir, Version: "1.2.3", Now: r.now,
				Log: slog.New(slog.DiscardHandler), Outside: offsite.Deps{Dial: new(net.Dialer).DialContext, Retry: time.Millisecond, Stall: 5 * time.Second},
				Schemas: func() []db.Schema { return []db.Schema{change.Schema(), all.Schema()} },
			})
			all = r.s.component()
			return all
		},
	})
	r.s.first = time.Hour // not while a test has the lock in mind
	r.works(r.s)
	return r
}

// works has a service do what it does in gateway-scheduler.
func (r *rig) works(s *service) {
	ctx, stop := context.WithCancel(r.T.Context())
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		_ = s.work(ctx)
	}()
	r.T.Cleanup(func() { stop(); <-ended })
}

// Ask is the way to gateway-scheduler and back.
func (r *rig) Ask(ctx context.Context, channel string, in, out any) error {
	r.mu.Lock()
	deaf := r.deaf
	r.mu.Unlock()
	if deaf {
		return db.ErrUnanswered
	}
	question, err := json.Marshal(in)
	if err != nil {
		return err
	}
	answer, err := r.s.component().Answers[channel](ctx, question)
	if err != nil {
		return errors.Join(db.ErrUnanswered, err) // it is in the log there
	}
	line, err := json.Marshal(answer)
	if err != nil {
		return err
	}
	return json.Unmarshal(line, out)
}

func (r *rig) Interfaces() ([]sys.Interface, error) { return nil, nil }

func (r *rig) Health() (sys.Health, error) {
	return sys.Health{Hostname: "gw1", MachineID: strings.Repeat("0", 32)}, nil
}

func (r *rig) Disks(...string) ([]sys.Mounted, error) {
	r.mu.Lock()
	holds := r.holds
	r.mu.Unlock()
	if holds != nil {
		<-holds
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	return []sys.Mounted{{Path: "/", Disk: sys.Disk{Total: 200 << 30, Free: r.free}}}, nil
}

func (r *rig) now() time.Time {
	r.mu.Lock()
	defer r.mu.Unlock()
	return time.Now().Add(r.ahead)
}

// noon sets the clock to the last one. What is kept of each day would depend on when the test runs, close to midnight.
func (r *rig) noon() {
	r.mu.Lock()
	defer r.mu.Unlock()
	const day = 24 * time.Hour
	r.ahead = -time.Since(time.Now().Add(-day / 2).Truncate(day).Add(day / 2))
}

func (r *rig) pass(d time.Duration) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.ahead += d
}

// with changes what the test made up.
func (r *rig) with(change func()) {
	r.mu.Lock()
	defer r.mu.Unlock()
	change()
}

func (r *rig) did(what string) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.asked = append(r.asked, what)
	return r.refuses
}

// was is what package restore was asked so far. That a backup is over is told by a row and a file, which order no memory.
func (r *rig) was() []string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Clone(r.asked)
}

// own is the password of whoever is signed in.
const own = "the password of ann"

// AskAgain is how package user asks for it.
func (r *rig) AskAgain(_ context.Context, password secret.Text) error {
	if password != own {
		return fault.New(fault.Unauthenticated, "the current password is wrong").WithCode("wrong_password")
	}
	return nil
}

// ticket is one for a download of a backup.
func (r *rig) ticket(id string) string {
	r.T.Helper()
	return apitest.Data[DownloadTicket](r.Do("POST", "/backups/"+id+"/download-ticket", body{"password": own}).Want(http.StatusOK)).Ticket
}

// The rig is package restore, too.
func (r *rig) Preview(_ context.Context, id string) (restore.Preview, error) {
	return restore.Preview{Version: "1.2.3", Tables: []restore.TableDiff{}, Files: []restore.FileDiff{}, Links: []restore.Link{}}, r.did("preview " + id)
}

func (r *rig) Start(_ context.Context, id string, _ restore.Options) (restore.State, error) {
	return restore.State{Backup: id, Steps: []restore.Step{}}, r.did("start " + id)
}

func (r *rig) State(context.Context) (restore.State, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.restored, nil
}

func (r *rig) Confirm(ctx context.Context) (restore.State, error) {
	s, _ := r.State(ctx)
	return s, r.did("confirm")
}

func (r *rig) Undo(ctx context.Context) (restore.State, error) {
	s, _ := r.State(ctx)
	return s, r.did("undo")
}

func (r *rig) Verify(_ context.Context, id string) error { return r.did("verify " + id) }

// verified is what the verification tells at its end.
func (r *rig) verified(id string, err string) {
	r.T.Helper()
	if err == "" {
		r.exec(`update backups set verify_status = 'done', verified_at = now(), verify_error = null where id = $1`, id)
		return
	}
	r.exec(`update backups set verify_status = 'failed', verify_error = jsonb_build_object('message', $2::text, 'text', $2::text) where id = $1`, id, err)
}

// exec changes a row as time, or another process, would.
func (r *rig) exec(query string, args ...any) {
	r.T.Helper()
	r.Restore(query, args...)
}

// make has a backup made by the API.
func (r *rig) make() Backup {
	r.T.Helper()
	b := apitest.Data[Backup](r.Do("POST", "/backups", nil).Want(http.StatusCreated))
	r.idle()
	return b
}

// idle waits until what follows a backup is over, too. The lock tells nobody that it is free, and work goes on for a
// while without it.
func (r *rig) idle() {
	r.T.Helper()
	late, tick := time.After(time.Minute), time.NewTicker(5*time.Millisecond)
	defer tick.Stop()
	for {
		unlock, err := r.s.lock()
		if err == nil {
			unlock()
			r.s.working.Lock()
			r.s.working.Unlock() //nolint:staticcheck // nothing is done with it but to wait
		}
		if err == nil && len(r.s.wake) == 0 && r.s.uploader.idle() && r.count(`select count(*) from backups where remote_uploads @> '[{"state": "pending"}]'`) == 0 {
			return
		}
		select {
		case <-late:
			r.T.Fatal("the backup does not end")
		case <-tick.C:
		}
	}
}

func (r *rig) get(id string) Backup {
	r.T.Helper()
	return apitest.Data[Backup](r.Do("GET", "/backups/"+id, nil).Want(http.StatusOK))
}

func (r *rig) list() []Backup {
	r.T.Helper()
	return apitest.Data[[]Backup](r.Do("GET", "/backups", nil).Want(http.StatusOK))
}

// files are the archives and what is left of some.
func (r *rig) files() (out []string) {
	r.T.Helper()
	all, err := filepath.Glob(filepath.Join(r.s.folder(), "*"+".gwb*"))
	if err != nil {
		r.T.Fatal(err)
	}
	for _, one := range all {
		out = append(out, filepath.Base(one))
	}
	return out
}

func (r *rig) keys() *backup.Keys {
	r.T.Helper()
	k, err := backup.OpenKeys(r.s.keyFile())
	if err != nil {
		r.T.Fatal(err)
	}
	return k
}

// tick is one of the job, with what it begins.
func (r *rig) tick() {
	r.T.Helper()
	if err := r.s.tick(r.T.Context()); err != nil {
		r.T.Fatal(err)
	}
	r.idle()
}

// idle reports whether nothing is uploaded.
func (u *uploader) idle() bool {
	u.mu.Lock()
	defer u.mu.Unlock()
	return len(u.again) == 0
}
