package backup

import (
	"net/http"
	"slices"
	"strings"
	"testing"

	"gateway/internal/api/apitest"
)

func bucket(more ...body) body {
	settings := body{"endpoint": "s3.example.com", "bucket": "archives", "access_key": "AKIA1", "secret_key": "top secret", "path_prefix": "/gw/1/"}
	return body{"kind": "s3", "settings": apitest.With(settings, more...)}
}

func folder(more ...body) body {
	settings := body{"host": "vault.example.com", "username": "keeper", "password": "pass word", "remote_dir": "/srv/gw"}
	return body{"kind": "sftp", "settings": apitest.With(settings, more...)}
}

func (r *rig) target(in body) Target {
	r.T.Helper()
	var t Target
	r.Do("POST", targetsPath, in).Want(http.StatusCreated).Into(&t)
	return t
}

// secrets are those that are stored of a target.
func (r *rig) secrets(id string) map[string]string {
	r.T.Helper()
	var sealed []byte
	if err := r.Pool.QueryRow(r.T.Context(), `select secrets from backup_targets where id = $1`, id).Scan(&sealed); err != nil {
		r.T.Fatal(err)
	}
	out, err := r.s.open(id, sealed)
	if err != nil {
		r.T.Fatal(err)
	}
	return out
}

// shows BAK-23, BAK-24*, BAK-26, BAK-31, BAK-32
func TestAnObjectStoreIsAdded(t *testing.T) {
	r := newRig(t)
	made := r.target(bucket())
	want := PlainSettings{Endpoint: "s3.example.com", Region: "us-east-1", Bucket: "archives", AccessKey: "AKIA1", PathPrefix: "gw/1"}
	https := made.Settings.HTTPS
	if made.Settings.HTTPS = nil; made.Settings.PlainSettings != want || https == nil || !*https || made.Settings.SecretKey != masked {
		t.Errorf("settings = %+v, want %+v with TLS and the secret masked", made.Settings, want)
	}
	if made.Name != "archives (s3.example.com)" || !made.Active || made.Keep != 0 || made.TargetURL != "https://s3.example.com/archives/gw/1" || made.LastUploadAt != nil || made.LastError != nil {
		t.Errorf("made %+v", made)
	}
	path := targetsPath + "/" + made.ID
	change := bucket(body{"secret_key": masked, "bucket": "others"})
	change["keep"], change["active"] = 3, false
	var now Target
	r.Do("PUT", path, change).Want(http.StatusOK).Into(&now)
	if now.Keep != 3 || now.Active || now.TargetURL != "https://s3.example.com/others/gw/1" || now.Settings.SecretKey != masked || r.secrets(made.ID)["secret_key"] != "top secret" {
		t.Errorf("changed to %+v, want the secret kept", now)
	}
	r.Do("PUT", path, bucket(body{"secret_key": "another"})).Want(http.StatusOK)
	if got := r.secrets(made.ID)["secret_key"]; got != "another" {
		t.Errorf("the secret is %q", got)
	}
	for _, role := range []string{"admin", "viewer"} {
		if text := r.As(role, "GET", targetsPath, nil).Want(http.StatusOK).Text; strings.Contains(text, "another") || !strings.Contains(text, masked) {
			t.Errorf("%s reads %s", role, text)
		}
	}
	r.As("viewer", "POST", targetsPath, bucket()).Want(http.StatusForbidden)
	r.As("viewer", "POST", path+"/test", nil).Want(http.StatusForbidden)
	r.Do("DELETE", path, nil).Want(http.StatusOK)
	r.Do("GET", path, nil).Want(http.StatusNotFound)
}

// shows BAK-27
func TestAServerWithSFTPIsAdded(t *testing.T) {
	r := newRig(t)
	const print = "SHA256:uNiVztksCsDhcc0u9e8BrrJXVGDXYfu5WXn0wNDRjNE"
	made := r.target(folder(body{"port": 2222, "host_key_fingerprint": print}))
	want := PlainSettings{Host: "vault.example.com", Port: 2222, Username: "keeper", RemoteDir: "/srv/gw", Fingerprint: print}
	if made.Settings.PlainSettings != want || made.Settings.Password != masked || made.Settings.PrivateKey != "" || made.HostKey != "" {
		t.Errorf("settings = %+v, want %+v", made.Settings, want)
	}
	if made.Name != "vault.example.com" || made.TargetURL != "sftp://keeper@vault.example.com:2222/srv/gw" {
		t.Errorf("made %+v", made)
	}
}

