package database_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/dispatchd/dispatchd/platform/database"
	"github.com/dispatchd/dispatchd/platform/errs"
)

var replaceTypes = strings.NewReplacer("uuid", "text", "bigint", "integer", "timestamptz", "timestamp")

var errRefused = errors.New("refused by the caller")

func (f fixture) create(ctx context.Context, number string) error {
	return f.Conn(ctx).Create(&load{ID: database.NewID(), Number: number}).Error
}

func TestInTx_RollsBackOnlyTheFailedFunction(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, f fixture) {
		var work sync.WaitGroup
		for i := range 64 {
			work.Go(func() {
				err := f.InTx(as(t.Context(), f.ours), func(ctx context.Context) error {
					if err := f.create(ctx, fmt.Sprintf("L%02d", i)); err != nil || i%2 == 0 {
						return err
					}

					return errRefused
				})
				if i%2 == 0 {
					require.NoError(t, err)
				} else {
					require.ErrorIs(t, err, errRefused)
				}
			})
		}
		work.Wait()
		numbers := f.numbers(t, f.ours)
		require.Len(t, numbers, 32)
		for _, number := range numbers {
			require.Contains(t, "02468", number[2:], number)
		}
	})
}

func TestInTx_CancelledInMidWriteStoresNothingAndSaysSo(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, f fixture) {
		var work sync.WaitGroup
		for i := range 32 {
			work.Go(func() {
				ctx, cancel := context.WithCancel(as(t.Context(), f.ours))
				defer cancel()
				err := f.InTx(ctx, func(ctx context.Context) error {
					if err := f.create(ctx, fmt.Sprintf("a%02d", i)); err != nil {
						return err
					}
					if i%4 == 0 {
						cancel()
					}

					return f.create(ctx, fmt.Sprintf("b%02d", i))
				})
				if i%4 == 0 {
					require.Error(t, err)
					require.Equal(t, errs.Unavailable, errs.KindOf(database.Translate(err)))
				} else {
					require.NoError(t, err)
				}
			})
		}
		work.Wait()
		numbers := f.numbers(t, f.ours)
		require.Len(t, numbers, 2*24)
		for i := 0; i < 32; i += 4 {
			require.NotContains(t, numbers, fmt.Sprintf("a%02d", i))
		}
	})
}

func TestInTx_DoesNotBeginAfterTheDeadline(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, f fixture) {
		ctx, cancel := context.WithDeadline(as(t.Context(), f.ours), time.Unix(0, 0))
		defer cancel()
		err := f.InTx(ctx, func(context.Context) error {
			require.Fail(t, "the function ran")

			return nil
		})
		require.ErrorIs(t, err, database.ErrUnavailable)
	})
}

// A full disk makes SQLite roll back the whole transaction, with it what other callers of the group
// wrote, and a function that goes on would write outside any transaction.
func TestInTx_DiskFullLosesNothingThatWasAcknowledged(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, f fixture) {
		if f.Dialect() == database.SQLite {
			f.limitPages(t)
		}
		var work sync.WaitGroup
		for i := range 32 {
			work.Go(func() {
				number := fmt.Sprintf("L%02d", i)
				err := f.InTx(as(t.Context(), f.ours), func(ctx context.Context) error {
					if err := f.create(ctx, number); err != nil || i%8 != 0 {
						return err
					}
					full := f.fail(ctx)
					if full == nil {
						return errors.New("it did not fail")
					}
					if err := f.create(ctx, "after "+number); err == nil && f.Dialect() == database.SQLite {
						return errors.New("a statement ran after the transaction was gone")
					}

					return nil // a careless function ignores both
				})
				if i%8 == 0 {
					require.Error(t, err)
				} else {
					require.NoError(t, err)
				}
			})
		}
		work.Wait()
		numbers := f.numbers(t, f.ours)
		for i := range 32 {
			number := fmt.Sprintf("L%02d", i)
			if i%8 == 0 {
				require.NotContains(t, numbers, number)
			} else {
				require.Contains(t, numbers, number)
			}
		}
		require.Len(t, numbers, 28)
	})
}

// limitPages makes the disk full for what is large.
func (f fixture) limitPages(t *testing.T) {
	t.Helper()
	require.NoError(t, f.InTx(as(t.Context(), f.ours), func(ctx context.Context) error {
		return f.Raw(ctx, "test").Exec("PRAGMA max_page_count = 200").Error
	}))
}

