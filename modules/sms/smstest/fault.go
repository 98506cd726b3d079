// Package smstest is servers that speak as the vendors of text messages do, for tests and measurements: they keep what
// they are sent in memory, check the credentials, and fail as they are told.
package smstest

import "github.com/dispatchd/dispatchd/platform/outbound/vendortest"

// Fault is how a request ends otherwise than it should.
type Fault = vendortest.Fault

type (
	faults = vendortest.Faults
	reply  = vendortest.Reply
)