func TestWhatATargetMayBe(t *testing.T) {
	r := newRig(t)
	for _, tc := range []struct {
		name, field string
		in          body
	}{
		{"a kind that there is not", "kind", body{"kind": "ftp", "settings": body{}}},
		{"no settings", "settings.bucket", body{"kind": "s3", "settings": body{}}},
		{"an endpoint that is a URL", "settings.endpoint", bucket(body{"endpoint": "https://s3.example.com"})},
		{"an endpoint with a port that there is not", "settings.endpoint", bucket(body{"endpoint": "s3.example.com:0"})},
		{"a bucket with a slash", "settings.bucket", bucket(body{"bucket": "a/b/c"})},
		{"a region with a slash", "settings.region", bucket(body{"region": "a/b"})},
		{"a prefix that leads elsewhere", "settings.path_prefix", bucket(body{"path_prefix": "a/../b"})},
		{"a prefix with a question mark", "settings.path_prefix", bucket(body{"path_prefix": "a?b"})},
		{"no key", "settings.access_key", bucket(body{"access_key": ""})},
		{"no secret", "settings.secret_key", bucket(body{"secret_key": ""})},
		{"a secret that is not stored", "settings.secret_key", bucket(body{"secret_key": masked})},
		{"a host of an object store", "settings.host", bucket(body{"host": "vault.example.com"})},
		{"no host", "settings.host", folder(body{"host": ""})},
		{"no user", "settings.username", folder(body{"username": ""})},
		{"neither password nor key", "settings.password", folder(body{"password": ""})},
		{"a password of two lines", "settings.password", folder(body{"password": "a\nb"})},
		{"a key that is none", "settings.private_key", folder(body{"private_key": "bm9uZQ=="})},
		{"a folder of two lines", "settings.remote_dir", folder(body{"remote_dir": "/a\n/b"})},
		{"a fingerprint of MD5", "settings.host_key_fingerprint", folder(body{"host_key_fingerprint": "MD5:00"})},
		{"a bucket of a server", "settings.bucket", folder(body{"bucket": "archives"})},
		{"a name of two lines", "name", apitest.With(bucket(), body{"name": "a\nb"})},
	} {
		t.Run(tc.name, func(t *testing.T) {
			if a := r.Do("POST", targetsPath, tc.in).Want(http.StatusBadRequest); a.Complaint(tc.field) == "" {
				t.Errorf("complaints = %+v, want one about %s", a.Error.Fields, tc.field)
			}
		})
	}
	for i := range mostTargets {
		r.target(apitest.With(bucket(body{"endpoint": "[2001:db8::1]:9000"}), body{"name": string(rune('a' + i))}))
	}
	r.Do("POST", targetsPath, folder()).Want(http.StatusConflict)
}

// A stored secret is not sent to another server than the one it was given for.
func TestASecretDoesNotMove(t *testing.T) {
	r := newRig(t)
	store, server := targetsPath+"/"+r.target(bucket()).ID, targetsPath+"/"+r.target(folder()).ID
	for _, more := range []body{{"endpoint": "evil.example.com"}, {"endpoint": "s3.example.com:8443"}, {"https": false}, {"access_key": "AKIA2"}} {
		if a := r.Do("PUT", store, bucket(more, body{"secret_key": masked})).Want(http.StatusBadRequest); a.Complaint("settings.secret_key") == "" {
			t.Errorf("%v: complaints = %+v", more, a.Error.Fields)
		}
	}
	for _, more := range []body{{"host": "evil.example.com"}, {"port": 2222}, {"username": "root"}} {
		if a := r.Do("PUT", server, folder(more, body{"password": masked})).Want(http.StatusBadRequest); a.Complaint("settings.password") == "" {
			t.Errorf("%v: complaints = %+v", more, a.Error.Fields)
		}
	}
	if a := r.Do("PUT", server, apitest.With(bucket(body{"secret_key": masked}))).Want(http.StatusBadRequest); a.Complaint("settings.secret_key") == "" {
		t.Errorf("another kind: complaints = %+v", a.Error.Fields)
	}
	r.Do("PUT", server, folder(body{"password": masked, "remote_dir": "/elsewhere"})).Want(http.StatusOK)
}

