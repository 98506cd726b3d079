package numbering

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"
	"go.uber.org/fx"
	"gorm.io/gorm"
	"pgregory.net/rapid"

	"github.com/dispatchd/dispatchd/migrations"
	"github.com/dispatchd/dispatchd/platform/audit"
	"github.com/dispatchd/dispatchd/platform/calendar"
	"github.com/dispatchd/dispatchd/platform/clock"
	"github.com/dispatchd/dispatchd/platform/database"
	"github.com/dispatchd/dispatchd/platform/database/databasetest"
	"github.com/dispatchd/dispatchd/platform/errs"
	"github.com/dispatchd/dispatchd/platform/migrate"
	"github.com/dispatchd/dispatchd/platform/module"
	"github.com/dispatchd/dispatchd/platform/principal"
)

const (
	loads    = "loads.load"
	invoices = "loads.invoice"
)

// trail keeps what is recorded in memory, committed or not.
type trail struct {
	mu      sync.Mutex
	entries []audit.Entry
}

func (t *trail) Record(_ context.Context, e audit.Entry) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.entries = append(t.entries, e)

	return nil
}

// office is a service with the series loads.load (L-{yyyy}-{seq:5}) and loads.invoice ({seq:4}).
type office struct {
	*Numbers

	clock *clock.Fake
	trail *trail
	atlas *atlas
}

// atlas is the one time zone of all companies, UTC if it has no name.
type atlas struct {
	name  string
	asked int
}

func (a *atlas) TimeZone(context.Context, uuid.UUID) (string, error) {
	a.asked++

	return a.name, nil
}

func newOffice(t testing.TB, db *database.DB) office {
	t.Helper()
	o := office{clock: clock.NewFake(time.Date(2026, 12, 31, 23, 0, 0, 0, time.UTC)), trail: &trail{}, atlas: &atlas{}}
	zones, err := calendar.New(o.clock, o.atlas)
	require.NoError(t, err)
	numbers, err := New(db, o.clock, o.trail, zones)
	require.NoError(t, err)
	o.Numbers = numbers
	require.NoError(t, o.declare(loads, "L-{yyyy}-{seq:5}"))
	require.NoError(t, o.declare(invoices, "{seq:4}"))

	return o
}

func migrated(t testing.TB, url string) *database.DB {
	t.Helper()
	db := databasetest.Open(t, url)
	sources, err := migrate.Sources(migrations.FS, nil)
	require.NoError(t, err)
	require.NoError(t, migrate.Up(t.Context(), db, sources, slog.New(slog.DiscardHandler)))

	return db
}

func each(t *testing.T, test func(t *testing.T, o office)) {
	t.Helper()
	databasetest.Each(t, func(t *testing.T, url string) {
		t.Helper()
		test(t, newOffice(t, migrated(t, url)))
	})
}

// company makes a company, and returns a context in which it is calling.
func (o office) company(t testing.TB) context.Context {
	t.Helper()
	id := database.NewID()
	require.NoError(t, o.db.InTx(t.Context(), func(ctx context.Context) error {
		return o.db.Raw(ctx, "test").Exec(`INSERT INTO identity_companies (id, name, created_at, updated_at) VALUES (?, 'A', ?, ?)`,
			id, o.clock.Now(), o.clock.Now()).Error
	}))

	return principal.With(t.Context(), principal.ForCompany(id))
}

// takeNumbers takes numbers, each in a transaction of its own.
func (o office) takeNumbers(ctx context.Context, series string, n int, options ...Option) ([]string, error) {
	var given []string
	for range n {
		var number string
		err := o.db.InTx(ctx, func(ctx context.Context) (err error) {
			number, err = o.Next(ctx, series, options...)

			return err
		})
		if err != nil {
			return given, err
		}
		given = append(given, number)
	}

	return given, nil
}

func (o office) requireNext(ctx context.Context, t *testing.T, series string, want string, options ...Option) {
	t.Helper()
	peeked, err := o.Peek(ctx, series, options...)
	require.NoError(t, err)
	require.Equal(t, want, peeked)
	given, err := o.takeNumbers(ctx, series, 1, options...)
	require.NoError(t, err)
	require.Equal(t, []string{want}, given)
}

func TestNext_CountsEachSeriesOfEachCompany(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, o office) {
		t.Helper()
		for _, ctx := range []context.Context{o.company(t), o.company(t)} {
			o.requireNext(ctx, t, loads, "L-2026-00001")
			o.requireNext(ctx, t, loads, "L-2026-00002")
			o.requireNext(ctx, t, invoices, "0001")
			o.requireNext(ctx, t, loads, "L-2026-00003")
		}
	})
}

