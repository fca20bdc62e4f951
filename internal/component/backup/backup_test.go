package backup

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"gateway/internal/backup"
	"gateway/internal/backup/archive"
	"gateway/internal/restore"
	"gateway/internal/setupstate"
)

// shows BAK-02*, BAK-03, BAK-06, BAK-07, BAK-08*
func TestABackupIsMade(t *testing.T) {
	r := newRig(t)
	before := time.Now().Add(-time.Second)
	b := r.make()
	if b.Status != done || b.Kind != manual || b.Error != nil || b.Host != "gw1" || b.Version != "1.2.3" || b.File != b.ID+".gwb" || b.Portable || b.Progress != nil {
		t.Errorf("made %+v, want a complete manual one", b)
	}
	if b.StartedAt.Before(before) || b.FinishedAt == nil || b.FinishedAt.Before(b.StartedAt) || b.DBBytes == 0 || b.FilesBytes == 0 || b.RemoteUploads == nil {
		t.Errorf("made %+v, want its times and sizes", b)
	}
	content, err := os.ReadFile(r.s.path(b.ID))
	if err != nil {
		t.Fatal(err)
	}
	sum := sha256.Sum256(content)
	if b.Size != int64(len(content)) || b.SHA256 != hex.EncodeToString(sum[:]) {
		t.Errorf("size and sum are %d and %s, the archive has %d and %x", b.Size, b.SHA256, len(content), sum)
	}
	if info, err := os.Stat(r.s.folder()); err != nil || info.Mode().Perm() != 0o700 {
		t.Errorf("the folder is %v, %v, want it closed", info, err)
	}
	if got := r.get(b.ID); got.SHA256 != b.SHA256 || got.Status != done {
		t.Errorf("read %+v", got)
	}
	r.Do("GET", "/backups/nobody", nil).Want(http.StatusNotFound)
}

// shows BAK-11, BAK-12*, BAK-13: there is no license and no node.conf in this product yet, and the accounts of ACME are rows.
func TestTheArchiveHasTheDatabaseAndTheStateFiles(t *testing.T) {
	r := newRig(t)
	b := r.make()
	opening, err := r.keys().Opening()
	if err != nil {
		t.Fatal(err)
	}
	f, err := os.Open(r.s.path(b.ID))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	a, err := archive.NewReader(f, opening)
	if err != nil {
		t.Fatal(err)
	}
	defer a.Close()
	m := a.Manifest()
	if m.ID != b.ID || m.Product != "1.2.3" || m.Kind != manual || m.Host != "gw1" {
		t.Errorf("the manifest is %+v, want it to say what and whose", m.About)
	}
	tables := make([]string, len(m.Tables))
	for i, one := range m.Tables {
		tables[i] = one.Name
	}
	for table, travels := range map[string]bool{"backup_settings": true, "backup_targets": true, "backups": false, "backup_target_status": true} {
		if slices.Contains(tables, table) != travels {
			t.Errorf("the tables are %v, want %s: %t", tables, table, travels)
		}
	}
	files := map[string]string{}
	for {
		e, err := a.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		content, err := io.ReadAll(e)
		if err != nil {
			t.Fatal(err)
		}
		if e.File != "" {
			files[e.File] = string(content)
		}
	}
	if len(files) != 3 || files["master.key"] != "a key\n" || files["jwt.secret"] != "another\n" || !strings.Contains(files["setup.json"], `"complete"`) {
		t.Errorf("the files are %v", files)
	}
	if sums := a.Sums(); sums.DBBytes != b.DBBytes || sums.FilesBytes != b.FilesBytes {
		t.Errorf("sizes are %d and %d, the archive has %d and %d", b.DBBytes, b.FilesBytes, sums.DBBytes, sums.FilesBytes)
	}
}

