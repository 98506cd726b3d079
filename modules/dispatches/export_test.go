package dispatches

// Expire is the job that ends offers that nobody answered, for tests that have it run.
type Expire = expire

// CheckOverdue is the job that finds carriers that are overdue.
type CheckOverdue = checkOverdue
