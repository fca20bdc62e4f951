package alert

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"gateway/internal/outbound"
	"gateway/internal/problem"
)

// shows ALERT-04, ALERT-07, ALERT-08, ALERT-09
func TestAnAlertGoesToEveryActiveChannel(t *testing.T) {
	r := newRig(t)
	one, two, off, deaf := newHooks(t), newHooks(t), newHooks(t), newHooks(t)
	deaf.answer = func(int) int { return http.StatusInternalServerError }
	r.hook(one)
	r.hook(two)
	r.hook(off, body{"active": false})
	r.hook(deaf, body{"name": "deaf"})
	r.last(down("shop"))
	r.deliver()
	for _, h := range []*hooks{one, two} {
		got := h.got()
		if len(got) != 1 {
			t.Fatalf("%d requests, want one", len(got))
		}
		b := got[0].body
		text := "[gw1] error: All servers of shop are down\nStart them."
		at, err := time.Parse(time.RFC3339, b["fired_at"].(string)) //nolint:forcetypeassert // a panic is a failure too
		if b["kind"] != "backend.down" || b["severity"] != "error" || b["subject"] != "shop" || b["message"] != "All servers of shop are down" ||
			b["content"] != text || b["text"] != text || err != nil || r.now().Sub(at) > time.Minute {
			t.Errorf("received %v", b)
		}
	}
	if len(off.got()) != 0 {
		t.Error("an inactive channel received something")
	}
	results := map[string]string{}
	for _, s := range r.events()[0].SentTo {
		results[s.Channel] += s.Result
	}
	if results["deaf"] != "error" || len(results) != 3 || results[strings.TrimPrefix(one.URL, "http://")] != "ok" {
		t.Errorf("sent to %v, want ok twice and an error", results)
	}
}

func TestAChannelHasWhatItIsFor(t *testing.T) {
	r := newRig(t)
	all, grave, clock := newHooks(t), newHooks(t), newHooks(t)
	r.hook(all, body{"min_severity": "info"})
	r.hook(grave, body{"min_severity": "error"})
	r.hook(clock, body{"kinds": []string{"ntp.unsync"}})
	warned := slow.On(problem.Subject{Kind: "uplink", ID: "1", Name: "DSL"}, "", nil)
	r.last(down("shop"), warned)
	r.deliver()
	if len(all.got()) != 2 || len(grave.got()) != 1 || grave.got()[0].body["kind"] != "backend.down" || len(clock.got()) != 0 {
		t.Errorf("%d, %d and %d arrived, want 2, 1 and none", len(all.got()), len(grave.got()), len(clock.got()))
	}
}

// shows ALERT-11
func TestATestReachesEveryActiveChannel(t *testing.T) {
	r := newRig(t)
	one, two, off := newHooks(t), newHooks(t), newHooks(t)
	r.hook(one, body{"min_severity": "critical", "quiet_hours": "00:00-23:59"})
	r.hook(two, body{"kinds": []string{"ntp.unsync"}})
	r.hook(off, body{"active": false})
	for range 2 {
		r.Do("POST", "/alerts/test", nil).Want(http.StatusOK)
	}
	r.deliver()
	if len(one.got()) != 2 || len(two.got()) != 2 || len(off.got()) != 0 || one.got()[0].body["kind"] != "test" {
		t.Errorf("%d, %d and %d arrived, want 2, 2 and none", len(one.got()), len(two.got()), len(off.got()))
	}
	if got := r.Actions(); got[len(got)-1] != "alert.test all channels" {
		t.Errorf("the audit log has %v", got)
	}
}

