package backup

import (
	"net"
	"net/http"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"gateway/internal/api/apitest"
	"gateway/internal/backup/offsite"
	"gateway/lab/s3test"
	"gateway/lab/sshtest"
)

func store(s *s3test.Server, more ...body) body {
	return bucket(append([]body{{"endpoint": s.Addr, "https": false, "bucket": s3test.Bucket, "access_key": s3test.AccessKey, "secret_key": s3test.SecretKey, "path_prefix": ""}}, more...)...)
}

func vault(s *sshtest.Server, more ...body) body {
	return folder(append([]body{{"host": s.Host, "port": s.Port, "username": sshtest.User, "password": sshtest.Password, "remote_dir": ""}}, more...)...)
}

func (r *rig) test(id string) TestResult {
	r.T.Helper()
	return apitest.Data[TestResult](r.Do("POST", targetsPath+"/"+id+"/test", nil).Want(http.StatusOK))
}

func (r *rig) readTarget(id string) Target {
	r.T.Helper()
	return apitest.Data[Target](r.Do("GET", targetsPath+"/"+id, nil).Want(http.StatusOK))
}

// shows BAK-10, BAK-25, BAK-33
func TestABackupIsUploadedToEveryActiveTarget(t *testing.T) {
	objects, server := s3test.New(t, s3test.Options{}), sshtest.New(t, sshtest.Options{})
	r := newRig(t)
	r.exec(`update backup_settings set verify = false`)
	first := r.target(apitest.With(store(objects), body{"name": "bucket", "keep": 2}))
	second := r.target(apitest.With(vault(server), body{"name": "vault"}))
	off := store(objects, body{"path_prefix": "off"})
	off["name"], off["active"] = "off", false
	r.target(off)
	wrong := r.target(apitest.With(store(objects, body{"secret_key": "wrong"}), body{"name": "wrong"}))

	for _, one := range []Target{first, second} {
		if got := r.test(one.ID); !got.OK || got.Error != nil {
			t.Errorf("the test of %s says %+v", one.Name, got)
		}
	}
	if got := r.test(wrong.ID); got.OK || got.Error == nil || got.Error.Text != "the target does not accept the user name, password or key" {
		t.Errorf("with a wrong key the test says %+v", got)
	}
	if got := objects.Objects(); len(got) != 0 {
		t.Errorf("the tests left %v", got)
	}
	key := r.readTarget(second.ID).HostKey
	if !strings.HasPrefix(key, "SHA256:") {
		t.Errorf("the host key is %q, want it pinned by the first connection", key)
	}

	b := r.make()
	states := map[string]string{}
	for _, u := range b.RemoteUploads {
		states[u.Name] = u.State
	}
	if b.Status != done || len(states) != 3 || states["bucket"] != done || states["vault"] != done || states["wrong"] != failed {
		t.Fatalf("uploads = %+v", b.RemoteUploads)
	}
	content, err := os.ReadFile(r.s.path(b.ID))
	if err != nil {
		t.Fatal(err)
	}
	object := offsite.Name{Host: "gw1", Node: strings.Repeat("0", 32), At: b.StartedAt, ID: b.ID}.String()
	if got, there := objects.Object(object); !there || string(got) != string(content) {
		t.Errorf("the bucket has %d bytes of the archive's %d; it has %v", len(got), len(content), objects.Objects())
	}
	if now := r.readTarget(first.ID); now.LastUploadAt == nil || now.LastError != nil {
		t.Errorf("the target is %+v, want the time of its upload", now)
	}
	if now := r.readTarget(wrong.ID); now.LastUploadAt != nil || now.LastError == nil {
		t.Errorf("the target is %+v, want why", now)
	}
	for range 2 {
		r.pass(time.Minute)
		r.make()
	}
	if got := objects.Objects(); len(got) != 2 || slices.Contains(got, object) {
		t.Errorf("the bucket has %v, want the two latest", got)
	}
}

