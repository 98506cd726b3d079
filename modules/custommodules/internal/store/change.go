package store

import (
	"time"

	"github.com/google/uuid"
)

// Change is who changes something, and when.
type Change struct {
	At time.Time
	// by is the person, nil if it is none.
	By *uuid.UUID
}
