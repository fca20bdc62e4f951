package testrun

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// event is one line of "go test -json"; see "go doc test2json".
type event struct {
	Action  string
	Package string
	Test    string
	Output  string
	Elapsed float64
}

// running is what is known of a package whose end has not been seen.
type running struct {
	output map[string][]string // by test; "" is the package itself
	res    Result
}

type printer struct {
	o    Options
	pkgs map[string]*running
	res  Result
}

func newPrinter(o Options) *printer {
	return &printer{o: o, pkgs: map[string]*running{}}
}

func (p *printer) pkg(name string) *running {
	if p.pkgs[name] == nil {
		p.pkgs[name] = &running{output: map[string][]string{}}
	}
	return p.pkgs[name]
}

func (p *printer) event(e event) {
	switch e.Action {
	case "build-output":
		fmt.Fprint(p.o.Out, e.Output)
	case "output":
		p.output(e)
	case "pass", "fail", "skip":
		if e.Test == "" {
			p.endPackage(e)
		} else {
			p.endTest(e)
		}
	}
}

func (p *printer) output(e event) {
	if p.o.OnOutput != nil {
		p.o.OnOutput(e.Package, e.Test, strings.TrimRight(e.Output, "\r\n"))
	}
	if p.o.Stream {
		fmt.Fprint(p.o.Out, e.Output)
		return
	}
	r := p.pkg(e.Package)
	r.output[e.Test] = append(r.output[e.Test], e.Output)
}

func (p *printer) endTest(e event) {
	r := p.pkg(e.Package)
	r.res.count(e.Action)
	if p.o.OnEnd != nil {
		p.o.OnEnd(e.Package, e.Test, e.Action)
	}
	if e.Action == "fail" {
		p.show(r.output[e.Test])
	}
	delete(r.output, e.Test)
}

func (p *printer) endPackage(e event) {
	r := p.pkg(e.Package)
	delete(p.pkgs, e.Package)
	if e.Action == "fail" {
		// What is left was printed by the package itself or by tests that never ended.
		for _, test := range slices.Sorted(maps.Keys(r.output)) {
			p.show(r.output[test])
		}
		if r.res.Failed == 0 {
			r.res.Failed = 1
		}
	}
	p.res.Passed += r.res.Passed
	p.res.Failed += r.res.Failed
	p.res.Skipped += r.res.Skipped
	if e.Action != "skip" && !p.o.Stream {
		fmt.Fprintf(p.o.Out, "%-4s %-50s %7.2fs  %s\n", word(e.Action), e.Package, e.Elapsed, r.res)
	}
}

// finish counts packages whose end never came, because the run was stopped.
func (p *printer) finish() {
	for _, name := range slices.Sorted(maps.Keys(p.pkgs)) {
		p.endPackage(event{Action: "fail", Package: name})
	}
}

func (p *printer) show(lines []string) {
	for _, l := range lines {
		fmt.Fprint(p.o.Out, l)
	}
}

func (r *Result) count(action string) {
	switch action {
	case "pass":
		r.Passed++
	case "fail":
		r.Failed++
	case "skip":
		r.Skipped++
	}
}

func word(action string) string {
	if action == "pass" {
		return "ok"
	}
	return "FAIL"
}
