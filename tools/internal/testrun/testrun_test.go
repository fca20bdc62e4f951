package testrun

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

const events = `{"Action":"start","Package":"p"}
{"Action":"run","Package":"p","Test":"TestGood"}
{"Action":"output","Package":"p","Test":"TestGood","Output":"quiet when good\n"}
{"Action":"pass","Package":"p","Test":"TestGood","Elapsed":0}
{"Action":"run","Package":"p","Test":"TestBad"}
{"Action":"output","Package":"p","Test":"TestBad","Output":"why it failed\n"}
{"Action":"fail","Package":"p","Test":"TestBad","Elapsed":0}
{"Action":"skip","Package":"p","Test":"TestNotHere","Elapsed":0}
{"Action":"fail","Package":"p","Elapsed":0.5}
`

func read(t *testing.T, o Options, in string) (Result, string) {
	t.Helper()
	var out strings.Builder
	o.Out = &out
	res, err := Read(o, strings.NewReader(in))
	if err != nil {
		t.Fatal(err)
	}
	return res, out.String()
}

func TestReadCountsAndPrintsOnlyWhatFailed(t *testing.T) {
	res, out := read(t, Options{}, events)
	if want := (Result{Passed: 1, Failed: 1, Skipped: 1}); res != want {
		t.Errorf("result = %v, want %v", res, want)
	}
	if !strings.Contains(out, "why it failed") || strings.Contains(out, "quiet when good") {
		t.Errorf("output = %q, want the failed test's lines and no others", out)
	}
}

func TestReadStreamsEverythingWhenAsked(t *testing.T) {
	if _, out := read(t, Options{Stream: true}, events); !strings.Contains(out, "quiet when good") {
		t.Errorf("output = %q, want every line", out)
	}
}

func TestReadCountsAPackageThatFailsWithoutATest(t *testing.T) {
	for name, in := range map[string]string{
		"it does not build": `{"ImportPath":"p","Action":"build-output","Output":"p.go:1: syntax error\n"}
{"Action":"fail","Package":"p","FailedBuild":"p"}
`,
		"a test never ends": `{"Action":"run","Package":"p","Test":"TestHang"}
{"Action":"output","Package":"p","Test":"TestHang","Output":"syntax error of another kind\n"}
{"Action":"fail","Package":"p"}
`,
		"the run is stopped": `{"Action":"output","Package":"p","Test":"TestSlow","Output":"syntax error, nearly\n"}
`,
	} {
		t.Run(name, func(t *testing.T) {
			res, out := read(t, Options{}, in)
			if res.Failed != 1 || !strings.Contains(out, "syntax error") {
				t.Errorf("result = %v, output = %q, want one failure with its cause", res, out)
			}
		})
	}
}

func TestReadTellsListeners(t *testing.T) {
	var lines, ends []string
	read(t, Options{
		OnOutput: func(_, test, line string) { lines = append(lines, test+": "+line) },
		OnEnd:    func(_, test, action string) { ends = append(ends, test+" "+action) },
	}, events)
	if got, want := strings.Join(lines, "|"), "TestGood: quiet when good|TestBad: why it failed"; got != want {
		t.Errorf("lines = %q, want %q", got, want)
	}
	if got, want := strings.Join(ends, "|"), "TestGood pass|TestBad fail|TestNotHere skip"; got != want {
		t.Errorf("ends = %q, want %q", got, want)
	}
}

func TestCountsAreAppended(t *testing.T) {
	path := filepath.Join(t.TempDir(), "counts")
	for range 2 {
		if err := (Result{Passed: 4, Failed: 1}).append(path); err != nil {
			t.Fatal(err)
		}
	}
	got, err := os.ReadFile(path)
	if err != nil || string(got) != "4 1 0\n4 1 0\n" {
		t.Errorf("counts = %q, %v, want two lines", got, err)
	}
}
