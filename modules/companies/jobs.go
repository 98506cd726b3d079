package companies

import (
	"context"
)

// dropAttempts is the job that removes counts of attempts to log in that matter no more.
type dropAttempts struct{}

// Kind implements jobs.Args.
func (dropAttempts) Kind() string { return "companies.drop_attempts" }

func (s *logins) dropAttempts(ctx context.Context, _ dropAttempts) error {
	return s.identity.DropAttempts(ctx)
}
