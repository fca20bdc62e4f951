package e2e

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"
)

// noticed is what web/e2e/lib/watch.mjs saw and should not have.
type noticed struct {
	CSP       []string `json:"csp"`
	Errors    []string `json:"errors"`
	Dialogs   []string `json:"dialogs"`
	XSS       []string `json:"xss"`
	Foreign   []string `json:"foreign"`
	Forbidden []string `json:"forbidden"`
}

// deed is something a script asks the test to do.
type deed func(args json.RawMessage) (any, error)

type deeds map[string]deed

// ask is a deed that takes arguments of one kind.
func ask[T any](do func(T) (any, error)) deed {
	return func(args json.RawMessage) (any, error) {
		var in T
		if err := json.Unmarshal(args, &in); err != nil {
			return nil, err
		}
		return do(in)
	}
}

// policy collects over all scenarios of this run, for the bar about it.
var policy struct {
	sync.Mutex
	scenarios []string
	broken    []string
}

const scenarioLimit = 20 * time.Minute // a walk over all pages takes minutes on a busy machine, and so do all states that break

// browse runs web/e2e/NAME.mjs in Chromium at the client and decodes its result into out.
func (a *appliance) browse(name string, do deeds, out any, env ...string) noticed {
	a.t.Helper()
	web := webFolder(a.t)
	ctx, cancel := context.WithTimeout(a.t.Context(), scenarioLimit)
	defer cancel()
	cmd, err := a.client.HostCommand(ctx, "node", filepath.Join(web, "e2e", name+".mjs"))
	if err != nil {
		a.t.Fatal(err)
	}
	return play(a.t, cmd, name, do, out, append(env, "BASE=https://"+a.node.IP().String()+":3443")...)
}

// play runs a scenario, answers what it asks for, and decodes its result into out.
func play(t *testing.T, cmd *exec.Cmd, name string, do deeds, out any, env ...string) noticed {
	t.Helper()
	cmd.Env = append(os.Environ(), append(env, "HOME="+t.TempDir(), "SCENARIO="+name,
		"WRECKAGE="+filepath.Join(os.TempDir(), "gateway-web-wreckage"))...)
	stdin, err := cmd.StdinPipe()
	stdout, err2 := cmd.StdoutPipe()
	var complaints strings.Builder
	cmd.Stderr = &complaints
	if err := errors.Join(err, err2, cmd.Start()); err != nil {
		t.Fatalf("start %s: %v", name, err)
	}
	result, talked := talk(t, stdout, stdin, do)
	if err := errors.Join(talked, cmd.Wait()); err != nil || result == nil {
		t.Fatalf("%s.mjs: %v\n%s", name, err, complaints.String())
	}
	return conclude(t, name, result, out)
}

// talk answers what the script asks for until it tells its result. What has an id is done beside
// the rest, and must not end the test: only what is asked one after the other may.
func talk(t *testing.T, from io.Reader, to io.WriteCloser, do deeds) (json.RawMessage, error) {
	defer to.Close()
	var beside sync.WaitGroup
	defer beside.Wait()
	var one sync.Mutex
	answers := json.NewEncoder(to)
	answer := func(a map[string]any) error {
		one.Lock()
		defer one.Unlock()
		return answers.Encode(a)
	}
	lines := bufio.NewScanner(from)
	lines.Buffer(nil, 64<<20)
	var result json.RawMessage
	for lines.Scan() {
		var m struct {
			ID     int
			Do     string
			Args   json.RawMessage
			Note   string
			Result json.RawMessage
		}
		if err := json.Unmarshal(lines.Bytes(), &m); err != nil {
			return nil, fmt.Errorf("the script said %q: %w", lines.Text(), err)
		}
		switch {
		case m.Result != nil:
			result = m.Result
		case m.ID != 0:
			beside.Go(func() {
				done := perform(do, m.Do, m.Args)
				done["id"] = m.ID
				_ = answer(done) // a script that is gone needs none
			})
		case m.Do != "":
			if err := answer(perform(do, m.Do, m.Args)); err != nil {
				return nil, err
			}
		default:
			t.Log(m.Note)
		}
	}
	return result, lines.Err()
}

func perform(do deeds, name string, args json.RawMessage) map[string]any {
	f := do[name]
	if f == nil {
		return map[string]any{"ok": false, "error": "the test does not know how"}
	}
	value, err := f(args)
	if err != nil {
		return map[string]any{"ok": false, "error": err.Error()}
	}
	return map[string]any{"ok": true, "value": value}
}

func conclude(t *testing.T, name string, result json.RawMessage, out any) noticed {
	t.Helper()
	var common struct {
		Failed  string
		Seen    noticed
		Seconds float64
	}
	if err := errors.Join(json.Unmarshal(result, &common), json.Unmarshal(result, out)); err != nil {
		t.Fatalf("the result of %s.mjs: %v: %s", name, err, result)
	}
	policy.Lock()
	policy.scenarios = append(policy.scenarios, name)
	for _, v := range common.Seen.CSP {
		policy.broken = append(policy.broken, name+": "+v)
	}
	policy.Unlock()
	t.Logf("%s.mjs took %.1f s", name, common.Seconds)
	for what, list := range map[string][]string{"Content-Security-Policy": common.Seen.CSP, "script error": common.Seen.Errors} {
		for _, text := range list {
			t.Errorf("%s.mjs: %s: %s", name, what, text)
		}
	}
	if common.Failed != "" {
		t.Errorf("%s.mjs broke: %s", name, common.Failed)
	}
	return common.Seen
}

// webFolder is web/ with a built SPA; the placeholder is nothing to test.
func webFolder(t *testing.T) string {
	t.Helper()
	web, err := filepath.Abs("../../web")
	if err != nil {
		t.Fatal(err)
	}
	page, err := os.ReadFile(filepath.Join(web, "dist", "index.html"))
	if err != nil || !strings.Contains(string(page), `src="/assets/`) {
		t.Fatalf("web/dist holds no build of the SPA (make web): %v", err)
	}
	if _, err := os.Stat(filepath.Join(web, "node_modules", "playwright-core")); err != nil {
		t.Fatalf("web/node_modules is not installed (npm ci): %v", err)
	}
	return web
}

// site opens the shared node for a scenario, with the SPA in its package.
func site(t *testing.T) *appliance {
	t.Helper()
	webFolder(t)
	return installed(t)
}
