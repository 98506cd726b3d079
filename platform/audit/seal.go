package audit

import (
	"context"
	"fmt"
	"log/slog"
	"time"

	"github.com/google/uuid"
)

const (
	// sealPause is how long the sealer lets entries gather, sealEvery how often it looks for those
	// of which nobody told it: of a process that died, or of a command.
	sealPause = 100 * time.Millisecond
	sealEvery = 2 * time.Second
	// lastSeal bounds the last look before the service stops.
	lastSeal = 5 * time.Second
)

// sealRow is the number and the hash of an entry.
type sealRow struct {
	entry uuid.UUID
	seq   int64
	hash  []byte
}

// Start begins to seal what is committed, in the background, until Stop. Several processes may do so
// on one database.
func (l *Log) Start(ctx context.Context) error {
	ctx, l.stop = context.WithCancel(context.WithoutCancel(ctx))
	l.ended = make(chan struct{})
	go func(ended chan<- struct{}) {
		defer close(ended)
		l.sealOn(ctx)
	}(l.ended)

	return nil
}

// Stop seals what is left, as long as ctx allows, and returns when nothing runs any more. What is not
// sealed then is sealed by the next process.
func (l *Log) Stop(ctx context.Context) error {
	if l.stop == nil {
		return nil
	}
	l.stop()
	<-l.ended
	l.stop = nil
	ctx, cancel := context.WithTimeout(ctx, lastSeal)
	defer cancel()
	_, err := l.Seal(ctx)

	return err
}

// wakeSealer tells the sealer that there is something.
func (l *Log) wakeSealer() {
	select {
	case l.woken <- struct{}{}:
	default:
	}
}

func (l *Log) sealOn(ctx context.Context) {
	for {
		select {
		case <-ctx.Done():
			return
		case <-l.woken:
		case <-time.After(sealEvery):
		}
		if _, err := l.Seal(ctx); err != nil && ctx.Err() == nil {
			l.log.WarnContext(ctx, "sealing the audit trail", slog.Any("error", err))
		}
		select {
		case <-ctx.Done():
			return
		case <-time.After(sealPause):
		}
	}
}

// Seal seals the entries that are committed and says how many. Those of a company that another
// process is sealing are left to it.
func (l *Log) Seal(ctx context.Context) (sealed int, err error) {
	companies, err := l.repository.waitingCompanies(ctx)
	if err != nil {
		return 0, err
	}
	for _, company := range companies {
		for more := batch; more == batch; sealed += more {
			if more, err = l.sealSome(ctx, company); err != nil {
				return sealed, fmt.Errorf("audit trail of company %s: %w", company, err)
			}
		}
	}

	return sealed, nil
}

// sealSome seals the oldest entries of a company, batch at most.
func (l *Log) sealSome(ctx context.Context, company uuid.UUID) (sealed int, err error) {
	err = l.db.InTx(ctx, func(ctx context.Context) error {
		sealed = 0
		head, ours, err := l.repository.lock(ctx, company)
		if err != nil || !ours {
			return err
		}
		rows, err := l.repository.waiting(ctx, company, batch)
		if err != nil || len(rows) == 0 {
			return err
		}
		seals := make([]sealRow, 0, len(rows))
		for _, row := range rows {
			digest, err := row.digest()
			if err != nil {
				return err
			}
			head.Seq, head.Hash = head.Seq+1, chainHash(head.Hash, digest)
			seals = append(seals, sealRow{row.ID, head.Seq, head.Hash})
		}
		sealed = len(rows)

		return l.repository.seal(ctx, head, seals)
	})

	return sealed, err
}
