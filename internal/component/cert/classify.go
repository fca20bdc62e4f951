package cert

import (
	"context"
	"errors"
	"strings"

	"github.com/mholt/acmez/v3/acme"

	"gateway/internal/setupstate"
)

// byProblem are the authority's kinds of problem that have a code of their own.
var byProblem = map[string]string{
	acme.ProblemTypeRateLimited:         rateLimited,
	acme.ProblemTypeAccountDoesNotExist: accountLost,
	acme.ProblemTypeCAA:                 caaForbids,
	acme.ProblemTypeUserActionRequired:  termsNotAgreed,
}

// classify finds the code for what went wrong, and does about it what can be done at once.
func (s *service) classify(ctx context.Context, settings setupstate.ACME, client *authority, findings []Finding, err error) error {
	var known *trouble
	if errors.As(err, &known) {
		return known
	}
	var problem acme.Problem
	if !errors.As(err, &problem) {
		return unreached(err)
	}
	problem = closest(problem)
	code := byProblem[problem.Type]
	_, validating := problem.Resource.(acme.Authorization)
	switch {
	case code != "":
	case !validating && problem.Type == acme.ProblemTypeUnauthorized:
		code = accountLost // deactivated, which is as good as lost
	case validating:
		return failedValidation(problem, findings)
	default:
		code = orderFailed
	}
	if code == accountLost {
		if forgot := s.forgetAccount(ctx, settings.DirectoryURL); forgot != nil {
			return forgot
		}
		return troubled(accountLost, err, "the certificate authority no longer knows this node's account")
	}
	t := troubled(code, err, "the certificate authority says: %s", problem.Detail)
	t.after = client.waits.said()
	return t
}

// closest is the part of a problem that says most: that of a single name.
func closest(p acme.Problem) acme.Problem {
	for _, sub := range p.Subproblems {
		if byProblem[sub.Type] != "" {
			sub.Resource = p.Resource
			return sub.Problem
		}
	}
	return p
}

// failedValidation says what the pre-flight checks had doubts about, if any: that is the likely cause.
func failedValidation(problem acme.Problem, findings []Finding) error {
	for _, f := range findings {
		if !f.OK && f.Code != "" && f.Code != dnsUnanswered {
			return troubled(f.Code, problem, "%s; the certificate authority says: %s", f.Message, problem.Detail)
		}
	}
	return troubled(validationFailed, problem, "the certificate authority could not validate the names: %s", problem.Detail)
}

// unreached words an error that is no answer of an authority.
func unreached(err error) error {
	text := err.Error()
	if _, inner, found := strings.Cut(text, "\": "); found { // Get "https://…": dial tcp …
		text = inner
	}
	return troubled(acmeUnreachable, err, "unexpected response from the certificate authority: %s", text)
}
