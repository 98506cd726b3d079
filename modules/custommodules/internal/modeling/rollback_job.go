package modeling

import (
	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/platform/rawjson"
)

// RollBack is the job that computes a rollup or lookup for the records that were there before it.
type RollBack struct {
	Module uuid.UUID `json:"module"`
	Field  uuid.UUID `json:"field"`
	// Options are those that it was made for.
	Options rawjson.Object `json:"options"`
	// After is the last record that was seen to.
	After uuid.UUID `json:"after"`
}

// Kind implements jobs.Args.
func (RollBack) Kind() string { return "custom_modules.roll_back" }
