package e2e

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"gateway/tools/bar"
)

// told is what GET /problems and gateway-ctl problems say.
type told struct {
	Problems []struct {
		Code, Severity string
		Subject        struct{ Kind, ID string }
	}
	Unknown []struct{ Component, Message string }
}

// codes are the problems of which a state is one.
func (d trouble) codes() (out []string) {
	for _, one := range strings.Split(d.Problem, "|") {
		code, _, _ := strings.Cut(one, " ")
		out = append(out, code)
	}
	return out
}

// isIn tells whether a state is among what is told. In the other lane there may be one with the same code.
func (d trouble) isIn(x told) bool {
	for _, p := range x.Problems {
		id := p.Code + " " + p.Subject.Kind + " " + p.Subject.ID + " "
		if slices.ContainsFunc(strings.Split(d.Problem, "|"), func(one string) bool { return strings.HasPrefix(id, one+" ") }) {
			return true
		}
	}
	return false
}

func (x told) codes() (out []string) {
	for _, p := range x.Problems {
		out = append(out, p.Code)
	}
	return out
}

// causes are reasons why something is not known that are problems themselves.
var causes = map[string]string{
	"the database does not answer":               "system.database_down",
	"the applier is not running (gateway-apply)": "system.applier_down",
}

// count is the number at the indicator: reasons why something is not known are told once each, and
// not beside the problem that they are.
func (x told) count() int {
	reasons := map[string]bool{}
	for _, u := range x.Unknown {
		if cause := causes[u.Message]; cause == "" || !slices.Contains(x.codes(), cause) {
			reasons[u.Message] = true
		}
	}
	return len(x.Problems) + len(reasons)
}

// judgement is how many were asked, and who does not say what is true.
type judgement struct {
	Asked int      `json:"asked"`
	Wrong []string `json:"wrong"`
}

func (v *judgement) judge(who string, says, lasts bool) {
	v.Asked++
	if says != lasts {
		v.Wrong = append(v.Wrong, fmt.Sprintf("%s says %t while it is %t", who, says, lasts))
	}
}

// disagrees asks one of them: the API, or gateway-ctl, who alone can tell of whoever is cut off.
func (w *ward) disagrees(who string, d trouble, lasts bool) judgement {
	v := judgement{Wrong: []string{}}
	switch {
	case who == "gateway-ctl" && d.Problem != "":
		v.judge("gateway-ctl problems", w.commandSays(d), lasts)
	case who == "api" && (d.Sign == "" || !lasts):
		w.lend(func(c *caller) { w.askAPI(c, &v, d, lasts) })
	}
	return v
}

func (w *ward) askAPI(c *caller, v *judgement, d trouble, lasts bool) {
	x, known := w.told(c)
	if !known {
		v.Wrong = append(v.Wrong, "GET /problems does not answer")
	}
	if d.Problem != "" {
		v.judge("GET /problems", d.isIn(x), lasts)
	}
	v.Wrong = append(v.Wrong, w.unexpected(x)...)
	if d.kind != "" {
		judgeState(c, v, d, lasts)
	}
}

// told is what the API says of problems.
func (w *ward) told(c *caller) (x told, known bool) {
	r, err := c.try("GET", "/problems", nil)
	known = err == nil && r.status == 200 && r.decode(&x)
	return x, known
}

// lend gives a caller of its own to somebody who asks beside others.
func (w *ward) lend(ask func(c *caller)) {
	c := <-w.callers
	defer func() { w.callers <- c }()
	ask(c)
}

// commandSays is what gateway-ctl makes of a state.
func (w *ward) commandSays(d trouble) bool {
	said := w.command("gateway-ctl problems --json")
	var x struct{ Data told }
	_, list, _ := strings.Cut(said, "{") // its verdict may stand before or after
	if err := json.NewDecoder(strings.NewReader("{" + list)).Decode(&x); err == nil && d.isIn(x.Data) {
		return true
	}
	return d.says != "" && strings.Contains(said, d.says)
}

func judgeState(c *caller, v *judgement, d trouble, lasts bool) {
	var x struct {
		Known  bool
		States map[string]struct{ State string }
	}
	r, err := c.try("GET", "/problems/states/"+d.kind, nil)
	if err != nil || r.status != 200 || !r.decode(&x) || !x.Known {
		v.Wrong = append(v.Wrong, "GET /problems/states/"+d.kind+" does not answer")
		return
	}
	says := x.States[d.id].State == d.state
	if d.id == "" { // it is made for the occasion
		for _, one := range x.States {
			says = says || one.State == d.state
		}
	}
	v.judge("the state of the "+d.kind, says, lasts)
}

// unexpected are problems that nobody caused.
func (w *ward) unexpected(x told) (wrong []string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, code := range x.codes() {
		if time.Now().After(w.expected[code]) {
			wrong = append(wrong, "GET /problems says "+code+", and nobody caused that")
		}
	}
	return wrong
}

// expect notes which problems there may be, and for how long.
func (w *ward) expect(d trouble, until time.Time) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, code := range append(d.codes(), d.also...) {
		w.expected[code] = until
	}
}