// Tests reach a channel five times a minute, also when they are asked for at the same time; one that had none yet is
// reached all the same.
func TestTestsAreBoundedPerChannel(t *testing.T) {
	r := newRig(t)
	first, second := newHooks(t), newHooks(t)
	r.hook(first)
	var wait sync.WaitGroup
	var refused atomic.Int32
	for range 2 * mostTests {
		wait.Go(func() {
			if res := r.Do("POST", "/alerts/test", nil); res.Status == http.StatusTooManyRequests {
				refused.Add(1)
			}
		})
	}
	wait.Wait()
	r.deliver()
	if len(first.got()) != mostTests || refused.Load() != mostTests {
		t.Errorf("%d tests arrived and %d were refused, want %d of each", len(first.got()), refused.Load(), mostTests)
	}
	r.hook(second)
	r.Do("POST", "/alerts/test", nil).Want(http.StatusOK)
	r.deliver()
	if len(first.got()) != mostTests || len(second.got()) != 1 {
		t.Errorf("%d and %d tests arrived, want one at the new channel alone", len(first.got()), len(second.got()))
	}
	r.pass(testTime + time.Second)
	r.Do("POST", "/alerts/test", nil).Want(http.StatusOK)
	r.deliver()
	if len(first.got()) != mostTests+1 || len(second.got()) != 2 {
		t.Errorf("a minute later %d and %d tests arrived", len(first.got()), len(second.got()))
	}
}

func TestTheEndIsToldToThoseThatWereToldTheBeginning(t *testing.T) {
	r := newRig(t)
	told, late := newHooks(t), newHooks(t)
	r.hook(told)
	r.last(down("shop"))
	r.deliver()
	r.hook(late)
	r.end()
	r.deliver()
	got := told.got()
	if len(got) != 2 || got[1].body["state"] != "resolved" || got[1].body["first_id"] != got[0].body["id"] {
		t.Errorf("received %v, want the beginning and the end", got)
	}
	if len(late.got()) != 0 {
		t.Error("the end was told to who did not know the beginning")
	}
}

func TestAttemptsHaveOneIdAndKeepTheirOrder(t *testing.T) {
	r := newRig(t)
	h := newHooks(t)
	h.answer = func(n int) int {
		if n < 3 {
			return http.StatusServiceUnavailable
		}
		return http.StatusOK
	}
	r.hook(h)
	r.last(down("shop"))
	r.end() // it waits behind the beginning
	for range 6 {
		r.deliver()
		r.pass(time.Minute)
	}
	got := h.got()
	if len(got) != 4 {
		t.Fatalf("%d requests, want three of the beginning and one of the end", len(got))
	}
	for i, want := range []string{"firing", "firing", "firing", "resolved"} {
		if got[i].body["state"] != want || (got[i].header.Get("webhook-id") == got[0].header.Get("webhook-id")) != (i < 3) {
			t.Errorf("request %d is %s with id %s", i, got[i].body["state"], got[i].header.Get("webhook-id"))
		}
	}
	sent := r.events()[1].SentTo[0]
	if sent.Result != "ok" || sent.Attempts != 3 || sent.Error != nil {
		t.Errorf("the beginning was sent as %+v", sent)
	}
}

// One that a receiver never takes does not hold up the others, and is given up in the end.
func TestWhatAReceiverNeverTakes(t *testing.T) {
	r := newRig(t)
	h := newHooks(t)
	r.hook(h)
	h.answer = func(n int) int {
		if strings.Contains(h.got()[n-1].text, "poison") {
			return http.StatusBadRequest
		}
		return http.StatusOK
	}
	r.last(down("poison"), down("shop"), down("blog"))
	ok := func() (n int) {
		for _, e := range r.events() {
			for _, s := range e.SentTo {
				if s.Result == "ok" {
					n++
				}
			}
		}
		return n
	}
	for range 4 {
		r.deliver()
		r.pass(usualPace().First)
	}
	if ok() != 2 {
		t.Errorf("%d of the two others have arrived", ok())
	}
	r.pass(usualPace().GiveUp)
	r.deliver()
	for _, e := range r.events() {
		if s := e.SentTo[0]; e.Subject == "poison" && (s.Result != "error" || s.RetryAt != nil || s.At == nil) {
			t.Errorf("after a day it is %+v, want it given up", s)
		}
	}
}

