package alert

import (
	"net/http"
	"net/url"
	"slices"
	"testing"
	"time"

	"gateway/internal/db"
	"gateway/internal/problem"
)

// lines are the events as "state severity kind subject", the oldest first.
func (r *rig) lines() []string {
	r.T.Helper()
	var out []string
	for _, e := range slices.Backward(r.events()) {
		out = append(out, e.State+" "+string(e.Severity)+" "+e.Kind+" "+e.Subject)
	}
	return out
}

func (r *rig) want(lines ...string) {
	r.T.Helper()
	if got := r.lines(); !slices.Equal(got, lines) {
		r.T.Errorf("told %q, want %q", got, lines)
	}
}

// shows ALERT-05, ALERT-06
func TestWhatLastsIsToldOnceAndItsEndOnce(t *testing.T) {
	r := newRig(t)
	r.see(down("shop"))
	r.want() // it may be gone in a second
	r.pass(usualFor)
	r.see(down("shop"))
	r.see(down("shop"))
	r.want("firing error backend.down shop")
	r.see()
	r.see(down("shop")) // a second is no end
	r.pass(usualHold)
	r.see(down("shop"))
	r.see()
	r.pass(usualHold - time.Second)
	r.see()
	r.want("firing error backend.down shop")
	r.pass(time.Second)
	r.see()
	r.see()
	r.want("firing error backend.down shop", "resolved error backend.down shop")
	all := r.events()
	if all[0].FirstID != all[1].ID || !all[1].Over || all[1].Message != "All servers of shop are down" {
		t.Errorf("events %+v, want the second to end the first", all)
	}
}

// shows ALERT-13*
func TestTheSameIsToldAgainAfterTwelveHours(t *testing.T) {
	r := newRig(t)
	r.last(down("shop"))
	for range 3 {
		r.pass(dedupe - time.Hour)
		r.see(down("shop"))
		r.pass(time.Hour)
		r.see(down("shop"))
	}
	want := "firing error backend.down shop"
	r.want(want, want, want, want)
	r.Do("POST", "/alerts/events/"+r.events()[0].ID+"/acknowledge", nil).Want(http.StatusOK)
	r.pass(2 * dedupe)
	r.see(down("shop"))
	r.want(want, want, want, want)
	r.end()
	r.last(down("shop")) // another time is another alert
	r.want(want, want, want, want, "resolved error backend.down shop", want)
}

// What was told is in the database: a process that is started anew repeats nothing, and ends what another began.
//
// shows ALERT-14*
func TestARestartRepeatsNothing(t *testing.T) {
	r := newRig(t)
	r.last(down("shop"))
	again := New(r.a.Options)
	again.look = r.look
	r.a = again
	r.see(down("shop"))
	r.want("firing error backend.down shop")
	r.end()
	r.want("firing error backend.down shop", "resolved error backend.down shop")
}

func TestWhatGetsWorseIsToldAtOnce(t *testing.T) {
	r := newRig(t)
	r.last(down("shop").As(problem.Warning))
	r.see(down("shop"))
	r.see(down("shop").As(problem.Warning))
	r.see(down("shop"))
	r.want("firing warning backend.down shop", "firing error backend.down shop")
	r.end()
	r.want("firing warning backend.down shop", "firing error backend.down shop", "resolved error backend.down shop")
}

func TestOfWhoCannotBeAskedNothingIsOver(t *testing.T) {
	r := newRig(t)
	r.last(down("shop"))
	r.unknown = []string{"proxy"}
	r.end()
	r.want("firing error backend.down shop")
	r.unknown = nil
	r.end()
	r.want("firing error backend.down shop", "resolved error backend.down shop")
}

func TestWhatFlapsIsHeldLonger(t *testing.T) {
	r := newRig(t)
	for range 20 { // two minutes each: down for one, up for one
		r.last(down("shop"))
		r.pass(time.Minute - usualFor)
		r.see()
		r.pass(time.Minute)
		r.see()
	}
	if told := len(r.lines()); told > 6 {
		t.Errorf("%d events of a backend that went down 20 times in 40 minutes", told)
	}
}

// shows ALERT-25*
func TestAClockThatIsNotSynchronisedIsToldAfterTenMinutes(t *testing.T) {
	r := newRig(t)
	p := unsync.On(problem.Subject{Kind: "service", ID: "ntp", Name: "Clock"}, "/ntp", nil)
	r.see(p)
	r.pass(9 * time.Minute)
	r.see(p)
	r.want()
	r.pass(time.Minute)
	r.see(p)
	r.want("firing warning ntp.unsync Clock")
}

// shows ALERT-23*
func TestATunnelIsDownFiveMinutesAfterItsLastHandshake(t *testing.T) {
	r := newRig(t)
	silent := problem.Kind{Code: "tunnel.peer_silent", Severity: problem.Error, Alert: "wg.tunnel.down", Message: "Silent"}
	last := r.now()
	p := silent.On(problem.Subject{Kind: "tunnel_peer", ID: "1", Name: "hq"}, "/tunnels", nil).SinceAt(&last)
	r.pass(4*time.Minute + 50*time.Second)
	r.see(p)
	r.want()
	r.pass(watchEvery)
	r.see(p)
	r.want("firing error wg.tunnel.down hq")
}

