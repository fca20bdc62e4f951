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

	ImportPath  string // of what is being built
	FailedBuild string // the ImportPath for which a package failed
}

// running is what is known of a package whose end has not been seen.
type running struct {
	output map[string][]string // by test; "" is the package itself
	words  map[string][]string // by test that has not ended, the lines that may be complaints
	ended  bool                // its binary came to its end and said so
	broken bool                // it has no binary
	res    Result
}

type printer struct {
	attempt
	o      Options
	pkgs   map[string]*running
	builds map[string][]string // what the compiler said, by import path
}

func newPrinter(o Options) *printer {
	return &printer{attempt: newAttempt(), o: o, pkgs: map[string]*running{}, builds: map[string][]string{}}
}

func (p *printer) pkg(name string) *running {
	if p.pkgs[name] == nil {
		p.pkgs[name] = &running{output: map[string][]string{}, words: map[string][]string{}}
	}
	return p.pkgs[name]
}

func (p *printer) event(e event) {
	switch e.Action {
	case "build-output":
		p.builds[e.ImportPath] = append(p.builds[e.ImportPath], e.Output)
		fmt.Fprint(p.o.Out, e.Output)
	case "run":
		p.pkg(e.Package).words[e.Test] = nil
		p.of(name{e.Package, whole(e.Test)})
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
	r := p.pkg(e.Package)
	if e.Test == "" {
		r.ended = r.ended || e.Output == "FAIL\n" || e.Output == "PASS\n"
		r.broken = r.broken || strings.HasSuffix(e.Output, " failed]\n") // to build, or to be set up
	}
	if e.Test != "" && strings.HasPrefix(e.Output, "WARNING: DATA RACE") {
		p.of(name{e.Package, whole(e.Test)}).raced = true
	}
	if mayComplain(e.Output) {
		r.words[e.Test] = append(r.words[e.Test], e.Output)
	}
	if p.o.Stream {
		fmt.Fprint(p.o.Out, e.Output)
		return
	}
	r.output[e.Test] = append(r.output[e.Test], e.Output)
}

func (p *printer) endTest(e event) {
	r := p.pkg(e.Package)
	r.res.count(e.Action)
	if p.o.OnEnd != nil {
		p.o.OnEnd(e.Package, e.Test, e.Action)
	}
	lines := r.words[e.Test]
	if e.Action == "fail" {
		p.show(r.output[e.Test])
		lines = complaints(e.Package, lines)
	}
	p.end(e, lines)
	delete(r.output, e.Test)
	delete(r.words, e.Test)
}

func (p *printer) endPackage(e event) {
	r := p.pkg(e.Package)
	delete(p.pkgs, e.Package)
	if e.Action == "fail" {
		// What is left was printed by the package itself or by tests that never ended.
		for _, test := range slices.Sorted(maps.Keys(r.output)) {
			p.show(r.output[test])
		}
		p.failedPackage(e, r)
	}
	if e.Action != "skip" && !p.o.Stream {
		fmt.Fprintf(p.o.Out, "%-4s %-50s %7.2fs  %s\n", word(e.Action), e.Package, e.Elapsed, r.res)
	}
}

// failedPackage notes what its tests said that never ended, and that the package
// failed when no failed test says so.
func (p *printer) failedPackage(e event, r *running) {
	own := append(p.builds[e.FailedBuild], r.words[""]...)
	delete(r.words, "")
	for _, test := range slices.Sorted(maps.Keys(r.words)) {
		p.of(name{e.Package, whole(test)}).say(test, append(complaints(e.Package, r.words[test]), "it never ended"))
	}
	p.died[e.Package] = !r.ended && !r.broken && e.FailedBuild == ""
	if r.res.Failed == 0 {
		r.res.Failed = 1
		p.end(e, own)
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

func word(action string) string {
	if action == "pass" {
		return "ok"
	}
	return "FAIL"
}