func TestAReceiverThatHangsDelaysNobody(t *testing.T) {
	r := newRig(t)
	free := make(chan struct{})
	hanging := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { <-free }))
	t.Cleanup(func() { close(free); hanging.Close() })
	good := newHooks(t)
	r.channel(body{"kind": "webhook", "target": hanging.URL})
	r.hook(good)
	r.a.Outside.Deadline = time.Minute
	r.last(down("a"), down("b"), down("c"))
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() { done <- r.a.send(ctx) }()
	begin := time.Now()
	r.eventually(20*time.Second, func() bool { return len(good.got()) == 3 })
	took := time.Since(begin)
	cancel()
	if err := <-done; err != nil {
		t.Error(err)
	}
	if len(good.got()) != 3 || took > 10*time.Second {
		t.Errorf("%d arrived within %v", len(good.got()), took)
	}
}

// What was begun by a process that was killed is made again, once its time is over.
func TestWhatWasInterruptedIsMadeAgain(t *testing.T) {
	r := newRig(t)
	h := newHooks(t)
	c := r.hook(h)
	r.last(down("shop"))
	lost, err := r.a.claim(t.Context(), c.ID)
	if err != nil || lost == nil {
		t.Fatalf("claimed %v, %v", lost, err)
	}
	r.deliver()
	if len(h.got()) != 0 {
		t.Error("somebody else's delivery was made")
	}
	r.pass(usualPace().Claim)
	r.deliver()
	if got := h.got(); len(got) != 1 || got[0].header.Get("webhook-id") != lost.ID {
		t.Errorf("%d requests, want one with the id %s", len(got), lost.ID)
	}
}

// An attempt that kills whoever makes it counts all the same: the next one comes later each time, and there is an end.
func TestAnAttemptThatKillsIsCounted(t *testing.T) {
	r := newRig(t)
	h := newHooks(t)
	c := r.hook(h)
	r.last(down("shop"))
	for n := 1; n <= 10; n++ {
		lost, err := r.a.claim(t.Context(), c.ID)
		if err != nil || lost == nil || lost.Attempts != n || lost.Interrupted != (n > 1) {
			t.Fatalf("attempt %d: claimed %+v, %v", n, lost, err)
		}
		pause := max(usualPace().Claim, usualPace().pause(n-1))
		r.pass(pause - time.Second)
		if early, err := r.a.claim(t.Context(), c.ID); err != nil || early != nil {
			t.Fatalf("after attempt %d it is claimed before its pause of %v is over (%v)", n, pause, err)
		}
		r.pass(2 * time.Second)
	}
	r.pass(usualPace().GiveUp)
	r.deliver()
	sent := r.events()[0].SentTo[0]
	if len(h.got()) != 0 || sent.Result != "error" || sent.Attempts != 10 || sent.RetryAt != nil || sent.Error == nil {
		t.Errorf("after a day %d arrived; it is %+v, want it given up after ten attempts", len(h.got()), sent)
	}
	var failing bool
	if err := r.Pool.QueryRow(t.Context(), `select exists (select from alert_channel_status)`).Scan(&failing); err != nil || failing {
		t.Errorf("the channel is held against it (%v)", err)
	}
}

// Who is stopped in the middle of an attempt gives it back: nothing counts against it, and nobody waits.
func TestWhoIsStoppedGivesItBack(t *testing.T) {
	r := newRig(t)
	ctx, stop := context.WithCancel(t.Context())
	h := newHooks(t)
	h.answer = func(n int) int {
		if n == 1 {
			stop()
			return http.StatusServiceUnavailable
		}
		return http.StatusOK
	}
	c := r.hook(h)
	r.last(down("shop"))
	if err := r.a.drain(ctx, c.ID); err != nil {
		t.Fatal(err)
	}
	r.deliver()
	if sent := r.events()[0].SentTo[0]; sent.Result != "ok" || sent.Attempts != 1 {
		t.Errorf("sent as %+v, want at once by the next", sent)
	}
}

