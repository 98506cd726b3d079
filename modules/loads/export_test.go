package loads

import (
	"github.com/dispatchd/dispatchd/modules/loads/internal/robot"
)

// The jobs that lose leads, pass them on, and have loads be late, for tests that have them run.
type (
	LoseStale = robot.LoseStale
	PassOn    = robot.PassOn
	MarkLate  = robot.MarkLate
)
