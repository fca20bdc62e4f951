package backup

import (
	"net/http"
	"testing"

	"gateway/internal/backup/offsite"
	"gateway/lab/sshtest"
)

// An upload that ends late must not bring a host key back that was replaced while it ran.
func TestALateUploadReplacesNoNewerHostKey(t *testing.T) {
	const seen, newer = "SHA256:seen", "SHA256:newer"
	server := sshtest.New(t, sshtest.Options{})
	r := newRig(t)
	for _, tc := range []struct {
		name  string
		since func(id string) // what happens while it runs
		want  string
	}{
		{"nothing happened", func(string) {}, seen},
		{"its result was noted", func(id string) {
			r.exec(`insert into backup_target_status (target_id, last_upload_at) values ($1, now())`, id)
		}, seen},
		{"another key was pinned", func(id string) {
			r.exec(`insert into backup_target_status (target_id, host, host_key) values ($1, 'x:22', $2)`, id, newer)
		}, newer},
		{"the server is another one", func(id string) {
			r.Do("PUT", targetsPath+"/"+id, vault(server, body{"host": "192.0.2.1"})).Want(http.StatusOK)
		}, ""},
		{"the operator entered a key", func(id string) {
			r.Do("PUT", targetsPath+"/"+id, vault(server, body{"host_key_fingerprint": "SHA256:uNiVztksCsDhcc0u9e8BrrJXVGDXYfu5WXn0wNDRjNE"})).Want(http.StatusOK)
		}, ""},
		{"the target was deleted", func(id string) { r.Do("DELETE", targetsPath+"/"+id, nil).Want(http.StatusOK) }, ""},
	} {
		t.Run(tc.name, func(t *testing.T) {
			made := r.target(vault(server))
			began, err := r.s.findTarget(t.Context(), made.ID)
			if err != nil {
				t.Fatal(err)
			}
			tc.since(made.ID)
			if err := r.s.pin(t.Context(), began, offsite.Result{Fingerprint: seen}); err != nil {
				t.Fatal(err)
			}
			var got string
			if err := r.s.DB.QueryRow(t.Context(), `select coalesce((select host_key from backup_target_status where target_id = $1), '')`, made.ID).Scan(&got); err != nil || got != tc.want {
				t.Errorf("the key is %q, want %q (%v)", got, tc.want, err)
			}
			r.exec(`delete from backup_targets`)
		})
	}
}
