package records

import (
	"time"

	"github.com/google/uuid"
)

// MarksBatch is how many marks are seen to at once, RollBatch how many records are read at once for a value,
// and RollTime how long one job goes on before the next takes over.
const (
	MarksBatch = 500
	RollBatch  = 1_000
	RollTime   = 2 * time.Minute
)

// StaleRecord is a record with what has to be computed of it, and the marks that say so.
type StaleRecord struct {
	Record     uuid.UUID
	References []uuid.UUID
	Marks      []uuid.UUID
}
