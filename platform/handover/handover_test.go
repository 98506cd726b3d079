package handover_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/dispatchd/dispatchd/platform/clock"
	"github.com/dispatchd/dispatchd/platform/database"
	"github.com/dispatchd/dispatchd/platform/database/databasetest"
	"github.com/dispatchd/dispatchd/platform/handover"
	"github.com/dispatchd/dispatchd/platform/jobs"
	"github.com/dispatchd/dispatchd/platform/principal"
	"github.com/dispatchd/dispatchd/platform/vendorerror"
)

// parcel is an area's row.
type parcel struct {
	database.Tenant

	ID       uuid.UUID
	State    string // "queued", "sending", and what handover.Step says
	Attempts int64
	CalledAt *time.Time
}

// TableName implements GORM's naming.
func (parcel) TableName() string { return "parcels" }

// post is an area with a vendor that counts what it has accepted.
type post struct {
	db     *database.DB
	at     *clock.Fake
	id     uuid.UUID
	flow   handover.Flow[reason, parcel, string]
	noted  []error
	asked  int
	called int

	accepted []string
	complete bool          // the vendor knows what it has not
	hides    time.Duration // for how long it does not show what it has
	refuses  error         // before it accepts
	loses    bool          // the answer, after it accepted
	broken   error         // the database's, instead of the outcome being stored
	refusesQ error         // questions
	blind    error         // of the area, while it asks
}

func eachPost(t *testing.T, test func(ctx context.Context, t *testing.T, p *post)) {
	t.Helper()
	databasetest.Each(t, func(t *testing.T, url string) {
		t.Helper()
		p := &post{db: databasetest.Open(t, url), at: clock.NewFake(time.Date(2026, 6, 1, 17, 0, 0, 0, time.UTC)), id: uuid.New()}
		id, moment := "uuid", "timestamptz"
		if p.db.Dialect() == database.SQLite {
			id, moment = "text", "datetime"
		}
		_, err := p.db.SQL().ExecContext(t.Context(), "CREATE TABLE parcels (company_id "+id+" NOT NULL, id "+id+
			" NOT NULL, state text NOT NULL, attempts bigint NOT NULL, called_at "+moment+", PRIMARY KEY (company_id, id))")
		require.NoError(t, err)
		p.flow = handover.Flow[reason, parcel, string]{
			DB: p.db, Call: p.call, Find: p.find, Finish: p.finish,
			Policy: func(parcel) handover.Policy {
				return handover.Policy{Timeout: 20 * time.Second, MaxAttempts: 3, AskFor: time.Hour, LimitPause: 30 * time.Second}
			},
			Failed: func(_ context.Context, _ parcel, err error) error {
				p.noted = append(p.noted, err)

				return nil
			},
		}
		ctx := principal.With(t.Context(), principal.ForCompany(uuid.New()))
		require.NoError(t, p.db.InTx(ctx, func(ctx context.Context) error {
			return p.db.Conn(ctx).Create(&parcel{ID: p.id, State: "queued"}).Error
		}))
		test(ctx, t, p)
	})
}

// begin commits that the parcel is being handed over.
func (p *post) begin(ctx context.Context) (row parcel, called bool, wait time.Duration, err error) {
	err = p.db.InTx(ctx, func(ctx context.Context) error {
		row, err = p.row(ctx)
		if err != nil {
			return err
		}
		now := p.at.Now()
		if called = row.State == "sending"; called {
			if wait = p.flow.Policy(row).InFlight(*row.CalledAt, now); wait > 0 {
				return nil
			}
		} else if row.State == "queued" {
			row.State, row.CalledAt = "sending", &now
			row.Attempts++
		}

		return p.save(ctx, row)
	})

	return row, called, wait, err
}

func (p *post) row(ctx context.Context) (row parcel, err error) {
	return row, p.db.Conn(ctx).Where("id = ?", p.id).First(&row).Error
}

func (p *post) save(ctx context.Context, row parcel) error {
	return p.db.Conn(ctx).Model(&parcel{}).Where("id = ?", row.ID).Select("state", "attempts", "called_at").Updates(&row).Error
}

func (p *post) call(context.Context, parcel) (string, error) {
	p.called++
	if p.refuses != nil {
		return "", p.refuses
	}
	p.accepted = append(p.accepted, "P1")
	if p.loses {
		return "", errors.New("connection reset")
	}

	return "P1", nil
}

func (p *post) find(_ context.Context, row parcel) (handover.Result[reason, string], error) {
	p.asked++
	if p.refusesQ != nil || p.blind != nil {
		return handover.NoAnswer[reason, string](errors.Join(p.refusesQ, p.blind)), p.blind
	}
	if p.at.Now().Sub(*row.CalledAt) < p.hides {
		return handover.SearchResult[reason, string](nil, false), nil
	}

	return handover.SearchResult[reason](p.accepted, p.complete), nil
}

func (p *post) finish(ctx context.Context, c parcel, r handover.Result[reason, string]) (time.Duration, error) {
	row, err := p.row(ctx)
	if err != nil || row.State != "sending" {
		return 0, err
	}
	step, wait := r.Next(p.flow.Policy(c), row.Attempts, p.at.Now().Sub(*row.CalledAt))
	row.State = map[handover.Step]string{
		handover.Accept: "sent", handover.Retry: "queued", handover.Refuse: "failed", handover.Ask: "sending", handover.GiveUp: "unknown",
	}[step]

	return wait, errors.Join(p.save(ctx, row), p.broken)
}