// shows BAK-01, BAK-05
func TestBackupsAreListedTheNewestFirstAndDeleted(t *testing.T) {
	r := newRig(t)
	first := r.make()
	r.pass(time.Minute)
	second := r.make()
	if all := r.list(); len(all) != 2 || all[0].ID != second.ID || all[1].ID != first.ID {
		t.Fatalf("listed %+v, want the second before the first", all)
	}
	r.exec(`update backups set verify_status = 'done'`)
	r.As("viewer", "DELETE", "/backups/"+first.ID, nil).Want(http.StatusForbidden)
	r.Do("DELETE", "/backups/"+first.ID, nil).Want(http.StatusOK)
	if got := r.files(); !slices.Equal(got, []string{second.File}) {
		t.Errorf("the files are %v, want the second alone", got)
	}
	r.Do("GET", "/backups/"+first.ID, nil).Want(http.StatusNotFound)
	r.Do("DELETE", "/backups/"+first.ID, nil).Want(http.StatusNotFound)
	if err := os.Remove(r.s.path(second.ID)); err != nil {
		t.Fatal(err)
	}
	if a := r.Do("GET", "/backups/"+second.ID+"/download?ticket="+r.ticket(second.ID), nil).Want(http.StatusNotFound); a.Error.Code != "archive_missing" {
		t.Errorf("code = %s", a.Error.Code)
	}
	r.Do("DELETE", "/backups/"+second.ID, nil).Want(http.StatusOK) // what is left of it
}

// shows BAK-04*
func TestTheArchiveIsDownloadedByAdministrators(t *testing.T) {
	r := newRig(t)
	b := r.make()
	path := "/backups/" + b.ID + "/download"
	r.As("viewer", "GET", path, nil).Want(http.StatusForbidden) // it has the key of all sessions
	content, err := os.ReadFile(r.s.path(b.ID))
	if err != nil {
		t.Fatal(err)
	}
	if got := r.Do("GET", path+"?ticket="+r.ticket(b.ID), nil).Want(http.StatusOK).Text; got != string(content) {
		t.Errorf("%d bytes were sent, the archive has %d", len(got), len(content))
	}
	if n := r.count(`select count(*) from audit_entries where action = 'backup.download'`); n != 1 {
		t.Errorf("the audit log has %d entries of the download", n)
	}
	r.exec(`update backups set status = 'failed'`)
	r.Do("GET", path, nil).Want(http.StatusConflict)
}

func (r *rig) count(query string, args ...any) (n int) {
	r.T.Helper()
	if err := r.Pool.QueryRow(r.T.Context(), query, args...).Scan(&n); err != nil {
		r.T.Fatal(err)
	}
	return n
}

// shows BAK-09
func TestABackupThatFailsSaysWhy(t *testing.T) {
	r := newRig(t)
	r.with(func() { r.free = 10 << 20 })
	b := r.make()
	if b.Status != failed || b.Error == nil || !strings.HasPrefix(b.Error.Message, "10 MB are free on the disk") || b.FinishedAt == nil || b.Progress != nil {
		t.Errorf("made %+v, want it failed for lack of space", b)
	}
	if got := r.files(); len(got) != 0 {
		t.Errorf("the files are %v, want none", got)
	}
	r.with(func() { r.free = 100 << 30 })
	if err := os.Chmod(filepath.Join(r.s.Dir, "jwt.secret"), 0o444); err != nil { // which it may not be
		t.Fatal(err)
	}
	if b := r.make(); b.Status != failed || b.Error == nil || b.Error.Message != "the reason is in the log of gateway-scheduler" {
		t.Errorf("made %+v, want it failed with no more than that", b)
	}
	if all := r.list(); len(all) != 2 {
		t.Errorf("listed %d, want both", len(all))
	}
}

func TestWhatAnOperatorReadsOfAFailure(t *testing.T) {
	for want, err := range map[string]error{
		"the disk of this node is full": fmt.Errorf("write table x: %w", syscall.ENOSPC),
		"the backup was interrupted":    fmt.Errorf("read table x: %w", context.Canceled),
	} {
		if got := why(err).Message; got != want {
			t.Errorf("%v says %q, want %q", err, got, want)
		}
	}
}