func TestAnUploadThatAKillKeptFromBeginningIsTakenUp(t *testing.T) {
	objects := s3test.New(t, s3test.Options{})
	r := newRig(t)
	r.exec(`update backup_settings set verify = false, daily = false`)
	r.target(apitest.With(store(objects), body{"name": "bucket"}))
	began, err := r.s.begin(t.Context(), manual)
	if err != nil {
		t.Fatal(err)
	}
	if err := r.s.write(t.Context(), began); err != nil {
		t.Fatal(err)
	}
	began.unlock() // the process was killed
	if b := r.get(began.id); b.Status != done || b.over() {
		t.Errorf("%+v, want an upload to follow", b)
	}
	r.tick()
	if b := r.get(began.id); len(b.RemoteUploads) != 1 || b.RemoteUploads[0].State != done || len(objects.Objects()) != 1 {
		t.Errorf("uploads = %+v, the bucket has %v", b.RemoteUploads, objects.Objects())
	}
}

// A target that takes nothing for hours keeps neither the next backup from being made, nor another target from getting it.
func TestASlowTargetDelaysNobody(t *testing.T) {
	silent, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	held := make(chan net.Conn, 100)
	go func() {
		for {
			conn, err := silent.Accept()
			if err != nil {
				return
			}
			held <- conn
		}
	}()
	objects := s3test.New(t, s3test.Options{})
	r := newRig(t)
	r.s.Outside.Stall = 5 * time.Minute
	r.quiet()
	r.target(apitest.With(store(objects), body{"name": "fast"}))
	r.target(apitest.With(store(objects, body{"endpoint": silent.Addr().String()}), body{"name": "slow"}))
	states := func(id string) string {
		b := r.get(id)
		return b.Status + " " + b.RemoteUploads[0].State + " " + b.RemoteUploads[1].State
	}
	var made []string
	for range 2 {
		out, err := r.s.answer(t.Context(), []byte(`{"kind": "manual"}`))
		if err != nil || out.(begun).ID == "" {
			t.Fatalf("begun %+v, %v", out, err)
		}
		id := out.(begun).ID
		late := time.After(time.Minute) // the slow one takes five
		for b := r.get(id); b.Status == running || states(id) != "done done pending"; b = r.get(id) {
			select {
			case <-late:
				t.Fatalf("it is %+v", b)
			case <-time.After(10 * time.Millisecond):
			}
		}
		made = append(made, id)
		r.pass(time.Minute)
	}
	if got := objects.Objects(); len(got) != 2 {
		t.Errorf("the other target has %v", got)
	}
	r.Do("DELETE", "/backups/"+made[0], nil).Want(http.StatusConflict)
	// The upload may not have come so far as to be accepted; and nobody else is, once that one ends.
	conn := <-held
	_ = silent.Close()
	_ = conn.Close()
	r.idle()
	for _, id := range made {
		if b := r.get(id); states(id) != "done done failed" || b.RemoteUploads[1].Error == nil || b.Progress != nil {
			t.Errorf("with the slow one gone it is %+v", b)
		}
	}
}

// A key that is not the pinned one is refused, whoever pinned it.
func TestAServerWithAnotherHostKeyGetsNothing(t *testing.T) {
	server := sshtest.New(t, sshtest.Options{})
	r := newRig(t)
	made := r.target(vault(server))
	if got := r.test(made.ID); !got.OK {
		t.Fatalf("the test says %+v", got)
	}
	const other = "SHA256:uNiVztksCsDhcc0u9e8BrrJXVGDXYfu5WXn0wNDRjNE"
	r.exec(`update backup_target_status set host_key = $1`, other)
	got := r.test(made.ID)
	if got.OK || got.Error == nil || !strings.Contains(got.Error.Message, "expected "+other) || got.HostKey == other {
		t.Errorf("with another key the test says %+v", got)
	}
	path := targetsPath + "/" + made.ID
	r.Do("PUT", path, vault(server, body{"password": masked, "host_key_fingerprint": got.HostKey})).Want(http.StatusBadRequest)
	r.Do("PUT", path, vault(server, body{"host_key_fingerprint": got.HostKey})).Want(http.StatusOK)
	if got := r.test(made.ID); !got.OK {
		t.Errorf("with the fingerprint entered the test says %+v", got)
	}
	r.Do("PUT", path, vault(server, body{"password": masked})).Want(http.StatusOK)
	if got := r.test(made.ID); !got.OK {
		t.Errorf("with the fingerprint cleared the test says %+v", got)
	}
	key := vault(server, body{"private_key": server.PrivateKey})
	delete(key["settings"].(body), "password")
	r.Do("PUT", path, key).Want(http.StatusOK)
	if got := r.test(made.ID); !got.OK {
		t.Errorf("with a private key the test says %+v", got)
	}
}
