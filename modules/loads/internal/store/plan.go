package store

// PlanWritten reports whether people wrote the payment plan, which then stays whatever template others would make one by.
func (l *Load) PlanWritten() bool { return l.PlanTemplate == "" && len(l.Plan.V) > 0 }
