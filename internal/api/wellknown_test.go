package api_test

import (
	"context"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/prometheus/client_golang/prometheus"

	"gateway/internal/api"
	"gateway/internal/fault"
)

func TestWellKnownAnswersAreForAnybodyAndPlain(t *testing.T) {
	known := func(_ context.Context, word string) (string, error) {
		if word != "right" {
			return "", fault.New(fault.NotFound, "there is no such thing")
		}
		return "the answer", nil
	}
	for _, tc := range []struct {
		name, method, path string
		setup, database    bool
		status             int
		body               string // part of it
	}{
		{"a word that is known", "GET", "/.well-known/test/right", true, true, http.StatusOK, "the answer"},
		{"a word that is not", "GET", "/.well-known/test/wrong", true, true, http.StatusNotFound, ""},
		{"more than a word", "GET", "/.well-known/test/right/more", true, true, http.StatusNotFound, ""},
		{"another method", "POST", "/.well-known/test/right", true, true, http.StatusMethodNotAllowed, ""},
		{"before setup", "GET", "/.well-known/test/right", false, true, http.StatusNotFound, ""},
		{"without a database", "GET", "/.well-known/test/right", true, false, http.StatusServiceUnavailable, ""},
		{"a name that nobody registered is the page's", "GET", "/.well-known/other/right", true, true, http.StatusOK, "page"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			s := api.New(api.Options{
				Auth: everyone{}, Database: state(tc.database), SetupDone: func() bool { return tc.setup },
				Site: fstest.MapFS{"index.html": {Data: []byte("page")}}, Log: slog.New(slog.DiscardHandler), Metrics: prometheus.NewRegistry(),
			})
			api.WellKnown(s.Router("test"), "test", known)
			w := httptest.NewRecorder()
			s.Handler().ServeHTTP(w, httptest.NewRequest(tc.method, tc.path, http.NoBody))
			if w.Code != tc.status || !strings.Contains(w.Body.String(), tc.body) {
				t.Errorf("answered %d %q, want %d with %q", w.Code, w.Body, tc.status, tc.body)
			}
			if tc.body != "page" && (!strings.HasPrefix(w.Header().Get("Content-Type"), "text/plain") || strings.Contains(w.Body.String(), "{")) {
				t.Errorf("%s %q, want plain text", w.Header().Get("Content-Type"), w.Body)
			}
		})
	}
}
