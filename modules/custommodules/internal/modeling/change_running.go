package modeling

import (
	"context"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/custommodules/internal/definition"
)

// NoChangeRuns returns ErrChangeRunning while a change is being applied to a module's records: until then its
// fields stay unchanged.
func (s *Service) NoChangeRuns(ctx context.Context, module uuid.UUID) error {
	running, err := s.repo.RunningChange(ctx, module)
	if err != nil || len(running) == 0 {
		return err
	}

	return definition.ErrChangeRunning.WithDetail("field_change_uuid", running[0].ID)
}

// resumeChanges has the job begin again that applies a change to a module which was away.
func (s *Service) resumeChanges(ctx context.Context, module uuid.UUID) error {
	running, err := s.repo.RunningChange(ctx, module)
	for _, row := range running {
		err = s.Jobs.Enqueue(ctx, ChangeRecords{Change: row.ID})
	}

	return err
}

// ChangeRecords is the job that applies a change to the records of a module.
type ChangeRecords struct {
	Change uuid.UUID `json:"change"`
}

// Kind implements jobs.Args.
func (ChangeRecords) Kind() string { return "custom_modules.change_records" }
