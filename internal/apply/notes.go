package apply

import (
	"log/slog"
	"sync"

	"gateway/internal/fault"
)

// mostNotes bounds what is remembered; who asks for many things is logged more often.
const mostNotes = 100

// notes are the requests that could not be answered the last time since a daemon is off or does not answer, and why.
// Whoever samples and looks for problems asks every few seconds: that is said once, and again when it is another reason.
type notes struct {
	mu   sync.Mutex
	said map[string]string
}

// note keeps what was changed and what failed; a mere look, which a UI takes every few seconds, shows only while
// debugging.
func (n *notes) note(log *slog.Logger, request string, answer any, err error) {
	repeated := n.repeats(request, err)
	_, changed := answer.(emptyAnswer)
	switch {
	case err != nil && !repeated:
		log.Error("apply", "err", err)
	case err != nil:
		log.Debug("apply", "err", err)
	case changed:
		log.Info("apply")
	default:
		log.Debug("apply")
	}
}

// repeats reports whether a request has just failed like this, for a reason that lasts and was worded.
func (n *notes) repeats(request string, err error) bool {
	n.mu.Lock()
	defer n.mu.Unlock()
	f, worded := fault.Of(err)
	if !worded || f.Kind != fault.Unavailable {
		delete(n.said, request)
		return false
	}
	if n.said[request] == f.Message {
		return true
	}
	if n.said == nil || len(n.said) >= mostNotes {
		n.said = map[string]string{}
	}
	n.said[request] = f.Message
	return false
}
