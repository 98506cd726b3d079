package feature_test

import (
	"context"
	"log/slog"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/dispatchd/dispatchd/platform/app"
	"github.com/dispatchd/dispatchd/platform/broadcast"
	"github.com/dispatchd/dispatchd/platform/clock"
	"github.com/dispatchd/dispatchd/platform/config"
	"github.com/dispatchd/dispatchd/platform/database"
	"github.com/dispatchd/dispatchd/platform/feature"
)

// BenchmarkAllows is what the gate costs a request whose company is known.
func BenchmarkAllows(b *testing.B) {
	log := slog.New(slog.DiscardHandler)
	settings := database.Defaults()
	settings.URL = config.Secret("sqlite:" + b.TempDir() + "/x.db")
	db, err := database.New(settings, "", log)
	require.NoError(b, err)
	require.NoError(b, db.Start(b.Context()))
	b.Cleanup(func() { require.NoError(b, db.Stop(context.WithoutCancel(b.Context()))) })
	require.NoError(b, app.MigrateUp(b.Context(), db, nil, log))
	modules := newParts().areas()
	sets, err := feature.New(feature.NewAreas(feature.Defaults(), modules, modules), db, broadcast.New(db, log), clock.System{}, nil)
	require.NoError(b, err)
	company := uuid.New()

	b.ReportAllocs()
	for b.Loop() {
		if allowed, err := sets.Allows(b.Context(), company, "guard"); err != nil || !allowed {
			b.Fatal(allowed, err)
		}
	}
}
