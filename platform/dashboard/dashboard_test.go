package dashboard_test

import (
	"context"
	"errors"
	"log/slog"
	"testing"

	"github.com/stretchr/testify/require"
	"go.uber.org/fx"

	"github.com/dispatchd/dispatchd/platform/dashboard"
	"github.com/dispatchd/dispatchd/platform/module"
)

type counter struct{ n int64 }

func (c counter) count(context.Context) (int64, error)   { return c.n, nil }
func (counter) failing(context.Context) (int64, error)   { return 0, errors.New("boom") }
func (counter) panicking(context.Context) (int64, error) { panic("boom") }

func fill(t *testing.T, modules ...module.Module) (*dashboard.Board, error) {
	t.Helper()
	board := dashboard.New(slog.New(slog.DiscardHandler))
	options := []fx.Option{fx.NopLogger, fx.Supply(board)}
	for _, m := range modules {
		options = append(options, m.Options())
	}

	return board, fx.New(append(options, fx.Invoke(module.Fill))...).Err()
}

func area(id string, options ...fx.Option) module.Module {
	return module.New(id, id, append(options, fx.Supply(counter{n: 7}, fx.Private))...)
}

func TestRead_AnswersWhatTheAreasCountInTheirOrder(t *testing.T) {
	t.Parallel()
	board, err := fill(t,
		area("sms", dashboard.Count("unread", "Unread messages", counter.count)),
		area("loads", dashboard.Count("open", "Open loads", counter.count), dashboard.Count("late", "Late loads", counter.count)),
	)
	require.NoError(t, err)
	numbers := board.Read(t.Context(), func(string) bool { return true })
	require.Len(t, numbers, 3)
	require.Equal(t, dashboard.Number{Area: "loads", Name: "open", Title: "Open loads", Value: new(int64(7))}, numbers[0])
	require.Equal(t, "late", numbers[1].Name)
	require.Equal(t, "unread", numbers[2].Name)
}

func TestRead_LeavesOutAreasThatAreNotShown(t *testing.T) {
	t.Parallel()
	board, err := fill(t, area("loads", dashboard.Count("open", "Open loads", counter.panicking)))
	require.NoError(t, err)
	require.Empty(t, board.Read(t.Context(), func(id string) bool { return id != "loads" }))
}

func TestRead_OneThatFailsTakesNothingFromTheOthers(t *testing.T) {
	t.Parallel()
	board, err := fill(t, area("loads",
		dashboard.Count("broken", "Broken", counter.failing),
		dashboard.Count("panicking", "Panicking", counter.panicking),
		dashboard.Count("open", "Open loads", counter.count)))
	require.NoError(t, err)
	numbers := board.Read(t.Context(), func(string) bool { return true })
	require.Nil(t, numbers[0].Value)
	require.Nil(t, numbers[1].Value)
	require.Equal(t, int64(7), *numbers[2].Value)
}

func TestCount_NeedsANameOfItsOwnAndATitle(t *testing.T) {
	t.Parallel()
	for _, lines := range [][]fx.Option{
		{dashboard.Count("open", "Open", counter.count), dashboard.Count("open", "Again", counter.count)},
		{dashboard.Count("Open", "Open", counter.count)},
		{dashboard.Count("open", "", counter.count)},
	} {
		_, err := fill(t, area("loads", lines...))
		require.ErrorContains(t, err, `area "loads"`)
	}
}
