// Package offers offers loads to carriers, and has both parties agree.
//
//	creator.go, drafter.go, candidates.go   what is offered, and to whom
//	sender.go, sequence.go, reopener.go     how an offer reaches its carrier, and whose turn it is
//	counters.go, acceptor.go, consent.go    how both parties answer
//	ender.go, expiry.go, withdrawals.go     how an offer ends without a dispatch
//	views.go, reviser.go, refresher.go      what carriers are shown, and how they learn of changes
//	routes.go                               the company's operations
package offers
