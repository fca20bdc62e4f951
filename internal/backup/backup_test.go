package backup_test

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"filippo.io/age"

	"gateway/internal/backup"
	"gateway/internal/backup/archive"
)

const passphrase = "correct horse battery staple"

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func keyFile(t *testing.T) (string, *backup.Keys) {
	t.Helper()
	path := filepath.Join(t.TempDir(), backup.KeyFile)
	k, err := backup.OpenKeys(path)
	must(t, err)
	return path, k
}

// small is an archive without rows.
func small(t *testing.T, k *backup.Keys) []byte {
	t.Helper()
	var out bytes.Buffer
	h := archive.Header{Escrow: k.Escrow(), About: archive.About{
		ID: "0198c0de-0000-7000-8000-000000000001", Product: "0.1.0", Kind: "manual", Created: time.Unix(1, 0), Schema: []int64{1},
	}}
	w, err := archive.NewWriter(&out, h, k.Sealing())
	must(t, err)
	must(t, w.Manifest(archive.Manifest{}))
	_, err = w.Close()
	must(t, err)
	return out.Bytes()
}

func reads(t *testing.T, data []byte, o archive.Opening) error {
	t.Helper()
	_, _, err := archive.Check(bytes.NewReader(data), o)
	return err
}

func TestTheKeysAreMadeOnceAndKept(t *testing.T) {
	path, k := keyFile(t)
	data := small(t, k)
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			again, err := backup.OpenKeys(path)
			if err != nil {
				t.Error(err)
				return
			}
			o, err := again.Opening()
			if err != nil || reads(t, data, o) != nil {
				t.Error("the keys opened again do not read what the first ones wrote")
			}
		})
	}
	wg.Wait()
	if info, err := os.Stat(path); err != nil || info.Mode() != 0o400 {
		t.Errorf("mode = %v, %v; want 0400", info.Mode(), err)
	}
}

func TestArchiveAndPassphraseSuffice(t *testing.T) {
	path, k := keyFile(t)
	if k.HasPassphrase() {
		t.Fatal("new keys have a passphrase")
	}
	before := small(t, k)
	must(t, k.SetPassphrase(path, passphrase))
	data := small(t, k)
	h, err := archive.ReadHeader(bytes.NewReader(data))
	must(t, err)
	o, err := backup.FromPassphrase(h, passphrase)
	must(t, err)
	must(t, reads(t, data, o))
	if err := reads(t, before, o); !errors.Is(err, archive.ErrKey) {
		t.Errorf("an archive from before the passphrase: %v, want another key", err)
	}
	own, err := k.Opening()
	must(t, err)
	for _, d := range [][]byte{before, data} {
		must(t, reads(t, d, own))
	}
	if _, err := backup.FromPassphrase(h, passphrase+" "); !errors.Is(err, backup.ErrPassphrase) {
		t.Errorf("a wrong passphrase: %v", err)
	}
	old, err := archive.ReadHeader(bytes.NewReader(before))
	must(t, err)
	if _, err := backup.FromPassphrase(old, passphrase); !errors.Is(err, backup.ErrNoPassphrase) {
		t.Errorf("without an escrow: %v", err)
	}
}

func TestANewPassphraseHoldsFromThenOn(t *testing.T) {
	path, k := keyFile(t)
	must(t, k.SetPassphrase(path, passphrase))
	first := small(t, k)
	must(t, k.SetPassphrase(path, "another one"))
	again, err := backup.OpenKeys(path)
	must(t, err)
	second := small(t, again)
	for _, tc := range []struct {
		data  []byte
		with  string
		opens bool
	}{{first, passphrase, true}, {first, "another one", false}, {second, passphrase, false}, {second, "another one", true}} {
		h, err := archive.ReadHeader(bytes.NewReader(tc.data))
		must(t, err)
		o, err := backup.FromPassphrase(h, tc.with)
		if (err == nil) != tc.opens {
			t.Errorf("%q: %v, want it to open: %t", tc.with, err, tc.opens)
		}
		if err == nil {
			must(t, reads(t, tc.data, o))
		}
	}
	if err := k.SetPassphrase(path, ""); err == nil {
		t.Error("an empty passphrase was taken")
	}
}

// A stranger's header must not make us take a gigabyte of memory.
func TestTooMuchWorkIsRefused(t *testing.T) {
	var out bytes.Buffer
	r, err := age.NewScryptRecipient(passphrase)
	must(t, err)
	r.SetWorkFactor(17)
	w, err := age.Encrypt(&out, r)
	must(t, err)
	must(t, w.Close())
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	_, err = backup.FromPassphrase(archive.Header{Escrow: out.Bytes()}, passphrase)
	runtime.ReadMemStats(&after)
	if taken := after.TotalAlloc - before.TotalAlloc; !errors.Is(err, archive.ErrDamaged) || taken > 1<<20 {
		t.Errorf("%v after %d bytes, want it refused before any work", err, taken)
	}
}

func TestNothingPrintsTheKeys(t *testing.T) {
	path, k := keyFile(t)
	must(t, k.SetPassphrase(path, passphrase))
	text := fmt.Sprint(k) + fmt.Sprintf("%v %+v %#v", k, k, k)
	if strings.Contains(text, "AGE-SECRET") || strings.Contains(text, "identity") {
		t.Errorf("printed %s", text)
	}
	must(t, os.Chmod(path, 0o600))
	must(t, os.WriteFile(path, []byte(`{"version":1,"identity":"AGE-SECRET-KEY-1QQQ","mac":"`+strings.Repeat("A", 43)+`="}`), 0o600))
	if _, err := backup.OpenKeys(path); err == nil || strings.Contains(err.Error(), "AGE-SECRET") {
		t.Errorf("err = %v, want one that does not quote the file", err)
	}
}

func TestTheStateFilesAreTheOnesOfTheList(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"master.key", "setup.json", ".setup-code", "audit-queue.jsonl", backup.KeyFile} {
		must(t, os.WriteFile(filepath.Join(dir, name), []byte(name), 0o600))
	}
	files, err := backup.ReadFiles(dir)
	must(t, err)
	if len(files) != 2 || files[0].Name != "setup.json" || string(files[1].Data) != "master.key" {
		t.Errorf("files = %v", files)
	}
	must(t, os.Chmod(filepath.Join(dir, "master.key"), 0o644))
	if _, err := backup.ReadFiles(dir); err == nil {
		t.Error("a key that others may read was taken")
	}
}