// Who has another host key may be in the server's place: a route or a name is enough for that.
func TestAPasswordIsNotForAnotherHostKey(t *testing.T) {
	const first, second = "SHA256:uNiVztksCsDhcc0u9e8BrrJXVGDXYfu5WXn0wNDRjNE", "SHA256:AAAAztksCsDhcc0u9e8BrrJXVGDXYfu5WXn0wNDRjNE"
	for _, tc := range []struct {
		name                string
		stored, pinned, new string
		refused             bool
	}{
		{"another than the stored one", first, "", second, true},
		{"another than the pinned one", "", first, second, true},
		{"none in place of the stored one, with nothing pinned", first, "", "", true},
		{"the pinned one", "", first, first, false},
		{"none in place of the one that is pinned too", first, first, "", false},
		{"the first one", "", "", first, false},
	} {
		t.Run(tc.name, func(t *testing.T) {
			r := newRig(t)
			made := r.target(folder(body{"host_key_fingerprint": tc.stored}))
			if tc.pinned != "" {
				r.exec(`insert into backup_target_status (target_id, host, host_key) select id, (settings ->> 'host') || ':' || (settings ->> 'port'), '` + tc.pinned + `' from backup_targets`)
			}
			a := r.Do("PUT", targetsPath+"/"+made.ID, folder(body{"host_key_fingerprint": tc.new, "password": masked}))
			if refused := a.Status == http.StatusBadRequest && a.Complaint("settings.password") != ""; refused != tc.refused || !refused && a.Status != http.StatusOK {
				t.Errorf("answered %d %+v, refused %v", a.Status, a.Error, refused)
			}
			r.Do("PUT", targetsPath+"/"+made.ID, folder(body{"host_key_fingerprint": tc.new, "password": "entered again"})).Want(http.StatusOK)
		})
	}
}

// shows BAK-10: nobody is there, and each target says so.
func TestEachTargetHasItsResult(t *testing.T) {
	r := newRig(t)
	r.target(bucket(body{"endpoint": "127.0.0.1:1", "https": false}))
	off := folder(body{"host": "127.0.0.1", "port": 2})
	off["active"] = false
	r.target(off)
	second := r.target(apitest.With(folder(body{"host": "127.0.0.1", "port": 1}), body{"name": "vault"}))
	b := r.make()
	if b.Status != done || len(b.RemoteUploads) != 2 {
		t.Fatalf("made %+v, want it complete with a result for each of the two active ones", b)
	}
	for _, u := range b.RemoteUploads {
		if u.State != failed || u.Error == nil || u.Error.Text != "the target %s cannot be reached" || u.At == nil {
			t.Errorf("upload %+v", u)
		}
	}
	var now Target
	r.Do("GET", targetsPath+"/"+second.ID, nil).Want(http.StatusOK).Into(&now)
	if now.LastError == nil || now.LastErrorAt == nil || now.LastUploadAt != nil {
		t.Errorf("the target is %+v, want its error", now)
	}
	if got := r.found(); !slices.Contains(got, "backup.target_fails") {
		t.Errorf("problems = %v", got)
	}
}

// What was pending when the process was killed is taken up, or told.
func TestInterruptedUploadsAreTakenUp(t *testing.T) {
	r := newRig(t)
	r.exec(`update backup_settings set daily = false, verify = false`)
	b := r.make()
	one := r.target(bucket(body{"endpoint": "127.0.0.1:1", "https": false}))
	r.exec(`update backups set remote_uploads = jsonb_build_array(
		jsonb_build_object('target_id', $1::text, 'name', 'one', 'state', 'pending', 'at', null),
		jsonb_build_object('target_id', gen_random_uuid(), 'name', 'gone', 'state', 'pending', 'at', null),
		jsonb_build_object('target_id', gen_random_uuid(), 'name', 'was', 'state', 'done', 'at', now()))`, one.ID)
	r.Do("DELETE", "/backups/"+b.ID, nil).Want(http.StatusConflict)
	r.tick()
	got := r.get(b.ID).RemoteUploads
	if len(got) != 3 || got[0].State != failed || got[0].Error.Text != "the target %s cannot be reached" || got[1].State != failed ||
		got[1].Error.Message != "the target was removed or switched off" || got[2].State != done {
		t.Errorf("uploads = %+v", got)
	}
}
