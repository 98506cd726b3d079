package database_test

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"gorm.io/gorm"

	"github.com/dispatchd/dispatchd/platform/database"
	"github.com/dispatchd/dispatchd/platform/errs"
)

func (f fixture) create(ctx context.Context, number string) error {
	return f.Conn(ctx).Create(&thing{ID: database.NewID(), Name: number}).Error
}

func TestInTx_RollsBackOnlyTheFailedFunction(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, f fixture) {
		var work sync.WaitGroup
		for i := range 64 {
			work.Go(func() {
				err := f.InTx(f.ctx, func(ctx context.Context) error {
					if err := f.create(ctx, fmt.Sprintf("L%02d", i)); err != nil || i%2 == 0 {
						return err
					}

					return errBoom
				})
				if i%2 == 0 {
					require.NoError(t, err)
				} else {
					require.ErrorIs(t, err, errBoom)
				}
			})
		}
		work.Wait()
		numbers := f.names(t)
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
				ctx, cancel := context.WithCancel(f.ctx)
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
		numbers := f.names(t)
		require.Len(t, numbers, 2*24)
		for i := 0; i < 32; i += 4 {
			require.NotContains(t, numbers, fmt.Sprintf("a%02d", i))
		}
	})
}

func TestInTx_DoesNotBeginAfterTheDeadline(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, f fixture) {
		ctx, cancel := context.WithDeadline(f.ctx, time.Unix(0, 0))
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
				err := f.InTx(f.ctx, func(ctx context.Context) error {
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
		numbers := f.names(t)
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
	require.NoError(t, f.InTx(f.ctx, func(ctx context.Context) error {
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
					return f.InTx(f.ctx, func(ctx context.Context) error {
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
		require.Len(t, f.names(t), 28)
	})
}

func TestInTx_NestedJoinsAndItsFailureIsTheWhole(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, f fixture) {
		ctx := f.ctx
		require.NoError(t, f.InTx(ctx, func(ctx context.Context) error {
			return errors.Join(f.create(ctx, "outer"), f.InTx(ctx, func(ctx context.Context) error {
				require.True(t, database.InTransaction(ctx))

				return f.create(ctx, "inner")
			}))
		}))
		require.Equal(t, []string{"inner", "outer"}, f.names(t))

		err := f.InTx(ctx, func(ctx context.Context) error {
			if err := f.create(ctx, "outer 2"); err != nil {
				return err
			}
			require.ErrorIs(t, f.InTx(ctx, func(context.Context) error { return errBoom }), errBoom)

			return nil // ignores it
		})
		require.ErrorIs(t, err, errBoom)
		require.Equal(t, []string{"inner", "outer"}, f.names(t))
	})
}

func TestSavepoint_UndoesItsOwnWritesAlone(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, f fixture) {
		require.NoError(t, f.InTx(f.ctx, func(ctx context.Context) error {
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
		require.Equal(t, []string{"a", "a first", "b", "b first"}, f.names(t))
	})
}

func TestInOne_WhatFailsInAPartFailsTheTransaction(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, f fixture) {
		failed := errors.New("a part failed")
		parts := func(ctx context.Context) error {
			return f.InTx(ctx, func(ctx context.Context) error {
				if err := f.create(ctx, "whole"); err != nil {
					return err
				}
				err := f.Savepoint(ctx, func(context.Context) error { return failed })
				if !errors.Is(err, failed) {
					return errors.Join(errors.New("want the error of the part"), err)
				}
				ran := false
				err = f.Savepoint(ctx, func(context.Context) error {
					ran = true

					return nil
				})
				if ran == (err != nil) {
					return errors.New("a part runs where the one before it does no harm, and nowhere else")
				}

				return nil
			})
		}
		require.ErrorIs(t, parts(database.InOne(f.ctx)), failed)
		require.Empty(t, f.names(t))
		require.NoError(t, parts(database.WithoutTx(database.InOne(f.ctx))))
		require.Equal(t, []string{"whole"}, f.names(t))
	})
}

func TestInTx_GoesOnWhenAFunctionEndsItsGoroutine(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, f fixture) {
		ended := make(chan struct{})
		go func() {
			defer close(ended)
			err := f.InTx(f.ctx, func(ctx context.Context) error {
				if err := f.create(ctx, "lost"); err != nil {
					return err
				}
				runtime.Goexit()

				return nil
			})
			t.Error("it returned", err)
		}()
		<-ended
		f.add(t, f.ctx, "kept")
		require.Equal(t, []string{"kept"}, f.names(t))
	})
}

