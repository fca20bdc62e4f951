package offsite

import (
	"os"
	"path/filepath"
	"testing"

	"gateway/lab/sshtest"
)

// shows BAK-25, BAK-27, BAK-28
func TestAnArchiveIsUploadedBySFTP(t *testing.T) {
	f := newFiles(t, sshtest.Options{})
	d := wires{serverAddr: f.wire}.deps()
	f.mkdir(t, "archives")
	const size = 6<<20 + 321
	for _, tc := range []struct {
		name   string
		change func(*SFTP)
	}{
		{"with a password", func(*SFTP) {}},
		{"with a private key", func(s *SFTP) { s.Password, s.PrivateKey = "", key(f.PrivateKey) }},
		{"with a wrong password and a private key", func(s *SFTP) { s.Password, s.PrivateKey = "wrong", key(f.PrivateKey) }},
		{"into a folder", func(s *SFTP) { s.Dir = "archives" }},
		{"in the place of an earlier one", func(*SFTP) {}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			target := with(f.target(), func(_ *S3, s *SFTP) { tc.change(s) })
			if _, err := target.Put(t.Context(), d, "one.gwb", size, archive{2}); err != nil {
				t.Fatal(err)
			}
			if _, whole := f.has(filepath.Join(target.SFTP.Dir, "one.gwb"), archive{2}, size); !whole {
				t.Error("the server has something else")
			}
			if got := f.left(); got != 0 {
				t.Errorf("unfinished files = %d, want 0", got)
			}
		})
	}
}

// shows BAK-29
func TestAServerWithAnotherKeyGetsNothing(t *testing.T) {
	old, changed := newFiles(t, sshtest.Options{}), newFiles(t, sshtest.Options{})
	d := wires{serverAddr: changed.wire}.deps()
	for _, kind := range []string{"ed25519", "ecdsa", "rsa"} {
		target := with(old.target(), func(_ *S3, s *SFTP) {
			s.Fingerprint, s.PrivateKey = old.Fingerprints[kind], key(old.PrivateKey)
		})
		_, err := target.Put(t.Context(), d, "one.gwb", 1000, archive{1})
		code(t, err, CodeHostKey)
		if _, params := CodeOf(err); params["expected"] != old.Fingerprints[kind] || params["seen"] != changed.Fingerprints["ed25519"] {
			t.Errorf("told %v, the server has %v", params, changed.Fingerprints)
		}
		_, err = target.Test(t.Context(), d)
		code(t, err, CodeHostKey)
	}
	if got := changed.Logins(); got != 0 || changed.conns.Load() == 0 {
		t.Errorf("logins = %d at %d connections, want 0 at some", got, changed.conns.Load())
	}
	// The control: with its own key, of any kind, it is told who we are.
	for _, kind := range []string{"ed25519", "ecdsa", "rsa"} {
		target := with(changed.target(), func(_ *S3, s *SFTP) { s.Fingerprint = changed.Fingerprints[kind] })
		if _, err := target.Put(t.Context(), d, "one.gwb", 1000, archive{1}); err != nil {
			t.Errorf("with its %s key: %v", kind, err)
		}
	}
	if got := changed.Logins(); got < 3 {
		t.Errorf("logins = %d, want at least 3", got)
	}
}

// shows BAK-30
func TestTheFirstHostKeyIsTrusted(t *testing.T) {
	f := newFiles(t, sshtest.Options{})
	d := wires{serverAddr: f.wire}.deps()
	target := with(f.target(), func(_ *S3, s *SFTP) { s.Fingerprint = "" })
	seen, err := target.Test(t.Context(), d)
	if err != nil || seen.Fingerprint != f.Fingerprints["ed25519"] {
		t.Errorf("saw %q, %v, want %q", seen.Fingerprint, err, f.Fingerprints["ed25519"])
	}
	seen, err = with(target, func(_ *S3, s *SFTP) { s.Password = "wrong" }).Test(t.Context(), d)
	code(t, err, CodeCredentials)
	if seen.Fingerprint != f.Fingerprints["ed25519"] {
		t.Errorf("after a failure saw %q, want %q", seen.Fingerprint, f.Fingerprints["ed25519"])
	}
}