func TestOneBackupIsMadeAtATime(t *testing.T) {
	r := newRig(t)
	unlock, err := r.s.lock()
	if err != nil {
		t.Fatal(err)
	}
	if a := r.Do("POST", "/backups", nil).Want(http.StatusConflict); a.Error.Code != "backup_running" {
		t.Errorf("code = %s", a.Error.Code)
	}
	if err := r.s.tick(t.Context()); err != nil || len(r.list()) != 0 {
		t.Errorf("a tick meanwhile: %v, %d backups", err, len(r.list()))
	}
	unlock()
	r.make()
}

func TestABackupWithoutTheScheduler(t *testing.T) {
	r := newRig(t)
	r.with(func() { r.deaf = true })
	if a := r.Do("POST", "/backups", nil).Want(http.StatusServiceUnavailable); a.Error.Code != "timeout" {
		t.Errorf("code = %s", a.Error.Code)
	}
	if n := r.count(`select count(*) from audit_entries where action in ('backup.create', 'backup.create.failed')`); n != 2 {
		t.Errorf("the audit log has %d entries, want the attempt and its failure", n)
	}
}

// A process that is killed leaves a row that says "running", and a file.
func TestWhatAKilledRunLeavesIsTidiedUp(t *testing.T) {
	r := newRig(t)
	whole := r.make()
	insert := `insert into backups (id, file, kind, status, host, version, started_at, progress) values ($1::uuid, $1::text || '.gwb', 'manual', 'running', 'gw1', '1.2.3', now(), '{"step": "database", "done": 1, "total": 2}')`
	const writing, renamed = "019a0000-0000-7000-8000-000000000001", "019a0000-0000-7000-8000-000000000002"
	for id, file := range map[string]string{writing: writing + ".gwb.part", renamed: renamed + ".gwb"} {
		r.exec(insert, id)
		if err := os.WriteFile(filepath.Join(r.s.folder(), file), []byte("half"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	r.exec(`update backup_settings set daily = false`)
	r.tick()
	for _, id := range []string{writing, renamed} {
		if b := r.get(id); b.Status != failed || b.Error == nil || b.Error.Message != "the backup was interrupted" || b.Progress != nil || b.FinishedAt == nil {
			t.Errorf("%+v, want it interrupted", b)
		}
	}
	if got := r.files(); !slices.Equal(got, []string{whole.File}) {
		t.Errorf("the files are %v, want the complete one alone", got)
	}
}

// The API waits for the row, not for the process that makes the backup.
func TestWhoWaitsLearnsThatTheRunWasKilled(t *testing.T) {
	r := newRig(t)
	began, err := r.s.begin(t.Context(), manual)
	if err != nil {
		t.Fatal(err)
	}
	began.unlock() // the process was killed
	ended := make(chan Backup)
	go func() {
		b, _ := r.s.await(t.Context(), began.id)
		ended <- b
	}()
	next := newService(r.s.Options) // the process after it
	next.first = 10 * time.Millisecond
	r.works(next)
	if b := <-ended; b.Status != failed {
		t.Errorf("waited for %+v", b)
	}
}

// shows BAK-20, BAK-21*
func TestABackupIsMadeEveryDay(t *testing.T) {
	r := newRig(t)
	made := func(what string, want int) {
		t.Helper()
		r.tick()
		if got := r.count(`select count(*) from backups where kind = 'scheduled'`); got != want {
			t.Fatalf("%s there are %d scheduled ones, want %d", what, got, want)
		}
	}
	set := func(complete bool) {
		t.Helper()
		if _, err := r.setup.Update(func(s *setupstate.State) error { s.Complete = complete; return nil }); err != nil {
			t.Fatal(err)
		}
	}
	set(false)
	made("before setup", 0)
	set(true)
	r.make()
	made("at the first tick, also after a manual one,", 1)
	made("at the next", 1)
	r.pass(day - time.Hour)
	made("an hour before a day is over", 1)
	r.pass(time.Hour)
	made("after a day", 2)
	r.exec(`update backups set started_at = started_at - interval '3 days'`)
	made("after a long time off", 3)
	r.pass(day)
	r.with(func() { r.free = 0 })
	made("on a full disk", 4)
	made("at the next tick, as it failed,", 4)
	r.with(func() { r.free = 100 << 30 })
	r.pass(retryAfter)
	made("an hour later", 5)
	r.pass(-1000 * day)
	made("with a clock that was wrong until now", 6)
	made("at the next tick after that", 6)
	r.pass(1010 * day)
	r.Edit("/backups/settings", body{"daily": false}).Want(http.StatusOK)
	made("switched off", 6)
	if n := r.count(`select count(*) from audit_entries where action = 'backup.create' and actor = 'scheduler'`); n != 6 {
		t.Errorf("the audit log has %d of them", n)
	}
}

// shows BAK-22*
func TestTheLatestAreKept(t *testing.T) {
	r := newRig(t)
	if s, err := r.setup.Load(); err != nil || s.Retention.Backups != 14 {
		t.Errorf("%d are kept (%v), want 14", s.Retention.Backups, err)
	}
	_, err := r.setup.Update(func(s *setupstate.State) error { s.Retention.Backups = 2; return nil })
	if err != nil {
		t.Fatal(err)
	}
	r.exec(`update backup_settings set verify = false`)
	for i := range keepFailed + 3 {
		r.exec(`insert into backups (id, file, kind, status, host, version, started_at) values (gen_random_uuid(), '', 'manual', 'failed', '', '', now() - make_interval(hours => $1))`, i+1)
	}
	var made []string
	for range 4 {
		made = append(made, r.make().File)
		r.pass(time.Minute)
	}
	slices.Sort(made)
	if got := r.files(); !slices.Equal(got, made[2:]) {
		t.Errorf("the files are %v, want the latest two of %v", got, made)
	}
	if n := r.count(`select count(*) from backups where status = 'done'`); n != 2 {
		t.Errorf("there are %d successful ones, want 2", n)
	}
	if n := r.count(`select count(*) from backups where status = 'failed'`); n != keepFailed {
		t.Errorf("there are %d failed ones, want %d", n, keepFailed)
	}
}

func TestWithAPassphraseAnArchiveCanBeReadElsewhere(t *testing.T) {
	r := newRig(t)
	if s := r.status(); s.Passphrase {
		t.Error("a fresh node says that a passphrase is set")
	}
	const passphrase = "correct horse battery"
	r.As("viewer", "PUT", "/backups/passphrase", body{"passphrase": passphrase, "password": own}).Want(http.StatusForbidden)
	for _, weak := range []string{"short", "aaaaaaaaaaaaaaaa", "123456789012"} {
		if a := r.Do("PUT", "/backups/passphrase", body{"passphrase": weak, "password": own}).Want(http.StatusBadRequest); a.Complaint("passphrase") == "" {
			t.Errorf("%s: %+v", weak, a.Error)
		}
	}
	r.Do("PUT", "/backups/passphrase", body{"passphrase": passphrase, "password": own}).Want(http.StatusOK)
	b := r.make()
	if !b.Portable || !r.status().Passphrase {
		t.Errorf("made %+v, want it portable", b)
	}
	f, err := os.Open(r.s.path(b.ID))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	h, err := archive.ReadHeader(f)
	if err != nil {
		t.Fatal(err)
	}
	opening, err := backup.FromPassphrase(h, passphrase)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.Seek(0, io.SeekStart); err != nil {
		t.Fatal(err)
	}
	if err := archive.Verify(f, opening); err != nil {
		t.Errorf("with the passphrase alone: %v", err)
	}
	if n := r.count(`select count(*) from audit_entries where action = 'backup.passphrase.set' and strpos(row_to_json(audit_entries)::text, $1) = 0`, passphrase); n != 1 {
		t.Errorf("the audit log has %d entries of it, without the passphrase", n)
	}
}

func (r *rig) status() Status {
	r.T.Helper()
	var s Status
	r.As("viewer", "GET", "/backups/status", nil).Want(http.StatusOK).Into(&s)
	return s
}

func TestTheStatusTellsWhenTheNextOneIsAndWhetherItFits(t *testing.T) {
	r := newRig(t)
	s := r.status()
	if s.LastSuccessAt != nil || s.NextAt == nil || s.NextAt.After(r.now()) || s.Running != "" || s.UsedBytes != 0 || s.FreeBytes != 100<<30 || s.NeededBytes <= reserve {
		t.Errorf("a fresh node has %+v", s)
	}
	r.tick()
	b := r.list()[0]
	if s = r.status(); s.LastSuccessAt == nil || !s.NextAt.Equal(b.StartedAt.Add(day)) || s.UsedBytes != b.Size {
		t.Errorf("after a backup it is %+v", s)
	}
	r.exec(`update backup_settings set daily = false`)
	if s = r.status(); s.NextAt != nil {
		t.Errorf("without daily ones the next is at %v", s.NextAt)
	}
}

func TestARestoreIsForAdministratorsAndBacksUpFirst(t *testing.T) {
	r := newRig(t)
	r.exec(`update backup_settings set verify = false`)
	b := r.make()
	path := "/backups/" + b.ID
	r.As("viewer", "GET", path+"/preview", nil).Want(http.StatusForbidden)
	r.As("viewer", "POST", path+"/restore", body{"password": own}).Want(http.StatusForbidden)
	r.Do("GET", path+"/preview", nil).Want(http.StatusOK)
	if a := r.Do("POST", path+"/restore", body{"confirm_within": 10, "password": own}).Want(http.StatusBadRequest); a.Complaint("confirm_within") == "" {
		t.Errorf("complaints = %+v", a.Error.Fields)
	}
	_, err := r.setup.Update(func(s *setupstate.State) error { s.Retention.Backups = 1; return nil })
	if err != nil {
		t.Fatal(err)
	}
	r.Do("POST", path+"/restore", body{"links": body{"eth0": "ens3"}, "password": own}).Want(http.StatusAccepted)
	r.idle()
	all := r.list()
	if len(all) != 2 || all[0].Kind != beforeRestore || all[0].Status != done || all[1].ID != b.ID {
		t.Errorf("there are %+v, want what is restored, and the state from before", all)
	}
	if want := []string{"preview " + b.ID, "start " + b.ID}; !slices.Equal(r.was(), want) {
		t.Errorf("asked %v, want %v", r.was(), want)
	}
	r.with(func() { r.restored, r.asked = restore.State{Backup: b.ID, Steps: []restore.Step{}}, nil })
	r.Do("DELETE", path, nil).Want(http.StatusConflict)
	r.As("viewer", "GET", "/backups/restore", nil).Want(http.StatusOK)
	until := r.now().Add(time.Minute)
	r.with(func() { r.restored.ConfirmUntil = &until })
	var waits restore.State
	r.Do("GET", "/backups/restore", nil).Want(http.StatusOK).Into(&waits)
	if waits.SecondsLeft < 30 || waits.SecondsLeft > 60 {
		t.Errorf("%d seconds are left of a minute", waits.SecondsLeft)
	}
	r.As("viewer", "POST", "/backups/restore/confirm", nil).Want(http.StatusForbidden)
	r.Do("POST", "/backups/restore/confirm", nil).Want(http.StatusOK)
	r.Do("POST", "/backups/restore/undo", nil).Want(http.StatusOK)
	if want := []string{"confirm", "undo"}; !slices.Equal(r.was(), want) {
		t.Errorf("asked %v, want %v", r.was(), want)
	}
	r.with(func() { r.refuses = fmt.Errorf("read it: %w", archive.ErrDamaged) })
	if a := r.Do("GET", path+"/preview", nil).Want(http.StatusConflict); a.Error.Code != "archive_damaged" {
		t.Errorf("the preview of a damaged archive says %+v", a.Error)
	}
	r.with(func() { r.refuses = nil })
	r.with(func() { r.free, r.asked = 0, nil })
	if a := r.Do("POST", path+"/restore", body{"password": own}).Want(http.StatusConflict); a.Error.Code != "backup_failed" || len(r.was()) != 0 {
		t.Errorf("without a backup of the present state: %+v, asked %v", a.Error, r.was())
	}
}
