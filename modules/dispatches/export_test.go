package dispatches

import (
	"github.com/dispatchd/dispatchd/modules/dispatches/internal/carrying"
	"github.com/dispatchd/dispatchd/modules/dispatches/internal/offers"
)

// Expire is the job that ends offers that were not answered in time, for tests that have it run.
type Expire = offers.Expire

// CheckOverdue is the job that finds carriers that are overdue.
type CheckOverdue = carrying.CheckOverdue
