// Package smstest is servers that speak as the vendors of text messages do, for tests and measurements: they keep what
// they are sent in memory, check the credentials, and fail as they are told.
package smstest

import (
	"net/http"
	"sync"
	"time"
)

// Fault is how a request ends otherwise than it should.
type Fault struct {
	// Method is that of the requests it is for; "" is any.
	Method string
	// Status, Header and Body are the answer; a Status of 0 is the answer that would have been given.
	Status int
	Header map[string]string
	Body   string
	// Takes says that what was asked for is done all the same.
	Takes bool
	// Hangs is how long nothing is answered; Drops closes the connection without an answer, Cuts does so in the middle
	// of the body.
	Hangs       time.Duration
	Drops, Cuts bool
}

// faults are those of the next requests, one after the other.
type faults struct {
	mu   sync.Mutex
	next []Fault
	// calls is how many requests there were.
	calls int
}

// Fail has the next requests end so, each with one of the faults.
func (f *faults) Fail(list ...Fault) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.next = append(f.next, list...)
}

// Calls is how many requests there were.
func (f *faults) Calls() int {
	f.mu.Lock()
	defer f.mu.Unlock()

	return f.calls
}

func (f *faults) take(method string) Fault {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.calls++
	if len(f.next) == 0 || f.next[0].Method != "" && f.next[0].Method != method {
		return Fault{}
	}
	first := f.next[0]
	f.next = f.next[1:]

	return first
}

// reply is an answer that was not given yet.
type reply struct {
	status int
	body   []byte
}

// serve answers a request as work does, unless there is a fault for it.
func (f *faults) serve(w http.ResponseWriter, r *http.Request, work func() reply) {
	fault := f.take(r.Method)
	var out reply
	if fault.Status == 0 || fault.Takes {
		out = work()
	}
	if fault.Status != 0 {
		out = reply{status: fault.Status, body: []byte(fault.Body)}
	}
	if fault.Hangs > 0 {
		select {
		case <-time.After(fault.Hangs):
		case <-r.Context().Done():
			return
		}
	}
	if fault.Drops {
		panic(http.ErrAbortHandler)
	}
	w.Header().Set("Content-Type", "application/json")
	for name, value := range fault.Header {
		w.Header().Set(name, value)
	}
	if fault.Cuts {
		w.Header().Set("Content-Length", "1000000")
	}
	w.WriteHeader(out.status)
	_, _ = w.Write(out.body) //nolint:errcheck // who has gone does not want it
	if fault.Cuts {
		panic(http.ErrAbortHandler)
	}
}