func TestInTx_ReadsItsOwnWritesAndNobodyElseDoes(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, f fixture) {
		require.NoError(t, f.InTx(f.ctx, func(ctx context.Context) error {
			if err := f.create(ctx, "a"); err != nil {
				return err
			}
			require.Equal(t, 1, f.count(t, ctx))
			require.Zero(t, f.count(t, f.ctx))
			require.True(t, database.InTransaction(ctx))
			under, err := f.SQLTx(ctx)
			require.NoError(t, err)
			require.NotNil(t, under)

			return nil
		}))
	})
}

// On SQLite the transaction goes on with the functions of others: what is still to come must not
// get into theirs.
func TestInTx_ItsContextIsUselessAfterwards(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, f fixture) {
		f.add(t, f.ctx, "a")
		var late context.Context
		var handle *gorm.DB
		keep := func(ctx context.Context) error {
			late, handle = ctx, f.Conn(ctx)

			return handle.Error
		}
		refused := func() {
			requireRefused(t, f.create(late, "late"), "insert")
			requireRefused(t, handle.Create(&thing{ID: database.NewID(), Name: "late"}).Error, "insert with a kept handle")
			requireRefused(t, f.Conn(late).Find(&[]thing{}).Error, "read")
			requireRefused(t, f.Raw(late, "test").Exec("DELETE FROM things").Error, "exec")
			require.Error(t, f.Raw(late, "test").Raw("SELECT 1").Row().Err())
			requireRefused(t, f.InTx(late, keep), "InTx")
			requireRefused(t, f.Savepoint(late, keep), "Savepoint")
			require.False(t, database.InTransaction(late))
			_, err := f.SQLTx(late)
			requireRefused(t, err, "SQLTx")
		}
		require.NoError(t, f.InTx(f.ctx, keep))
		refused()
		require.NoError(t, f.InTx(f.other, func(context.Context) error {
			refused()

			return nil
		}))
		require.Equal(t, []string{"a"}, f.names(t))
	})
}

func TestInTx_IsTheOnlyWayToBegin(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, f fixture) {
		careless := func(tx *gorm.DB) error { return tx.Create(&thing{ID: database.NewID(), Name: "x"}).Error }
		for name, handle := range map[string]func(context.Context) *gorm.DB{
			"Conn": f.Conn, "Dynamic": f.Dynamic,
			"Raw": func(ctx context.Context) *gorm.DB { return f.Raw(ctx, "test") },
		} {
			requireRefused(t, handle(f.ctx).Begin().Error, name)
			requireRefused(t, handle(f.ctx).Transaction(careless), name)
			requireRefused(t, f.InTx(f.ctx, func(ctx context.Context) error { return handle(ctx).Begin().Error }), name)
			requireRefused(t, f.InTx(f.ctx, func(ctx context.Context) error { return handle(ctx).Transaction(careless) }), name)
		}
		require.Empty(t, f.names(t))
	})
}

func BenchmarkInTx_SQLiteFull32(b *testing.B) {
	f := setUp(b, "sqlite:"+b.TempDir()+"/bench.db")
	b.SetParallelism(16)
	b.ResetTimer()
	b.RunParallel(func(pb *testing.PB) {
		for pb.Next() {
			if err := f.InTx(f.ctx, func(ctx context.Context) error {
				return f.create(ctx, database.NewID().String())
			}); err != nil {
				b.Error(err)
			}
		}
	})
}
