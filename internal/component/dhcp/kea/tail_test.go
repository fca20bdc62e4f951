package kea

import (
	"io"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"gateway/internal/component/dhcp/control"
)

const title = "address,hwaddr,client_id,valid_lifetime,expire,subnet_id,fqdn_fwd,fqdn_rev,hostname,state,user_context,pool_id\n"

func TestALineOfTheLeases(t *testing.T) {
	l, ok := parseLine("192.0.2.100,02:00:5e:00:53:01,01:02,600,1700000600,3221225984,0,0,a&#x2cb,0,,0")
	want := control.Lease{Address: "192.0.2.100", MAC: "02:00:5e:00:53:01", ClientID: "01:02", Hostname: "a,b", Subnet: 3221225984, Seen: 1700000000, Lifetime: 600}
	if !ok || l != want {
		t.Errorf("%+v, want %+v", l, want)
	}
	for _, bad := range []string{"", "x", "192.0.2.100,a,b,x,1,1,0,0,h,0,,0", "192.0.2.100,a,b,1,1,99999999999,0,0,h,0,,0"} {
		if l, ok := parseLine(bad); ok {
			t.Errorf("%q is %+v", bad, l)
		}
	}
	for text, want := range map[string]string{"a&#x": "a", "a&#xzz": "azz", "&#x2c&#x2C": ",,"} {
		if got := unescape(text); got != want {
			t.Errorf("%q is %q, want %q", text, got, want)
		}
	}
}

// The file is appended to, replaced by a new one and cut; no line is lost or read twice.
func TestTheTailOfTheLeases(t *testing.T) {
	path := filepath.Join(t.TempDir(), "leases.csv")
	write := func(text string, how int) {
		t.Helper()
		f, err := os.OpenFile(path, os.O_CREATE|os.O_WRONLY|how, 0o600)
		if err == nil {
			_, err = io.WriteString(f, text)
			f.Close()
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	write(title+"old\n", os.O_TRUNC)
	tl := &tail{path: path}
	defer tl.close()
	if err := tl.open(io.SeekEnd); err != nil {
		t.Fatal(err)
	}
	expect := func(what string, gap bool, lines ...string) {
		t.Helper()
		got, missed, err := tl.more()
		if err != nil || missed != gap || !slices.Equal(got, lines) {
			t.Errorf("%s: %q, gap %t, %v; want %q, %t", what, got, missed, err, lines, gap)
		}
	}
	expect("nothing", false)
	write("one\ntw", os.O_APPEND)
	expect("a line and a half", false, "one")
	write("o\n", os.O_APPEND)
	expect("the other half", false, "two")
	write("three\n", os.O_APPEND)
	if err := os.Rename(path, path+".1"); err != nil {
		t.Fatal(err)
	}
	expect("taken away", true, "three")
	write(title+"four\n", os.O_TRUNC)
	expect("made anew", true, "four")
	write("five\n", os.O_APPEND)
	expect("and on", false, "five")
	write(title, os.O_TRUNC)
	expect("cut", true)
	// Kea's user could put anything there, and this process is root.
	if err := os.Truncate(path, 1<<40); err != nil {
		t.Fatal(err)
	}
	if lines, _, err := tl.more(); err == nil {
		t.Errorf("a file of a terabyte has %d lines", len(lines))
	}
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("/dev/zero", path); err != nil {
		t.Fatal(err)
	}
	if err := (&tail{path: path}).open(io.SeekEnd); err == nil {
		t.Error("a link is followed")
	}
}

func TestTheTableOfLeases(t *testing.T) {
	var tb table
	now := time.Unix(2000, 0)
	one := control.Lease{Address: "192.0.2.9", MAC: "a", Seen: 1000, Lifetime: 2000}
	tb.replace([]control.Lease{one, {Address: "192.0.2.10", MAC: "b", Seen: 10, Lifetime: 20}, {Address: "x"}, {Address: "2001:db8::1", Lifetime: 9}})
	one.Seen = 1500
	if tb.put(one) {
		t.Error("a renewal is no news")
	}
	all, ok := tb.all(now)
	if !ok || len(all) != 1 || all[0].FirstSeen.Unix() != 1000 || all[0].LastSeen.Unix() != 1500 {
		t.Errorf("%+v, %t", all, ok)
	}
	one.Hostname = "a\u202eb\x00"
	if !tb.put(one) {
		t.Error("another name is news")
	}
	if all, _ = tb.all(now); all[0].Hostname != "a\uFFFDb\uFFFD" {
		t.Errorf("the name is %q", all[0].Hostname)
	}
	one.MAC = "c"
	if tb.put(one); true {
		if all, _ = tb.all(now); all[0].FirstSeen.Unix() != 1500 {
			t.Errorf("of another client: %+v", all[0])
		}
	}
	one.State = 2
	if !tb.put(one) {
		t.Error("its end is news")
	}
	if all, _ = tb.all(now); len(all) != 0 {
		t.Errorf("after its end: %+v", all)
	}
	tb.lose()
	if _, ok := tb.all(now); ok {
		t.Error("nobody knows")
	}
}

// A restart forgets neither since when a client has its address nor whose a name is.
func TestWhatWasSeenIsKeptOverARestart(t *testing.T) {
	first := newServer(Options{Seen: filepath.Join(t.TempDir(), "seen.json")})
	first.recall(t.Context()) // there is none yet
	victim := control.Lease{Address: "192.0.2.51", MAC: "nas", ClientID: "01", Hostname: "NAS.lan", Seen: 1000, Lifetime: 5000}
	first.leases.replace([]control.Lease{victim, {Address: "192.0.2.52", MAC: "gone", Seen: 1000, Lifetime: 5000}})
	if err := first.saveSeen(); err != nil {
		t.Fatal(err)
	}
	again := newServer(Options{Seen: first.Seen})
	again.recall(t.Context())
	if all, _ := again.leases.all(time.Unix(1001, 0)); len(all) != 0 {
		t.Errorf("leases that Kea did not tell: %+v", all)
	}
	victim.Seen = 2000
	again.leases.replace([]control.Lease{victim, {Address: "192.0.2.50", MAC: "other", Hostname: "nas", Seen: 1500, Lifetime: 5000}})
	all, _ := again.leases.all(time.Unix(2001, 0))
	if len(all) != 2 || all[1].FirstSeen.Unix() != 1000 || all[1].LastSeen.Unix() != 2000 {
		t.Fatalf("after a restart: %+v", all)
	}
	if byClaim(all)[0].MAC != "nas" {
		t.Errorf("after a restart the name is of %+v", byClaim(all)[0])
	}
	if err := again.saveSeen(); err != nil {
		t.Fatal(err)
	}
	if _, changed := again.leases.toSave(); changed {
		t.Error("there is news after it was kept")
	}
	// What is damaged is as good as missing.
	if err := os.WriteFile(first.Seen, []byte("[{"), 0o600); err != nil {
		t.Fatal(err)
	}
	third := newServer(Options{Seen: first.Seen})
	third.recall(t.Context())
	third.leases.replace([]control.Lease{victim})
	if all, _ := third.leases.all(time.Unix(2001, 0)); len(all) != 1 || all[0].FirstSeen.Unix() != 2000 {
		t.Errorf("with a damaged file: %+v", all)
	}
}
