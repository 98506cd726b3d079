package broadcast

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/dispatchd/dispatchd/platform/database"
)

const (
	// channel is the one channel of PostgreSQL that all topics share.
	channel = "dispatchd_broadcast"
	// quietFor is after how long without a message the connection is tried, and answerWithin how long
	// the server has to answer: a connection that died without a word is noticed within their sum.
	quietFor     = 10 * time.Second
	answerWithin = 5 * time.Second
	// firstPause and longestPause bound the pause before connecting again, which doubles.
	firstPause   = 50 * time.Millisecond
	longestPause = 5 * time.Second
)

// notify sends the message to the other processes with the transaction in ctx.
func (b *Bus) notify(ctx context.Context, m message) error {
	if b.db.Dialect() != database.Postgres {
		return nil
	}
	text, err := json.Marshal(m)
	if err != nil {
		return err
	}
	if len(text) > maxMessage {
		return errTooLong
	}

	return database.Translate(b.db.Raw(ctx, "a notification is no row of anybody").
		Exec("SELECT pg_notify(?, ?)", channel, string(text)).Error)
}

// Start begins to listen to the other processes, until Stop. When it returns, what is committed from
// then on arrives. On SQLite there are none, and it does nothing.
func (b *Bus) Start(ctx context.Context) error {
	if b.db.Dialect() != database.Postgres {
		return nil
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.stopped != nil {
		return errors.New("broadcast: started twice")
	}
	conn, err := b.db.Listen(ctx, channel)
	if err != nil {
		return err
	}
	running, stop := context.WithCancel(context.WithoutCancel(ctx))
	b.stopped, b.done = stop, make(chan struct{})
	go b.run(running, conn, b.done)

	return nil
}

// Stop ends listening and waits for it, as long as ctx allows.
func (b *Bus) Stop(ctx context.Context) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.stopped == nil {
		return nil
	}
	b.stopped()
	b.stopped = nil
	select {
	case <-b.done:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// run hands over what arrives, and connects again for as long as ctx lives. After each time without
// a connection, and once at the start, everything may have changed.
func (b *Bus) run(ctx context.Context, conn *pgx.Conn, done chan<- struct{}) {
	defer close(done)
	for conn != nil {
		b.deliverAll()
		err := b.receive(ctx, conn)
		b.hangUp(ctx, conn)
		if ctx.Err() != nil {
			return
		}
		b.log.WarnContext(ctx, "broadcast is cut off from the database", slog.Any("error", err))
		conn = b.reconnect(ctx)
	}
}

func (b *Bus) hangUp(ctx context.Context, conn *pgx.Conn) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), answerWithin)
	defer cancel()
	if err := conn.Close(ctx); err != nil {
		b.log.DebugContext(ctx, "closing the broadcast connection", slog.Any("error", err))
	}
}

// reconnect returns a connection that listens, nil when ctx has ended.
func (b *Bus) reconnect(ctx context.Context) *pgx.Conn {
	pause := firstPause
	for {
		conn, err := b.db.Listen(ctx, channel)
		if err == nil {
			b.log.InfoContext(ctx, "broadcast is connected again")

			return conn
		}
		b.log.DebugContext(ctx, "broadcast cannot connect", slog.Any("error", err))
		select {
		case <-ctx.Done():
			return nil
		case <-time.After(pause):
			pause = min(2*pause, longestPause)
		}
	}
}

// receive hands over messages until the connection fails or ctx ends.
func (b *Bus) receive(ctx context.Context, conn *pgx.Conn) error {
	for {
		n, err := b.next(ctx, conn)
		switch {
		case err == nil:
			b.dispatch(n)
		case ctx.Err() != nil || !pgconn.Timeout(err):
			return err
		default: // nothing for a while: is anybody there?
			if err := ping(ctx, conn); err != nil {
				return err
			}
		}
	}
}

func (b *Bus) next(ctx context.Context, conn *pgx.Conn) (*pgconn.Notification, error) {
	ctx, cancel := context.WithTimeout(ctx, b.quiet)
	defer cancel()

	return conn.WaitForNotification(ctx)
}

func ping(ctx context.Context, conn *pgx.Conn) error {
	ctx, cancel := context.WithTimeout(ctx, answerWithin)
	defer cancel()

	return conn.Ping(ctx)
}

// dispatch hands a message over. One that cannot be read is somebody else's.
func (b *Bus) dispatch(n *pgconn.Notification) {
	var m message
	if err := json.Unmarshal([]byte(n.Payload), &m); err != nil {
		b.log.Warn("unreadable broadcast", slog.Any("error", err))

		return
	}
	b.deliver(m)
}
