package registry

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"time"

	"github.com/dispatchd/dispatchd/modules/regulator/internal/feed"
	"github.com/dispatchd/dispatchd/modules/regulator/regulatorapi"
	"github.com/dispatchd/dispatchd/platform/clock"
	"github.com/dispatchd/dispatchd/platform/database"
	"github.com/dispatchd/dispatchd/platform/jobs"
	"github.com/dispatchd/dispatchd/platform/outbound"
	"github.com/dispatchd/dispatchd/platform/principal"
)

// vendor is a live source. The text of its errors may be shown: it has no key, and nothing of an answer.
type vendor interface {
	// ask returns what there is about a number; a zero reply if there is nothing.
	ask(ctx context.Context, usdot int64) (reply, error)
}

// reply is what a live source says about a number: an answer, or rows of sets.
type reply struct {
	live *liveAnswer
	sets map[string][]feed.Filing
}

// Refreshes ask the live source in the background.
type Refreshes struct {
	settings   Settings
	db         *database.DB
	repository *repository
	sets       *feed.Repository
	clock      clock.Clock
	queue      *jobs.Queue
	vendor     vendor
}

// NewRefreshes returns the refreshes of the configured adapter; it does no I/O.
func NewRefreshes(s Settings, db *database.DB, clk clock.Clock, queue *jobs.Queue, network *outbound.Network) (*Refreshes, error) {
	r := &Refreshes{settings: s, db: db, repository: newRepository(db), sets: feed.NewRepository(db), clock: clk, queue: queue}
	var err error
	switch s.Adapter {
	case AdapterQCMobile:
		r.vendor, err = newQCMobile(s, network)
	case AdapterOpenData:
		r.vendor, err = newOpenData(s, network)
	case AdapterOffline, AdapterSandbox:
	}

	return r, err
}

// RefreshArgs are the job that asks the live source about a number.
type RefreshArgs struct {
	USDOT int64 `json:"usdot"`
}

// Kind implements jobs.Args.
func (RefreshArgs) Kind() string { return "carriers.regulator_refresh" }

// Refresh is that job. What went wrong is kept, and the old answer stays. What changed becomes a snapshot.
func (r *Registry) Refresh(ctx context.Context, args RefreshArgs) error {
	if err := r.refreshes.refresh(ctx, args); err != nil {
		return err
	}
	f, err := r.Peek(ctx, args.USDOT)
	if errors.Is(err, regulatorapi.ErrNotInRegistry) {
		return nil
	}
	if err != nil {
		return err
	}

	return r.keep(ctx, f)
}

func (r *Refreshes) refresh(ctx context.Context, args RefreshArgs) error {
	if r.vendor == nil {
		return nil
	}
	a, err := r.repository.answer(ctx, args.USDOT, r.settings.live())
	if err != nil || !r.due(a) {
		return err
	}
	if a == nil {
		a = &answerRow{USDOT: args.USDOT, Source: r.settings.live()}
	}
	got, failure := r.vendor.ask(ctx, args.USDOT)
	now := r.clock.Now()
	if failure != nil {
		a.FailedAt, a.Why, a.Outcome = &now, failure.Error(), cmp.Or(a.Outcome, string(regulatorapi.Unavailable))
	} else {
		a.FetchedAt, a.FailedAt, a.Why, a.Outcome, a.Body = &now, nil, "", string(regulatorapi.None), ""
		if got.live != nil {
			text, err := json.Marshal(got.live)
			if err != nil {
				return err
			}
			a.Outcome, a.Body = string(regulatorapi.Rows), string(text)
		}
	}

	return r.db.InTx(ctx, func(ctx context.Context) error {
		if failure == nil {
			for set, rows := range got.sets {
				if err := r.sets.ReplaceRows(ctx, set, args.USDOT, rows); err != nil {
					return err
				}
			}
		}

		return r.repository.putAnswer(ctx, *a)
	})
}

// due reports whether the source is to be asked: the answer is old, and it did not just fail.
func (r *Refreshes) due(a *answerRow) bool {
	return a == nil || r.settings.Ages().Due(r.clock.Now(), a.FetchedAt, a.FailedAt)
}

// enqueue has the source asked, once for all companies that want it.
func (r *Refreshes) enqueue(ctx context.Context, usdot int64) error {
	nobody := principal.With(ctx, principal.Principal{})

	return r.db.InTx(nobody, func(ctx context.Context) error {
		return r.queue.Enqueue(ctx, RefreshArgs{USDOT: usdot}, jobs.Unique(), jobs.Attempts(refreshAttempts))
	})
}

// refreshAttempts is how often a refresh is tried that the database prevents. A vendor that fails is asked again by the next request.
const refreshAttempts = 3

// addLive adds the last answer of the live source, however old it is, and has a new one fetched if that is wanted.
func (r *Registry) addLive(ctx context.Context, g *gathered, refresh bool) error {
	source := r.settings.live()
	if source == "" {
		return nil
	}
	a, err := r.repository.answer(ctx, g.usdot, source)
	if err != nil {
		return err
	}
	g.liveSource = regulatorapi.Source{Name: source, Outcome: regulatorapi.Unavailable, Why: "it has not been asked yet"}
	if a != nil {
		g.liveSource = regulatorapi.Source{Name: source, Outcome: regulatorapi.Outcome(a.Outcome), AsOf: a.FetchedAt, Why: a.Why}
		if a.Body != "" {
			g.live = &liveAnswer{}
			if err := json.Unmarshal([]byte(a.Body), g.live); err != nil {
				return err
			}
		}
		if a.FetchedAt != nil && source == string(AdapterOpenData) {
			g.fetched(*a.FetchedAt)
		}
	}
	if refresh && r.refreshes.due(a) {
		return r.refreshes.enqueue(ctx, g.usdot)
	}

	return nil
}

// fetched says that sets were read for the number at a time.
func (g *gathered) fetched(at time.Time) {
	for name := range openSets {
		state := g.states[name]
		if state.AsOf == nil || at.After(*state.AsOf) {
			state.SetName, state.AsOf = name, &at
			g.states[name] = state
		}
	}
}