// fail runs a statement that ends the transaction: one that needs more disk than there is, or, on
// PostgreSQL, any that fails.
func (f fixture) fail(ctx context.Context) error {
	if f.Dialect() == database.Postgres {
		return f.Raw(ctx, "test").Exec("SELECT 1/0").Error
	}

	return f.create(ctx, strings.Repeat("x", 2_000_000))
}

func TestInTx_APanicIsItsCallersAlone(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, f fixture) {
		var work sync.WaitGroup
		for i := range 32 {
			work.Go(func() {
				run := func() error {
					return f.InTx(as(t.Context(), f.ours), func(ctx context.Context) error {
						if err := f.create(ctx, fmt.Sprintf("L%02d", i)); err != nil {
							return err
						}
						if i%8 == 0 {
							panic("boom")
						}

						return nil
					})
				}
				if i%8 == 0 {
					require.PanicsWithValue(t, "boom", func() {
						if err := run(); err != nil {
							t.Error(err)
						}
					})
				} else {
					require.NoError(t, run())
				}
			})
		}
		work.Wait()
		require.Len(t, f.numbers(t, f.ours), 28)
	})
}

func TestInTx_NestedJoinsAndItsFailureIsTheWhole(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, f fixture) {
		ctx := as(t.Context(), f.ours)
		require.NoError(t, f.InTx(ctx, func(ctx context.Context) error {
			return errors.Join(f.create(ctx, "outer"), f.InTx(ctx, func(ctx context.Context) error {
				require.True(t, database.InTransaction(ctx))

				return f.create(ctx, "inner")
			}))
		}))
		require.Equal(t, []string{"inner", "outer"}, f.numbers(t, f.ours))

		err := f.InTx(ctx, func(ctx context.Context) error {
			if err := f.create(ctx, "outer 2"); err != nil {
				return err
			}
			require.ErrorIs(t, f.InTx(ctx, func(context.Context) error { return errRefused }), errRefused)

			return nil // ignores it
		})
		require.ErrorIs(t, err, errRefused)
		require.Equal(t, []string{"inner", "outer"}, f.numbers(t, f.ours))
	})
}

func TestSavepoint_UndoesItsOwnWritesAlone(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, f fixture) {
		require.NoError(t, f.InTx(as(t.Context(), f.ours), func(ctx context.Context) error {
			for _, number := range []string{"a", "b", "a"} {
				err := f.Savepoint(ctx, func(ctx context.Context) error {
					return errors.Join(f.create(ctx, number+" first"), f.create(ctx, number))
				})
				if err != nil && !errors.Is(database.Translate(err), database.ErrDuplicate) {
					return err
				}
			}

			return nil
		}))
		require.Equal(t, []string{"a", "a first", "b", "b first"}, f.numbers(t, f.ours))
	})
}

func TestStop_WaitsForWritersAndStartWorksAgain(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, f fixture) {
		var work sync.WaitGroup
		errors := make([]error, 32)
		for i := range errors {
			work.Go(func() {
				errors[i] = f.InTx(as(t.Context(), f.ours), func(ctx context.Context) error {
					return f.create(ctx, fmt.Sprintf("L%02d", i))
				})
			})
		}
		require.NoError(t, f.Stop(t.Context()))
		work.Wait()
		require.ErrorIs(t, f.Ping(t.Context()), database.ErrUnavailable)
		require.Error(t, f.Conn(as(t.Context(), f.ours)).Find(&[]load{}).Error)

		require.NoError(t, f.Start(t.Context()))
		stored := 0
		for _, err := range errors {
			if err == nil {
				stored++
			} else {
				require.ErrorIs(t, err, database.ErrUnavailable)
			}
		}
		require.Len(t, f.numbers(t, f.ours), stored)
	})
}

func BenchmarkInTx_SQLiteFull32(b *testing.B) {
	db := open(b, "sqlite:"+b.TempDir()+"/bench.db")
	f := fixture{DB: db}
	_, err := db.SQL().ExecContext(b.Context(), f.sql(tables))
	require.NoError(b, err)
	ctx := as(b.Context(), database.NewID())
	b.SetParallelism(16)
	b.ResetTimer()
	b.RunParallel(func(pb *testing.PB) {
		for pb.Next() {
			id := database.NewID()
			if err := db.InTx(ctx, func(ctx context.Context) error {
				return db.Conn(ctx).Create(&load{ID: id, Number: id.String()}).Error
			}); err != nil {
				b.Error(err)
			}
		}
	})
}
