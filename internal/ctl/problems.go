package ctl

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"gateway/internal/app"
	"gateway/internal/fault"
)

func problemsCommand(cfg *app.Config) *cobra.Command {
	return &cobra.Command{
		Use: "problems", Short: "List what is wrong on this node, and what to do about it", Args: cobra.NoArgs,
		Long: "Prints the list that the pages of the UI show, worst first. Works while the database is away. Exit code 3\n" +
			"means that one of them has severity error or critical, or that something could not be checked.",
		RunE: func(cmd *cobra.Command, _ []string) error {
			return anyway(cmd, cfg, func(ctx context.Context, l *app.Local) error {
				var found problems
				raw, err := found.read(ctx, l)
				if err != nil {
					return err
				}
				if err := say(cmd, raw, found.print); err != nil {
					return err
				}
				return found.verdict()
			})
		},
	}
}

// problems is what GET /problems answers.
type problems struct {
	Problems []problem `json:"problems"`
	Counts   severity  `json:"counts"`
	Unknown  []unknown `json:"unknown"`
	asked    time.Time
}

// unknown is a component that could not be asked.
type unknown struct {
	Component string `json:"component"`
	Message   string `json:"message"`
}

// unknown names them, with or without why.
func (p *problems) unknown(why bool) string {
	parts := make([]string, len(p.Unknown))
	for i, u := range p.Unknown {
		parts[i] = u.Component
		if why {
			parts[i] += " (" + u.Message + ")"
		}
	}
	return strings.Join(parts, ", ")
}

type problem struct {
	Severity string    `json:"severity"`
	Subject  subject   `json:"subject"`
	Message  string    `json:"message"`
	Remedy   string    `json:"remedy"`
	Since    time.Time `json:"since"`
	Affects  []subject `json:"affects"`
	Affected int       `json:"affects_total"`
}

type subject struct {
	Kind string `json:"kind"`
	ID   string `json:"id"`
	Name string `json:"name"`
}

// abbreviations are the parts of kinds that are written in capitals.
var abbreviations = []string{"dhcp", "dns", "ip", "nat", "tcp"}

// String names it for a person. What was left out of a configuration has its noun in its name.
func (s subject) String() string {
	if s.Kind == "left_out" {
		return s.Name
	}
	words := strings.FieldsFunc(s.Kind, func(r rune) bool { return r == '_' || r == '-' })
	for i, w := range words {
		if slices.Contains(abbreviations, w) {
			words[i] = strings.ToUpper(w)
		}
	}
	return strings.TrimSpace(strings.Join(words, " ") + " " + s.Name)
}

// severity counts problems.
type severity struct {
	Critical int `json:"critical"`
	Error    int `json:"error"`
	Warning  int `json:"warning"`
	Info     int `json:"info"`
}

func (s severity) bad() int { return s.Critical + s.Error }

func (s severity) total() int { return s.bad() + s.Warning + s.Info }

func (s severity) String() string {
	if s.total() == 0 {
		return "none"
	}
	return fmt.Sprintf("%d critical, %d error, %d warning, %d info", s.Critical, s.Error, s.Warning, s.Info)
}

// verdict is also bad where something could not be checked: a monitor must not stay green.
func (p *problems) verdict() error {
	switch {
	case p.Counts.bad() > 0:
		return verdict(exitProblems, "%s", p.Counts.words())
	case len(p.Unknown) > 0:
		return verdict(exitProblems, "could not be checked: %s", p.unknown(false))
	}
	return nil
}

func (s severity) words() string {
	return fmt.Sprintf("problems of severity error or critical: %d", s.bad())
}

// read asks the API, and also returns the answer as it came.
func (p *problems) read(ctx context.Context, l *app.Local) (json.RawMessage, error) {
	p.asked = time.Now()
	answer, err := l.Do(ctx, http.MethodGet, "/problems", nil, nil)
	if fault.Is(err, fault.NotFound) {
		return nil, fault.New(fault.NotFound, "this version has no list of problems")
	}
	if err != nil {
		return nil, err
	}
	if err := json.Unmarshal(answer.Data, p); err != nil {
		return nil, fmt.Errorf("read the problems: %w", err)
	}
	return answer.Data, nil
}

// print lists them as the API does, worst first.
func (p *problems) print(w io.Writer) {
	c := coloursOf(w)
	for _, one := range p.Problems {
		if !one.Since.Before(p.asked) { // it is not known: this process has just seen it
			one.Since = time.Time{}
		}
		one.print(w, c)
	}
	switch {
	case len(p.Problems) > 0:
		fmt.Fprintln(w, p.Counts)
	case len(p.Unknown) > 0:
		fmt.Fprintln(w, "No problems detected in what could be checked.")
	default:
		fmt.Fprintln(w, "No problems detected.")
	}
	if len(p.Unknown) > 0 {
		fmt.Fprintln(w, "Could not be checked: "+shown(p.unknown(true)))
	}
}

func (p problem) print(w io.Writer, c colours) {
	fmt.Fprintf(w, "%s %s\n", c.paint(map[string]string{"critical": red, "error": red, "warning": yellow}[p.Severity], fmt.Sprintf("%-8s", shown(p.Severity))), shown(p.Message))
	for _, line := range []string{p.about(), p.Remedy} {
		if line != "" {
			fmt.Fprintf(w, "%-8s %s\n", "", shown(line))
		}
	}
}

// about is what the message does not say: of what, since when, and whom it concerns.
func (p problem) about() string {
	var parts []string
	if s := p.Subject.String(); s != "" {
		parts = append(parts, s)
	}
	if !p.Since.IsZero() {
		parts = append(parts, "since "+p.Since.Local().Format(time.DateTime))
	}
	if len(p.Affects) > 0 {
		names := make([]string, len(p.Affects))
		for i, a := range p.Affects {
			names[i] = a.String()
		}
		if more := p.Affected - len(p.Affects); more > 0 {
			names = append(names, fmt.Sprintf("%d more", more))
		}
		parts = append(parts, "affects "+strings.Join(names, ", "))
	}
	return strings.Join(parts, "; ")
}
