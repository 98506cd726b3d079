package store

import (
	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/loads/internal/plan"
	"github.com/dispatchd/dispatchd/modules/loads/loadsapi"
)

// SameID reports whether two references name the same, or both nothing.
func SameID(a, b *uuid.UUID) bool {
	if a == nil || b == nil {
		return a == b
	}

	return *a == *b
}

// Owing are the states of loads whose customers may owe something.
var Owing = []loadsapi.State{loadsapi.Booked, loadsapi.Ready, loadsapi.Dispatched, loadsapi.PickedUp, loadsapi.Delivered, loadsapi.Completed}

// Payer is the contact that is invoiced, nil for none.
func (l *Load) Payer() *uuid.UUID {
	if l.BillTo != nil {
		return l.BillTo
	}

	return l.Customer
}

// Credited is what the payer of a load is given credit for, in units: what it owes to the broker beyond what is due at the booking. Without a payment plan,
// that is all that is left to pay.
func (l *Load) Credited() int64 {
	if len(l.Plan.V) == 0 {
		return max(0, l.Balance().Customer)
	}

	return plan.OnCredit(l.Plan.V, l.Payments.V, l.Currency)
}
