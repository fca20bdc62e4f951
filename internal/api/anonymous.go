package api

import (
	"bytes"
	"errors"
	"io"
	"net/http"
	"time"

	"gateway/internal/fault"
)

const (
	// smallBody is enough for a password, a code and what goes with them. It bounds what
	// operations decode that somebody without a role may call.
	smallBody = 8 << 10
	// maxAnonymous is how many requests without a session are decoded and answered at once.
	maxAnonymous = 16
	// anonymousTime is how long one takes to send its body, and how long it waits for a slot.
	anonymousTime = 5 * time.Second
)

// anonymous bounds what callers without a session cost together. Only a request that has
// arrived as a whole takes a slot, so a slow one keeps nobody out.
type anonymous struct{ slots }

// enter reads the body and waits for a slot. Whoever got one must leave.
func (s anonymous) enter(op Op, w http.ResponseWriter, r *http.Request) error {
	if err := readWhole(op, w, r); err != nil {
		return err
	}
	return s.slots.enter(r.Context())
}

// readWhole replaces the body by what it holds.
func readWhole(op Op, w http.ResponseWriter, r *http.Request) error {
	if r.ContentLength > op.MaxBody {
		return tooLarge(op)
	}
	deadline := http.NewResponseController(w)
	_ = deadline.SetReadDeadline(time.Now().Add(anonymousTime)) // a call within this process has none
	data, err := io.ReadAll(http.MaxBytesReader(w, r.Body, op.MaxBody))
	var large *http.MaxBytesError
	switch {
	case errors.As(err, &large):
		return tooLarge(op)
	case err != nil:
		return fault.New(fault.Invalid, "the body did not arrive")
	}
	// It has served its purpose, and would end the request itself, however long that may take.
	_ = deadline.SetReadDeadline(time.Time{})
	r.Body = io.NopCloser(bytes.NewReader(data))
	return nil
}

func tooLarge(op Op) error {
	return fault.New(fault.TooLarge, "this operation takes at most %d bytes", op.MaxBody)
}
