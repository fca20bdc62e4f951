package e2e

import (
	"context"
	"fmt"
	"sync"
	"testing"
	"time"

	"gateway/tools/bar"
)

const (
	// Longest wait for an answer while the database is away, and for its return.
	answerWithin = time.Second
	backWithin   = 5 * time.Second
	// A database that hangs looks like a slow one at first.
	noticedWithin = 2 * time.Second
)

// outage is a time without the database, and what callers saw of it.
type outage struct {
	*appliance
	browser *caller // signed in before
	script  *caller // with an API token

	mu      sync.Mutex
	answers int
	worst   time.Duration // slowest answer
	back    time.Duration // longest return
}

// shows SYS-04*, SYS-05, SYS-06
func TestBarFoundation02DatabaseAway(t *testing.T) {
	o := &outage{appliance: installed(t)}
	defer func() {
		figure := fmt.Sprintf("%d answers in %d ms at worst, back after %d ms", o.answers, o.worst.Milliseconds(), o.back.Milliseconds())
		target := fmt.Sprintf("answers <=%d ms, back <=%d ms", answerWithin.Milliseconds(), backWithin.Milliseconds())
		bar.ReportTimed(t, "foundation", 2, figure, target, !t.Failed() && o.worst > 0, o.worst <= answerWithin && o.back <= backWithin)
	}()
	o.browser = o.signedIn(o.admin)
	token := data[struct{ Token string }](o.browser.post("/auth/tokens", map[string]any{"name": "outage", "role": "admin"}))
	o.script = o.browser.bearer(token.Token)
	o.script.get("/users").want(200)
	users := o.sql("gateway", "select count(id) from users")
	t.Cleanup(func() { // others use this node too, and a test's own context is over by now
		if out, err := o.node.Run(context.Background(), "sh", "-c", "pkill -CONT -x postgres; systemctl start postgresql"); err != nil {
			t.Errorf("start PostgreSQL again: %v: %s", err, out)
		}
	})

	o.stopsAndStarts()
	o.hangs()
	o.isAwayWhenTheAPIStarts()

	if got := o.sql("gateway", "select count(id) from users"); got != users {
		t.Errorf("%s users after the outages, %s before: a refused request was carried out", got, users)
	}
	stream := o.browser.watch()
	o.browser.post("/system/maintenance", map[string]any{"enabled": false}).want(200)
	stream.until(o.admin.email, "system.maintenance", "off") // notifications are heard again
}

func (o *outage) stopsAndStarts() {
	api := o.mainPID("gateway-api.service")
	o.stopPostgres()
	o.ask("stopped", 6*time.Second, 0)
	o.returns("started", api, "systemctl", "start", "postgresql")
}

func (o *outage) hangs() {
	api := o.mainPID("gateway-api.service")
	o.run("pkill", "-STOP", "-x", "postgres")
	o.ask("hanging", 6*time.Second, noticedWithin)
	o.returns("going on", api, "pkill", "-CONT", "-x", "postgres")
}

func (o *outage) isAwayWhenTheAPIStarts() {
	o.stopPostgres()
	o.run("systemctl", "restart", "gateway-api.service")
	api := o.mainPID("gateway-api.service")
	o.ask("stopped before the API started", 3*time.Second, 0)
	o.returns("started after the API", api, "systemctl", "start", "postgresql")
}

func (o *outage) stopPostgres() {
	o.run("systemctl", "stop", "postgresql", "postgresql@17-main")
	o.fails("pgrep", "-x", "postgres")
}

// question is something to ask during an outage, and what has to be answered.
type question struct {
	name         string
	as           *caller
	method, path string
	body         any
	right        func(*answer) error
}

// lane is questions that are asked one after the other, with a pause.
type lane struct {
	pause     time.Duration
	questions []question
}