func TestAProblemWithoutAKindOfItsOwnHasOne(t *testing.T) {
	r := newRig(t)
	also := down("shop")
	p := slow.On(problem.Subject{Kind: "uplink", ID: "1", Name: "DSL"}, "/uplinks", nil)
	p.Also = []problem.Problem{also}
	r.last(p)
	got := r.lines()
	slices.Sort(got)
	if want := []string{"firing error backend.down shop", "firing warning problem.uplink.slow DSL"}; !slices.Equal(got, want) {
		t.Errorf("told %q, want %q", got, want)
	}
	var kinds []Kind
	r.Do("GET", "/alerts/kinds", nil).Want(http.StatusOK).Into(&kinds)
	for _, want := range []string{"backend.down", "problem.uplink.slow", "change.undone", "cert.renewer.run_failed", "test"} {
		if !slices.ContainsFunc(kinds, func(k Kind) bool { return k.Kind == want }) {
			t.Errorf("%s is not among the kinds %v", want, kinds)
		}
	}
}

func TestAChangeThatNobodyConfirmedIsToldOnce(t *testing.T) {
	r := newRig(t)
	first, second := db.NewID(), db.NewID()
	for _, tc := range []struct{ id, actor, reverts string }{{first, "ann@example.com", ""}, {second, "confirm-timeout", first}} {
		_, err := r.Pool.Exec(t.Context(), `insert into changes (id, component, action, subject, actor, created_at, reverts) values ($1, 'dns', 'dns.zone.delete', 'lan', $2, $3, nullif($4, '')::uuid)`,
			tc.id, tc.actor, r.now(), tc.reverts)
		if err != nil {
			t.Fatal(err)
		}
	}
	r.see()
	r.see()
	r.pass(2 * dedupe)
	r.see()
	r.want("notice warning change.undone lan")
	if e := r.events()[0]; e.Message != "A change by ann@example.com was not confirmed in time and has been reverted: dns.zone.delete lan" || e.Link != "/changes/"+first {
		t.Errorf("told %+v", e)
	}
}

func TestAnAbortedCycleOfRenewalsIsToldOnceInTwelveHours(t *testing.T) {
	r := newRig(t)
	for range 3 {
		r.a.RenewalsAborted(t.Context())
	}
	r.want("notice error cert.renewer.run_failed Certificates")
	r.pass(dedupe + time.Second)
	r.a.RenewalsAborted(t.Context())
	r.want("notice error cert.renewer.run_failed Certificates", "notice error cert.renewer.run_failed Certificates")
}

// shows ALERT-12
func TestTheLatestTwoHundredAreListedAndOldOnesRemoved(t *testing.T) {
	r := newRig(t)
	for i := range 3 {
		r.Restore(`insert into alert_events (id, state, first_id, kind, severity, subject_kind, subject_id, subject, code, params, message, remedy, link, fired_at)
			select gen_random_uuid(), 'notice', gen_random_uuid(), 'test', 'info', 'node', '', 'gw1', 'alert.test', '{}', n::text, '', '', $1::timestamptz + n * interval '1 second' from generate_series(1, 100) n`,
			time.Now().AddDate(0, 0, -40*(3-i)))
	}
	all := r.events()
	if len(all) != mostEvents || all[0].Message != "100" || !slices.IsSortedFunc(all, func(a, b Event) int { return b.FiredAt.Compare(a.FiredAt) }) {
		t.Errorf("%d events, the first %+v, want the latest %d", len(all), all[0], mostEvents)
	}
	if err := r.a.prune(t.Context()); err != nil {
		t.Fatal(err)
	}
	var left int
	if err := r.Pool.QueryRow(t.Context(), `select count(id) from alert_events`).Scan(&left); err != nil || left != 200 {
		t.Errorf("%d events are left (%v), want those of the last 90 days", left, err)
	}
}

// Charts mark what was told in the time that they show.
func TestTheAlertsOfATimeAreListed(t *testing.T) {
	r := newRig(t)
	at := time.Date(2026, time.February, 3, 14, 0, 0, 0, time.UTC)
	r.Restore(`insert into alert_events (id, state, first_id, kind, severity, subject_kind, subject_id, subject, code, params, message, remedy, link, fired_at)
		select gen_random_uuid(), 'notice', gen_random_uuid(), 'test', 'info', 'node', '', 'gw1', 'alert.test', '{}', n::text, '', '', $1::timestamptz + n * interval '1 minute' from generate_series(0, 9) n`, at)
	minute := func(n int) string { return at.Add(time.Duration(n) * time.Minute).Format(time.RFC3339) }
	for _, tc := range []struct {
		name  string
		query url.Values
		want  string // messages, the newest first
	}{
		{"all", nil, "9876543210"},
		{"since a time, and at it", url.Values{"since": {minute(7)}}, "987"},
		{"before a time, and not at it", url.Values{"until": {minute(2)}}, "10"},
		{"between two", url.Values{"since": {minute(3)}, "until": {minute(6)}}, "543"},
		{"the latest of them", url.Values{"until": {minute(6)}, "limit": {"2"}}, "54"},
		{"none", url.Values{"since": {minute(10)}}, ""},
	} {
		t.Run(tc.name, func(t *testing.T) {
			var all []Event
			r.Do("GET", "/alerts/events?"+tc.query.Encode(), nil).Want(http.StatusOK).Into(&all)
			got := ""
			for _, e := range all {
				got += e.Message
			}
			if got != tc.want {
				t.Errorf("listed %q, want %q", got, tc.want)
			}
		})
	}
	for _, odd := range []string{"limit=0", "limit=1001", "since=yesterday"} {
		r.Do("GET", "/alerts/events?"+odd, nil).Want(http.StatusBadRequest)
	}
}

func TestNobodyAcknowledgesWhatThereIsNot(t *testing.T) {
	r := newRig(t)
	r.Do("POST", "/alerts/events/"+db.NewID()+"/acknowledge", nil).Want(http.StatusNotFound)
	r.Do("POST", "/alerts/events/x/acknowledge", nil).Want(http.StatusNotFound)
}