func TestNextOf_GivesSeveralInTheirOrderOrNone(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, o office) {
		t.Helper()
		ctx := o.company(t)
		several := func(n int) (numbers []string, err error) {
			return numbers, o.db.InTx(ctx, func(ctx context.Context) error {
				var err error
				numbers, err = o.NextOf(ctx, loads, n)

				return err
			})
		}
		for _, want := range [][]string{{"L-2026-00001", "L-2026-00002", "L-2026-00003"}, {"L-2026-00004"}, {"L-2026-00005", "L-2026-00006"}} {
			numbers, err := several(len(want))
			require.NoError(t, err)
			require.Equal(t, want, numbers)
		}
		require.NoError(t, o.SetNext(ctx, loads, maxSeq-1))
		_, err := several(3)
		require.ErrorIs(t, err, errExhausted)
		numbers, err := several(2)
		require.NoError(t, err)
		require.Equal(t, []string{"L-2026-999999999998", "L-2026-999999999999"}, numbers)
	})
}

func TestNext_StartsOverWithTheYearOfTheTimeZone(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, o office) {
		t.Helper()
		ctx, berlin := o.company(t), time.FixedZone("CET", 3600)
		o.requireNext(ctx, t, loads, "L-2026-00001")
		o.requireNext(ctx, t, loads, "L-2027-00001", InZone(berlin))
		o.requireNext(ctx, t, loads, "L-2026-00002")
		o.clock.Advance(time.Hour)
		o.requireNext(ctx, t, loads, "L-2027-00002")
		o.clock.Advance(-time.Second) // a replica whose clock is late
		o.requireNext(ctx, t, loads, "L-2026-00003")
	})
}

func TestNext_HasTheDateOfTheCompany(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, o office) {
		t.Helper()
		ctx := o.company(t)
		o.atlas.name = "Europe/Berlin"
		o.requireNext(ctx, t, loads, "L-2027-00001")
		o.atlas.name = "America/Chicago"
		o.requireNext(ctx, t, loads, "L-2027-00002")
		require.Equal(t, 1, o.atlas.asked)
		o.clock.Advance(time.Minute)
		o.requireNext(ctx, t, loads, "L-2026-00001")
		o.requireNext(ctx, t, loads, "L-2027-00003", InZone(time.FixedZone("CET", 3600)))
		o.atlas.name = "Nowhere"
		o.clock.Advance(time.Minute)
		_, err := o.takeNumbers(ctx, loads, 1)
		require.ErrorContains(t, err, "number of series loads.load: time zone: ")
	})
}

func TestNext_IsRefusedWhereItCouldNotBeGivenBack(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, o office) {
		t.Helper()
		ctx := o.company(t)
		_, err := o.Next(ctx, loads)
		require.ErrorIs(t, err, errOutside)
		_, err = o.takeNumbers(ctx, "loads.laod", 1)
		require.EqualError(t, err, `series of numbers "loads.laod" is not declared: is numbering.Series in the manifest?`)
		_, err = o.takeNumbers(t.Context(), loads, 1)
		require.ErrorIs(t, err, errNoCompany)
	})
}

func TestNext_IsGivenBackByARollback(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, o office) {
		t.Helper()
		ctx := o.company(t)
		undone := errors.New("undone")
		for range 2 { // the first number of all, then an ordinary one
			peeked, err := o.Peek(ctx, loads)
			require.NoError(t, err)
			require.ErrorIs(t, o.db.InTx(ctx, func(ctx context.Context) error {
				number, err := o.Next(ctx, loads)
				require.NoError(t, err)
				require.Equal(t, peeked, number)

				return undone
			}), undone)
			require.ErrorIs(t, o.db.InTx(ctx, func(ctx context.Context) error {
				require.NoError(t, o.SetTemplate(ctx, loads, "M-{seq:3}"))
				number, err := o.Next(ctx, loads)
				require.NoError(t, err)
				require.Equal(t, "M-001", number)

				return undone
			}), undone)
			o.requireNext(ctx, t, loads, peeked)
		}
	})
}

// Of the writers, some give up after they were given a number.
func TestNext_HasNeitherDuplicatesNorGapsAmongManyWriters(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, o office) {
		t.Helper()
		const writers, each = 32, 50
		other := newOffice(t, o.db) // a second process, which remembers templates of its own
		companies := []context.Context{o.company(t), o.company(t)}
		given := make([][]string, len(companies))
		var mu sync.Mutex
		var wg sync.WaitGroup
		problems := make(chan error, writers)
		for w := range writers {
			wg.Go(func() {
				ctx, process := companies[w%2], []office{o, other}[w/2%2]
				for i := range each {
					number, err := process.takeOrGiveUp(ctx, (w+i)%5 == 0)
					if err != nil {
						problems <- err

						return
					}
					mu.Lock()
					given[w%2] = append(given[w%2], number)
					mu.Unlock()
				}
			})
		}
		wg.Wait()
		close(problems)
		require.NoError(t, <-problems)
		for _, numbers := range given {
			slices.Sort(numbers)
			require.Len(t, numbers, writers*each/2)
			for i, number := range numbers {
				require.Equal(t, fmt.Sprintf("L-2026-%05d", i+1), number)
			}
		}
	})
}

