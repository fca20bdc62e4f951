package ctl

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"gateway/internal/app"
	"gateway/internal/change"
)

func statusCommand(cfg *app.Config) *cobra.Command {
	return &cobra.Command{
		Use: "status", Short: "Show the state of this node: version, database, services, problems, changes to confirm", Args: cobra.NoArgs,
		Long: "Works while the database is away, and before setup. Exit code 3 means that something needs attention: a\n" +
			"problem of severity error or critical, a required service that is not running, the database, or something that could not be checked.",
		RunE: func(cmd *cobra.Command, _ []string) error {
			return anyway(cmd, cfg, func(ctx context.Context, l *app.Local) error {
				s := readStatus(ctx, l)
				if err := say(cmd, s, s.print); err != nil {
					return err
				}
				return s.verdict()
			})
		},
	}
}

// status is what one wants to know first. What could not be asked is null, and in Unknown.
type status struct {
	Version  string            `json:"version"`
	Hostname string            `json:"hostname"`
	OS       string            `json:"os"`
	Kernel   string            `json:"kernel"`
	Database bool              `json:"database"`
	Setup    bool              `json:"setup_complete"`
	Services *services         `json:"services"`
	Problems *severity         `json:"problems"`
	Waiting  []waiting         `json:"waiting"`
	Unknown  map[string]string `json:"unknown"` // by field: why
}

// services are those that have to run.
type services struct {
	Required   int       `json:"required"`
	NotRunning []service `json:"not_running"`
	// Failing run, as far as systemd can tell, and do not do their job.
	Failing []service `json:"failing"`
	names   []string  // of those that have to run
}

type service struct {
	Name     string `json:"name"`
	Unit     string `json:"unit"`
	State    string `json:"active_state"`
	Required bool   `json:"required"`
	Message  string `json:"message,omitempty"`
}

// waiting is a change that is reverted unless confirmed.
type waiting struct {
	Change   string    `json:"change"`
	What     string    `json:"what"`
	Actor    string    `json:"actor"`
	Deadline time.Time `json:"deadline"`
}

func readStatus(ctx context.Context, l *app.Local) *status {
	s := &status{Unknown: map[string]string{}}
	s.know("health", get(ctx, l, "/system/health", s))
	s.readServices(ctx, l)
	var found problems
	if _, err := found.read(ctx, l); s.know("problems", err) {
		s.Problems = &found.Counts
		s.Services.judge(found.Problems)
		if len(found.Unknown) > 0 {
			s.Unknown["problems"] = "could not be checked: " + found.unknown(false)
		}
	}
	s.readWaiting(ctx, l)
	return s
}

// know keeps why something could not be asked.
func (s *status) know(what string, err error) bool {
	if err != nil {
		s.Unknown[what] = explain(err)
	}
	return err == nil
}

func (s *status) readServices(ctx context.Context, l *app.Local) {
	var all struct{ Services []service }
	if !s.know("services", get(ctx, l, "/system/services", &all)) {
		return
	}
	found := &services{NotRunning: []service{}, Failing: []service{}}
	var silent []string
	for _, one := range all.Services {
		switch {
		case !one.Required:
			continue
		case one.State == "unknown":
			silent = append(silent, fmt.Sprintf("%s (%s)", one.Name, one.Message))
		case !slices.Contains([]string{"active", "reloading", "refreshing", "kernel-loaded"}, one.State):
			found.NotRunning = append(found.NotRunning, one)
		}
		found.Required++
		found.names = append(found.names, one.Name)
	}
	s.Services = found
	if len(silent) > 0 {
		s.Unknown["services"] = strings.Join(silent, ", ")
	}
}

// judge finds the services that run and do not work.
func (s *services) judge(found []problem) {
	if s == nil {
		return
	}
	for _, p := range found {
		down := func(one service) bool { return one.Name == p.Subject.ID }
		bad := p.Severity == "error" || p.Severity == "critical"
		if bad && p.Subject.Kind == "service" && slices.Contains(s.names, p.Subject.ID) && !slices.ContainsFunc(s.NotRunning, down) {
			s.Failing = append(s.Failing, service{Name: p.Subject.ID, Required: true, Message: p.Message})
		}
	}
}

