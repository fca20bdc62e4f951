package alert

import (
	"bufio"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"gateway/internal/db"
	"gateway/internal/secret"
	"gateway/tools/bar"
)

const senderEnv = "GATEWAY_TEST_ALERT_SENDER" // the database's address

// swift is a pace at which a test sees what takes minutes otherwise.
func swift(o Outside) Outside {
	o.Deadline = time.Second
	o.Pace = Pace{Every: 50 * time.Millisecond, Claim: 2 * time.Second, First: 50 * time.Millisecond, Longest: time.Second, GiveUp: time.Hour}
	return o
}

// TestSenderProcess is the process that the bar kills: it sends, and says how late its clock ticks.
func TestSenderProcess(t *testing.T) {
	dsn := os.Getenv(senderEnv)
	if dsn == "" {
		t.Skip("it is a part of another test")
	}
	pool, err := db.Open(dsn)
	if err != nil {
		t.Fatal(err)
	}
	box, err := secret.NewBox(slices.Repeat([]byte{7}, 32))
	if err != nil {
		t.Fatal(err)
	}
	r := &rig{}
	a := New(Options{DB: pool, Box: box, Database: r, Host: r, Now: time.Now, Log: slog.New(slog.DiscardHandler), Outside: swift(here())})
	go sayLate()
	if err := a.send(t.Context()); err != nil {
		t.Error(err)
	}
}

func sayLate() {
	const every = 100 * time.Millisecond
	for last := time.Now(); ; {
		now := <-time.After(every)
		fmt.Println("late", now.Sub(last).Milliseconds()-every.Milliseconds())
		last = now
	}
}

// strict is a receiver that counts what it took, by id, and judges the order.
type strict struct {
	*httptest.Server
	mode  atomic.Int32 // 0 takes everything, 1 hangs, 2 fails every other request
	mu    sync.Mutex
	taken map[string]int    // by webhook-id
	state map[string]string // last of each subject
	wrong int               // told the end before the beginning, or the beginning after the end
}

func newStrict(t testing.TB) *strict {
	s := &strict{taken: map[string]int{}, state: map[string]string{}}
	calls, end := atomic.Int64{}, make(chan struct{})
	s.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var in struct{ State, Subject string }
		mode, n := s.mode.Load(), calls.Add(1)
		switch {
		case mode == 1:
			<-end // whoever was killed meanwhile is not noticed
			return
		case mode == 2 && n%2 == 0:
			w.WriteHeader(http.StatusBadGateway)
			return
		}
		if err := readJSON(r, &in); err != nil {
			w.WriteHeader(http.StatusBadRequest)
			return
		}
		s.mu.Lock()
		defer s.mu.Unlock()
		if s.taken[r.Header.Get("webhook-id")]++; s.taken[r.Header.Get("webhook-id")] > 1 {
			return // a repetition tells nothing new
		}
		if (in.State == resolved) != (s.state[in.Subject] == firing) {
			s.wrong++
		}
		s.state[in.Subject] = in.State
	}))
	t.Cleanup(func() { close(end); s.Close() })
	return s
}

// seen are how many different events it has, how many repetitions, and how many in a wrong order.
func (s *strict) seen() (events, twice, wrong int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, n := range s.taken {
		twice += n - 1
	}
	return len(s.taken), twice, s.wrong
}

func TestBarOperations07Alerts(t *testing.T) {
	bar.NotShort(t)
	r := newRig(t)
	subjects := bar.GateSize(50, 500, 500)
	receivers := []*strict{newStrict(t), newStrict(t), newStrict(t)}
	for i, s := range receivers {
		s.mode.Store(int32(i))
		r.channel(body{"kind": "webhook", "target": s.URL})
	}
	stop := r.sender()
	for i := range subjects {
		r.finish(r.begin(fmt.Sprintf("s%d", i)))
	}
	const kills = 10
	want, late := 2*subjects, 0
	for k := range kills {
		from, _, _ := receivers[0].seen()
		r.eventually(20*time.Second, func() bool { n, _, _ := receivers[0].seen(); return n > from+rand.IntN(want/kills) || n == want })
		late = max(late, stop())
		receivers[1].mode.Store(int32(1 - k/(kills/2))) // it is back after half of them
		stop = r.sender()
	}
	receivers[2].mode.Store(0)
	r.eventually(2*time.Minute, func() bool {
		return !slices.ContainsFunc(receivers, func(s *strict) bool { n, _, _ := s.seen(); return n < want })
	})
	r.eventually(20*time.Second, func() bool { return r.unmarked() == 0 }) // what was taken is marked a little later
	late = max(late, stop())
	r.report(receivers, want, kills, late)
}

func (r *rig) report(receivers []*strict, want, kills, late int) {
	lost, twice, wrong := 0, 0, 0
	for _, s := range receivers {
		n, again, disorder := s.seen()
		lost, twice, wrong = lost+want-n, max(twice, again), wrong+disorder
	}
	pending := r.unmarked()
	figure := fmt.Sprintf("%d events to 3 channels (one hung, one failed), %d kills: %d lost, at most %d twice at a channel, %d out of order, %d not marked; ticks at most %d ms late", want, kills, lost, twice, wrong, pending, late)
	right := lost == 0 && twice <= kills && wrong == 0 && pending == 0
	bar.ReportTimed(r.T, "operations", 7, figure, "0 lost, twice ≤ kills, 0 out of order, 0 not marked, ticks ≤ 1 s late", right, late <= 1000)
}

// unmarked counts what is still to be delivered, as the database has it.
func (r *rig) unmarked() int {
	r.T.Helper()
	var n int
	if err := r.Pool.QueryRow(r.T.Context(), `select count(id) from alert_deliveries where state <> 'ok'`).Scan(&n); err != nil {
		r.T.Fatal(err)
	}
	return n
}

// begin tells of something, and finish of its end.
func (r *rig) begin(name string) string {
	p := down(name)
	st := state{Kind: p.Alert, SubjectKind: "backend", SubjectID: name, SeenAt: r.now()}
	if err := r.a.tell(r.T.Context(), st, p); err != nil {
		r.T.Fatal(err)
	}
	var first string
	if err := r.Pool.QueryRow(r.T.Context(), `select event_id::text from alert_states where subject_id = $1`, name).Scan(&first); err != nil {
		r.T.Fatal(err)
	}
	return first
}

func (r *rig) finish(first string) {
	if err := r.a.inOne(r.T.Context(), func(tx pgx.Tx) error { return r.a.resolve(r.T.Context(), tx, first) }); err != nil {
		r.T.Fatal(err)
	}
}

// sender starts a process that sends; stop kills it, and answers how many milliseconds its ticks were late at most.
func (r *rig) sender() (stop func() int) {
	r.T.Helper()
	cmd := exec.Command(os.Args[0], "-test.run=^TestSenderProcess$")
	cmd.Env = append(os.Environ(), senderEnv+"="+r.Pool.Config().ConnString())
	out, err := cmd.StdoutPipe()
	if err != nil {
		r.T.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		r.T.Fatal(err)
	}
	late := make(chan int, 1)
	go func() {
		worst := 0
		for lines := bufio.NewScanner(out); lines.Scan(); {
			text, is := strings.CutPrefix(lines.Text(), "late ")
			if n, err := strconv.Atoi(text); is && err == nil {
				worst = max(worst, n)
			}
		}
		late <- worst
	}()
	return func() int {
		_ = cmd.Process.Kill()
		worst := <-late
		_ = cmd.Wait()
		return worst
	}
}
