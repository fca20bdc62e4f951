package chrony_test

import (
	"testing"

	"gateway/internal/component/componenttest"
	"gateway/internal/component/ntp"
	"gateway/internal/component/ntp/chrony"
	"gateway/internal/db"
	"gateway/internal/fault"
)

func TestMissingSettingsAreNoGuess(t *testing.T) {
	r := componenttest.New(t, componenttest.Setup{Schemas: []db.Schema{ntp.New(ntp.Options{}).Schema()}})
	r.Restore(`drop table ntp_settings`)
	if _, err := chrony.New(chrony.Options{}).Render(t.Context(), r.Pool, nil); err == nil || fault.Is(err, fault.Invalid) {
		t.Errorf("render = %v, want an error of ours", err)
	}
}