// readWaiting asks the applier too, whose clock decides and who needs no database.
func (s *status) readWaiting(ctx context.Context, l *app.Local) {
	left := timeLeft(ctx, l)
	var found []change.Record
	known := s.know("waiting", get(ctx, l, "/changes?waiting=true&limit=1000", &found))
	if known {
		s.Waiting = []waiting{}
	}
	for _, c := range found {
		w := waiting{Change: c.ID, What: strings.TrimSpace(c.Action + " " + c.Subject), Actor: c.Actor}
		if c.ConfirmSeconds != nil {
			w.Deadline = c.CreatedAt.Add(time.Duration(*c.ConfirmSeconds) * time.Second)
		}
		if d, ok := left[c.ID]; ok {
			w.Deadline = time.Now().Add(d).Round(time.Second)
		}
		s.Waiting = append(s.Waiting, w)
	}
	for id, d := range left {
		if !known {
			s.Waiting = append(s.Waiting, waiting{Change: id, Deadline: time.Now().Add(d).Round(time.Second)})
		}
	}
}

func (s *status) verdict() error {
	var bad []string
	if !s.Database {
		bad = append(bad, "the database does not answer")
	}
	if s.Services != nil && len(s.Services.NotRunning) > 0 {
		names := make([]string, len(s.Services.NotRunning))
		for i, one := range s.Services.NotRunning {
			names[i] = one.Name
		}
		bad = append(bad, "not running: "+strings.Join(names, ", "))
	}
	if s.Problems != nil && s.Problems.bad() > 0 {
		bad = append(bad, s.Problems.words())
	}
	for _, what := range []string{"health", "services", "problems"} {
		if _, unknown := s.Unknown[what]; unknown && len(bad) == 0 {
			bad = append(bad, what+" could not be checked")
		}
	}
	if len(bad) == 0 {
		return nil
	}
	return verdict(exitProblems, "%s", strings.Join(bad, "; "))
}

func (s *status) print(out io.Writer) {
	c := coloursOf(out)
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	line := func(name, colour, text string) { fmt.Fprintf(w, "%s\t%s\n", name, c.paint(colour, cell(text))) }
	line("Version", "", s.Version)
	line("Node", "", strings.Join(slices.DeleteFunc([]string{s.Hostname, s.OS, s.Kernel}, func(t string) bool { return t == "" }), ", "))
	if s.Database {
		line("Database", "", "answers")
	} else {
		line("Database", red, "does not answer")
	}
	if s.Setup {
		line("Setup", "", "complete")
	} else {
		line("Setup", yellow, "not complete: open /setup; gateway-ctl setup-code prints the code")
	}
	s.printServices(line)
	s.printProblems(line)
	s.printWaiting(line)
	_ = w.Flush() // nobody reads any more
}

func (s *status) printServices(line func(name, colour, text string)) {
	name := "Services"
	if s.Services != nil {
		for _, one := range s.Services.NotRunning {
			line(name, red, strings.TrimSpace(fmt.Sprintf("%s is not running: %s %s", one.Name, one.Unit, one.State)))
			name = ""
		}
		for _, one := range s.Services.Failing {
			line(name, red, one.Name+" runs and does not work: "+one.Message)
			name = ""
		}
	}
	switch why := s.Unknown["services"]; {
	case why != "":
		line(name, yellow, "unknown: "+why)
	case name != "":
		line(name, "", fmt.Sprintf("all %d required services are running", s.Services.Required))
	}
}

func (s *status) printProblems(line func(name, colour, text string)) {
	why := s.Unknown["problems"]
	switch {
	case s.Problems == nil:
		line("Problems", yellow, "unknown: "+why)
		return
	case s.Problems.bad() > 0:
		line("Problems", red, s.Problems.String()+"; gateway-ctl problems lists them")
	case s.Problems.total() > 0:
		line("Problems", yellow, s.Problems.String()+"; gateway-ctl problems lists them")
	default:
		line("Problems", "", "none")
	}
	if why != "" {
		line("", yellow, why)
	}
}

func (s *status) printWaiting(line func(name, colour, text string)) {
	name := "Changes"
	for _, c := range s.Waiting {
		what := "change " + c.Change
		if c.What != "" {
			what += fmt.Sprintf(" (%s, by %s)", c.What, c.Actor)
		}
		line(name, yellow, fmt.Sprintf("reverting at %s, %s, unless confirmed: %s", c.Deadline.Local().Format(time.TimeOnly), in(c.Deadline), what))
		line("", "", "gateway-ctl confirm "+c.Change)
		name = ""
	}
	switch why := s.Unknown["waiting"]; {
	case why != "" && name != "":
		line(name, yellow, "unknown: "+why)
	case name != "":
		line(name, "", "none waiting for confirmation")
	}
}
