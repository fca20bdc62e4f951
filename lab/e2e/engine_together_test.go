package e2e

import (
	"fmt"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"gateway/tools/bar"
)

const (
	manyWriters = 50
	eachWrites  = 4
)

// crowd changes one record together, and each of them one of its own.
type crowd struct {
	*appliance
	caller *caller
	zone   string
	shared string // path of the record that all change
	done   atomic.Int64
	stale  atomic.Int64 // refused with 412
}

// shows T32
func TestBarEngine06Crowd(t *testing.T) {
	a := installed(t)
	c := &crowd{appliance: a, caller: a.signedIn(a.admin)}
	a.settles(c.caller, patience)
	c.zone = c.caller.post("/dns/zones", object{"name": "crowd.arpa", "forward_to": []string{}}).want(201).id()
	entries := func() int {
		n, err := strconv.Atoi(a.sql("gateway", "select count(*) from audit_entries where action like 'dns.record.%'"))
		if err != nil {
			t.Fatal(err)
		}
		return n
	}
	before := entries()
	counted, successes := c.run("matched", true)
	audited := entries() - before
	same, served := c.sameAsRows()
	lostThere, successesThere := c.run("blind", false)
	figure := fmt.Sprintf("%d of %d updates counted (%d refused as stale), %d audit entries for %d successes, files as rendered %v, served as stored %v; control: %d of %d without If-Match",
		counted, successes-manyWriters, c.stale.Load(), audited, successes+1, same, served, lostThere, successesThere-manyWriters)
	ok := counted == successes-manyWriters && audited == successes+1 && same && served && lostThere < successesThere-manyWriters
	bar.Report(t, "engine", 6, figure, "no lost update, one entry for each success", !t.Failed() && ok)
}

// run has everybody add one to the shared record as often as agreed, and returns what it
// says in the end, and how many writes succeeded in all.
func (c *crowd) run(name string, matched bool) (counted, successes int) {
	c.t.Helper()
	c.done.Store(0)
	c.shared = "/dns/records/" + c.caller.post("/dns/records", c.record(name, "0")).want(201).id()
	var wg sync.WaitGroup
	for i := range manyWriters {
		mine := c.caller.copy()
		wg.Go(func() {
			if r, err := mine.try("POST", "/dns/records", c.record(fmt.Sprintf("%s%d", name, i), "x")); err == nil && r.status == 201 {
				c.done.Add(1)
			}
			for range eachWrites {
				c.addOne(mine, name, matched)
			}
		})
	}
	wg.Wait()
	return c.value(c.caller), int(c.done.Load())
}

func (c *crowd) record(name, value string) object {
	return object{"zone_id": c.zone, "name": name, "type": "TXT", "value": value, "ttl": 60}
}

func (c *crowd) value(from *caller) int {
	var row struct{ Value string }
	from.get(c.shared).want(200).decode(&row)
	n, err := strconv.Atoi(strings.Trim(row.Value, `"`))
	if err != nil {
		c.t.Errorf("the shared record says %q", row.Value)
	}
	return n
}

// addOne tries until it succeeds.
func (c *crowd) addOne(mine *caller, name string, matched bool) {
	for range 500 {
		read, err := mine.try("GET", c.shared, nil)
		var row struct{ Value string }
		if err != nil || read.status != 200 || !read.decode(&row) {
			continue
		}
		n, _ := strconv.Atoi(strings.Trim(row.Value, `"`))
		put := mine.copy()
		if matched {
			put.header.Set("If-Match", read.header.Get("ETag"))
		}
		r, err := put.try("PUT", c.shared, c.record(name, strconv.Itoa(n+1)))
		if err == nil && r.status == 200 {
			c.done.Add(1)
			return
		}
		if err == nil && r.status == 412 {
			c.stale.Add(1)
		}
	}
	c.t.Errorf("%s never got its turn", name)
}

// sameAsRows holds the file against a rendering of the rows, and unbound against both.
func (c *crowd) sameAsRows() (file, served bool) {
	c.t.Helper()
	c.settles(c.caller, patience)
	var previews []struct{ Files map[string]string }
	c.caller.get("/system/config-preview?generator=dns").want(200).decode(&previews)
	text := c.node.MustRun(c.t, "head", "-n", "-1", dnsFile)
	rows := c.sql("gateway", "select count(*) from dns_records where zone_id = '"+c.zone+"'")
	live := c.sh("unbound-control list_local_data | grep -c 'crowd.arpa.*TXT' || true")
	return len(previews) == 1 && previews[0].Files[dnsFile] == text, rows == live
}
