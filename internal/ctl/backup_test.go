package ctl

import (
	"encoding/json"
	"strings"
	"testing"
)

// As POST /backups answers.
func TestABackupInWords(t *testing.T) {
	for _, tc := range []struct {
		name, answer, printed, verdict string
		exit                           int
	}{
		{"complete", `{"id":"1","file":"1.gwb","size":1500000,"status":"done","remote_uploads":[{"name":"vault","state":"done"}]}`, "1: 1.gwb, 1.5 MB\nuploaded to vault\n", "", 0},
		{"failed", `{"id":"1","status":"failed","error":{"message":"the disk of this node is full"}}`, "", "the backup failed: the disk of this node is full", exitFailed},
		{
			"one upload failed", `{"id":"1","file":"1.gwb","status":"done","remote_uploads":[{"name":"a","state":"failed","error":{"message":"no"}},{"name":"b","state":"pending"}]}`,
			"1: 1.gwb, 0.0 MB\n", "not uploaded to a: no\nstill being uploaded to b", exitFailed,
		},
		{"running", `{"id":"1","status":"running"}`, "", "the backup 1 is still being made; see \"gateway-ctl backup list\"", exitUnavailable},
	} {
		t.Run(tc.name, func(t *testing.T) {
			var b backup
			if err := json.Unmarshal([]byte(tc.answer), &b); err != nil {
				t.Fatal(err)
			}
			var out strings.Builder
			b.print(&out)
			said, exit := "", 0
			if err := b.verdict(); err != nil {
				said, exit = err.Error(), err.(*coded).code //nolint:errorlint // it is made just there
			}
			if out.String() != tc.printed || said != tc.verdict || exit != tc.exit {
				t.Errorf("printed %q, said %q, exit code %d", out.String(), said, exit)
			}
		})
	}
}

func TestBackupsInWords(t *testing.T) {
	var all []backup
	text := `[{"id":"2","kind":"manual","status":"failed","error":{"message":"no"},"verify_status":"none"},{"id":"1","kind":"scheduled","size":2000000,"status":"done","verify_status":"failed","verify_error":{"message":"cut"}}]`
	if err := json.Unmarshal([]byte(text), &all); err != nil {
		t.Fatal(err)
	}
	var out strings.Builder
	printBackups(&out, all)
	for _, want := range []string{"failed: no", "2.0 MB  done", "failed: cut"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("printed %q, want %q in it", out.String(), want)
		}
	}
}
