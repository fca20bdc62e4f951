package ctl_test

import (
	"encoding/json"
	"strings"
	"testing"

	"gateway/internal/app/apptest"
)

func TestStatus(t *testing.T) {
	n := newNode(t)
	out, err := n.try("status")
	for _, want := range []string{"Version   ", "Node      ", "Database  answers\n", "Setup     complete\n", "Services  ", "Problems  ", "Changes   none waiting for confirmation\n"} {
		if !strings.Contains(out, want) {
			t.Errorf("status lacks %q (%v):\n%s", want, err, out)
		}
	}
	if strings.Contains(out, "\x1b") {
		t.Errorf("colours in a file: %q", out)
	}
}

func TestStatusBeforeSetup(t *testing.T) {
	a := apptest.New(t)
	out, err := run(t, "status", "--state-dir", a.Config.StateDir, "--database", a.Config.Database)
	if !strings.Contains(out, "Setup     not complete") || !strings.Contains(out, "unknown: this node is not set up yet") {
		t.Errorf("status = %s (%v)", out, err)
	}
}

func TestStatusWithoutADatabase(t *testing.T) {
	n := newNode(t)
	n.Config.Database = "host=/nonexistent user=gateway dbname=gateway"
	out, err := n.try("status", "--json")
	var got struct {
		Data struct {
			Database bool
			Waiting  []any
			Unknown  map[string]string
		}
	}
	if json.Unmarshal([]byte(out), &got) != nil || code(err) != 3 || got.Data.Database || got.Data.Waiting != nil || got.Data.Unknown["waiting"] == "" {
		t.Errorf("exit code %d (%v), printed %s", code(err), err, out)
	}
	if out, c := n.run("api", "GET", "/system/resources"); c != 0 {
		t.Errorf("an operation that needs no database = %s, exit code %d", out, c)
	}
}

func TestVersionIsTheSameEitherWay(t *testing.T) {
	command, err := run(t, "version")
	if err != nil || command == "" {
		t.Fatalf("version = %q (%v)", command, err)
	}
	if got, err := run(t, "--version"); err != nil || got != command {
		t.Errorf("--version = %q (%v), want %q", got, err, command)
	}
	if got, err := run(t, "--version", "--json"); err != nil || got != `{"data":{"version":"`+strings.TrimSpace(command)+`"},"error":null}`+"\n" {
		t.Errorf("--version --json = %q (%v)", got, err)
	}
}

func TestAMistypedCommandIsGuessed(t *testing.T) {
	if _, err := run(t, "stauts"); code(err) != 2 || !strings.Contains(err.Error(), "did you mean status?") {
		t.Errorf("exit code %d (%v)", code(err), err)
	}
}

func TestWrongUsage(t *testing.T) {
	for _, args := range [][]string{{"no-such-command"}, {"confirm"}, {"status", "more"}, {"status", "--no-such-flag"}, {"changes", "-n", "many"}, {"api", "GET"}} {
		out, err := run(t, args...)
		if code(err) != 2 || out != "" || !strings.Contains(err.Error(), "usage: gateway-ctl") {
			t.Errorf("%v: exit code %d, printed %q (%v)", args, code(err), out, err)
		}
	}
}

func TestWrongUsageInJSON(t *testing.T) {
	for _, args := range [][]string{{"--json", "nope"}, {"confirm", "--json"}, {"status", "more", "--json"}} {
		out, err := run(t, args...)
		var got struct {
			Data  any
			Error struct{ Code, Message string }
		}
		if json.Unmarshal([]byte(out), &got) != nil || code(err) != 2 || got.Error.Code != "usage" || got.Error.Message == "" {
			t.Errorf("%v: exit code %d (%v), printed %q", args, code(err), err, out)
		}
	}
}
