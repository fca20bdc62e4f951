package squidtest

import (
	"strconv"
	"strings"
	"time"

	"gateway/internal/component/forwardproxy/squid"
)

// RunOn starts Squid on a file that was written by hand, or on the one that was installed.
func (s *Server) RunOn(conf string) {
	s.t.Helper()
	s.write(squid.ConfFile, []byte(conf), "644")
	if err := s.Restart(s.t.Context(), squid.Unit); err != nil {
		s.t.Fatal(err)
	}
}

// ours lists a file of each process of Squid and of the program that it asks.
const ours = `for p in /proc/[0-9]*; do case $(readlink $p/exe) in /usr/sbin/squid*|*/gateway-squid-lists) cat $p/$0 ;; esac; done`

// tick is the kernel's, in which it counts what a process takes.
const tick = 10 * time.Millisecond

// CPU is what Squid and the program that it asks have taken, all their threads included.
func (s *Server) CPU() (sum time.Duration) {
	s.t.Helper()
	for line := range strings.Lines(s.MustRun(s.t, "sh", "-c", ours, "stat")) {
		_, after, _ := strings.Cut(line, ") ") // the name before it may have anything in it
		fields := strings.Fields(after)
		for _, field := range fields[11:13] {
			n, err := strconv.Atoi(field)
			if err != nil {
				s.t.Fatal(err)
			}
			sum += time.Duration(n) * tick
		}
	}
	return sum
}

// Memory is what the program that Squid asks about lists holds, in bytes.
func (s *Server) Memory() (sum int) {
	s.t.Helper()
	listed := false
	for line := range strings.Lines(s.MustRun(s.t, "sh", "-c", ours, "status")) {
		fields := strings.Fields(line)
		switch {
		case len(fields) > 1 && fields[0] == "Name:":
			listed = strings.HasPrefix("gateway-squid-lists", fields[1])
		case listed && len(fields) > 1 && fields[0] == "VmRSS:":
			n, err := strconv.Atoi(fields[1])
			if err != nil {
				s.t.Fatal(err)
			}
			sum += n << 10
		}
	}
	return sum
}
