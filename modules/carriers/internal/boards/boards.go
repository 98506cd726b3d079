// Package boards asks load boards what they know of a carrier, in the background, and keeps their answers for each company.
package boards

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"time"

	"github.com/dispatchd/dispatchd/modules/carriers/carriersapi"
	"github.com/dispatchd/dispatchd/modules/regulator/regulatorapi"
	"github.com/dispatchd/dispatchd/platform/clock"
	"github.com/dispatchd/dispatchd/platform/database"
	"github.com/dispatchd/dispatchd/platform/jobs"
	"github.com/dispatchd/dispatchd/platform/outbound"
	"github.com/dispatchd/dispatchd/platform/port"
)

const (
	// boardTimeout is how long a board may take.
	boardTimeout = 30 * time.Second
	// boardAttempts is how often a job is tried that the database prevents. A board that fails is asked again by the next lookup.
	boardAttempts = 3
)

// Boards asks load boards about carriers in the background, and stores their answers.
type Boards struct {
	ages   outbound.Ages
	stored *repository
	ports  *port.Registry
	queue  *jobs.Queue
	clock  clock.Clock
}

// New returns the boards, which are asked again by the ages.
func New(ages outbound.Ages, db *database.DB, ports *port.Registry, queue *jobs.Queue, c clock.Clock) *Boards {
	return &Boards{ages: ages, stored: &repository{db}, ports: ports, queue: queue, clock: c}
}

// boardAnswered is the last answer of a board about a carrier.
type boardAnswered struct {
	Board   string                    `json:"board" example:"central_dispatch"`
	Outcome regulatorapi.Outcome      `json:"outcome" enum:"rows,none,unavailable" doc:"none: the board does not know the carrier; unavailable: it has not answered yet."`
	AsOf    *time.Time                `json:"as_of" doc:"When the board answered."`
	Profile *carriersapi.BoardProfile `json:"profile"`
	Why     string                    `json:"why,omitempty" doc:"Why the board did not answer when it was asked last."`
	// Refreshing reports that a job asks the board.
	Refreshing bool `json:"refreshing" doc:"Whether the board is being asked now: look again in a few seconds."`
}

// lookUp returns the last answers of all boards at which the caller's company has an account, and has those asked whose answers are old.
func (b *Boards) lookUp(ctx context.Context, usdot int64) ([]boardAnswered, error) {
	connected, err := b.connected(ctx)
	if err != nil || len(connected) == 0 {
		return []boardAnswered{}, err
	}
	answers, err := b.stored.boardAnswers(ctx, usdot)
	if err != nil {
		return nil, err
	}
	all := make([]boardAnswered, 0, len(connected))
	var due []jobs.Job
	for _, board := range connected {
		a, asked := answers[board.Name]
		shown := boardAnswered{Board: board.Name, Outcome: regulatorapi.Unavailable, Refreshing: b.due(a)}
		if asked {
			shown.Outcome, shown.AsOf, shown.Why = regulatorapi.Outcome(a.Outcome), a.FetchedAt, a.Why
		}
		if a.Body != "" {
			shown.Profile = &carriersapi.BoardProfile{}
			if err := json.Unmarshal([]byte(a.Body), shown.Profile); err != nil {
				return nil, err
			}
		}
		if shown.Refreshing {
			due = append(due, jobs.Job{Args: AskBoard{Board: board.Name, USDOT: usdot}, Options: []jobs.Option{jobs.Unique(), jobs.Attempts(boardAttempts)}})
		}
		all = append(all, shown)
	}
	if len(due) == 0 {
		return all, nil
	}

	return all, b.stored.inTx(ctx, func(ctx context.Context) error { return b.queue.EnqueueMany(ctx, due...) })
}

// connected returns the boards at which the caller's company has an account.
func (b *Boards) connected(ctx context.Context) ([]port.Adapter[carriersapi.Board], error) {
	all, err := port.All[carriersapi.Board](ctx, b.ports)
	if err != nil {
		return nil, err
	}
	var connected []port.Adapter[carriersapi.Board]
	for _, board := range all {
		has, err := board.Value.Connected(ctx)
		if err != nil {
			return nil, err
		}
		if has {
			connected = append(connected, board)
		}
	}

	return connected, nil
}

// due reports whether a board is to be asked: its answer is old, and it did not just fail.
func (b *Boards) due(a boardAnswer) bool {
	return b.ages.Due(b.clock.Now(), a.FetchedAt, a.FailedAt)
}

// AskBoard is the job that asks a board about a carrier.
type AskBoard struct {
	Board string `json:"board"`
	USDOT int64  `json:"usdot"`
}

// Kind implements jobs.Args.
func (AskBoard) Kind() string { return "carriers.ask_board" }

// Ask is that job. If the board fails, its old answer stays.
func (b *Boards) Ask(ctx context.Context, args AskBoard) error {
	connected, err := b.connected(ctx)
	if err != nil {
		return err
	}
	for _, board := range connected {
		if board.Name == args.Board {
			return b.askOne(ctx, board, args.USDOT)
		}
	}

	return nil // the account was removed
}

func (b *Boards) askOne(ctx context.Context, board port.Adapter[carriersapi.Board], usdot int64) error {
	answers, err := b.stored.boardAnswers(ctx, usdot)
	if err != nil {
		return err
	}
	a := answers[board.Name]
	if !b.due(a) {
		return nil
	}
	a.USDOT, a.Board = usdot, board.Name
	asking, cancel := context.WithTimeout(ctx, boardTimeout)
	profile, failure := board.Value.LookUp(asking, usdotText(usdot))
	cancel()
	if ctx.Err() != nil {
		return ctx.Err()
	}
	now := b.clock.Now()
	switch {
	case errors.Is(failure, context.DeadlineExceeded):
		a.FailedAt, a.Why, a.Outcome = &now, "the board did not answer in time", cmp.Or(a.Outcome, string(regulatorapi.Unavailable))
	case failure != nil:
		a.FailedAt, a.Why, a.Outcome = &now, failure.Error(), cmp.Or(a.Outcome, string(regulatorapi.Unavailable))
	case profile == nil:
		a.FetchedAt, a.FailedAt, a.Why, a.Outcome, a.Body = &now, nil, "", string(regulatorapi.None), ""
	default:
		body, err := json.Marshal(profile)
		if err != nil {
			return err
		}
		a.FetchedAt, a.FailedAt, a.Why, a.Outcome, a.Body = &now, nil, "", string(regulatorapi.Rows), string(body)
	}

	return b.stored.inTx(ctx, func(ctx context.Context) error { return b.stored.putBoardAnswer(ctx, a) })
}
