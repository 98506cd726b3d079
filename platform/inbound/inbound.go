// Package inbound takes what vendors send: status callbacks, messages, notifications of signatures.
//
// An area says in its manifest where it takes notifications, how they are verified, and what is done with
// one. What arrives is verified over its bytes, stored as it came and only then acknowledged, by one
// transaction with the job that processes it. The same notification once more is acknowledged and
// counted. Every delivery is in a log, from which it can be replayed.
//
//	inbound.Receiver(inbound.Kind[*service]{               // manifest
//		Name: "status", Path: "/callbacks/{uuid}/status",
//		Summary: "Take a status callback",
//		Find:    (*service).callback,                      // whose is it, and which keys are good
//		Process: (*service).onStatus,                      // in a job and in a transaction, as the company
//	}),
//
// Order is not guaranteed: a job that is tried again runs after younger ones, and vendors retry by themselves. A
// processor guards state by the vendor's time or rank, and never moves back what has ended.
package inbound

import (
	"context"
	"errors"
	"log/slog"
	"strings"
	"time"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/platform/blob"
	"github.com/dispatchd/dispatchd/platform/clock"
	"github.com/dispatchd/dispatchd/platform/database"
	"github.com/dispatchd/dispatchd/platform/jobs"
	"github.com/dispatchd/dispatchd/platform/web"
)

// Gate says whether a company uses an area.
type Gate interface {
	Allows(ctx context.Context, company uuid.UUID, area string) (bool, error)
}

// Inbox is the registry of the kinds of notifications, and the log of those that came. It may be
// used from several goroutines once it is filled.
type Inbox struct {
	settings Settings
	web      web.Settings
	db       *database.DB
	rows     repository
	queue    *jobs.Queue
	api      *web.API
	clock    clock.Clock
	log      *slog.Logger

	kinds    map[string]*receiver
	room     room
	files    *blob.Store
	refusals *refusals
	seen     observation

	gate  Gate
	pause time.Duration
}

// New returns an inbox without kinds; it does no I/O.
func New(
	s Settings, w web.Settings, db *database.DB, files *blob.Store, queue *jobs.Queue, api *web.API, clk clock.Clock, log *slog.Logger,
) (*Inbox, error) {
	in := &Inbox{
		settings: s, web: w, db: db, rows: repository{db: db}, files: files, queue: queue, api: api, clock: clk, log: log,
		kinds: map[string]*receiver{}, room: newRoom(int64(s.Memory)), refusals: newRefusals(),
	}

	return in, errors.Join(jobs.Add(queue, "inbound", in.process), in.schedule())
}

// UseGate puts off, from then on, what came for a company that does not use the area: it is looked at
// again after pause. It is called before anything runs.
func (in *Inbox) UseGate(g Gate, pause time.Duration) { in.gate, in.pause = g, pause }

// URL returns the address that a vendor is told for an endpoint of a kind ("sms.status"): "" if
// there is no such kind, without a host if neither web.services_url nor web.base_url is set.
func (in *Inbox) URL(kind string, endpoint uuid.UUID) string {
	k, known := in.kinds[kind]
	if !known {
		return ""
	}
	base := ""
	if urls := in.bases(); len(urls) > 0 {
		base = urls[0]
	}

	return base + strings.ReplaceAll(k.path, pathID, endpoint.String())
}

// bases are the addresses under which the service is reached, that for vendors first.
func (in *Inbox) bases() []string {
	var list []string
	for _, base := range []string{in.web.ServicesURL, in.web.BaseURL} {
		if base = strings.TrimSuffix(base, "/"); base != "" {
			list = append(list, base)
		}
	}

	return list
}

// urls are the addresses by which a sender may have come to a target.
func (in *Inbox) urls(target string) []string {
	list := in.bases()
	for i := range list {
		list[i] += target
	}

	return list
}
