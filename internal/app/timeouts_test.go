package app

import (
	"os"
	"regexp"
	"strings"
	"testing"
	"time"
)

// HAProxy and the server must not end what an operation still has time for: the caller would be told that it failed
// while it completes, or it would be given up half way.
func TestNothingBeforeAnOperationEndsItTooEarly(t *testing.T) {
	a, err := Blueprint()
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile("../component/proxy/haproxyconf/management.cfg")
	if err != nil {
		t.Fatal(err)
	}
	_, backend, _ := strings.Cut(string(text), "\nbackend api\n")
	backend, _, _ = strings.Cut(backend, "\n\n")
	found := regexp.MustCompile(`(?m)^\ttimeout server (\S+)$`).FindStringSubmatch(backend)
	if found == nil {
		t.Fatal("management.cfg does not say how long HAProxy waits for the API")
	}
	proxy, err := time.ParseDuration(found[1])
	if err != nil {
		t.Fatal(err)
	}
	if proxy <= answerTime {
		t.Errorf("HAProxy waits %s for an answer, the server %s: it must wait longer, or nobody sees what the server says", proxy, answerTime)
	}
	all := a.server.Within()
	if len(all) < 300 {
		t.Fatalf("there are %d operations: these are not all", len(all))
	}
	for id, within := range all {
		if within >= answerTime || within >= proxy {
			t.Errorf("%s may take %s, the server has %s and HAProxy %s", id, within, answerTime, proxy)
		}
	}
}