// turn brings something about, and waits until it is so.
func (w *ward) turn(d trouble, on bool) error {
	do, until := d.mend, time.Now().Add(time.Hour)
	if on {
		do = d.cause
	}
	w.expect(d, until)
	do()
	for began := time.Now(); d.real() != on; time.Sleep(20 * time.Millisecond) {
		if time.Since(began) > 2*patience {
			return fmt.Errorf("%s is not %t after %v", d.Name, on, 2*patience)
		}
	}
	if !on {
		w.expect(d, time.Now().Add(inTime))
	}
	return nil
}

// inTime is how soon everybody has to know.
const inTime = 5 * time.Second

// hear asks until all agree, or the time is over.
func (w *ward) hear(who string, d trouble, lasts bool, limit time.Duration) judgement {
	for end := time.Now().Add(limit); ; time.Sleep(50 * time.Millisecond) {
		v := w.disagrees(who, d, lasts)
		if len(v.Wrong) == 0 || time.Now().After(end) {
			return v
		}
	}
}

// witnesses are who tells of a state. All of them are asked from the same moment on.
var witnesses = []string{"list", "page", "dashboard", "indicator", "api", "gateway-ctl"}

// lanes is how many states last at the same time, at the most.
const lanes = 2

// enquiry is what the script asks of a state.
type enquiry struct {
	Name, Who string
	Lasts     bool
	Limit     int // in ms
}

// count is the number that the indicator should have, and whether the state is in it, or no more.
func (w *ward) count(d trouble, lasts bool) any {
	var x told
	var known bool
	w.lend(func(c *caller) { x, known = w.told(c) })
	away := slices.Contains(x.codes(), "system.database_down")
	return map[string]any{"count": x.count(), "away": away, "agrees": known && (d.Problem == "" || d.isIn(x) == lasts)}
}

// statesEnv chooses states by a regular expression of their names, to look into some of them. The
// judge's controls stay, and nothing is reported then.
const statesEnv = "GATEWAY_STATES"

// A list, a page, the dashboard, the indicator, the API and the command line say what is
// true of a node, while one thing after the other breaks and is mended. What is true is
// measured without them: by visits, handshakes, systemd, the kernel and files.
func TestBarPeople01States(t *testing.T) {
	webFolder(t)
	w := newWard(t)
	all := w.troubles()
	if n := bar.GateSize(len(atGate), len(all), len(all)); n < len(all) {
		all = slices.DeleteFunc(all, func(d trouble) bool { return !slices.Contains(atGate, d.Name) })
	}
	only := os.Getenv(statesEnv)
	if only != "" {
		some := regexp.MustCompile(only)
		all = slices.DeleteFunc(all, func(d trouble) bool { return !some.MatchString(d.Name) && !slices.Contains(lies, d.Name) })
	}
	var x told
	w.eventually(patience, "the node is well", func() bool {
		return w.c.get("/problems").want(200).decode(&x) && len(x.Problems) == 0 && len(x.Unknown) == 0
	})
	w.callers = make(chan *caller, 2*lanes)
	for range cap(w.callers) {
		w.callers <- w.c.copy()
	}
	find := func(do func(trouble, enquiry) (any, error)) deed {
		return ask(func(in enquiry) (any, error) {
			i := slices.IndexFunc(all, func(d trouble) bool { return d.Name == in.Name })
			if i < 0 && in.Name != "" {
				return nil, errors.New("no such state")
			}
			if i < 0 {
				return do(trouble{}, in)
			}
			return do(all[i], in)
		})
	}
	// Two browsers and a node are more than this machine can do without one waiting for the other: it is the gate alone
	// that has no time for one state after the other.
	beside := bar.GateSize(lanes, 1, 1) > 1
	do := w.accounts()
	do["cases"] = func(json.RawMessage) (any, error) {
		return map[string]any{"all": all, "lies": lies, "beside": beside}, nil
	}
	do["turn"] = find(func(d trouble, in enquiry) (any, error) { return nil, w.turn(d, in.Lasts) })
	do["count"] = find(func(d trouble, in enquiry) (any, error) { return w.count(d, in.Lasts), nil })
	do["hear"] = find(func(d trouble, in enquiry) (any, error) {
		return w.hear(in.Who, d, in.Lasts, time.Duration(in.Limit)*time.Millisecond), nil
	})
	var out struct {
		States, Judged, Lies, Found int
		Shown, Gone                 map[string]int // in ms, by where it is seen
		Wrong, Missed               []string
	}
	w.browse("problems", do, &out)
	for _, what := range out.Wrong {
		t.Error(what)
	}
	for _, what := range out.Missed {
		t.Errorf("the judge believed: %s", what)
	}
	slowest, each := 0, []string{}
	for _, where := range witnesses {
		slowest = max(slowest, out.Shown[where], out.Gone[where])
		each = append(each, fmt.Sprintf("%s %d and %d", where, out.Shown[where], out.Gone[where]))
	}
	figure := fmt.Sprintf("%d states, judged %d times: %d wrong; shown and gone after at most, in ms: %s; control: %d of %d lies found",
		out.States, out.Judged, len(out.Wrong), strings.Join(each, ", "), out.Found, out.Lies)
	heard := len(out.Shown) == len(witnesses) && len(out.Gone) == len(witnesses)
	if only != "" {
		t.Logf("some of them: %s", figure)
		return
	}
	right := heard && out.States == len(all) && len(out.Wrong) == 0 && out.Lies > 0 && out.Found == out.Lies
	bar.ReportTimed(t, "people", 1, figure, "0 wrong, each <=5000 ms, control all", right, slowest <= 5000)
}
