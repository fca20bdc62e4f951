package e2e

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"gateway/tools/bar"
)

// afterWait is how long after its time a change that nobody confirmed may still be there.
const afterWait = 5 * time.Second

type browsed struct {
	LiveAfter, BackAfter int
	Stages               []string
	Answers              struct {
		Before, Looked, Saved, Undone, Waiting, Kept, Cut, Back string
	}
	Shown struct {
		Removed, Added, Conflict                   []string
		Everywhere, OnByDefault, FormBack, ToldWhy bool
		Undone                                     int
		Words                                      string
	}
}

// An operator at a browser changes records, and a client beside the node asks for them.
func TestBarEngine10Browser(t *testing.T) {
	a := site(t)
	c := a.signedIn(a.admin)
	a.settles(c, patience)
	a.opened(c)
	const zone = "browser.arpa"
	id := c.post("/dns/zones", object{"name": zone, "forward_to": []string{}}).want(201).id()
	defer c.do("DELETE", "/dns/zones/"+id, nil)
	c.post("/dns/records", object{"zone_id": id, "name": "www", "type": "A", "value": "192.0.2.80"}).want(201)

	do := deeds{"dig": ask(func(q struct{ Name string }) (any, error) { return a.dig(q.Name, "A"), nil })}
	env := append(shots(t), "EMAIL="+a.admin.email, "PASSWORD="+a.admin.password, "ZONE="+zone)
	var out browsed
	a.browse("engine", do, &out, env...)
	out.judge(t)
	a.settles(c, patience)
	figure := fmt.Sprintf("%s: seen live after %d ms (%s), undone %d ms after its 10 s", verdict(t), out.LiveAfter, strings.Join(out.Stages, ", "), out.BackAfter-10_000)
	back := time.Duration(out.BackAfter) * time.Millisecond
	bar.ReportTimed(t, "engine", 10, figure, "passes", !t.Failed() && back > 0, back <= 10*time.Second+afterWait)
}

// judge holds what the page said against what the resolver answered.
func (b *browsed) judge(t *testing.T) {
	t.Helper()
	for _, step := range []struct{ what, got, want string }{
		{"at first", b.Answers.Before, "192.0.2.80"},
		{"after a look at what will change", b.Answers.Looked, "192.0.2.80"},
		{"after saving", b.Answers.Saved, "192.0.2.81"},
		{"after undoing by the toast", b.Answers.Undone, "192.0.2.80"},
		{"while a change waits", b.Answers.Waiting, "192.0.2.82"},
		{"after it was kept, and its time is over", b.Answers.Kept, "192.0.2.82"},
		{"after a change that nobody confirmed", b.Answers.Back, "192.0.2.82"},
	} {
		if step.got != step.want {
			t.Errorf("%s the resolver answers %q, want %q", step.what, step.got, step.want)
		}
	}
	if strings.HasPrefix(b.Answers.Cut, "192.0.2.") {
		t.Errorf("the change that cuts the client off did not: %q", b.Answers.Cut)
	}
	if len(b.Shown.Removed) != 1 || !strings.Contains(b.Shown.Removed[0], "192.0.2.80") ||
		len(b.Shown.Added) != 1 || !strings.Contains(b.Shown.Added[0], "192.0.2.81") {
		t.Errorf("the preview showed -%q +%q", b.Shown.Removed, b.Shown.Added)
	}
	if want := "Changes DNS record www"; !strings.HasPrefix(b.Shown.Words, want) {
		t.Errorf("the preview begins with %q, want %q", b.Shown.Words, want)
	}
	// The first one is shown before anything is heard of the applier.
	if len(b.Stages) < 2 {
		t.Errorf("while changes were applied only %v was seen", b.Stages)
	}
	if !b.Shown.Everywhere || !b.Shown.OnByDefault || !b.Shown.FormBack || !b.Shown.ToldWhy || b.Shown.Undone == 0 {
		t.Errorf("the page showed %+v", b.Shown)
	}
	if want := []string{"192.0.2.82", "192.0.2.83", "192.0.2.84"}; !slices.Equal(b.Shown.Conflict, want) {
		t.Errorf("the conflict was shown as %q, want %q", b.Shown.Conflict, want)
	}
}
