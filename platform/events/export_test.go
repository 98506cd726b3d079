package events

// LogRow is a row of the event log, for tests.
type LogRow = logRow