// run is the job.
func (p *post) run(ctx context.Context) error {
	row, called, wait, err := p.begin(ctx)
	if err != nil || wait > 0 || row.State != "sending" {
		return handover.RetryAfter(wait, err)
	}

	return p.flow.Run(ctx, row, called)
}

// work runs the job for hours, as often as it wants, and returns the state.
func (p *post) work(ctx context.Context, t *testing.T) string {
	t.Helper()
	for range 200 {
		row, err := p.row(ctx)
		require.NoError(t, err)
		if row.State != "queued" && row.State != "sending" {
			return row.State
		}
		if err := p.run(ctx); err != nil {
			require.True(t, jobs.IsLater(err), err)
		}
		p.at.Advance(time.Minute)
	}
	require.Fail(t, "it never ends")

	return ""
}

func TestRun_HandsOverAtMostOnceWhereverItDies(t *testing.T) {
	t.Parallel()
	const (
		beforeTheCall   = "between the commit and the call"
		beforeTheResult = "between the vendor's answer and the commit"
		inTheCommit     = "in the commit of the outcome"
		lostAnswer      = "nowhere, but the answer is lost"
	)
	for _, test := range []struct {
		dies     string
		complete bool
		hides    time.Duration
		accepted int
		ends     string
	}{
		{dies: beforeTheCall, ends: "unknown"},
		{dies: beforeTheCall, complete: true, accepted: 1, ends: "sent"},
		{dies: beforeTheResult, accepted: 1, ends: "sent"},
		{dies: beforeTheResult, complete: true, accepted: 1, ends: "sent"},
		{dies: beforeTheResult, hides: 2 * time.Hour, accepted: 1, ends: "unknown"},
		{dies: inTheCommit, accepted: 1, ends: "sent"},
		{dies: inTheCommit, hides: 30 * time.Minute, complete: true, accepted: 1, ends: "sent"},
		{dies: lostAnswer, complete: true, accepted: 1, ends: "sent"},
		{dies: lostAnswer, hides: 2 * time.Hour, complete: true, accepted: 1, ends: "unknown"},
	} {
		t.Run(test.dies, func(t *testing.T) {
			t.Parallel()
			eachPost(t, func(ctx context.Context, t *testing.T, p *post) {
				t.Helper()
				p.complete, p.hides = test.complete, test.hides
				switch test.dies {
				case lostAnswer:
					p.loses = true
				case inTheCommit:
					p.broken = errors.New("the database went away")
					require.ErrorIs(t, p.run(ctx), p.broken)
					p.broken = nil
				default:
					row, called, _, err := p.begin(ctx)
					require.NoError(t, err)
					require.False(t, called)
					if test.dies == beforeTheResult {
						_, err = p.call(ctx, row)
						require.NoError(t, err)
					}
				}
				require.Equal(t, test.ends, p.work(ctx, t))
				require.Len(t, p.accepted, test.accepted)
			})
		})
	}
}

func TestRun_LeavesACallAloneThatMayBeGoingOn(t *testing.T) {
	t.Parallel()
	eachPost(t, func(ctx context.Context, t *testing.T, p *post) {
		t.Helper()
		row, _, _, err := p.begin(ctx)
		require.NoError(t, err)
		p.at.Advance(29 * time.Second)
		require.True(t, jobs.IsLater(p.run(ctx)))
		require.Zero(t, p.called+p.asked)
		require.NoError(t, p.flow.Run(ctx, row, false))
		require.NoError(t, p.run(ctx))
		require.Equal(t, []int{1, 0}, []int{p.called, p.asked})
	})
}

func TestRun_WaitsOutARateLimitOfQuestionsAndKeepsNothingOfIt(t *testing.T) {
	t.Parallel()
	eachPost(t, func(ctx context.Context, t *testing.T, p *post) {
		t.Helper()
		p.loses = true
		require.True(t, jobs.IsLater(p.run(ctx)))
		p.refusesQ = &failure{Reason: vendorerror.RateLimited, Taken: vendorerror.No}
		p.at.Advance(2 * time.Hour)
		require.True(t, jobs.IsLater(p.run(ctx)), "though it was asked for long enough")
		p.refusesQ = nil
		require.Equal(t, "sent", p.work(ctx, t))
		require.Equal(t, 1, p.called)
	})
}

func TestRun_TellsTheAreaWhyACallWasNotAccepted(t *testing.T) {
	t.Parallel()
	eachPost(t, func(ctx context.Context, t *testing.T, p *post) {
		t.Helper()
		p.refuses = &failure{Reason: "auth", Taken: vendorerror.No}
		require.Equal(t, "failed", p.work(ctx, t))
		require.Len(t, p.noted, 1)
		require.ErrorIs(t, p.noted[0], p.refuses)
	})
}

func TestRun_FailsWhereTheAreaCannotAsk(t *testing.T) {
	t.Parallel()
	eachPost(t, func(ctx context.Context, t *testing.T, p *post) {
		t.Helper()
		p.loses = true
		require.True(t, jobs.IsLater(p.run(ctx)))
		p.at.Advance(2 * time.Hour)
		p.blind = errors.New("the database went away")
		require.ErrorIs(t, p.run(ctx), p.blind)
		row, err := p.row(ctx)
		require.NoError(t, err)
		require.Equal(t, "sending", row.State, "nothing is known, and nothing is decided")
	})
}
