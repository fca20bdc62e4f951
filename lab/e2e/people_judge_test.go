package e2e

import (
	"encoding/json"
	"errors"
	"fmt"
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

// disagree asks the API and gateway-ctl. Whoever is cut off can only be told by gateway-ctl.
func (w *ward) disagree(d trouble, lasts bool) judgement {
	v := judgement{Wrong: []string{}}
	var x told
	if d.Sign == "" || !lasts {
		if r, err := w.c.try("GET", "/problems", nil); err != nil || r.status != 200 || !r.decode(&x) {
			v.Wrong = append(v.Wrong, "GET /problems does not answer")
		}
		if d.Problem != "" {
			v.judge("GET /problems", d.isIn(x), lasts)
		}
		v.Wrong = append(v.Wrong, w.unexpected(x)...)
	}
	if d.Problem != "" {
		v.judge("gateway-ctl problems", w.commandSays(d), lasts)
	}
	if d.kind != "" {
		w.judgeState(&v, d, lasts)
	}
	return v
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

func (w *ward) judgeState(v *judgement, d trouble, lasts bool) {
	var x struct {
		Known  bool
		States map[string]struct{ State string }
	}
	r, err := w.c.try("GET", "/problems/states/"+d.kind, nil)
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
func (w *ward) hear(d trouble, lasts bool, limit time.Duration) judgement {
	for end := time.Now().Add(limit); ; time.Sleep(50 * time.Millisecond) {
		v := w.disagree(d, lasts)
		if len(v.Wrong) == 0 || time.Now().After(end) {
			return v
		}
	}
}

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
	var x told
	w.eventually(patience, "the node is well", func() bool {
		return w.c.get("/problems").want(200).decode(&x) && len(x.Problems) == 0 && len(x.Unknown) == 0
	})
	find := func(do func(trouble, bool, time.Duration) (any, error)) deed {
		return ask(func(in struct {
			Name  string
			Lasts bool
			Limit int
		},
		) (any, error) {
			i := slices.IndexFunc(all, func(d trouble) bool { return d.Name == in.Name })
			if i < 0 {
				return nil, errors.New("no such state")
			}
			return do(all[i], in.Lasts, time.Duration(in.Limit)*time.Millisecond)
		})
	}
	do := w.accounts()
	do["cases"] = func(json.RawMessage) (any, error) { return map[string]any{"all": all, "lies": lies}, nil }
	do["turn"] = find(func(d trouble, on bool, _ time.Duration) (any, error) { return nil, w.turn(d, on) })
	do["count"] = func(json.RawMessage) (any, error) {
		var x told
		if r, err := w.c.try("GET", "/problems", nil); err != nil || r.status != 200 || !r.decode(&x) {
			return -1, nil //nolint:nilerr // it is asked again
		}
		return x.count(), nil
	}
	do["hear"] = find(func(d trouble, lasts bool, limit time.Duration) (any, error) { return w.hear(d, lasts, limit), nil })
	var out struct {
		States, Judged, Shown, Gone, Lies, Found int
		Wrong, Missed                            []string
	}
	w.browse("problems", do, &out)
	for _, what := range out.Wrong {
		t.Error(what)
	}
	for _, what := range out.Missed {
		t.Errorf("the judge believed: %s", what)
	}
	figure := fmt.Sprintf("%d states, judged %d times in lists, on pages, the dashboard and the indicator, by the API and gateway-ctl: %d wrong, shown after %d ms, gone after %d ms; control: %d of %d lies found",
		out.States, out.Judged, len(out.Wrong), out.Shown, out.Gone, out.Found, out.Lies)
	right := out.States == len(all) && len(out.Wrong) == 0 && out.Lies > 0 && out.Found == out.Lies
	bar.ReportTimed(t, "people", 1, figure, "0 wrong, <=5000 ms, <=5000 ms, control all", right, out.Shown <= 5000 && out.Gone <= 5000)
}
