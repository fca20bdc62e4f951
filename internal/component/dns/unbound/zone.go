package unbound

import (
	"strings"

	"gateway/internal/fault"
)

// Zone is a part of the name space that is treated in its own way.
type Zone struct {
	Name      string   `json:"name" db:"name" minLength:"1" maxLength:"254" doc:"The zone; stored in lower case and without a trailing dot" example:"corp.example"`
	ForwardTo []string `json:"forward_to" db:"forward_to" maxItems:"16" required:"false" doc:"Servers to forward it to, as 192.0.2.1 or 192.0.2.1@5353; empty: the records here, and the upstream resolvers for the rest" example:"[\"192.0.2.53\"]"`
}

// Validate reports everything that is wrong, and puts every value into the one form that is stored.
func (z *Zone) Validate() error {
	var p fault.Problems
	name, err := zoneName(z.Name)
	if err != nil {
		p.AddError("name", err)
	}
	z.ForwardTo = eachValue(&p, "forward_to", z.ForwardTo, parseForward)
	if err := p.Err(); err != nil {
		return err
	}
	z.Name = strings.TrimSuffix(name, ".")
	return nil
}

// zoneName reads a zone's name and returns it complete.
func zoneName(s string) (string, error) {
	if s == "." {
		return "", fault.Say("must not be the root zone; use upstream_forwards in the settings to forward everything else")
	}
	name, err := complete(s)
	if name == "localhost." {
		return "", fault.Say("must not be localhost, which every host resolves to itself")
	}
	return name, err
}
