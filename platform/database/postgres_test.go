package database_test

import (
	"context"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"
	"gorm.io/gorm"

	"github.com/dispatchd/dispatchd/platform/database"
)

func TestPostgres_RecoversWhenItsConnectionsAreCut(t *testing.T) {
	t.Parallel()
	eachPostgres(t, func(t *testing.T, f fixture) {
		cut := "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()"
		err := f.InTx(f.ctx, func(ctx context.Context) error {
			require.NoError(t, f.create(ctx, "lost"))
			_, err := f.SQL().ExecContext(t.Context(), cut)
			require.NoError(t, err)

			return f.create(ctx, "lost too")
		})
		require.ErrorIs(t, database.Translate(err), database.ErrUnavailable)
		require.Eventually(t, func() bool {
			return f.InTx(f.ctx, func(ctx context.Context) error { return f.create(ctx, "kept") }) == nil
		}, time.Minute, 10*time.Millisecond)
		require.Equal(t, []string{"kept"}, f.names(t))
		require.NoError(t, f.Ping(t.Context()))
	})
}

// eachPostgres is each for what only a server does: SQLite has one writer and a file.
func eachPostgres(t *testing.T, test func(t *testing.T, f fixture)) {
	t.Helper()
	each(t, func(t *testing.T, f fixture) {
		t.Helper()
		if f.Dialect() == database.Postgres {
			test(t, f)
		}
	})
}

func increase(tx *gorm.DB, row thing) error {
	return tx.Model(&row).Update("amount", gorm.Expr("amount + 1")).Error
}

func TestInTx_RunsTheVictimOfADeadlockAgain(t *testing.T) {
	t.Parallel()
	eachPostgres(t, func(t *testing.T, f fixture) {
		a, b := f.add(t, f.ctx, "a"), f.add(t, f.ctx, "b")
		var locked, done sync.WaitGroup
		locked.Add(2)
		var runs [2]int
		var problems [2]error
		for i, order := range [][]thing{{a, b}, {b, a}} {
			done.Go(func() {
				problems[i] = f.InTx(f.ctx, func(ctx context.Context) error {
					runs[i]++
					// A transaction looks for a deadlock once, so the one that waits first may look before there is any.
					patience := []string{"20ms", "500ms"}[i]
					if err := f.Raw(ctx, "test").Exec("SET LOCAL deadlock_timeout = '" + patience + "'").Error; err != nil {
						return err
					}
					if err := increase(f.Conn(ctx), order[0]); err != nil {
						return err
					}
					if runs[i] == 1 { // each holds what the other wants
						locked.Done()
						locked.Wait()
					}

					return database.Translate(increase(f.Conn(ctx), order[1]))
				})
			})
		}
		done.Wait()
		require.NoError(t, problems[0])
		require.NoError(t, problems[1])
		require.Equal(t, 3, runs[0]+runs[1], "one of them is the victim")
		var rows []thing
		require.NoError(t, f.Conn(f.ctx).Find(&rows).Error)
		require.Equal(t, []int{2, 2}, []int{rows[0].Amount, rows[1].Amount})
	})
}

func TestInTx_RunsAgainWhatCannotBeSerialised(t *testing.T) {
	t.Parallel()
	eachPostgres(t, func(t *testing.T, f fixture) {
		row := f.add(t, f.ctx, "a")
		interfere := func() error {
			return f.InTx(f.ctx, func(ctx context.Context) error { return increase(f.Conn(ctx), row) })
		}
		for name, conflicts := range map[string]int{"once": 1, "always": 3} {
			runs := 0
			err := f.InTx(f.ctx, func(ctx context.Context) error {
				runs++
				if err := f.Raw(ctx, "test").Exec("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ").Error; err != nil {
					return err
				}
				require.Equal(t, 1, f.count(t, ctx)) // the snapshot
				if runs <= conflicts {
					require.NoError(t, interfere())
				}

				return increase(f.Conn(ctx), row)
			})
			if conflicts == 1 {
				require.NoError(t, err, name)
				require.Equal(t, 2, runs, name)
			} else {
				require.ErrorIs(t, database.Translate(err), database.ErrUnavailable, name)
				require.Equal(t, 3, runs, name)
			}
		}
	})
}

func TestDynamic_KeepsNoStatementAndReadsTheSame(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, f fixture) {
		at := time.Date(2026, 7, 1, 8, 30, 0, 0, time.UTC)
		require.NoError(t, f.write(f.ctx, func(tx *gorm.DB) *gorm.DB {
			return tx.Create(&thing{ID: uuid.New(), Name: "a", Amount: 7, At: &at, Doc: database.JSON(`{"a": 1}`)})
		}))
		read := func(conn *gorm.DB) thing {
			var row thing
			require.NoError(t, conn.Where("name = ? AND amount > ? AND at <= ?", "a", 3, at).First(&row).Error)

			return row
		}
		for range 8 { // a plan for any values would come with the sixth
			require.Equal(t, read(f.Conn(f.ctx)), read(f.Dynamic(f.ctx)))
		}
		if f.Dialect() == database.Postgres {
			require.NotZero(t, f.countPrepared(t, f.Conn))
			require.Zero(t, f.countPrepared(t, f.Dynamic))
		}
	})
}

// countPrepared counts the prepared statements after reads through a handle, on connections of its own.
func (f fixture) countPrepared(t *testing.T, handle func(context.Context) *gorm.DB) (n int) {
	t.Helper()
	require.NoError(t, f.InTx(f.ctx, func(context.Context) error { return nil }))
	marker := strings.ReplaceAll(uuid.NewString(), "-", "")
	for range 8 {
		require.NoError(t, handle(f.ctx).Where("'"+marker+"' <> ?", "x").Find(&[]thing{}).Error)
	}
	query := "SELECT count(*) FROM pg_prepared_statements WHERE statement LIKE $1"
	require.NoError(t, f.SQL().QueryRowContext(t.Context(), query, "%"+marker+"%").Scan(&n))

	return n
}
