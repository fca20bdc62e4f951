package ctl_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"
)

func document(t *testing.T, text string) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "config.yaml")
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}

func TestApplyWithADeadline(t *testing.T) {
	n := newNode(t)
	t.Run("says until when to confirm, and how", func(t *testing.T) { saysTheDeadline(t, n.on(t)) })
	t.Run("as JSON", func(t *testing.T) { deadlineAsJSON(t, n.on(t)) })
	for name, tc := range map[string]struct {
		end  func(n node, id string)
		code int
	}{
		"confirmed": {func(n node, id string) { n.run("confirm", id) }, 0},
		"reverted":  {func(n node, id string) { n.settle(id, "reverted") }, 6},
	} {
		t.Run("waits until it is "+name, func(t *testing.T) {
			n := n.on(t)
			file := document(t, "dns: {zones: [{name: "+name+".arpa, forward_to: []}]}\n")
			type ended struct {
				out  string
				code int
			}
			done := make(chan ended, 1)
			go func() {
				out, c := n.run("apply", file, "--confirm-within", "600", "--wait")
				done <- ended{out, c}
			}()
			tc.end(n, waitingChange(n))
			if got := <-done; got.code != tc.code || !strings.HasSuffix(got.out, "\n"+name+"\n") {
				t.Errorf("exit code %d, printed %s; want %d and %s", got.code, got.out, tc.code, name)
			}
		})
	}
}

// settle ends the wait of a change as the applier does.
func (n node) settle(id, state string) {
	if _, err := n.Pool.Exec(n.t.Context(), `update changes set confirm_state = $2 where id = $1`, id, state); err != nil {
		n.t.Error(err)
	}
}

func saysTheDeadline(t *testing.T, n node) {
	file := document(t, "dns: {zones: [{name: a.arpa, forward_to: []}]}\n")
	out, c := n.run("apply", file, "--confirm-within", "600")
	m := regexp.MustCompile(`(?m)^done, as change (\S+)\nReverting at \d\d:\d\d:\d\d, in (\d+) s, unless confirmed:\n  gateway-ctl confirm (\S+)$`).FindStringSubmatch(out)
	if c != 0 || m == nil || m[1] != m[3] {
		t.Fatalf("exit code %d, printed %s", c, out)
	}
	if out, _ := n.run("status"); !strings.Contains(out, "unless confirmed: change "+m[1]) || !strings.Contains(out, "gateway-ctl confirm "+m[1]) {
		t.Errorf("status = %s", out)
	}
	if out, c := n.run("confirm", m[1]); c != 0 || out != "kept\n" {
		t.Errorf("confirm = %s, exit code %d", out, c)
	}
	if out, _ := n.run("status"); !strings.Contains(out, "none waiting for confirmation") {
		t.Errorf("status = %s", out)
	}
}

func deadlineAsJSON(t *testing.T, n node) {
	file := document(t, "ntp: {pools: [{kind: server, address: a.example.com}]}\n")
	out, c := n.run("apply", file, "--confirm-within", "600", "--json")
	var got struct {
		Data struct {
			Plan    []struct{ Sign, What string }
			Counts  struct{ Add, Change, Remove int }
			Outcome struct {
				Change, Apply string
				Confirmation  struct {
					State    string
					Deadline time.Time
					Command  string
				}
			}
		}
	}
	if err := json.Unmarshal([]byte(out), &got); err != nil || c != 0 {
		t.Fatalf("exit code %d, printed %s (%v)", c, out, err)
	}
	d, o := got.Data, got.Data.Outcome
	n.settle(o.Change, "confirmed")
	if len(d.Plan) == 0 || d.Counts.Add != 1 || d.Counts.Add+d.Counts.Change+d.Counts.Remove != len(d.Plan) || o.Apply != "live" || o.Confirmation.Command != "gateway-ctl confirm "+o.Change {
		t.Errorf("printed %s", out)
	}
	if left := time.Until(o.Confirmation.Deadline); left < 590*time.Second || left > 601*time.Second {
		t.Errorf("the deadline is in %v, want 10 minutes", left)
	}
}

func waitingChange(n node) (id string) {
	n.t.Helper()
	n.Until("a change is waiting", func() bool {
		return n.Pool.QueryRow(n.t.Context(), `select id::text from changes where confirm_state = 'waiting'`).Scan(&id) == nil
	})
	return id
}

func TestWaitNeedsADeadline(t *testing.T) {
	if out, err := run(t, "apply", "-", "--wait"); code(err) != 2 {
		t.Errorf("exit code %d, printed %s (%v), want 2", code(err), out, err)
	}
}

// What no daemon reads is not reverted, so nobody may believe that it will be.
func TestACallSaysThatNothingWaits(t *testing.T) {
	n := newNode(t)
	out, c := n.run("api", "POST", "/alerts", `{"kind": "webhook", "target": "https://hooks.example.com/in", "active": false}`, "-H", "Gateway-Confirm-Within: 600")
	if c != 0 || !strings.Contains(out, "It takes effect at once: no daemon is concerned, so there is nothing to confirm.\n") || strings.Contains(out, "Reverting") {
		t.Errorf("exit code %d, printed %s", c, out)
	}
}
