package summary_test

import (
	"context"
	"errors"
	"log/slog"
	"testing"

	"github.com/stretchr/testify/require"
	"go.uber.org/fx"

	"github.com/dispatchd/dispatchd/platform/module"
	"github.com/dispatchd/dispatchd/platform/principal"
	"github.com/dispatchd/dispatchd/platform/summary"
)

type office struct{}

func (office) phones(_ context.Context, about summary.Subject) (int, error) {
	return len(about.Phones), nil
}

func (office) failing(context.Context, summary.Subject) (int, error) { return 0, errors.New("boom") }

func (office) panicking(context.Context, summary.Subject) (int, error) { panic("boom") }

func fill(t *testing.T, modules ...module.Module) (*summary.Registry, error) {
	t.Helper()
	all := summary.New(slog.New(slog.DiscardHandler), nil)
	options := []fx.Option{fx.NopLogger, fx.Supply(all)}
	for _, m := range modules {
		options = append(options, m.Options())
	}

	return all, fx.New(append(options, fx.Invoke(module.Fill))...).Err()
}

func area(id string, options ...fx.Option) module.Module {
	return module.New(id, id, append(options, fx.Supply(office{}, fx.Private))...)
}

func TestRead_HasWhatTheCallerMayReadAndNothingOfWhatFails(t *testing.T) {
	t.Parallel()
	all, err := fill(t,
		area("sms", summary.Section("phones", office.phones)),
		area("loads", summary.Section("broken", office.failing), summary.Section("panicking", office.panicking)),
		area("payments", summary.Section("balance", office.phones)),
	)
	require.NoError(t, err)
	ctx := principal.With(t.Context(), principal.Principal{Kind: principal.User, Scopes: []string{"sms:read", "loads:read"}})
	read, err := all.Read(ctx, summary.Subject{Phones: []string{"+12145550143"}})
	require.NoError(t, err)
	require.Equal(t, map[string]any{"phones": 1, "broken": nil, "panicking": nil}, read)
}

func TestSection_NeedsANameOfItsOwn(t *testing.T) {
	t.Parallel()
	for _, lines := range [][]fx.Option{
		{summary.Section("open", office.phones), summary.Section("open", office.phones)},
		{summary.Section("Open", office.phones)},
	} {
		_, err := fill(t, area("loads", lines...))
		require.ErrorContains(t, err, `area "loads"`)
	}
}
