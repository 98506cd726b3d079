package hook_test

import (
	"context"
	"errors"
	"log/slog"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"go.uber.org/fx"

	"github.com/dispatchd/dispatchd/platform/config"
	"github.com/dispatchd/dispatchd/platform/database"
	"github.com/dispatchd/dispatchd/platform/database/databasetest"
	"github.com/dispatchd/dispatchd/platform/errs"
	"github.com/dispatchd/dispatchd/platform/hook"
	"github.com/dispatchd/dispatchd/platform/module"
)

// buying is what an area is about to do.
type buying struct {
	Price int
	Seen  []string
}

// listener is a type of an area.
type listener struct{ name string }

func (l *listener) mark(_ context.Context, b *buying) error {
	b.Seen = append(b.Seen, l.name)

	return nil
}

func (l *listener) raise(_ context.Context, b *buying) error {
	b.Price++

	return nil
}

var (
	errDear = errs.New(errs.Conflict, "guard.too_dear", "Too dear.")
	errBoom = errors.New("boom")
)

func (l *listener) guard(_ context.Context, b *buying) error {
	switch {
	case b.Price > 100:
		return errDear
	case b.Price < 0:
		return errBoom
	}

	return nil
}

func area(id string, lines ...fx.Option) module.Module {
	return module.New(id, "", append(lines, fx.Supply(&listener{name: id}, fx.Private))...)
}

func fill(log *slog.Logger, modules ...module.Module) (*hook.Bus, error) {
	bus := hook.New(log)
	options := []fx.Option{fx.NopLogger, fx.Supply(bus)}
	for _, m := range modules {
		options = append(options, m.Options())
	}
	err := fx.New(append(options, fx.Invoke(module.Fill))...).Err()

	return bus, errors.Join(err, bus.Check(modules))
}

func inTx(t *testing.T, url string, fn func(ctx context.Context) error) error {
	t.Helper()
	settings := database.Defaults()
	settings.URL = config.Secret(url)
	db, err := database.New(settings, "", slog.New(slog.DiscardHandler))
	require.NoError(t, err)
	require.NoError(t, db.Start(t.Context()))
	defer func() { require.NoError(t, db.Stop(context.WithoutCancel(t.Context()))) }()

	return db.InTx(t.Context(), fn)
}

func TestRun_CallsByPriorityThenAreaThenPosition(t *testing.T) {
	t.Parallel()
	databasetest.Each(t, func(t *testing.T, url string) {
		for range 5 {
			bus, err := fill(slog.New(slog.DiscardHandler),
				area("c", hook.On((*listener).mark, hook.Priority(-1))),
				area("b", hook.On((*listener).mark), hook.Declares[buying]("b.thing.buying"), hook.On((*listener).raise)),
				area("a", hook.On((*listener).mark), hook.On((*listener).mark, hook.Priority(5))))
			require.NoError(t, err)
			b := buying{Price: 1}
			require.NoError(t, inTx(t, url, func(ctx context.Context) error { return hook.Run(ctx, bus, &b) }))
			require.Equal(t, buying{Price: 2, Seen: []string{"c", "a", "b", "a"}}, b)
		}
	})
}

func TestRun_ReturnsAVetoAsItIsAndNamesWhoFailed(t *testing.T) {
	t.Parallel()
	databasetest.Each(t, func(t *testing.T, url string) {
		var text strings.Builder
		bus, err := fill(slog.New(slog.NewTextHandler(&text, nil)),
			area("guard", hook.On((*listener).guard)), area("shop", hook.Declares[buying]("shop.thing.buying"), hook.On((*listener).mark)))
		require.NoError(t, err)
		b := buying{Price: 101}
		err = inTx(t, url, func(ctx context.Context) error { return hook.Run(ctx, bus, &b) })
		require.Same(t, errDear, err)
		require.Empty(t, b.Seen, "nobody is asked after a veto")
		require.Contains(t, text.String(), `msg="a hook vetoed" hook=shop.thing.buying by=guard handler=guard`)

		err = inTx(t, url, func(ctx context.Context) error { return hook.Run(ctx, bus, &buying{Price: -1}) })
		require.ErrorIs(t, err, errBoom)
		require.ErrorContains(t, err, `hook shop.thing.buying in area "guard"`)
	})
}

func TestRun_WantsADeclaredHookAndATransaction(t *testing.T) {
	t.Parallel()
	bus, err := fill(slog.New(slog.DiscardHandler), area("shop", hook.Declares[buying]("shop.thing.buying")))
	require.NoError(t, err)
	require.ErrorContains(t, hook.Run(t.Context(), bus, &buying{}), "use InTx")
	require.ErrorContains(t, hook.Run(t.Context(), bus, &struct{}{}), "is not declared")
}

func TestCheck_RefusesListeningToWhatNobodyDeclares(t *testing.T) {
	t.Parallel()
	_, err := fill(slog.New(slog.DiscardHandler), area("guard", hook.On((*listener).guard)))
	require.ErrorContains(t, err, `area "guard" listens with guard to hook hook_test.buying, which no enabled area declares`)
	_, err = fill(slog.New(slog.DiscardHandler),
		area("a", hook.Declares[buying]("a.thing.buying")), area("b", hook.Declares[buying]("b.thing.buying")))
	require.ErrorContains(t, err, `is already declared as "a.thing.buying" by area "a"`)
}
