// Package carrying follows dispatches from the acceptance until the carrier is paid.
//
//	dispatching.go                       a load that is given to a carrier by hand
//	moves.go, progress.go                pickups and deliveries
//	cancellations.go, abandonments.go    how a carrier loses a load, before the pickup and on the way
//	follower.go, reconciler.go           how a dispatch follows its load
//	rules.go, revisions.go, end_pay.go   days, terms that change, and what a carrier gets that lost its load
//	overdue.go, reminders.go             carriers that do not come in time
//	carrier_updates.go, collecting.go    what carriers report
//	load_facts.go                        what loads show of their carriers
package carrying
