package database

import "time"

// LogFrom makes statements that take longer be logged. It comes before Start.
func (db *DB) LogFrom(took time.Duration) { db.slow = took }