func TestNext_HasNoDuplicatesWhileTheTemplateIsChanged(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, o office) {
		t.Helper()
		ctx, given := o.company(t), sync.Map{}
		problems := make(chan error, 100)
		var wg sync.WaitGroup
		for range 6 {
			process := newOffice(t, o.db)
			wg.Go(func() {
				for range 30 {
					numbers, err := process.takeNumbers(ctx, loads, 1)
					if err != nil {
						problems <- err

						return
					}
					if _, twice := given.LoadOrStore(numbers[0], true); twice {
						problems <- fmt.Errorf("%s is given twice", numbers[0])

						return
					}
				}
			})
		}
		wg.Go(func() {
			for i := range 20 {
				template := []string{"{yy}.{seq:2}", "{yy}.{seq:4}", "L-{seq:3}", "L-{yyyy}-{seq:5}"}[i%4]
				if err := o.SetTemplate(ctx, loads, template); err != nil {
					problems <- err

					return
				}
			}
		})
		wg.Wait()
		close(problems)
		require.NoError(t, <-problems)
	})
}

func TestNext_IsOneStatementAsARule(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, o office) {
		t.Helper()
		ctx, count := o.company(t), 0
		callback := o.db.Conn(ctx).Callback()
		counting := func(*gorm.DB) { count++ }
		require.NoError(t, errors.Join(
			callback.Query().After("*").Register("test:count", counting),
			callback.Create().After("*").Register("test:count", counting),
			callback.Update().After("*").Register("test:count", counting),
		))
		for range 2 {
			o.requireNext(ctx, t, loads, o.peek(ctx, t))
			count = 0
			_, err := o.takeNumbers(ctx, loads, 10)
			require.NoError(t, err)
			require.Equal(t, 10, count)
			require.NoError(t, o.SetTemplate(ctx, loads, "M-{seq:3}"))
		}
	})
}

func (o office) peek(ctx context.Context, t *testing.T) string {
	t.Helper()
	number, err := o.Peek(ctx, loads)
	require.NoError(t, err)

	return number
}

// takeOrGiveUp takes a number, after having given one back if it is to.
func (o office) takeOrGiveUp(ctx context.Context, giveUp bool) (string, error) {
	undone := errors.New("undone")
	if giveUp {
		err := o.db.InTx(ctx, func(ctx context.Context) error {
			_, err := o.Next(ctx, loads)

			return errors.Join(err, undone)
		})
		if !errors.Is(err, undone) {
			return "", fmt.Errorf("giving up: %w", err)
		}
	}
	given, err := o.takeNumbers(ctx, loads, 1)
	if err != nil {
		return "", err
	}

	return given[0], nil
}

func TestSetTemplate_IsFollowedByEveryProcessAndRecorded(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, o office) {
		t.Helper()
		ctx, untouched := o.company(t), o.company(t)
		other := newOffice(t, o.db)
		o.requireNext(ctx, t, loads, "L-2026-00001")
		other.requireNext(ctx, t, loads, "L-2026-00002")
		require.NoError(t, o.SetTemplate(ctx, loads, "L-{yyyy}-{seq:3}"))
		require.NoError(t, o.SetTemplate(ctx, loads, "L-{yyyy}-{seq:3}"), "changes nothing")
		other.requireNext(ctx, t, loads, "L-2026-003")
		require.NoError(t, other.SetTemplate(ctx, loads, "{yy}.{seq:2}"))
		o.requireNext(ctx, t, loads, "26.01")
		require.NoError(t, o.SetTemplate(ctx, loads, "L-{yyyy}-{seq:5}"))
		other.requireNext(ctx, t, loads, "L-2026-00004")
		o.requireNext(untouched, t, loads, "L-2026-00001")

		require.Equal(t, []audit.Entry{{
			Action: "numbering.template_changed", Item: audit.Item{Type: "numbering.series"},
			Changes: map[string]audit.Change{loads: {Before: "L-{yyyy}-{seq:5}", After: "L-{yyyy}-{seq:3}"}},
		}, {
			Action: "numbering.template_changed", Item: audit.Item{Type: "numbering.series"},
			Changes: map[string]audit.Change{loads: {Before: "{yy}.{seq:2}", After: "L-{yyyy}-{seq:5}"}},
		}}, o.trail.entries)
		list, err := o.List(ctx)
		require.NoError(t, err)
		require.Equal(t, []State{
			{Series: invoices, Template: "{seq:4}", Next: "0001", Count: 1},
			{Series: loads, Template: "L-{yyyy}-{seq:5}", Next: "L-2026-00005", Count: 5},
		}, list)
	})
}

