package setupstate

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"

	"gateway/internal/secret"
)

// wire is the file. Its own fields hide those of the embedded State with the same name:
// Admin, to write the secrets that Admin keeps to itself, and Complete, to notice
// when it is missing.
type wire struct {
	State

	Complete *bool      `json:"complete"`
	Admin    *wireAdmin `json:"admin"`
}

type wireAdmin struct {
	Admin

	PasswordHash string `json:"password_hash"`
	TOTPSecret   []byte `json:"totp_secret,omitempty"`
}

func encode(s State) ([]byte, error) {
	w := wire{State: s, Complete: &s.Complete}
	if s.Admin != nil {
		w.Admin = &wireAdmin{Admin: *s.Admin, PasswordHash: s.Admin.PasswordHash.Reveal(), TOTPSecret: s.Admin.TOTPSecret}
	}
	data, err := json.MarshalIndent(w, "", "  ")
	return append(data, '\n'), err
}

// decode takes unknown keys, which a newer version may have left, and gives missing ones
// their default, except `complete`: a file that does not say it is damaged, and guessing
// would open the setup wizard of a finished appliance to the first comer.
func decode(data []byte) (State, error) {
	w := wire{State: Default()}
	d := json.NewDecoder(bytes.NewReader(data))
	if err := d.Decode(&w); err != nil {
		return State{}, err
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return State{}, errors.New("there is data after the end")
	}
	if w.Complete == nil {
		return State{}, errors.New("it does not say whether setup is complete")
	}
	s := w.State
	s.Complete = *w.Complete
	if w.Admin != nil {
		admin := w.Admin.Admin
		admin.PasswordHash, admin.TOTPSecret = secret.Text(w.Admin.PasswordHash), w.Admin.TOTPSecret
		s.Admin = &admin
	}
	return s, s.validate()
}
