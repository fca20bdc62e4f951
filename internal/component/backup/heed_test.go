package backup

import (
	"errors"
	"io"
	"net"
	"net/http"
	"os"
	"testing"
	"time"

	"gateway/internal/api/apitest"
	"gateway/lab/s3test"
)

// Whoever switches a target off, or deletes it, does not want it to get the rest either.
func TestATargetThatIsNotWantedGetsNoMore(t *testing.T) {
	for name, end := range map[string]func(r *rig, made Target, in body){
		"switched off": func(r *rig, made Target, in body) {
			r.Do("PUT", targetsPath+"/"+made.ID, apitest.With(in, body{"active": false})).Want(http.StatusOK)
		},
		"deleted": func(r *rig, made Target, _ body) { r.Do("DELETE", targetsPath+"/"+made.ID, nil).Want(http.StatusOK) },
	} {
		t.Run(name, func(t *testing.T) {
			silent, held := silence(t)
			r := newRig(t)
			in, made, id := r.slow(silent)
			conn := <-held
			defer conn.Close()
			end(r, made, in)
			hungUp(t, conn)
			r.tick()
			b := r.get(id)
			if b.RemoteUploads[0].State != failed || b.RemoteUploads[0].Error == nil || b.RemoteUploads[0].Error.Text != "the target was removed or switched off" {
				t.Errorf("the upload is %+v", b.RemoteUploads[0])
			}
		})
	}
}

// silence is a target that takes nothing, and who connects to it.
func silence(t *testing.T) (addr string, held chan net.Conn) {
	t.Helper()
	silent, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = silent.Close() })
	held = make(chan net.Conn, 100)
	go func() {
		for {
			conn, err := silent.Accept()
			if err != nil {
				return
			}
			held <- conn
		}
	}()
	return silent.Addr().String(), held
}

// slow begins a backup that goes to such a target.
func (r *rig) slow(addr string) (in body, made Target, id string) {
	r.T.Helper()
	r.s.Outside.Stall = 5 * time.Minute // it would wait that long
	r.quiet()
	in = apitest.With(store(&s3test.Server{Addr: addr}), body{"name": "slow"})
	made = r.target(in)
	return in, made, r.begins()
}

// begins begins a backup, and does not wait for it.
func (r *rig) begins() string {
	r.T.Helper()
	out, err := r.s.answer(r.T.Context(), []byte(`{"kind": "manual"}`))
	if err != nil || out.(begun).ID == "" {
		r.T.Fatalf("begun %+v, %v", out, err)
	}
	return out.(begun).ID
}

// hungUp waits until the node ends a connection.
func hungUp(t *testing.T, conn net.Conn) {
	t.Helper()
	if err := conn.SetReadDeadline(time.Now().Add(20 * time.Second)); err != nil {
		t.Fatal(err)
	}
	if _, err := io.Copy(io.Discard, conn); errors.Is(err, os.ErrDeadlineExceeded) {
		t.Fatal("the upload goes on")
	}
}

// Switched off by mistake and on again, a target gets its copy, and is not called failing.
func TestATargetThatIsOnAgainGetsItsCopy(t *testing.T) {
	silent, held := silence(t)
	objects := s3test.New(t, s3test.Options{})
	r := newRig(t)
	in, made, id := r.slow(silent)
	conn := <-held
	defer conn.Close()
	r.Do("PUT", targetsPath+"/"+made.ID, apitest.With(in, body{"active": false})).Want(http.StatusOK)
	hungUp(t, conn)
	late := time.After(20 * time.Second)
	for !r.s.uploader.idle() {
		select {
		case <-late:
			t.Fatal("the uploader does not leave the target alone")
		case <-time.After(10 * time.Millisecond):
		}
	}
	if b := r.get(id); b.RemoteUploads[0].State != pending || b.Progress != nil {
		t.Errorf("the upload is %+v, progress %v", b.RemoteUploads[0], b.Progress)
	}
	r.Do("PUT", targetsPath+"/"+made.ID, apitest.With(store(objects), body{"name": "slow"})).Want(http.StatusOK)
	if now := r.readTarget(made.ID); now.LastError != nil {
		t.Errorf("the target is called failing: %v", now.LastError)
	}
	r.tick()
	if b := r.get(id); b.RemoteUploads[0].State != done || len(objects.Objects()) != 1 {
		t.Errorf("the upload is %+v, the target has %v", b.RemoteUploads[0], objects.Objects())
	}
}

// The next backup may take minutes to be made, and a target that was deleted does not wait for that.
func TestATargetThatIsNotWantedGetsNoMoreWhileABackupIsMade(t *testing.T) {
	silent, held := silence(t)
	r := newRig(t)
	_, made, _ := r.slow(silent)
	conn := <-held
	defer conn.Close()
	holds := make(chan struct{})
	r.with(func() { r.holds = holds })
	r.begins()
	r.Do("DELETE", targetsPath+"/"+made.ID, nil).Want(http.StatusOK)
	hungUp(t, conn)
	close(holds)
	r.idle()
}
