package app_test

import (
	"net/http"

	"gateway/internal/app/apptest"
)

// watched are operations on what the scheduler made: an alert, a backup.
func watched() map[string]get {
	backup := func(s *stage, _ string, _ client) (string, any) { return s.backup(), nil }
	asked := func(s *stage, _ string, _ client) (string, any) {
		return s.backup(), fields{"password": apptest.Password}
	}
	return map[string]get{
		"POST /alerts/events/{id}/acknowledge": func(_ *stage, _ string, actor client) (string, any) {
			return actor.Post("/alerts/test", nil).Want(http.StatusOK).ID(), nil
		},
		"DELETE /backups/{id}":               backup,
		"POST /backups/{id}/verify":          backup,
		"POST /backups/{id}/restore":         asked,
		"POST /backups/{id}/download-ticket": asked,
	}
}
