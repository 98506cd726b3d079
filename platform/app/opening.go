package app

import (
	"context"
	"os"

	"go.uber.org/fx"

	"github.com/dispatchd/dispatchd/platform/config"
	"github.com/dispatchd/dispatchd/platform/database"
)

// storage is how the database is opened, and its file checked.
type storage struct {
	open  func(context.Context) error
	check func(context.Context) (first func(context.Context) error)
}

func newStorage(db *database.DB) storage { return storage{open: db.Start, check: db.StartChecks} }

// Opening opens a database while the service that stands on it is built, since both take about as long.
type Opening struct {
	db      *database.DB
	cancel  context.CancelFunc
	opened  chan struct{}
	err     error // once opened
	checked func(context.Context) error
}

// Open begins to open the database of the configuration, and to check its file; it leaves the tables as they are. Close comes last.
func Open(ctx context.Context, cfg *config.Config) (*Opening, error) {
	if err := cfg.ResolveSecrets(); err != nil {
		return nil, err
	}
	db, err := newDatabase(cfg, newLogger(cfg, logOutput{os.Stderr}))
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, startTimeout)
	o := &Opening{db: db, cancel: cancel, opened: make(chan struct{})}
	go func() {
		defer close(o.opened)
		if o.err = db.Prepare(ctx); o.err == nil {
			o.checked = db.StartChecks(ctx)
		}
	}()

	return o, nil
}

// Option has New build on the database, for whose opening Start waits.
func (o *Opening) Option() fx.Option {
	return fx.Replace(o.db, storage{
		open: func(ctx context.Context) error {
			select {
			case <-o.opened:
			case <-ctx.Done():
				return ctx.Err()
			}
			if o.err != nil {
				return o.err
			}

			return o.db.Start(ctx)
		},
		check: func(context.Context) func(context.Context) error { return o.checked },
	})
}

// Close closes the database unless the service has.
func (o *Opening) Close() error {
	o.cancel()
	<-o.opened
	o.db.StopChecks()

	return o.db.Stop(context.Background())
}
