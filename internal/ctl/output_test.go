package ctl

import (
	"bytes"
	"encoding/json"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/spf13/cobra"

	"gateway/internal/api"
	"gateway/internal/change"
)

// obeyed is what terminals do something at.
func obeyed(r rune) bool { return r < 0x20 && r != '\n' || r >= 0x7f && r <= 0x9f || r == 0x202e }

const evil = "a\x1b[2J\r\u009b2J\u0085\x7f\u202e\U000e0041z"

// What is in a row reaches the terminal of whoever asks for it as JSON; a program reads the same as before.
func TestNoJSONCommandsTheTerminal(t *testing.T) {
	row := map[string]string{"name": evil}
	wire, err := json.Marshal(envelope{Data: row})
	if err != nil {
		t.Fatal(err)
	}
	answer := api.Answer{Status: http.StatusOK, Header: http.Header{"Content-Type": {"application/json"}}, Body: wire}
	for name, show := range map[string]func(*cobra.Command) error{
		"a command with --json":  func(c *cobra.Command) error { return printJSON(c, row) },
		"an answer for a person": func(c *cobra.Command) error { return printAnswer(c, answer) },
	} {
		t.Run(name, func(t *testing.T) {
			var out bytes.Buffer
			cmd := &cobra.Command{}
			cmd.SetOut(&out)
			if err := show(cmd); err != nil {
				t.Fatal(err)
			}
			if strings.ContainsFunc(out.String(), obeyed) {
				t.Errorf("printed %q", out.String())
			}
			var back map[string]string
			if err := json.Unmarshal(out.Bytes(), &back); err != nil || back["name"] != evil {
				t.Errorf("a program reads %q, %v", back["name"], err)
			}
		})
	}
}

// A list has one line for each row, and no row says otherwise.
func TestNoListCommandsTheTerminal(t *testing.T) {
	var out bytes.Buffer
	printChanges(&out, []change.Record{{Actor: evil, Action: evil, Subject: evil + "\nanother\trow"}})
	problem{Severity: "error", Message: evil, Remedy: evil, Subject: subject{Name: evil}}.print(&out, false)
	rendered{Errors: map[string]string{evil: evil}}.print(&out)
	(&status{Hostname: evil, OS: evil, Waiting: []waiting{{What: evil, Actor: evil, Deadline: time.Now()}}, Unknown: map[string]string{"services": evil, "problems": evil}}).print(&out)
	verified{Breaks: []string{evil}}.print(&out)
	cmd := &cobra.Command{}
	cmd.SetOut(&out)
	tell(cmd, "%s\n", evil)
	if strings.ContainsFunc(out.String(), obeyed) || strings.Contains(out.String(), "\nanother") {
		t.Errorf("printed %q", out.String())
	}
}