func TestSetTemplate_RefusesWhatWouldRepeatANumberThatRests(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, o office) {
		t.Helper()
		ctx := o.company(t)
		require.NoError(t, o.SetTemplate(ctx, loads, "L-{yyyy}{seq:3}"))
		o.requireNext(ctx, t, loads, "L-2026001")
		require.ErrorIs(t, o.SetTemplate(ctx, loads, "L-{seq:5}"), errRepeats, "by the present counter")
		require.NoError(t, o.SetTemplate(ctx, loads, "M-{seq:5}"))
		o.requireNext(ctx, t, loads, "M-00001")
		err := o.SetTemplate(ctx, loads, "L-{seq:5}")
		require.ErrorIs(t, err, errRepeats, "by a counter that rests")
		refused, _ := errors.AsType[*errs.Error](err)
		require.Equal(t, "L-2026001", refused.Details["given"])
		require.ErrorIs(t, o.SetTemplate(ctx, loads, "L-{seq:0}"), errInvalidTemplate)
		o.requireNext(ctx, t, loads, "M-00002")
		require.NoError(t, o.SetTemplate(o.company(t), loads, "L-{seq:5}"), "another company has not given it")
	})
}

func TestSetNext_OnlyMovesForward(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, o office) {
		t.Helper()
		ctx := o.company(t)
		require.NoError(t, o.SetNext(ctx, loads, 4711))
		o.requireNext(ctx, t, loads, "L-2026-04711")
		require.NoError(t, o.SetNext(ctx, loads, 4712), "where it is")
		require.ErrorIs(t, o.SetNext(ctx, loads, 4711), errBackwards)
		require.ErrorIs(t, o.SetNext(ctx, loads, maxSeq+1), errExhausted)
		require.Equal(t, []audit.Entry{{
			Action: "numbering.moved_forward", Item: audit.Item{Type: "numbering.series"},
			Changes: map[string]audit.Change{loads: {Before: "L-2026-00001", After: "L-2026-04711"}},
		}}, o.trail.entries)

		require.NoError(t, o.SetNext(ctx, loads, maxSeq))
		o.requireNext(ctx, t, loads, "L-2026-999999999999")
		_, err := o.takeNumbers(ctx, loads, 1)
		require.ErrorIs(t, err, errExhausted)
		_, err = o.Peek(ctx, loads)
		require.ErrorIs(t, err, errExhausted)
		o.clock.Advance(time.Hour)
		o.requireNext(ctx, t, loads, "L-2027-00001")
	})
}

// The tables do what the book of the test of templates does.
func TestNumbers_NeverRepeatOnTheDatabaseEither(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, o office) {
		t.Helper()
		rapid.Check(t, func(rt *rapid.T) {
			ctx := o.company(t)
			given := map[string]bool{}
			for range rapid.IntRange(1, 12).Draw(rt, "steps") {
				err := o.SetTemplate(ctx, loads, anyTemplate().Draw(rt, "template"))
				if err != nil {
					require.ErrorIs(rt, err, errRepeats)
				}
				o.clock.Advance(time.Duration(rapid.IntRange(-40, 400).Draw(rt, "days")) * 24 * time.Hour)
				numbers, err := o.takeNumbers(ctx, loads, rapid.IntRange(0, 3).Draw(rt, "n"))
				require.NoError(rt, err)
				for _, number := range numbers {
					require.Falsef(rt, given[number], "%s is given twice", number)
					given[number] = true
				}
			}
		})
	})
}

func TestSeries_IsDeclaredInTheManifestOfItsArea(t *testing.T) {
	t.Parallel()
	fill := func(lines ...fx.Option) (*Numbers, error) {
		n, err := New(nil, clock.System{}, &trail{}, nil)
		require.NoError(t, err)

		return n, fx.New(fx.NopLogger, fx.Supply(n), module.New("loads", "", lines...).Options(), fx.Invoke(module.Fill)).Err()
	}
	n, err := fill(Series(loads, "L-{seq:5}"), Series(invoices, "{seq:4}"))
	require.NoError(t, err)
	require.Len(t, n.defaults, 2)
	_, err = fill(Series("sms.message", "{seq:4}"))
	require.ErrorContains(t, err, `want a name that begins with "loads."`)
	_, err = fill(Series(loads, "{seq:4}"), Series(loads, "{seq:4}"))
	require.ErrorContains(t, err, `series of numbers "loads.load" is declared twice`)
	_, err = fill(Series(loads, "L-{seq}"))
	require.ErrorContains(t, err, `template "L-{seq}": The template has the unknown placeholder "{seq}".`)
}
