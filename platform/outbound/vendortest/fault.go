// Package vendortest is what servers that speak as vendors do, for tests and measurements, have in common: they fail as
// they are told.
package vendortest

import (
	"cmp"
	"encoding/json"
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

// Faults are those of the next requests, one after the other. A server embeds them.
type Faults struct {
	mu   sync.Mutex
	next []Fault
	// calls is how many requests there were.
	calls int
}

// Fail has the next requests end so, each with one of the faults.
func (f *Faults) Fail(list ...Fault) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.next = append(f.next, list...)
}

// Calls is how many requests there were.
func (f *Faults) Calls() int {
	f.mu.Lock()
	defer f.mu.Unlock()

	return f.calls
}

func (f *Faults) take(method string) Fault {
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

// Reply is an answer that was not given yet.
type Reply struct {
	Status int
	// Media is that of the body, application/json if it is "".
	Media  string
	Header map[string]string
	Body   []byte
}

// JSON is a reply of a value.
func JSON(status int, value any) Reply {
	body, err := json.Marshal(value)
	if err != nil {
		return Reply{Status: http.StatusInternalServerError, Body: []byte(err.Error())}
	}

	return Reply{Status: status, Body: body}
}

// Answer answers a request as work does, unless there is a fault for it.
func (f *Faults) Answer(w http.ResponseWriter, r *http.Request, work func() Reply) {
	fault := f.take(r.Method)
	var out Reply
	if fault.Status == 0 || fault.Takes {
		out = work()
	}
	if fault.Status != 0 {
		out = Reply{Status: fault.Status, Body: []byte(fault.Body)}
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
	w.Header().Set("Content-Type", cmp.Or(out.Media, "application/json"))
	for name, value := range out.Header {
		w.Header().Set(name, value)
	}
	for name, value := range fault.Header {
		w.Header().Set(name, value)
	}
	if fault.Cuts {
		w.Header().Set("Content-Length", "1000000")
	}
	w.WriteHeader(out.Status)
	_, _ = w.Write(out.Body) //nolint:errcheck // who has gone does not want it
	if fault.Cuts {
		panic(http.ErrAbortHandler)
	}
}
