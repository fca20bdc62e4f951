package ctl

import (
	"encoding/json"
	"io"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/spf13/cobra"
)

// As GET /problems answers.
const down = `{"problems":[{"code":"proxy.server_down","severity":"error","subject":{"kind":"server","id":"1","name":"web1"},
	"message":"Server web1 of backend shop is down: connection refused","remedy":"Start the server.","since":"2026-11-16T12:00:00Z",
	"affects":[{"kind":"domain","id":"2","name":"shop.example.com"}],"affects_total":3}],
	"counts":{"critical":0,"error":1,"warning":0,"info":0},"unknown":[{"component":"cert","message":"the database is away"}]}`

func TestProblemsInWords(t *testing.T) {
	for _, tc := range []struct {
		name, answer string
		want         []string
		exit         int
	}{
		{"one", down, []string{
			"error    Server web1 of backend shop is down: connection refused\n         server web1; since 20",
			"; affects domain shop.example.com, 2 more\n         Start the server.\n",
			"0 critical, 1 error, 0 warning, 0 info\nCould not be checked: cert (the database is away)\n",
		}, exitProblems},
		{"of kinds with several words", `{"problems":[{"severity":"info","message":"A.","subject":{"kind":"left_out","name":"the DHCP subnet \"192.0.2.0/24\""},
			"affects":[{"kind":"dns_zone","name":"example.com"},{"kind":"dhcp-subnet","name":"192.0.2.0/24"},{"kind":"address_object","name":"a"}],"affects_total":3}]}`, []string{
			"\n         the DHCP subnet \"192.0.2.0/24\"; ", "affects DNS zone example.com, DHCP subnet 192.0.2.0/24, address object a\n",
		}, 0},
		{"none", `{"problems":[],"counts":{},"unknown":[]}`, []string{"No problems detected.\n"}, 0},
		{"nobody could be asked", `{"problems":[],"counts":{},"unknown":[{"component":"dns","message":"it hangs"}]}`, []string{"in what could be checked.\nCould not be checked: dns (it hangs)"}, exitProblems},
		{"one that was not seen before", `{"problems":[{"severity":"info","message":"New.","since":"2999-01-01T00:00:00Z","remedy":"Wait."}]}`, []string{"info     New.\n         Wait.\n"}, 0},
		{"a warning", `{"problems":[{"severity":"warning","message":"Late."}],"counts":{"warning":1}}`, []string{"warning  Late.\n0 critical"}, 0},
	} {
		t.Run(tc.name, func(t *testing.T) {
			var p problems
			if err := json.Unmarshal([]byte(tc.answer), &p); err != nil {
				t.Fatal(err)
			}
			p.asked = time.Now()
			var out strings.Builder
			p.print(&out)
			for _, want := range tc.want {
				if !strings.Contains(out.String(), want) {
					t.Errorf("printed %q, want %q in it", out.String(), want)
				}
			}
			exit := 0
			if err := p.verdict(); err != nil {
				exit = err.(*coded).code //nolint:errorlint // it is made just there
			}
			if exit != tc.exit {
				t.Errorf("exit code %d, want %d", exit, tc.exit)
			}
		})
	}
}

func TestStatusNeedsAttention(t *testing.T) {
	for _, tc := range []struct {
		name string
		s    status
		want string
	}{
		{"all is well", status{Database: true, Services: &services{Required: 5}, Problems: &severity{Warning: 2}}, ""},
		{"nothing is known", status{Database: true, Unknown: map[string]string{"services": "no bus"}}, "services could not be checked"},
		{"no database", status{}, "the database does not answer"},
		{"a service", status{Database: true, Services: &services{NotRunning: []service{{Name: "dns"}}}}, "not running: dns"},
		{"a problem", status{Database: true, Problems: &severity{Critical: 1, Error: 1}}, "problems of severity error or critical: 2"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			got := ""
			if err := tc.s.verdict(); err != nil {
				got = err.Error()
			}
			if got != tc.want {
				t.Errorf("verdict = %q, want %q", got, tc.want)
			}
		})
	}
}

func TestStatusInWords(t *testing.T) {
	s := status{
		Version: "1.2.3", Hostname: "gw1", Database: true, Setup: true,
		Services: &services{Required: 2, NotRunning: []service{{Name: "dns", Unit: "unbound.service", State: "failed"}}},
		Problems: &severity{Error: 1}, Waiting: []waiting{}, Unknown: map[string]string{"problems": "could not be checked: cert"},
	}
	var out strings.Builder
	s.print(&out)
	const want = `Version   1.2.3
Node      gw1
Database  answers
Setup     complete
Services  dns is not running: unbound.service failed
Problems  0 critical, 1 error, 0 warning, 0 info; gateway-ctl problems lists them
          could not be checked: cert
Changes   none waiting for confirmation
`
	if out.String() != want {
		t.Errorf("printed\n%s\nwant\n%s", out.String(), want)
	}
}

func TestColoursAreForTerminals(t *testing.T) {
	if got := colours(false).paint(red, "x"); got != "x" {
		t.Errorf("painted %q", got)
	}
	if got := colours(true).paint(red, "x"); got != "\x1b[31mx\x1b[0m" {
		t.Errorf("painted %q", got)
	}
}

// A full disk must not look like a whole export.
func TestWhatCannotBeWrittenIsAnError(t *testing.T) {
	cmd := &cobra.Command{Use: "toy"}
	full, err := os.OpenFile("/dev/full", os.O_WRONLY, 0)
	if err != nil {
		t.Skip(err)
	}
	defer full.Close()
	cmd.SetOut(full)
	if err := say(cmd, nil, func(w io.Writer) { _, _ = w.Write([]byte("half")) }); err == nil {
		t.Error("no error")
	}
}
