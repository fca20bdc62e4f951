package logs_test

import (
	"context"
	"encoding/json"
	"net/http"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"gateway/internal/component"
	"gateway/internal/component/componenttest"
	"gateway/internal/logship"
)

func actsOn(list *[]string) func(context.Context, string, string) error {
	return func(_ context.Context, verb, unit string) error {
		if verb != "enable" && verb != "disable" {
			*list = append(*list, verb+" "+unit)
		}
		return nil
	}
}

// What is shown is never better than what arrives, and is gone when it is mended.
func TestWhatDoesNotArriveIsAProblem(t *testing.T) {
	now := time.Date(2026, 2, 3, 12, 0, 0, 0, time.UTC)
	ago := func(d time.Duration) *time.Time { at := now.Add(-d); return &at }
	status := filepath.Join(t.TempDir(), "status.json")
	var c component.Component
	s := setup(func() time.Time { return now }, status)
	made := s.Component
	s.Component = func(r *componenttest.Rig) component.Component { c = made(r); return c }
	r := componenttest.New(t, s)
	find := func() (codes []string) {
		t.Helper()
		report, err := c.Problems.Find(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		for _, p := range report.Problems {
			codes = append(codes, p.Code+" "+p.Subject.ID)
			if strings.ContainsAny(p.Message+p.Remedy, "{}") {
				t.Errorf("%s says %q, %q", p.Code, p.Message, p.Remedy)
			}
		}
		return codes
	}
	if got := find(); got != nil {
		t.Errorf("while it is off: %v", got)
	}
	r.Edit("/logs/settings", componenttest.Object{"remote_enabled": true, "remote_host": "logs.example.com"}).Want(http.StatusOK)
	if got := find(); got != nil {
		t.Errorf("while it starts: %v", got)
	}
	r.Restore(`update logs_settings set updated_at = now() - interval '1 minute'`)
	if got := find(); !slices.Equal(got, []string{"logs.not_shipping log-shipper"}) {
		t.Errorf("without a word of the shipper: %v", got)
	}
	for name, tc := range map[string]struct {
		at     *time.Time
		stream logship.Stream
		want   []string
	}{
		"all is well":        {ago(0), logship.Stream{ConnectedSince: ago(time.Hour), LastSentAt: ago(time.Minute)}, nil},
		"an old word":        {ago(time.Minute), logship.Stream{ConnectedSince: ago(time.Hour)}, []string{"logs.not_shipping log-shipper"}},
		"just gone":          {ago(0), logship.Stream{AwaySince: ago(5 * time.Second), Error: logship.Closed}, nil},
		"gone":               {ago(0), logship.Stream{AwaySince: ago(time.Minute), Error: logship.NotReached}, []string{"logs.receiver_away system"}},
		"a stranger":         {ago(0), logship.Stream{AwaySince: ago(time.Minute), Error: logship.NotTrusted}, []string{"logs.receiver_away system"}},
		"back, not for sure": {ago(0), logship.Stream{ConnectedSince: ago(0), AwaySince: ago(time.Minute), Error: logship.Closed}, []string{"logs.receiver_away system"}},
		"far behind":         {ago(0), logship.Stream{ConnectedSince: ago(time.Hour), BehindSince: ago(time.Hour)}, []string{"logs.receiver_away system"}},
		"lost today":         {ago(0), logship.Stream{ConnectedSince: ago(time.Hour), Lost: 5, LostAt: ago(time.Hour)}, []string{"logs.lines_lost system"}},
		"lost long ago":      {ago(0), logship.Stream{ConnectedSince: ago(time.Hour), Lost: 5, LostAt: ago(25 * time.Hour)}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			tc.stream.Journal = "system"
			if err := logship.WriteFile(status, logship.Status{At: *tc.at, Streams: []logship.Stream{tc.stream}}, 0o644, false); err != nil {
				t.Fatal(err)
			}
			if got := find(); !slices.Equal(got, tc.want) {
				t.Errorf("problems %v, want %v", got, tc.want)
			}
		})
	}
	for _, trouble := range logship.Troubles() {
		if err := logship.WriteFile(status, logship.Status{At: now, Streams: []logship.Stream{{Journal: "system", AwaySince: ago(time.Hour), Error: trouble}}}, 0o644, false); err != nil {
			t.Fatal(err)
		}
		find()
		var got struct {
			Running bool
			Streams []struct{ State, Error string }
		}
		if err := json.Unmarshal(r.Do("GET", "/logs/shipping", nil).Want(http.StatusOK).Data, &got); err != nil {
			t.Fatal(err)
		}
		if !got.Running || len(got.Streams) != 1 || got.Streams[0].State != "away" || got.Streams[0].Error != string(trouble) {
			t.Errorf("%s is answered as %+v", trouble, got)
		}
	}
	r.Edit("/logs/settings", componenttest.Object{"remote_enabled": false}).Want(http.StatusOK)
	if got := find(); got != nil {
		t.Errorf("switched off: %v", got)
	}
}
