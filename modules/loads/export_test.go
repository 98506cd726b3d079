package loads

// The jobs that lose leads, pass them on, and have loads be late, for tests that have them run.
type (
	LoseStale = loseStale
	PassOn    = passOn
	MarkLate  = markLate
)
