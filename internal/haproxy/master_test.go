package haproxy_test

import (
	"bufio"
	"context"
	"errors"
	"io"
	"net/http"
	"os"
	"strings"
	"testing"
	"time"

	"gateway/internal/haproxy"
)

// workers are the current one and how many old ones there are.
func (r *rig) workers() (current haproxy.Worker, old []haproxy.Worker) {
	r.t.Helper()
	all, err := r.Master.Workers(r.t.Context())
	r.must(err)
	for _, w := range all {
		if w.Old {
			old = append(old, w)
		} else {
			current = w
		}
	}
	return current, old
}

func TestReload(t *testing.T) {
	r := newRig(t, "a 1\n")
	before, _ := r.workers()
	r.Write("values", "a 2\n")
	if got := r.get("a"); got != "1" {
		t.Errorf("before the reload a = %q, want 1", got)
	}
	r.must(r.Master.Reload(short(t)))
	if got := r.get("a"); got != "2" {
		t.Errorf("after the reload a = %q, want 2", got)
	}
	if after, _ := r.workers(); after.PID == before.PID || after.PID == 0 {
		t.Errorf("the worker is %d, before %d, want a new one", after.PID, before.PID)
	}
}

func TestReloadOfABadFile(t *testing.T) {
	r := newRig(t, "a 1\n")
	before, _ := r.workers()
	good, err := os.ReadFile(r.Path("haproxy.cfg"))
	r.must(err)
	r.Write("haproxy.cfg", string(good)+"\tnonsense here\n\tserver two nowhere.invalid:80 whatever\n")
	var refusal *haproxy.Refusal
	err = r.Master.Reload(short(t))
	if !errors.As(err, &refusal) || !strings.Contains(refusal.Answer, "unknown keyword 'nonsense'") || !strings.Contains(refusal.Answer, "\n") {
		t.Errorf("reload of a bad file = %v, want HAProxy's complaints", err)
	}
	if got := r.get("a"); got != "1" {
		t.Errorf("after the failed reload a = %q, want 1", got)
	}
	if after, _ := r.workers(); after.PID != before.PID {
		t.Errorf("the worker is %+v, want %d still", after, before.PID)
	}
	r.must(r.Runtime.MapSet(short(t), r.values, []haproxy.MapChange{{Key: "a", Value: "3"}}))
	r.Write("haproxy.cfg", string(good))
	r.must(r.Master.Reload(short(t)))
	if after, _ := r.workers(); after.PID == before.PID {
		t.Error("the repaired file was not read")
	}
}

func TestRetire(t *testing.T) {
	r := newRig(t, "a 1\n")
	ctx := short(t)
	first := r.hold()
	r.must(r.Master.Reload(ctx))
	second := r.hold()
	r.must(r.Master.Reload(ctx))
	current, old := r.workers()
	if len(old) != 2 || old[0].Reloads+old[1].Reloads != 3 {
		t.Fatalf("old workers = %+v, want two, of one and of two reloads ago", old)
	}
	if err := r.Master.Retire(ctx, current.PID); err == nil {
		t.Error("the current worker may be retired")
	}
	for _, w := range old {
		r.must(r.Master.Retire(ctx, w.PID))
		r.must(r.Master.Retire(ctx, w.PID))
	}
	r.ended(first)
	r.ended(second)
	if after, old := r.workers(); after.PID != current.PID || len(old) != 0 {
		t.Errorf("workers = %+v and %+v, want %d alone", after, old, current.PID)
	}
	if got := r.get("a"); got != "1" {
		t.Errorf("after all a = %q, want 1", got)
	}
}

// With idle-close-on-response a worker waits for one more request on every connection that
// a browser keeps open, and no session shows for it.
func TestRetireOfAWorkerWithAnIdleConnection(t *testing.T) {
	r := newRig(t, "a 1\n")
	ctx := short(t)
	idle := r.Dial("web")
	ask := "GET / HTTP/1.1\r\nHost: a\r\nX-Key: a\r\n\r\n"
	_, err := io.WriteString(idle, ask)
	r.must(err)
	resp, err := http.ReadResponse(bufio.NewReader(idle), nil)
	r.must(err)
	r.must(resp.Body.Close())
	r.must(r.Master.Reload(ctx))
	current, old := r.workers()
	if len(old) != 1 {
		t.Fatalf("old workers = %+v, want one", old)
	}
	r.must(r.Master.Retire(ctx, old[0].PID))
	r.ended(idle)
	if after, old := r.workers(); after.PID != current.PID || len(old) != 0 {
		t.Errorf("workers = %+v and %+v, want %d alone", after, old, current.PID)
	}
	if got := r.get("a"); got != "1" {
		t.Errorf("after all a = %q, want 1", got)
	}
}

func TestReloadEndsWithItsContext(t *testing.T) {
	r := newRig(t, "a 1\n")
	ctx, cancel := context.WithTimeout(t.Context(), time.Microsecond)
	defer cancel()
	if err := r.Master.Reload(ctx); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("reload in a microsecond = %v, want the deadline", err)
	}
}