func TestQuietHoursDelayAndSpare(t *testing.T) {
	r := newRig(t)
	h := newHooks(t)
	now := r.now().In(time.Local) //nolint:gosmopolitan // as the node does
	clock := func(d time.Duration) string { return now.Add(d).Format("15:04") }
	r.hook(h, body{"quiet_hours": clock(-time.Hour) + "-" + clock(2*time.Hour)})
	r.last(down("shop"), down("gone"), down("all").As(problem.Critical))
	r.deliver()
	if got := h.got(); len(got) != 1 || got[0].body["severity"] != "critical" {
		t.Errorf("%d arrived in quiet hours, want what is critical", len(got))
	}
	keep := []problem.Problem{down("shop"), down("all").As(problem.Critical)}
	r.see(keep...)
	r.pass(usualHold)
	r.see(keep...)
	r.pass(2 * time.Hour)
	r.deliver()
	var subjects []string
	for _, one := range h.got() {
		subjects = append(subjects, one.body["subject"].(string)) //nolint:forcetypeassert // a panic is a failure too
	}
	if !slices.Equal(subjects, []string{"all", "shop"}) {
		t.Errorf("told of %v, want nothing of what was over by then", subjects)
	}
}

func TestADeletedChannelGetsNothing(t *testing.T) {
	r := newRig(t)
	h := newHooks(t)
	c := r.hook(h)
	r.last(down("shop"))
	r.Do("DELETE", "/alerts/"+c.ID, nil).Want(http.StatusOK)
	r.deliver()
	if sent := r.events()[0].SentTo; len(h.got()) != 0 || len(sent) != 1 || sent[0].Result != "dropped" {
		t.Errorf("%d arrived; sent to %+v", len(h.got()), sent)
	}
}

func TestASignedWebhookCanBeVerified(t *testing.T) {
	r := newRig(t)
	h := newHooks(t)
	r.hook(h, body{"settings": body{"secret": signingKey, "token": "abc"}})
	r.last(down("shop"))
	r.deliver()
	got := h.got()[0]
	id, stamp := got.header.Get("webhook-id"), got.header.Get("webhook-timestamp")
	key, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(signingKey, "whsec_"))
	if err != nil {
		t.Fatal(err)
	}
	mac := hmac.New(sha256.New, key)
	mac.Write([]byte(id + "." + stamp + "." + got.text))
	if want := "v1," + base64.StdEncoding.EncodeToString(mac.Sum(nil)); got.header.Get("webhook-signature") != want {
		t.Errorf("signature %s, want %s", got.header.Get("webhook-signature"), want)
	}
	if at, err := strconv.ParseInt(stamp, 10, 64); err != nil || r.now().Unix()-at > 60 || got.header.Get("Authorization") != "Bearer abc" {
		t.Errorf("headers %v", got.header)
	}
}

func TestFormats(t *testing.T) {
	m := message{delivery: delivery{ID: "d", EventID: "e", State: firing, Kind: "backend.down", Severity: "error", Subject: "<shop>", Message: "<shop> is down", Remedy: "Start *it*."}, node: "gw1"}
	for _, tc := range []struct {
		format string
		judge  func(body) bool
	}{
		{slack, func(b body) bool { return b["text"] == "[gw1] error: &lt;shop&gt; is down\nStart *it*." && len(b) == 1 }},
		{discord, func(b body) bool { return b["content"] == "[gw1] error: <shop> is down\nStart *it*." }},
		{ntfy, func(b body) bool {
			return b["topic"] == "ops" && b["title"] == "[gw1] error: <shop> is down" && b["priority"] == 4
		}},
	} {
		m.settings = PlainSettings{Format: tc.format, Topic: "ops"}
		if got, ok := payload(m).(object); !ok || !tc.judge(got) {
			t.Errorf("%s: %v", tc.format, payload(m))
		}
	}
	m.Message = strings.Repeat("ü", 5000)
	m.settings.Format = discord
	if content, _ := payload(m).(object)["content"].(string); len([]rune(content)) != mostDiscord {
		t.Errorf("%d characters for Discord, which takes %d", len([]rune(content)), mostDiscord)
	}
	m.settings.Format = teams
	got, _ := payload(m).(object)
	attachments, _ := got["attachments"].([]object)
	if got["type"] != "message" || len(attachments) != 1 || attachments[0]["contentType"] != "application/vnd.microsoft.card.adaptive" {
		t.Errorf("teams: %v", got)
	}
}

