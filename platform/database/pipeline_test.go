package database_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/dispatchd/dispatchd/platform/database"
	"github.com/dispatchd/dispatchd/platform/errs"
	"github.com/dispatchd/dispatchd/platform/principal"
)

var errNoSuchThing = errs.New(errs.Conflict, "test.no_such_thing", "It does not exist.")

// queueThing leaves a thing to be written with whatever comes next.
func (f fixture) queueThing(ctx context.Context, name string) error {
	who, _ := principal.From(ctx)

	return f.Pipeline(ctx, "test", "INSERT INTO things (company_id, id, name, amount) VALUES (?, ?, ?, ?)",
		[]any{who.Company, database.NewID(), name, 1}, nil)
}

// leavePart leaves a part of a thing, which must be there.
func (f fixture) leavePart(ctx context.Context, of uuid.UUID) error {
	who, _ := principal.From(ctx)

	return f.Pipeline(ctx, "test", `INSERT INTO parts (company_id, id, thing_id, name)
		VALUES (?, ?, (SELECT id FROM things WHERE company_id = ? AND id = ?), ?)`,
		[]any{who.Company, database.NewID(), who.Company, of, "wheel"}, func(err error) error {
			if database.IsNullViolation(err) {
				return errNoSuchThing
			}

			return err
		})
}

func TestPipeline_WritesWithTheTransaction(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, f fixture) {
		require.NoError(t, f.InTx(f.ctx, func(ctx context.Context) error {
			require.NoError(t, f.queueThing(ctx, "a"))

			return f.queueThing(ctx, "b")
		}))
		require.Equal(t, []string{"a", "b"}, f.names(t))
		require.ErrorIs(t, f.InTx(f.ctx, func(ctx context.Context) error {
			require.NoError(t, f.queueThing(ctx, "never"))

			return errBoom
		}), errBoom)
		require.Error(t, f.queueThing(f.ctx, "outside"))
		require.Len(t, f.names(t), 2)
	})
}

func TestPipeline_IsSeenByWhatComesAfterIt(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, f fixture) {
		require.NoError(t, f.InTx(f.ctx, func(ctx context.Context) error {
			require.NoError(t, f.queueThing(ctx, "a"))
			require.Equal(t, 1, f.count(t, ctx), "a read")
			require.NoError(t, f.queueThing(ctx, "b"))
			under, err := f.SQLTx(ctx)
			require.NoError(t, err)
			var n int
			require.NoError(t, under.QueryRowContext(ctx, "SELECT count(*) FROM things").Scan(&n))
			require.Equal(t, 2, n, "a library")
			require.NoError(t, f.queueThing(ctx, "c"))
			require.ErrorIs(t, f.Savepoint(ctx, func(ctx context.Context) error {
				require.NoError(t, f.queueThing(ctx, "undone"))
				require.Equal(t, 4, f.count(t, ctx))

				return errBoom
			}), errBoom)
			require.NoError(t, f.InTx(ctx, func(ctx context.Context) error { return f.queueThing(ctx, "joined") }))

			return nil
		}))
		require.Equal(t, []string{"a", "b", "c", "joined"}, f.names(t))
	})
}

func TestPipeline_FailsTheTransactionWithWhatItsStatementSays(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, f fixture) {
		there := f.add(t, f.ctx, "there")
		require.NoError(t, f.InTx(f.ctx, func(ctx context.Context) error { return f.leavePart(ctx, there.ID) }))
		for name, and := range map[string]func(context.Context) error{
			"alone":          func(context.Context) error { return nil },
			"before a read":  func(ctx context.Context) error { return f.Conn(ctx).Find(&[]thing{}).Error },
			"before another": func(ctx context.Context) error { return f.queueThing(ctx, "another") },
		} {
			err := f.InTx(f.ctx, func(ctx context.Context) error {
				if err := f.queueThing(ctx, "before"); err != nil {
					return err
				}
				if err := f.leavePart(ctx, uuid.New()); err != nil {
					return err
				}

				return and(ctx)
			})
			require.ErrorIs(t, err, errNoSuchThing, name)
			require.Equal(t, []string{"there"}, f.names(t), name)
		}
		require.ErrorIs(t, f.InTx(f.ctx, func(ctx context.Context) error { return f.queueThing(ctx, "there") }), database.ErrDuplicate)
	})
}