// lanes has all that cost a password hash in one: several of these at once would measure the processor.
func (o *outage) lanes() []lane {
	probe := map[string]any{"email": "probe@example.com", "role": "viewer", "password": "Cobalt-Meadow-17"}
	login := func(password string) map[string]any {
		return map[string]any{"email": o.admin.email, "password": password}
	}
	out := []lane{{500 * time.Millisecond, []question{ // the limiter forgives few wrong sign-ins, so not more often
		{"sign-in", o.stranger(), "POST", "/auth/login", login(o.admin.password), considered},
		{"new user", o.browser.copy(), "POST", "/users", probe, away},
		{"wrong sign-in", o.stranger(), "POST", "/auth/login", login("wrong"), considered},
		{"new user by token", o.script.copy(), "POST", "/users", probe, away},
	}}}
	for _, q := range []question{
		{"health", o.stranger(), "GET", "/system/health", nil, ok},
		{"setup status", o.stranger(), "GET", "/setup/status", nil, ok},
		{"users", o.browser.copy(), "GET", "/users", nil, away},
		{"users by token", o.script.copy(), "GET", "/users", nil, away},
		{"audit", o.browser.copy(), "GET", "/audit/recent", nil, away},
		{"flag", o.browser.copy(), "POST", "/system/maintenance", map[string]any{"enabled": true}, doneOrAway},
	} {
		out = append(out, lane{100 * time.Millisecond, []question{q}})
	}
	return out
}

// doneOrAway is for what works without the database: a session that was looked at a moment
// before it went may still do it, and is refused afterwards.
func doneOrAway(r *answer) error {
	if r.status == 200 {
		return anyAnswer(r)
	}
	return away(r)
}

func ok(r *answer) error {
	if r.status != 200 {
		return fmt.Errorf("%s = %v, want 200", r.what, r)
	}
	return anyAnswer(r)
}

// anyAnswer is well-formed and no mistake of ours.
func anyAnswer(r *answer) error {
	if _, err := r.envelope(); err != nil || r.status == 500 {
		return fmt.Errorf("%s = %v: %w", r.what, r, err)
	}
	return nil
}

// considered is any answer but that of the limiter, which shows nothing.
func considered(r *answer) error {
	if r.status == 429 {
		return fmt.Errorf("%s = %v: the test asks too often", r.what, r)
	}
	return anyAnswer(r)
}

func away(r *answer) error {
	if r.status != 503 || r.code() != "database_unavailable" {
		return fmt.Errorf("%s = %v, want 503 database_unavailable", r.what, r)
	}
	return nil
}

// ask asks everything over and over for as long as said, once grace is over. What is
// asked at its beginning is noted and forgiven.
func (o *outage) ask(when string, long, grace time.Duration) {
	var forgiven, strict sync.WaitGroup
	defer forgiven.Wait()
	if grace > 0 {
		for _, l := range o.lanes() {
			forgiven.Go(func() { o.askOnce(when, l) })
		}
		time.Sleep(grace)
	}
	ctx, cancel := context.WithTimeout(o.t.Context(), long)
	defer cancel()
	for _, l := range o.lanes() {
		strict.Go(func() { o.repeat(ctx, when, l) })
	}
	strict.Wait()
}

func (o *outage) askOnce(when string, l lane) {
	q := l.questions[0]
	began := time.Now()
	r, err := q.as.try(q.method, q.path, q.body)
	if took := time.Since(began); err != nil || took > answerWithin {
		o.t.Logf("database %s, %s, asked before that was noticed: %v %v %v", when, q.name, took.Round(time.Millisecond), r, err)
	}
}

func (o *outage) repeat(ctx context.Context, when string, l lane) {
	for i := 0; ctx.Err() == nil || i < len(l.questions); i++ { // each at least once
		q := l.questions[i%len(l.questions)]
		r, err := q.as.try(q.method, q.path, q.body)
		if err == nil {
			err = q.right(r)
		}
		if err != nil {
			o.t.Errorf("database %s, %s: %v", when, q.name, err)
			return
		}
		o.note(when, q, r.took)
		time.Sleep(l.pause)
	}
}

func (o *outage) note(when string, q question, took time.Duration) {
	if took > answerWithin {
		o.t.Logf("database %s, %s: answered after %v", when, q.name, took.Round(time.Millisecond))
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	o.worst = max(o.worst, took)
	o.answers++
}

// returns brings the database back and takes the time until the old session and token work
// again, in the same process of the API.
func (o *outage) returns(how, api string, command ...string) {
	began := time.Now()
	o.run(command...)
	ready := time.Since(began)
	for _, c := range []*caller{o.browser, o.script} {
		o.eventually(patience, "GET /users answers 200 again", func() bool {
			r, err := c.try("GET", "/users", nil)
			return err == nil && r.status == 200
		})
	}
	took := time.Since(began)
	o.back = max(o.back, took)
	o.t.Logf("database %s: back after %v, of which PostgreSQL took %v", how, took.Round(time.Millisecond), ready.Round(time.Millisecond))
	if now := o.mainPID("gateway-api.service"); now != api {
		o.t.Errorf("gateway-api was restarted: process %s, before %s", now, api)
	}
}
