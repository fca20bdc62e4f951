package haproxy

import (
	"net/netip"
	"reflect"
	"strings"
	"testing"
	"time"
)

const procText = `#<PID>          <type>          <reloads>       <uptime>        <version>      
11395           master          1 [failed: 0]   0d00h00m05s     3.0.11-1+deb13u4
# workers
12527           worker          0               0d00h00m01s     3.0.11-1+deb13u4
# old workers
12001           worker          2               3d04h05m06s     3.0.11-1+deb13u4
# programs

`

func TestParseWorkers(t *testing.T) {
	got, err := parseWorkers(procText)
	long := 3*24*time.Hour + 4*time.Hour + 5*time.Minute + 6*time.Second
	want := []Worker{{PID: 12527, Uptime: time.Second}, {PID: 12001, Old: true, Reloads: 2, Uptime: long}}
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("workers = %+v, %v, want %+v", got, err, want)
	}
}

const serversText = `1
# be_id be_name srv_id srv_name srv_addr srv_op_state srv_admin_state srv_uweight srv_port
3 pool 1 one ::1 0 1 3 80
3 pool 2 two - 2 8 1 0`

func TestParseServers(t *testing.T) {
	got, err := parseServers(serversText)
	want := []Server{
		{Backend: "pool", Name: "one", Addr: netip.MustParseAddrPort("[::1]:80"), Weight: 3, Maintenance: true},
		{Backend: "pool", Name: "two", Weight: 1, Up: true, Drain: true},
	}
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("servers = %+v, %v, want %+v", got, err, want)
	}
}

const statText = `# pxname,svname,qcur,scur,smax,stot,bin,bout,status,weight,act,bck,lastchg,type,rate,check_status,hrsp_4xx,hrsp_5xx,req_rate,req_tot,last_chk,rtime,ttime,
web,FRONTEND,,1,2,3,4,5,OPEN,,,,,0,6,,7,8,9,10,,,,
pool,one,0,1,2,3,4,5,UP,50,1,0,60,2,6,L7OK,7,8,,10,"OK, quoted ""so""",11,12,`

func TestParseStats(t *testing.T) {
	got, err := parseStats(statText)
	want := []Stat{
		{
			Proxy: "web", Name: "FRONTEND", Kind: FrontendStat, Status: "OPEN", Sessions: 1, SessionsMax: 2, SessionsTotal: 3,
			BytesIn: 4, BytesOut: 5, Requests: 10, Rate: 9, Responses4xx: 7, Responses5xx: 8,
		},
		{
			Proxy: "pool", Name: "one", Kind: ServerStat, Status: "UP", CheckStatus: "L7OK", Sessions: 1, SessionsMax: 2, SessionsTotal: 3,
			BytesIn: 4, BytesOut: 5, Requests: 10, Rate: 6, Responses4xx: 7, Responses5xx: 8, Weight: 50, Active: true,
			LastChange: time.Minute, ResponseTime: 11 * time.Millisecond, TotalTime: 12 * time.Millisecond,
		},
	}
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("stats = %+v, %v, want %+v", got, err, want)
	}
}

func TestAnswers(t *testing.T) {
	for text, want := range map[string][]string{
		"":                       nil,
		"\n":                     {""},
		"\nno such thing\n\n\n":  {"", "no such thing", ""},
		"a\nb\n\nc\n\n":          {"a\nb", "c"},
		"broken off":             {"broken off"},
		"\n\nentry not found.\n": {"", "", "entry not found.\n"},
	} {
		if got := answers(text); !reflect.DeepEqual(got, want) {
			t.Errorf("answers(%q) = %q, want %q", text, got, want)
		}
	}
}

func TestRefusalIsShort(t *testing.T) {
	err := refuse("set map", strings.Repeat("x", 1000)+"\nmore")
	if got := len(err.Error()); got > 400 {
		t.Errorf("an error of %d bytes", got)
	}
}

// What HAProxy answers is read without a crash, and never as more than it says.
func FuzzAnswers(f *testing.F) {
	for _, s := range []string{
		procText, serversText, statText, "0x7f a b c\n0x8 d e\n", "type=str, case=sensitive, found=yes, idx=tree, key=\"a\", value=\"b\", type=\"str\"\n",
		"Filename: /a\nStatus: Used\nSerial: 01\nnotAfter: Jan  2 03:04:05 2040 GMT\nSubject Alternative Name: DNS:a, DNS:b\n",
		"0x7f: proto=tcpv4 src=1 fe=web be=pool\n",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		lines := strings.Count(s, "\n") + 1
		workers, _ := parseWorkers(s)
		servers, _ := parseServers(s)
		entries, _ := parseMap(s)
		sessions := parseSessions(s)
		stats, _ := parseStats(s)
		for _, n := range []int{len(workers), len(servers), len(entries), len(sessions), len(stats), len(answers(s)) / 2} {
			if n > lines {
				t.Errorf("%d things in %d lines", n, lines)
			}
		}
		_ = parseLookup(s)
		_, _ = parseCert(s)
		_ = alerts(s)
	})
}

// A word survives HAProxy's way of reading one.
func FuzzWord(f *testing.F) {
	for _, s := range []string{"a b", `\`, "<<", "a;b", "a << b"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		escaped, plain := word(s), []byte{}
		for i := 0; i < len(escaped); i++ {
			switch {
			case escaped[i] == '\\':
				i++
			case strings.IndexByte(special, escaped[i]) >= 0:
				t.Fatalf("%q has a bare %q", escaped, escaped[i])
			}
			plain = append(plain, escaped[i])
		}
		if string(plain) != s {
			t.Errorf("word(%q) reads as %q", s, plain)
		}
	})
}
