package main

import (
	"os"
	"strings"
	"testing"
	"testing/fstest"
)

const page = `
## Packet filter (FW)

| id | statement | how it would be observed |
|---|---|---|
| FW-01 | one | x |
| FW-02 | two | x |
| FW-03 | three | x |
| FW-05 | five | x |

## Tunnels (TUN)
| TUN-01 | one | x |
`

func TestClaimsAreFoundInTestsOnly(t *testing.T) {
	got, err := findClaims(fstest.MapFS{
		"internal/a/a_test.go":           {Data: []byte("// shows FW-01, FW-02: both at once\n")},
		"internal/a/b_test.go":           {Data: []byte("\t// shows FW-03,\n\t// TUN-01\n\t// FW-05 is only mentioned\n")},
		"internal/a/a.go":                {Data: []byte("// shows FW-05\n")},
		"web/src/x.test.tsx":             {Data: []byte("  // shows TUN-01 and FW-01\n")},
		"web/src/x.tsx":                  {Data: []byte("// shows FW-05\n")},
		"lab/ui/story.mjs":               {Data: []byte("x() // shows FW-02\n")},
		"web/node_modules/p/p.test.ts":   {Data: []byte("// shows FW-05\n")},
		"tools/conformance/some_test.go": {Data: []byte("// shows FW-05\n")},
	})
	if err != nil {
		t.Fatal(err)
	}
	for id, want := range map[string]string{
		"FW-01":  "internal/a/a_test.go:1 web/src/x.test.tsx:1",
		"FW-02":  "internal/a/a_test.go:1 lab/ui/story.mjs:1",
		"FW-03":  "internal/a/b_test.go:1",
		"TUN-01": "internal/a/b_test.go:2 web/src/x.test.tsx:1",
		"FW-05":  "",
	} {
		if s := strings.Join(got[id], " "); s != want {
			t.Errorf("%s is shown by %q, want %q", id, s, want)
		}
	}
}

func TestAClaimOfNoStatementIsNamed(t *testing.T) {
	list, err := parseStatements(page)
	if err != nil {
		t.Fatal(err)
	}
	got := list.unknown(claims{"FW-01": {"a_test.go:1"}, "FW-99": {"a_test.go:7"}})
	if want := "a_test.go:7: no statement FW-99"; len(got) != 1 || got[0] != want {
		t.Errorf("unknown = %q, want %q", got, want)
	}
}

func TestTheReportIsCompact(t *testing.T) {
	list, err := parseStatements(page)
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	shown := list.write(&b, claims{"TUN-01": {"x"}})
	want := "Packet filter 0 of 4 missing FW-01..03 05 Tunnels 1 of 1"
	if got := strings.Join(strings.Fields(b.String()), " "); got != want || shown != 1 {
		t.Errorf("report = %q with %d shown, want %q with 1", got, shown, want)
	}
}

func TestAStatementStandsOnce(t *testing.T) {
	if _, err := parseStatements(page + "| FW-01 | again | x |\n"); err == nil {
		t.Error("a repeated id was accepted")
	}
}

func TestTheRealListIsWhole(t *testing.T) {
	src, err := os.ReadFile("../../docs/conformance.md")
	if err != nil {
		t.Fatal(err)
	}
	list, err := parseStatements(string(src))
	if err != nil {
		t.Fatal(err)
	}
	if got := len(list.ids); got != 628 {
		t.Errorf("statements = %d, want 628", got)
	}
}
