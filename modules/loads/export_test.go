package loads

// LoseStale is the job that loses leads, for tests that have it run.
type LoseStale = loseStale