// What a reader ignores fails the transaction all the same.
func TestPipeline_FailsTheTransactionThoughTheReaderIgnoresIt(t *testing.T) {
	t.Parallel()
	eachPostgres(t, func(t *testing.T, f fixture) {
		require.ErrorIs(t, f.InTx(f.ctx, func(ctx context.Context) error {
			require.NoError(t, f.leavePart(ctx, uuid.New()))
			require.ErrorIs(t, f.Conn(ctx).Find(&[]thing{}).Error, errNoSuchThing)

			return nil
		}), errNoSuchThing)
	})
}

func TestPipeline_FailsTheSavepointThatItWasLeftIn(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, f fixture) {
		require.NoError(t, f.InTx(f.ctx, func(ctx context.Context) error {
			require.NoError(t, f.queueThing(ctx, "outer"))
			require.ErrorIs(t, f.Savepoint(ctx, func(ctx context.Context) error {
				require.NoError(t, f.queueThing(ctx, "inner"))

				return f.leavePart(ctx, uuid.New())
			}), errNoSuchThing)

			return nil
		}))
		require.Equal(t, []string{"outer"}, f.names(t))
	})
}

// Those that are sent at the same time may go as one transaction; each has its own outcome all the same.
func TestPipeline_TogetherEachSucceedsOrFailsByItself(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, f fixture) {
		who, _ := principal.From(f.ctx)
		there := f.add(t, f.ctx, "there")
		into := insertParts()
		const clients, each = 16, 20
		wrong := func(client, i int) bool { return client%4 == 0 && i%5 == 0 }
		unexpected := make(chan string, clients*each)
		var work sync.WaitGroup
		for client := range clients {
			work.Go(func() {
				for i := range each {
					of := there.ID
					if wrong(client, i) {
						of = uuid.New()
					}
					name := fmt.Sprintf("%d-%d", client, i)
					err := f.InTx(f.ctx, func(ctx context.Context) error {
						row := []any{who.Company, database.NewID(), who.Company, of, name}

						return errors.Join(f.queueThing(ctx, name), f.PipelineRows(ctx, "test", into, [][]any{row}, nil))
					})
					if wrong(client, i) != database.IsNullViolation(err) || !wrong(client, i) && err != nil {
						unexpected <- fmt.Sprintf("%s: %v", name, err)
					}
				}
			})
		}
		work.Wait()
		require.Empty(t, unexpected)
		var things, parts []string
		for client := range clients {
			for i := range each {
				if !wrong(client, i) {
					things = append(things, fmt.Sprintf("%d-%d", client, i))
				}
			}
		}
		require.NoError(t, f.Raw(f.ctx, "test").Table("parts").Where("company_id = ?", who.Company).Pluck("name", &parts).Error)
		require.ElementsMatch(t, things, parts)
		require.ElementsMatch(t, append(things, "there"), f.names(t))
	})
}

// A write that waits for a lock keeps others from being written for a moment only.
func TestPipeline_OthersDoNotWaitForALock(t *testing.T) {
	t.Parallel()
	eachPostgres(t, func(t *testing.T, f fixture) {
		who, _ := principal.From(f.ctx)
		there := f.add(t, f.ctx, "there")
		change := func(ctx context.Context) error {
			return f.Pipeline(ctx, "test", "UPDATE things SET amount = amount + 1 WHERE company_id = ? AND id = ?", []any{who.Company, there.ID}, nil)
		}
		const blocked = 5
		told := make(chan error, blocked)
		require.NoError(t, f.InTx(f.ctx, func(ctx context.Context) error {
			require.NoError(t, f.Conn(ctx).Model(&there).Update("amount", 1).Error)
			for range blocked {
				go func() { told <- f.InTx(f.ctx, change) }()
			}
			const others = 20
			written := make(chan error, others)
			for i := range others {
				go func() {
					written <- f.InTx(f.ctx, func(ctx context.Context) error { return f.queueThing(ctx, fmt.Sprint("other ", i)) })
				}()
			}
			for range others {
				require.NoError(t, <-written, "while the lock is held")
			}
			require.Empty(t, told)

			return nil
		}))
		for range blocked {
			require.NoError(t, <-told)
		}
	})
}
