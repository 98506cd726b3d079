package loads

// The jobs that lose leads and pass them on, for tests that have them run.
type (
	LoseStale = loseStale
	PassOn    = passOn
)
