package ctl

import (
	"bytes"
	"context"
	"errors"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/spf13/cobra"

	"gateway/internal/app"
	"gateway/internal/fault"
	"gateway/internal/restore"
	"gateway/internal/secret/privatefile"
)

// What the owner of the state folder writes there reaches root's terminal.
func TestNoTextOfOthersCommandsTheTerminal(t *testing.T) {
	for in, want := range map[string]string{
		"plain – ä, 中":                "plain – ä, 中",
		"two\nlines\tand a tab":       "two\nlines\tand a tab",
		"\x1b]0;title\a\x1b[2Jgone":   `\x1b]0;title\a\x1b[2Jgone`,
		"\u009b2J":                    `\u009b2J`,
		"safe\r\x7f":                  `safe\r\x7f`,
		"left\u202eright":             `left\u202eright`,
		"not UTF-8: \x9b2J, \xff\x1b": "not UTF-8: \ufffd2J, \ufffd" + `\x1b`,
	} {
		if got := shown(in); got != want {
			t.Errorf("%q is shown as %q, want %q", in, got, want)
		}
	}
	evil, now := "\x1b[2J", time.Now()
	said := fault.Said("%s", evil)
	var out bytes.Buffer
	printRestore(&out, restore.State{Started: &now, Steps: []restore.Step{{Code: evil, State: evil}}, Error: &said, Result: evil})
	printBackups(&out, []backup{{ID: evil, Kind: evil, Status: evil, Error: &failure{evil}, VerifyError: &failure{evil}}})
	backup{ID: evil, File: evil, Status: "done"}.print(&out)
	out.WriteString(verdict(exitFailed, "%s", evil).Error())
	if strings.ContainsRune(out.String(), 0x1b) {
		t.Errorf("printed %q", out.String())
	}
}

// A restore on the node itself keeps what there is now, too, or says that it could not.
func TestARestoreBacksUpWhatThereIsNow(t *testing.T) {
	for _, tc := range []struct {
		name string
		err  error
		says string
	}{
		{"it is made", nil, ""},
		{"the database is away", errors.New("connect: no such file"), "No backup of the current state was made: connect: no such file"},
		{"nobody makes it", fault.New(fault.Unavailable, "gateway-scheduler, which makes backups, does not answer"), "gateway-scheduler, which makes backups, does not answer"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			var out, errs bytes.Buffer
			cmd := &cobra.Command{}
			cmd.SetOut(&out)
			cmd.SetErr(&errs)
			cmd.SetContext(t.Context())
			asked := 0
			snapshot(cmd, func(context.Context) error { asked++; return tc.err })
			if asked != 1 || !strings.Contains(errs.String(), tc.says) || tc.says == "" && errs.Len() > 0 {
				t.Errorf("asked %d times, said %q", asked, errs.String())
			}
		})
	}
}

// Whoever restores on the node itself reads who gets what back, as in the preview of the UI.
func TestARestoreNamesTheAccountsThatItBringsBack(t *testing.T) {
	eve := restore.Account{Email: "eve@example.com\x1b[2J", Now: "disabled", After: "admin"}
	for _, tc := range []struct {
		name string
		p    restore.Preview
		err  error
		says []string
	}{
		{"nobody", restore.Preview{}, nil, nil},
		{"all of them", restore.Preview{Accounts: []restore.Account{
			eve,
			{Email: "a@example.com", Now: "admin", After: "admin", Password: true, SecondFactor: "removed"},
			{Email: "b@example.com", Now: "admin", After: "viewer", SecondFactor: "changed"},
			{Email: "c@example.com", Now: "viewer", After: "viewer", SecondFactor: "returned"},
		}}, nil, []string{
			`  eve@example.com\x1b[2J: disabled -> admin` + "\n", "  a@example.com: admin, password of the backup, no second factor any more\n",
			"  b@example.com: admin -> viewer, second factor of the backup\n", "  c@example.com: viewer, second factor of the backup\n",
			"Accounts whose access, password or second factor changes:\n",
		}},
		{"the database is away", restore.Preview{}, errors.New("connect: no such file"), []string{"were not compared with those of now: connect: no such file"}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			var errs bytes.Buffer
			cmd := &cobra.Command{}
			cmd.SetErr(&errs)
			cmd.SetContext(t.Context())
			nameAccounts(cmd, func(context.Context) (restore.Preview, error) { return tc.p, tc.err })
			for _, want := range tc.says {
				if !strings.Contains(errs.String(), want) {
					t.Errorf("said %q, want %q", errs.String(), want)
				}
			}
			if tc.says == nil && errs.Len() > 0 {
				t.Errorf("said %q", errs.String())
			}
		})
	}
}

// gateway-apply writes them, and a restore reads what it wrote.
func TestARestoreReadsTheAnchorsOfTheAuditLog(t *testing.T) {
	h, err := newHelpers(&app.Config{StateDir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	defer h.Close()
	defer h.State.Close()
	if want := "/var/lib/gateway-apply/audit-anchors.jsonl"; h.Anchors != want {
		t.Errorf("it reads %q, want %q", h.Anchors, want)
	}
}

func TestNoUnitIsStartedByAnotherName(t *testing.T) {
	for _, id := range []string{"", "x", "../../x", "0198c0de-0000-7000-8000-000000000001.service", "0198C0DE-0000-7000-8000-000000000001"} {
		if err := startRestore(t.Context(), id); err == nil || !strings.Contains(err.Error(), "UUID") {
			t.Errorf("%q: %v", id, err)
		}
	}
}

// A second restore does not wait for the first one to end, to begin then.
func TestASecondRestoreIsRefusedAtOnce(t *testing.T) {
	journal := &restore.Journal{Path: filepath.Join(t.TempDir(), "journal.json")}
	unlock, err := lockJob(journal, false)
	if err != nil {
		t.Fatal(err)
	}
	second := make(chan error)
	go func() { _, err := lockJob(journal, false); second <- err }()
	select {
	case err := <-second:
		if !errors.Is(err, privatefile.ErrLocked) {
			t.Errorf("err = %v, want that it is locked", err)
		}
	case <-time.After(5 * time.Second):
		t.Fatal("it is queued")
	}
	boot := make(chan error)
	go func() {
		unlock, err := lockJob(journal, true)
		if err == nil {
			unlock()
		}
		boot <- err
	}()
	unlock()
	if err := <-boot; err != nil {
		t.Error(err)
	}
	if err := journal.Write(&restore.Entry{Plan: restore.Plan{ID: "a"}}); err != nil {
		t.Fatal(err)
	}
	for id, refused := range map[string]bool{"": true, "b": true, "a": false} {
		err := noneElse(journal, id)
		if f, ok := errors.AsType[*fault.Fault](err); refused != ok || ok && f.Code != "restore_running" {
			t.Errorf("%q: %v", id, err)
		}
	}
}

func TestTwoVerificationsAreOneAfterTheOther(t *testing.T) {
	path := filepath.Join(t.TempDir(), "restore", "verify")
	unlock, err := alone(t.Context(), path, time.Minute)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := alone(t.Context(), path, 50*time.Millisecond); err == nil || !strings.Contains(err.Error(), "a verification or a restore") {
		t.Errorf("err = %v, want that it does not wait for ever", err)
	}
	second := make(chan error)
	go func() {
		unlock, err := alone(t.Context(), path, time.Minute)
		if err == nil {
			unlock()
		}
		second <- err
	}()
	select {
	case err := <-second:
		t.Fatalf("two at once: %v", err)
	case <-time.After(100 * time.Millisecond):
	}
	unlock()
	if err := <-second; err != nil {
		t.Error(err)
	}
}
