package main

import (
	"os"
	"path/filepath"
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
		"internal/a/c_test.go":           {Data: []byte("// shows (stand-in) FW-06*,\n// FW-07\n// shows FW-08*\n")},
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
		"FW-06":  "internal/a/c_test.go:1 (stand-in)",
		"FW-07":  "internal/a/c_test.go:2 (stand-in)",
		"FW-08":  "internal/a/c_test.go:3",
	} {
		if s := joined(got[id], " "); s != want {
			t.Errorf("%s is shown by %q, want %q", id, s, want)
		}
	}
}

func TestAClaimOfNoStatementIsNamed(t *testing.T) {
	list, err := parseStatements(page)
	if err != nil {
		t.Fatal(err)
	}
	got := list.unknown(claims{"FW-01": {{at: "a_test.go:1"}}, "FW-99": {{at: "a_test.go:7"}}})
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
	shown := list.write(&b, claims{"TUN-01": {{at: "x"}}, "FW-02": {{at: "y", standIn: true}}})
	want := "Packet filter 0 of 4 missing FW-01..03 05 Tunnels 1 of 1"
	if got := strings.Join(strings.Fields(b.String()), " "); got != want || shown != 1 {
		t.Errorf("report = %q with %d shown, want %q with 1", got, shown, want)
	}
}

func TestStandInsAreNamedApart(t *testing.T) {
	list, err := parseStatements(page)
	if err != nil {
		t.Fatal(err)
	}
	standIn := place{at: "x", standIn: true}
	names, n := list.standIns(claims{"FW-01": {standIn}, "FW-02": {standIn}, "FW-03": {standIn, {at: "y"}}, "TUN-01": {standIn}})
	if want := "FW-01..02, TUN-01"; names != want || n != 3 {
		t.Errorf("stand-ins = %q, %d, want %q, 3", names, n, want)
	}
}

func TestAnAsteriskStandsWhereTheWordsAreContradicted(t *testing.T) {
	d := parseDepartures("One process more (FW-01, FW-02). Not these: (see FW-03), FW-05.\n| x | y (TUN-01) |\n")
	for _, tc := range []struct {
		name, id string
		starred  bool
		wrong    string
	}{
		{"contradicted, with an asterisk", "FW-01", true, ""},
		{"contradicted, without", "FW-02", false, "write FW-02*"},
		{"contradicted in the table", "TUN-01", false, "write TUN-01*"},
		{"only mentioned", "FW-03", false, ""},
		{"an asterisk for nothing", "FW-05", true, "nothing in docs/departures.md contradicts FW-05"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			got := strings.Join(d.wrongStars(claims{tc.id: {{at: "a_test.go:1", starred: tc.starred}}}), "; ")
			if (got == "") != (tc.wrong == "") || !strings.Contains(got, tc.wrong) {
				t.Errorf("complaint = %q, want %q", got, tc.wrong)
			}
		})
	}
}

func TestADepartureNamesAStatement(t *testing.T) {
	list, err := parseStatements(page)
	if err != nil {
		t.Fatal(err)
	}
	got := parseDepartures("(FW-01, FW-77)").unknown(list)
	if want := "docs/departures.md: no statement FW-77"; len(got) != 1 || got[0] != want {
		t.Errorf("unknown = %q, want %q", got, want)
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

func TestTheReadmeHasTheFigure(t *testing.T) {
	var out strings.Builder
	if _, err := run(&out, "../..", false); err != nil {
		t.Fatal(err)
	}
	readme, err := os.ReadFile("../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	if got, want := string(told.Find(readme)), figure(out.String()); got != want {
		t.Errorf("README.md says that a test shows %q, but it is %q: make conformance WRITE=1", got, want)
	}
}

func TestTheReadmeIsBroughtUpToDate(t *testing.T) {
	page := filepath.Join(t.TempDir(), "README.md")
	if err := os.WriteFile(page, []byte("A test shows 1 of 9 statements of it.\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := writeReadme(page, "conformance: 2 of 9 shown\n"); err != nil {
		t.Fatal(err)
	}
	if got, _ := os.ReadFile(page); string(got) != "A test shows 2 of 9 statements of it.\n" {
		t.Errorf("README = %q", got)
	}
}
