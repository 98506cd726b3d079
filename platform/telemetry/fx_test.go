package telemetry_test

import (
	"bytes"
	"context"
	"errors"
	"testing"

	"github.com/stretchr/testify/require"
	"go.uber.org/fx"
	"go.uber.org/fx/fxevent"

	"github.com/dispatchd/dispatchd/platform/telemetry"
)

// runFx builds, starts and stops an app and returns its log at a level.
func runFx(t *testing.T, level string, options ...fx.Option) (string, error) {
	t.Helper()
	var out bytes.Buffer
	log := telemetry.NewLogger(telemetry.Settings{Level: level, Format: "json"}, &out)
	app := fx.New(append(options, fx.WithLogger(func() fxevent.Logger { return telemetry.FxLogger(log) }))...)
	if err := app.Start(t.Context()); err != nil {
		return out.String(), err
	}
	err := app.Stop(t.Context())

	return out.String(), err
}

func hook(start, stop error) fx.Option {
	return fx.Invoke(func(lc fx.Lifecycle) {
		lc.Append(fx.Hook{
			OnStart: func(context.Context) error { return start },
			OnStop:  func(context.Context) error { return stop },
		})
	})
}

func TestFxLogger_IsSilentAboutWhatGoesWell(t *testing.T) {
	t.Parallel()
	parts := fx.Options(fx.Supply(7), fx.Provide(func() string { return "" }), hook(nil, nil))
	log, err := runFx(t, "info", parts)
	require.NoError(t, err)
	require.Empty(t, log)

	log, err = runFx(t, "debug", parts)
	require.NoError(t, err)
	require.Contains(t, log, `"msg":"hook ran","method":"OnStart"`)
	require.Contains(t, log, `"state":"stopped"`)
	require.NotContains(t, log, "Provide")
}

func TestFxLogger_LogsEachErrorOnce(t *testing.T) {
	t.Parallel()
	boom := errors.New("boom")
	tests := []struct {
		name   string
		option fx.Option
		want   string
	}{
		{"a hook that does not start", fx.Options(hook(nil, nil), hook(boom, nil)), `"msg":"hook failed","method":"OnStart"`},
		{"a hook that does not stop", hook(nil, boom), `"msg":"hook failed","method":"OnStop"`},
		{"an invoked function", fx.Invoke(func() error { return boom }), `"step":"invoke"`},
		{"a constructor that is none", fx.Provide(boom), `"step":"provide"`},
		{"a constructor", fx.Options(fx.Provide(func() (int, error) { return 0, boom }), fx.Invoke(func(int) {})), `"step":"invoke"`},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			log, err := runFx(t, "info", test.option)
			require.Error(t, err)
			require.Contains(t, log, test.want)
			require.Equal(t, 1, bytes.Count([]byte(log), []byte("\n")), log)
		})
	}
}
