package fuzz

import (
	"bytes"
	"fmt"
	"log"
	"math/rand/v2"
	"net/http"
	"os"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/sync/errgroup"

	"gateway/internal/api"
	"gateway/internal/app/apptest"
)

// Options are the size of a run.
type Options struct {
	Seed     uint64
	Requests int
	// Only keeps to the operations whose id begins so.
	Only string
}

// workers keep two cores busy while some of them wait for the database.
const workers = 6

// Driver is one run against one process.
type Driver struct {
	Options
	app       *apptest.App
	ops       []*operation
	transport *http.Transport
	rows      *rows
	found     findings
	serial    atomic.Uint64 // numbers what must be different each time

	keeping sync.Mutex
	first   *account // the administrator that is never harmed
}

// Result is what a run saw.
type Result struct {
	Requests int
	Findings []*Finding
	Calls    map[string]int // by operation
	Statuses map[int]int
	P99      time.Duration
}

// Count is how often the given kinds were found.
func (r Result) Count(kinds ...Kind) int {
	n := 0
	for _, f := range r.Findings {
		if slices.Contains(kinds, f.Kind) {
			n += f.Times
		}
	}
	return n
}

// Add joins the findings of another run.
func (r *Result) Add(other Result) {
	r.Requests += other.Requests
	for _, f := range other.Findings {
		i := slices.IndexFunc(r.Findings, func(known *Finding) bool { return known.Kind == f.Kind && known.Detail == f.Detail })
		if i < 0 {
			r.Findings = append(r.Findings, f)
			continue
		}
		r.Findings[i].Times += f.Times
	}
}

// Rarest is the operation that was called least.
func (r Result) Rarest() (op string, calls int) {
	calls = r.Requests
	for id, n := range r.Calls {
		if n <= calls {
			op, calls = id, n
		}
	}
	return op, calls
}

// New prepares a run. admin must have the session of the first administrator.
func New(a *apptest.App, admin *apptest.Client, o Options) (*Driver, error) {
	document, err := a.API.Document()
	if err != nil {
		return nil, err
	}
	ops, err := operations(document)
	if err != nil {
		return nil, err
	}
	ops = slices.DeleteFunc(ops, func(op *operation) bool { return !strings.HasPrefix(op.OperationID, o.Only) })
	if len(ops) == 0 {
		return nil, fmt.Errorf("the document has no operation %s…", o.Only)
	}
	d := &Driver{Options: o, app: a, ops: ops, first: &account{role: "admin", password: apptest.Password, cookie: admin.Cookies[api.SessionCookie]}}
	d.transport = a.Server.Client().Transport.(*http.Transport).Clone()
	d.transport.MaxIdleConnsPerHost = 2 * workers // one handshake per worker, not per request
	d.transport.DisableCompression = true
	d.rows = newRows(workers, admin.Get("/auth/me").ID())
	return d, nil
}

// find is the operation of a method and path of the document; nil when there is none.
func (d *Driver) find(method, path string) *operation {
	i := slices.IndexFunc(d.ops, func(op *operation) bool { return op.method == method && op.path == path })
	if i < 0 {
		return nil
	}
	return d.ops[i]
}

// Run sends all requests and returns what it saw. Its connections are closed again.
func (d *Driver) Run() (Result, error) {
	defer d.transport.CloseIdleConnections()
	var served bytes.Buffer // net/http says there when a handler panicked beyond our reach
	log.SetOutput(&served)
	var next atomic.Int64
	var g errgroup.Group
	all := make([]*worker, workers)
	for i := range all {
		w := &worker{driver: d, number: i, calls: map[string]int{}, statuses: map[int]int{}}
		w.accounts = [2]*account{{role: "admin"}, {role: "viewer"}}
		all[i] = w
		g.Go(func() error { return w.run(&next) })
	}
	err := g.Wait()
	d.searchLog(d.app.Log.String())
	log.SetOutput(os.Stderr)
	d.searchLog(served.String())
	return d.sum(all), err
}

func (d *Driver) sum(all []*worker) Result {
	r := Result{Findings: d.found.list, Calls: map[string]int{}, Statuses: map[int]int{}}
	for _, op := range d.ops {
		r.Calls[op.OperationID] = 0
	}
	var times []time.Duration
	for _, w := range all {
		times = append(times, w.times...)
		for id, n := range w.calls {
			r.Calls[id] += n
		}
		for status, n := range w.statuses {
			r.Statuses[status] += n
			r.Requests += n
		}
	}
	slices.Sort(times)
	if len(times) > 0 {
		r.P99 = times[len(times)*99/100]
	}
	return r
}

// maker is the source of everything about request n.
func (d *Driver) maker(n int) maker {
	return maker{Rand: rand.New(rand.NewPCG(d.Seed, uint64(n))), known: func(string) (string, bool) { return "", false }}
}
