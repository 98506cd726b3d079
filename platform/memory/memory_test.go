package memory_test

import (
	"context"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/dispatchd/dispatchd/platform/memory"
	"github.com/dispatchd/dispatchd/platform/principal"
)

func account(pool *memory.Pool, company uuid.UUID) (context.Context, *memory.Account) {
	a := &memory.Account{}
	a.Open(pool, time.Millisecond)

	return principal.With(context.WithValue(context.Background(), memory.Key{}, a), principal.ForCompany(company)), a
}

func TestTake_RefusesWhatThePoolDoesNotHaveUntilSomebodyGivesBack(t *testing.T) {
	t.Parallel()
	pool := memory.NewPool(1000, 60)
	one, first := account(pool, uuid.New())
	two, _ := account(pool, uuid.New())
	require.NoError(t, memory.Reserve(one, 600))
	require.ErrorIs(t, memory.Reserve(two, 500), memory.ErrFull)
	first.ShrinkTo(100)
	require.NoError(t, memory.Reserve(two, 500))
	require.EqualValues(t, 100, first.Size())
}

func TestTake_LeavesRoomToOtherCompanies(t *testing.T) {
	t.Parallel()
	pool, company := memory.NewPool(1000, 50), uuid.New()
	one, _ := account(pool, company)
	same, _ := account(pool, company)
	other, _ := account(pool, uuid.New())
	require.NoError(t, memory.Reserve(one, 400))
	require.ErrorIs(t, memory.Reserve(same, 200), memory.ErrFull)
	require.NoError(t, memory.Reserve(other, 500))
}

func TestTake_ServesWhoIsAloneHoweverLarge(t *testing.T) {
	t.Parallel()
	pool := memory.NewPool(1000, 50)
	ctx, a := account(pool, uuid.New())
	require.NoError(t, memory.Reserve(ctx, 5000))
	require.NoError(t, memory.Reserve(ctx, 5000))
	require.EqualValues(t, 500, a.Size())
	a.ShrinkTo(0)
	again, _ := account(pool, uuid.New())
	require.NoError(t, memory.Reserve(again, 500))
}

func TestTake_WaitsForWhoGivesBack(t *testing.T) {
	t.Parallel()
	pool := memory.NewPool(1000, 100)
	one, first := account(pool, uuid.New())
	require.NoError(t, memory.Reserve(one, 1000))
	scoped, done := memory.WithAccount(one, time.Minute)
	taken := make(chan error, 1)
	go func() { taken <- memory.Reserve(principal.With(scoped, principal.ForCompany(uuid.New())), 1000) }()
	first.ShrinkTo(0)
	require.NoError(t, <-taken)
	done()
	require.NoError(t, memory.Reserve(one, 1000))
}

func TestTake_BoundsNothingOutsideOfARequest(t *testing.T) {
	t.Parallel()
	require.NoError(t, memory.Reserve(t.Context(), 1<<50))
}
