package apply

import (
	"regexp"

	"gateway/internal/fault"
)

// The jobs, by the name that the socket knows them by.
const (
	JobRestore = "restore"
	JobVerify  = "verify"
)

// jobUnits are fixed; the id is the only part that a caller chooses.
var jobUnits = map[string]string{
	JobRestore: "gateway-restore@",
	JobVerify:  "gateway-verify@",
}

var jobID = regexp.MustCompile(`^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$`)

// jobUnit is the unit of a job, for an id that is a UUID and no other text.
func jobUnit(job, id string) (string, error) {
	prefix, ok := jobUnits[job]
	if !ok {
		return "", fault.New(fault.Invalid, "there is no job %q", job)
	}
	if !jobID.MatchString(id) {
		return "", fault.New(fault.Invalid, "the id of the archive must be a UUID")
	}
	return prefix + id + ".service", nil
}
