package program

import "testing"

func TestTheNameSaysWhichProgram(t *testing.T) {
	for _, tc := range []struct {
		called string
		found  bool
	}{
		{"/usr/sbin/gateway-api", true},
		{"gateway-scheduler", true},
		{"./gateway-ctl", true},
		{"/usr/lib/gateway/gateway", false},
		{"gateway-apply", false},
		{"", false},
	} {
		if run, err := Find(tc.called); (run != nil) != tc.found || (err == nil) != tc.found {
			t.Errorf("%q: found %v, %v, want %v", tc.called, run != nil, err, tc.found)
		}
	}
}
