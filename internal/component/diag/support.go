package diag

import (
	"context"
	"encoding/json"
	"net/http"
	"time"

	"gateway/internal/api"
	"gateway/internal/change"
	"gateway/internal/fault"
	"gateway/internal/identity"
)

func (h *handlers) supportRoute(r api.Router) {
	api.Raw(r, api.Op{
		ID: "support-bundle", Method: http.MethodGet, Path: "/diagnostics/support-bundle", Timeout: downloadTime, WithoutDatabase: true, Switched: true,
		Summary: "Download a support bundle",
		Description: "A tar.gz file for whoever is to help: problems, states of components and services, configuration and configuration files without secrets, " +
			"the last changes, versions, interfaces, routes and neighbours, the last log entries and an hour of graphs. It has nothing that viewers cannot read: " +
			"no passwords, private keys or tokens, but names and addresses of the network, and texts as they were entered. It is made while it is downloaded; a part that cannot be read, " +
			"as without the database, says why, and manifest.json lists all. At most 64 MiB before compression. One at a time, else 409 bundle_running. Every download is in the audit log.",
	}, "application/gzip", func(w http.ResponseWriter, req *http.Request) error {
		return h.downloadBundle(w, req, func(ctx context.Context, path string) (json.RawMessage, error) {
			return r.Read(ctx, path, h.Bundle.Limits.File)
		})
	})
}

// downloadBundle streams it. The audit log has it before the first byte.
func (h *handlers) downloadBundle(w http.ResponseWriter, r *http.Request, get func(context.Context, string) (json.RawMessage, error)) error {
	if r.Method == http.MethodHead {
		return nil // nobody gets anything
	}
	select {
	case h.bundling <- struct{}{}:
		defer func() { <-h.bundling }()
	default:
		return fault.New(fault.Conflict, "a support bundle is being made on this node; wait until it is complete").WithCode("bundle_running")
	}
	file := h.Bundle.Name()
	return h.Run.Act(r.Context(), change.Change{Component: name, Action: "diag.support_bundle", Subject: file}, func(ctx context.Context) error {
		_ = http.NewResponseController(w).SetWriteDeadline(time.Now().Add(downloadTime)) // who answers gateway-ctl has no limit
		w.Header().Set("Cache-Control", "no-store")
		w.Header().Set("Content-Disposition", `attachment; filename="`+file+`"`)
		return h.Bundle.Write(ctx, w, identity.From(ctx).Actor(), get)
	})
}