// Nothing is sent to this machine or its neighbours on the link, whatever name leads there (T27).
func TestNothingIsSentToThisMachine(t *testing.T) {
	r := newRig(t)
	h := newHooks(t)
	r.a.Outside = r.a.outside(Outside{
		Transport: func() (*http.Transport, error) {
			return outbound.Transport(func() ([]netip.Addr, error) { return nil, nil }, "")
		},
		Dial: outbound.Dialer(func() ([]netip.Addr, error) { return nil, nil }).DialContext,
	})
	r.hook(h)
	box := newMailbox(t, nil)
	r.channel(body{"kind": "email", "target": "ops@example.com", "settings": body{"smtp_host": "127.0.0.1", "smtp_port": box.port(), "from": "gw@example.com"}})
	r.last(down("shop"))
	r.deliver()
	if len(h.got())+len(box.letters()) != 0 {
		t.Error("something was sent to a loopback address")
	}
	for _, s := range r.events()[0].SentTo {
		if s.Error == nil || s.Error.Message != "the receiver has a local or link-local address (127.0.0.1), which nothing is sent to" {
			t.Errorf("%s: %+v", s.Channel, s.Error)
		}
	}
}

func TestAnAnswerThatLeadsElsewhereIsNotFollowed(t *testing.T) {
	r := newRig(t)
	elsewhere := newHooks(t)
	moved := httptest.NewServer(http.RedirectHandler(elsewhere.URL, http.StatusTemporaryRedirect))
	t.Cleanup(moved.Close)
	r.channel(body{"kind": "webhook", "target": moved.URL})
	r.last(down("shop"))
	r.deliver()
	if s := r.events()[0].SentTo[0]; len(elsewhere.got()) != 0 || s.Error == nil || s.Error.Message != "the receiver answered with status 307" {
		t.Errorf("%d arrived elsewhere, sent as %+v", len(elsewhere.got()), s)
	}
}

func TestAChannelThatFailsIsAProblem(t *testing.T) {
	r := newRig(t)
	h := newHooks(t)
	h.answer = func(int) int { return http.StatusNotFound }
	c := r.hook(h, body{"name": "on call"})
	r.last(down("shop"))
	look := func() problem.Report {
		report, err := r.a.findProblems(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		return report
	}
	r.deliver()
	if report := look(); len(report.Problems) != 0 {
		t.Errorf("%+v is told at once, want some patience", report.Problems)
	}
	r.pass(failsAfter)
	report := look()
	if len(report.Problems) != 1 || report.Problems[0].Message != "Alerts do not arrive at on call: the receiver answered with status 404" || report.States["alert_channel"][c.ID].State != "failed" {
		t.Errorf("%+v", report)
	}
	h.answer = nil
	r.deliver()
	if report := look(); len(report.Problems) != 0 {
		t.Errorf("%+v is still told, though it arrives", report.Problems)
	}
	var now Channel
	r.Do("GET", "/alerts/"+c.ID, nil).Want(http.StatusOK).Into(&now)
	if now.LastOKAt == nil || now.LastError != nil {
		t.Errorf("the channel is %+v", now)
	}
}
