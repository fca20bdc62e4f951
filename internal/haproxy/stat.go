package haproxy

import (
	"context"
	"encoding/csv"
	"errors"
	"io"
	"strconv"
	"strings"
	"time"
)

// Kind is what a line of the statistics is about.
type Kind string

// The kinds of lines; a listener is part of a frontend.
const (
	FrontendStat Kind = "frontend"
	BackendStat  Kind = "backend"
	ServerStat   Kind = "server"
	ListenerStat Kind = "listener"
)

// Stat is a line of the statistics, with what of it is of use here. A figure that HAProxy
// does not keep for this kind of line is 0.
type Stat struct {
	Proxy, Name         string // Name is FRONTEND, BACKEND or the server's
	Kind                Kind
	Status, CheckStatus string
	Sessions            int64 // now
	SessionsMax         int64
	SessionsTotal       int64
	Queue               int64
	BytesIn, BytesOut   int64
	LastChange          time.Duration // ago
	Requests            int64
	Rate                int64 // per second: requests of a frontend or backend, else sessions
	Responses4xx        int64
	Responses5xx        int64
	ResponseTime        time.Duration // of the last 1,024 requests, on average
	TotalTime           time.Duration
	Weight              int64
	Active, Backup      bool
}

// Answers asks for next to nothing: a worker that does not answer that hangs, however much it has to do.
func (r Runtime) Answers(ctx context.Context) error {
	_, err := r.ask(ctx, "show version")
	return err
}

// Stats reads the statistics of everything.
func (r Runtime) Stats(ctx context.Context) ([]Stat, error) { return r.stats(ctx, "show stat") }

// Frontends reads those of the frontends alone: there are few, however many servers there are.
func (r Runtime) Frontends(ctx context.Context) ([]Stat, error) {
	return r.stats(ctx, "show stat -1 1 -1") // of every proxy, frontends, of every number
}

func (r Runtime) stats(ctx context.Context, command string) ([]Stat, error) {
	answer, err := r.ask(ctx, command)
	if err != nil {
		return nil, err
	}
	return parseStats(answer)
}

func parseStats(answer string) ([]Stat, error) {
	text, found := strings.CutPrefix(answer, "# ")
	if !found {
		return nil, refuse("show stat", answer)
	}
	rows := csv.NewReader(strings.NewReader(text))
	rows.FieldsPerRecord, rows.LazyQuotes, rows.ReuseRecord = -1, true, true
	column := map[string]int{}
	header, err := rows.Read()
	for i, name := range header {
		column[strings.Clone(name)] = i
	}
	var stats []Stat
	for err == nil {
		var row []string
		if row, err = rows.Read(); err == nil {
			stats = append(stats, parseStat(line{column, row}))
		}
	}
	if !errors.Is(err, io.EOF) {
		return nil, refuse("show stat", err.Error())
	}
	return stats, nil
}

// line is one of the statistics.
type line struct {
	column map[string]int
	row    []string
}

func (l line) text(name string) string {
	i, ok := l.column[name]
	if !ok || i >= len(l.row) {
		return ""
	}
	return strings.Clone(l.row[i])
}

// number is 0 where HAProxy keeps none.
func (l line) number(name string) int64 {
	i, ok := l.column[name]
	if !ok || i >= len(l.row) {
		return 0
	}
	n, _ := strconv.ParseInt(l.row[i], 10, 64)
	return n
}

func (l line) span(name string, unit time.Duration) time.Duration {
	return time.Duration(l.number(name)) * unit
}

func parseStat(l line) Stat {
	s := Stat{
		Proxy: l.text("pxname"), Name: l.text("svname"), Status: l.text("status"), CheckStatus: l.text("check_status"),
		Sessions: l.number("scur"), SessionsMax: l.number("smax"), SessionsTotal: l.number("stot"), Queue: l.number("qcur"),
		BytesIn: l.number("bin"), BytesOut: l.number("bout"), LastChange: l.span("lastchg", time.Second),
		Requests: l.number("req_tot"), Rate: l.number("req_rate"), Weight: l.number("weight"),
		Responses4xx: l.number("hrsp_4xx"), Responses5xx: l.number("hrsp_5xx"),
		ResponseTime: l.span("rtime", time.Millisecond), TotalTime: l.span("ttime", time.Millisecond),
		Active: l.number("act") > 0, Backup: l.number("bck") > 0,
	}
	// "type" is a number; only a frontend has a rate of its requests.
	kinds := []Kind{FrontendStat, BackendStat, ServerStat, ListenerStat}
	if n := l.number("type"); n >= 0 && n < int64(len(kinds)) {
		s.Kind = kinds[n]
	}
	if s.Kind != FrontendStat {
		s.Rate = l.number("rate")
	}
	return s
}
