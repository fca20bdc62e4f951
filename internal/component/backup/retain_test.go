package backup

import (
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"gateway/internal/api/apitest"
	"gateway/internal/backup/offsite"
	"gateway/lab/sshtest"
)

// nameOf is what a backup is called at targets.
func nameOf(b Backup) string {
	return offsite.Name{Host: "gw1", Node: strings.Repeat("0", 32), At: b.StartedAt, ID: b.ID}.String()
}

// Whoever may write to a target too, such as another node that shares it, can use any name. That has none of this node's archives
// removed, and none of theirs.
func TestRetentionAtATargetHeedsOnlyWhatThisNodePutThere(t *testing.T) {
	server := sshtest.New(t, sshtest.Options{})
	r := newRig(t)
	r.quiet()
	r.noon()
	target := r.target(apitest.With(vault(server), body{"keep": 2}))
	there := func(b Backup) bool {
		_, err := os.Stat(filepath.Join(server.Folder(), nameOf(b)))
		return err == nil
	}
	put := func(when string, want ...bool) (now []Backup) {
		t.Helper()
		r.pass(time.Minute)
		r.make()
		list := r.list()
		slices.Reverse(list)
		for i, b := range list {
			if there(b) != want[i] {
				t.Errorf("%s: backup %d is at the target: %t", when, i, there(b))
			}
		}
		return list
	}
	foreign := func(when string, want int) {
		t.Helper()
		if got := r.readTarget(target.ID).Foreign; got != want {
			t.Errorf("%s: %d foreign archives, want %d", when, got, want)
		}
	}
	put("one", true)
	put("two", true, true)
	foreign("two", 0)
	var forged []string
	for n := range 5 {
		name := offsite.Name{Host: "gw1", Node: strings.Repeat("0", 32), At: r.now().Add(time.Duration(n) * time.Second), ID: fmt.Sprintf("0000000%d", n)}.String()
		forged = append(forged, filepath.Join(server.Folder(), name))
		if err := os.WriteFile(forged[n], []byte("not an archive"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	put("with forged names", false, true, true)
	foreign("with forged names", 5)
	for _, path := range forged {
		if _, err := os.Stat(path); err != nil {
			t.Errorf("what is not ours was removed: %v", err)
		}
	}

	// Elsewhere for a while, and back: what was put here is still known.
	if err := os.Mkdir(filepath.Join(server.Folder(), "other"), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(filepath.Join(server.Folder(), "other"), 0o777); err != nil {
		t.Fatal(err)
	}
	path := targetsPath + "/" + target.ID
	r.Do("PUT", path, apitest.With(vault(server, body{"password": masked, "remote_dir": "other"}), body{"keep": 2})).Want(http.StatusOK)
	put("elsewhere", false, true, true, false)
	foreign("elsewhere", 0)
	r.Do("PUT", path, apitest.With(vault(server, body{"password": masked}), body{"keep": 2})).Want(http.StatusOK)
	put("back", false, false, true, false, true)
	foreign("back", 5)

	// On a new machine nothing is known: what is there stays.
	r.exec(`delete from backup_uploads`)
	put("restored elsewhere", false, false, true, false, true, true)
	foreign("restored elsewhere", 7)
}

// A target that shows nothing for once, such as a disk that is not mounted, has not lost what is there.
func TestAnOddListingForgetsNoArchive(t *testing.T) {
	server := sshtest.New(t, sshtest.Options{})
	r := newRig(t)
	r.quiet()
	r.noon()
	target := r.target(apitest.With(vault(server), body{"keep": 2}))
	put := func() (path string) {
		r.pass(time.Minute)
		r.make()
		return filepath.Join(server.Folder(), nameOf(r.list()[0]))
	}
	elsewhere := filepath.Join(server.Folder(), "elsewhere")
	if err := os.Mkdir(elsewhere, 0o777); err != nil {
		t.Fatal(err)
	}
	move := func(from, to string) {
		t.Helper()
		if err := os.Rename(from, to); err != nil {
			t.Fatal(err)
		}
	}
	paths := []string{put(), put()}
	for _, path := range paths {
		move(path, filepath.Join(elsewhere, filepath.Base(path)))
	}
	put()
	for _, path := range paths {
		move(filepath.Join(elsewhere, filepath.Base(path)), path)
	}
	put()
	for n, path := range paths {
		if _, err := os.Stat(path); err == nil {
			t.Errorf("backup %d stayed", n)
		}
	}
	if got := r.readTarget(target.ID).Foreign; got != 0 {
		t.Errorf("%d archives of this node are foreign", got)
	}
}

// What is known of targets is bounded.
func TestOldClaimsAreForgotten(t *testing.T) {
	r := newRig(t)
	r.quiet()
	r.target(bucket())
	const place = "s3.example.com/archives/gw/1"
	r.exec(`insert into backup_uploads (place, name, put_at) select $1, 'a-' || n, now() - interval '5 years' + n * interval '1 day' from generate_series(1, 1003) n`, place)
	r.exec(`insert into backup_uploads (place, name, put_at) values ('gone', 'old', now() - interval '366 days'), ('gone', 'new', now() - interval '300 days')`)
	r.tick()
	if n := r.count(`select count(*) from backup_uploads where place = '` + place + `'`); n != mostClaims {
		t.Errorf("%d names of a target are known", n)
	}
	if n := r.count(`select count(*) from backup_uploads where name in ('a-3', 'old')`); n != 0 {
		t.Errorf("%d old ones are left", n)
	}
	if n := r.count(`select count(*) from backup_uploads where name in ('a-4', 'new')`); n != 2 {
		t.Errorf("%d of two younger ones are left", n)
	}
}
