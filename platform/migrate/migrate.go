package migrate

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"time"

	"github.com/pressly/goose/v3"

	"github.com/dispatchd/dispatchd/platform/database"
)

// Up applies every pending migration of all sources, the platform's first. Processes may call it at
// the same time on one database: one works, the others wait for it, at most four minutes. Each file
// is applied in a transaction of its own, together with its row in the version table, so one that
// fails leaves nothing; its error names area, file and statement, and those before it stay.
// Versions that only a newer binary has are left alone.
func Up(ctx context.Context, db *database.DB, sources []Source, log *slog.Logger) error {
	all, err := listAreas(sources, db.Dialect())
	if err != nil {
		return err
	}
	behind, err := pendingAreas(ctx, db, all, log)
	if err != nil || len(behind) == 0 {
		return err
	}

	return runLocked(ctx, db, lockWait, log, func() error {
		for _, a := range behind {
			if err := a.up(ctx, db, log); err != nil {
				return err
			}
		}

		return nil
	})
}

// pendingAreas returns the areas that have migrations which are not applied.
func pendingAreas(ctx context.Context, db *database.DB, all []area, log *slog.Logger) ([]area, error) {
	applied, err := appliedVersions(ctx, db, all)
	if err != nil {
		return nil, err
	}
	var behind []area
	for _, a := range all {
		list := a.status(applied[a.Area])
		if slices.ContainsFunc(list, func(m Applied) bool { return m.Name == "" }) {
			log.WarnContext(ctx, "a newer version of the service has migrated the database", slog.String("area", a.Area))
		}
		if slices.ContainsFunc(list, func(m Applied) bool { return m.AppliedAt.IsZero() }) {
			behind = append(behind, a)
		}
	}

	return behind, nil
}

func (a area) up(ctx context.Context, db *database.DB, log *slog.Logger) error {
	run := &recorder{}
	provider, err := a.provider(db, run)
	if err != nil {
		return err
	}
	results, err := provider.Up(ctx)
	if partial, ok := errors.AsType[*goose.PartialError](err); ok {
		results = partial.Applied
	}
	for _, r := range results {
		log.InfoContext(ctx, "migration applied", slog.String("area", a.Area),
			slog.String("file", r.Source.Path), slog.Duration("took", r.Duration.Round(time.Millisecond)))
	}

	return a.explain(err, run)
}

// Down takes back the last steps migrations of one area, newest first, and the data in them goes.
// It is an error if the area has none applied; if it has fewer, they are all taken back.
func Down(ctx context.Context, db *database.DB, sources []Source, name string, steps int) error {
	a, err := findArea(db, sources, name, steps)
	if err != nil {
		return err
	}

	return runLocked(ctx, db, lockWait, slog.New(slog.DiscardHandler), func() error {
		return a.down(ctx, db, steps)
	})
}

// findArea returns the area of which steps migrations are to be taken back.
func findArea(db *database.DB, sources []Source, name string, steps int) (area, error) {
	all, err := listAreas(sources, db.Dialect())
	if err != nil {
		return area{}, err
	}
	known := make([]string, 0, len(all))
	for _, a := range all {
		known = append(known, a.Area)
	}
	at := slices.Index(known, name)
	if at < 0 {
		return area{}, fmt.Errorf("area %q has no migrations; those with some are: %s", name, strings.Join(known, ", "))
	}
	if steps < 1 {
		return area{}, fmt.Errorf("%d steps: want 1 or more", steps)
	}

	return all[at], nil
}

func (a area) down(ctx context.Context, db *database.DB, steps int) error {
	run := &recorder{}
	provider, err := a.provider(db, run)
	if err != nil {
		return err
	}
	for taken := range steps {
		_, err := provider.Down(ctx)
		switch {
		case errors.Is(err, goose.ErrNoNextVersion) && taken == 0:
			return fmt.Errorf("area %q: no migration is applied", a.Area)
		case errors.Is(err, goose.ErrNoNextVersion):
			return nil
		case errors.Is(err, goose.ErrVersionNotFound):
			return fmt.Errorf("area %q: a newer version of the service migrated the database: use that one to go back", a.Area)
		case err != nil:
			return a.explain(err, run)
		}
	}

	return nil
}
