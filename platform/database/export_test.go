package database

import "time"

// LogFrom makes statements that take longer be logged. It comes before Start.
func (db *DB) LogFrom(took time.Duration) { db.slow = took }

// ForgetChecks has Ready look again, on connections that are new.
func (db *DB) ForgetChecks() {
	db.probes.mu.Lock()
	defer db.probes.mu.Unlock()
	db.probes.last = time.Time{}
	db.open.sessions.mu.Lock()
	defer db.open.sessions.mu.Unlock()
	db.open.sessions.checked = time.Time{}
	db.open.sessions.pool.Reset()
}