// shows BAK-33
func TestATestOfAServerUploadsAKilobyteAndRemovesIt(t *testing.T) {
	f := newFiles(t, sshtest.Options{})
	d := wires{serverAddr: f.wire}.deps()
	before, err := os.Stat(f.Folder())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.target().Test(t.Context(), d); err != nil {
		t.Fatal(err)
	}
	after, err := os.Stat(f.Folder())
	if err != nil || !after.ModTime().After(before.ModTime()) {
		t.Errorf("nothing was ever in the folder: %v", err)
	}
	if got := f.sent.Load(); got < probeSize {
		t.Errorf("sent %d bytes, want at least %d", got, probeSize)
	}
	if left, err := os.ReadDir(f.Folder()); err != nil || len(left) != 0 {
		t.Errorf("left behind: %v, %v", left, err)
	}
	if err := os.Chmod(f.Folder(), 0o555); err != nil {
		t.Fatal(err)
	}
	_, err = f.target().Test(t.Context(), d)
	code(t, err, CodeDenied)
}

func TestAServerSaysWhatIsWrong(t *testing.T) {
	f, other := newFiles(t, sshtest.Options{}), newFiles(t, sshtest.Options{})
	d := wires{serverAddr: f.wire}.deps()
	for _, tc := range []struct {
		name   string
		change func(*SFTP)
		want   Code
	}{
		{"a wrong password", func(s *SFTP) { s.Password = "wrong" }, CodeCredentials},
		{"a wrong user", func(s *SFTP) { s.User = "nobody" }, CodeCredentials},
		{"a key that the server does not know", func(s *SFTP) { s.Password, s.PrivateKey = "", key(other.PrivateKey) }, CodeCredentials},
		{"a key that is none", func(s *SFTP) { s.PrivateKey = "bm9uZQ==" }, CodePrivateKey},
		{"a key that is not even base64", func(s *SFTP) { s.PrivateKey = "%" }, CodePrivateKey},
		{"no such folder", func(s *SFTP) { s.Dir = "elsewhere" }, CodeFolder},
		{"neither password nor key", func(s *SFTP) { s.Password = "" }, CodeSettings},
		{"no such host", func(s *SFTP) { s.Host = "nowhere.example" }, CodeUnreachable},
	} {
		t.Run(tc.name, func(t *testing.T) {
			target := with(f.target(), func(_ *S3, s *SFTP) { tc.change(s) })
			_, err := target.Put(t.Context(), d, "one.gwb", 1000, archive{1})
			code(t, err, tc.want)
		})
	}
	if left, err := os.ReadDir(f.Folder()); err != nil || len(left) != 0 {
		t.Errorf("left behind: %v, %v", left, err)
	}
}

func TestAServerThatIsFullIsKnownBeforeAndDuringAnUpload(t *testing.T) {
	f := newFiles(t, sshtest.Options{Room: "12m"})
	d := wires{serverAddr: f.wire}.deps()
	_, err := f.target().Put(t.Context(), d, "large.gwb", 16<<20, archive{1})
	code(t, err, CodeFull)
	if got := f.sent.Load(); got > 64<<10 {
		t.Errorf("sent %d bytes of what cannot fit", got)
	}
	// Somebody else fills it while we upload.
	f.spoil(0, 0, 4<<20)
	filled := make(chan error, 1)
	go func() {
		f.await(2 << 20)
		filled <- os.WriteFile(filepath.Join(f.Folder(), "other"), make([]byte, 8<<20), 0o600)
	}()
	_, err = f.target().Put(t.Context(), d, "medium.gwb", 10<<20, archive{1})
	code(t, err, CodeFull)
	if err := <-filled; err != nil {
		t.Logf("the disk was full before: %v", err)
	}
	if there, _ := f.has("medium.gwb", archive{1}, 10<<20); there || f.left() != 0 {
		t.Errorf("there = %t, unfinished = %d, want false and 0", there, f.left())
	}
	f.heal()
	if _, err := f.target().Put(t.Context(), d, "small.gwb", 1<<20, archive{1}); err != nil {
		t.Errorf("one that fits: %v", err)
	}
}

func TestWhatASessionLeavesWhenItIsCutIsRemovedByTheNext(t *testing.T) {
	f := newFiles(t, sshtest.Options{})
	d := wires{serverAddr: f.wire}.deps()
	const size = 8 << 20
	f.spoil(size/2, 0, 0)
	_, err := f.target().Put(t.Context(), d, "one.gwb", size, archive{1})
	code(t, err, CodeInterrupted)
	if there, _ := f.has("one.gwb", archive{1}, size); there || f.left() != 1 {
		t.Fatalf("there = %t, unfinished = %d, want false and 1: the cable was cut in the middle", there, f.left())
	}
	f.heal()
	if _, err := f.target().Put(t.Context(), d, "one.gwb", size, archive{1}); err != nil {
		t.Fatal(err)
	}
	if _, whole := f.has("one.gwb", archive{1}, size); !whole || f.left() != 0 {
		t.Errorf("whole = %t, unfinished = %d, want true and 0", whole, f.left())
	}
}
