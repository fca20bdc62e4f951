package ntp

import (
	"bytes"
	"context"
	"encoding/binary"
	"net"
	"testing"

	protocol "github.com/facebook/time/ntp/chrony"

	"gateway/internal/problem"
)

// tracked is a daemon that answers every question with how its clock is doing.
func tracked(stratum uint16, reference uint32) func(context.Context) (net.Conn, error) {
	return func(context.Context) (net.Conn, error) {
		here, there := net.Pipe()
		go func() {
			defer there.Close()
			question := make([]byte, 1024)
			for {
				if _, err := there.Read(question); err != nil {
					return
				}
				var b bytes.Buffer
				_ = binary.Write(&b, binary.BigEndian, protocol.ReplyHead{Version: 6, PKTType: 2, Command: 33, Reply: protocol.RpyTracking})
				_ = binary.Write(&b, binary.BigEndian, struct {
					Reference     uint32
					Address       protocol.IPAddr
					Stratum, Leap uint16
					Rest          [12]uint32
				}{Reference: reference, Stratum: stratum})
				if _, err := there.Write(b.Bytes()); err != nil {
					return
				}
			}
		}()
		return here, nil
	}
}

// shows ALERT-26, ALERT-27
func TestAClockThatFollowsNothingIsAProblem(t *testing.T) {
	for _, tc := range []struct {
		name      string
		stratum   uint16
		reference uint32
		wrong     bool
	}{
		{"it follows itself", 5, localReference, false},
		{"stratum 0", 0, localReference, true},
		{"stratum 15", 15, localReference, false},
		{"stratum 16", 16, localReference, true},
		{"stratum 17", 17, localReference, true},
		{"no reference", 5, 0, true},
	} {
		t.Run(tc.name, func(t *testing.T) {
			r := newRig(t, Options{})
			h := &handlers{Options{DB: r.Pool, Dial: tracked(tc.stratum, tc.reference)}}
			report, err := h.findProblems(t.Context())
			if err != nil || (len(report.Problems) == 1) != tc.wrong {
				t.Fatalf("problems %+v, %v", report.Problems, err)
			}
			if tc.wrong && (report.Problems[0].Alert != "ntp.unsync" || report.Problems[0].Severity != problem.Warning) {
				t.Errorf("told as %+v", report.Problems[0])
			}
		})
	}
}
