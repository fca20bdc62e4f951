package api_test

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"strings"
	"testing"

	"gateway/internal/api"
	"gateway/internal/fault"
)

// reads are operations of every kind, and one that reads the others for its caller.
func reads(r api.Router) {
	for _, op := range []api.Op{
		{ID: "for-all", Method: http.MethodGet, Path: "/for/all", Access: api.Viewer},
		{ID: "for-anybody", Method: http.MethodGet, Path: "/for/anybody", Access: api.Public},
		{ID: "for-oneself", Method: http.MethodGet, Path: "/for/oneself", Access: api.Self},
		{ID: "for-admins", Method: http.MethodGet, Path: "/for/admins"},
		{ID: "write", Method: http.MethodPost, Path: "/for/writing"},
	} {
		api.Handle(r, op, func(context.Context, *struct{}) (*api.Body[string], error) { return api.OK("it is " + op.ID), nil })
	}
	api.Handle(r, api.Op{ID: "fails", Method: http.MethodGet, Path: "/for/nothing", Access: api.Viewer}, func(context.Context, *struct{}) (*api.Body[string], error) {
		return nil, fault.New(fault.Unavailable, "the daemon does not answer")
	})
	api.Stream(r, api.Op{ID: "live", Path: "/for/listening", Access: api.Viewer}, func(context.Context, func(any) error) error { return nil })
	api.Raw(r, api.Op{ID: "collect", Method: http.MethodGet, Path: "/collect", Query: map[string]string{"path": "Path"}}, "text/plain", func(w http.ResponseWriter, req *http.Request) error {
		data, err := r.Read(req.Context(), req.URL.Query().Get("path"), 1000)
		if errors.Is(err, api.ErrAnswerTooLarge) {
			data, err = json.RawMessage("too large"), nil
		}
		if err != nil {
			return err
		}
		_, err = w.Write(data)
		return err
	})
}

// Whoever may read everything gets by Read only what everybody may.
func TestReadIsForWhatViewersMayRead(t *testing.T) {
	srv := server(t, func(r api.Router) {
		reads(r)
		api.Handle(r, api.Op{ID: "long", Method: http.MethodGet, Path: "/for/long", Access: api.Viewer}, func(context.Context, *struct{}) (*api.Body[string], error) {
			return api.OK(strings.Repeat("x", 1000)), nil
		})
	})
	for _, tc := range []struct {
		path   string
		status int
		want   string
	}{
		{"/for/all", http.StatusOK, `"it is for-all"`},
		{"/for/anybody", http.StatusOK, `"it is for-anybody"`},
		{"/for/oneself", http.StatusForbidden, "role admin"},
		{"/for/admins", http.StatusForbidden, "role admin"},
		{"/for/writing", http.StatusForbidden, "role admin"},
		{"/for/listening", http.StatusForbidden, "role admin"},
		{"/collect", http.StatusForbidden, "role admin"},
		{"/for/../for/admins", http.StatusNotFound, "not found"},
		{"/for/nowhere", http.StatusForbidden, "role admin"},
		{"/for/nothing", http.StatusServiceUnavailable, "the daemon does not answer"},
		{"/for/long", http.StatusOK, "too large"},
	} {
		res, text := do(t, srv, http.MethodGet, api.Prefix+"/collect?path="+tc.path, "", "Authorization", "Bearer admin")
		if res.StatusCode != tc.status || !strings.Contains(text, tc.want) {
			t.Errorf("%s: %d %s, want %d %s", tc.path, res.StatusCode, text, tc.status, tc.want)
		}
	}
	if res, text := do(t, srv, http.MethodGet, api.Prefix+"/collect?path=/for/all", "", "Authorization", "Bearer viewer"); res.StatusCode != http.StatusForbidden {
		t.Errorf("for a viewer: %d %s", res.StatusCode, text)
	}
}
