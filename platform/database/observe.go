package database

import (
	"context"
	"errors"
	"strings"
	"time"
	"unicode"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/trace"
	"gorm.io/gorm"

	"github.com/dispatchd/dispatchd/platform/telemetry"
)

// Observe reports transactions, statements and connections to o. It is called before Start.
func (db *DB) Observe(o telemetry.Observer) error {
	db.tracer = o.Tracer
	if o.Metrics == nil {
		return nil
	}
	db.commitSizes = newCommitSizes()
	db.messages.sizes = db.commitSizes

	return errors.Join(o.Metrics.Register(newPoolMetrics(db)), o.Metrics.Register(db.commitSizes))
}

// tracing reports whether what is done in ctx belongs to a trace that is recorded.
func (db *DB) tracing(ctx context.Context) bool {
	return db.tracer != nil && trace.SpanFromContext(ctx).IsRecording()
}

// traced makes a span of the transaction, with one of its commit in it: from when fn returned until
// the outcome is on disk. What comes before the first statement is the wait for a connection or, on
// SQLite, for the turn.
func (db *DB) traced(
	ctx context.Context, fn func(context.Context) error,
) (context.Context, func(context.Context) error, func(error) error) {
	if !db.tracing(ctx) {
		return ctx, fn, func(err error) error { return err }
	}
	ctx, span := db.tracer.Start(ctx, "transaction", trace.WithAttributes(db.dialect.system()))
	runs := 0
	var returned time.Time
	noticed := func(ctx context.Context) error {
		err := fn(ctx)
		runs, returned = runs+1, time.Now() //nolint:forbidigo // to measure, nothing is decided by it

		return err
	}

	return ctx, noticed, func(err error) error {
		if err == nil && runs > 0 {
			_, commit := db.tracer.Start(ctx, "COMMIT", trace.WithTimestamp(returned), trace.WithAttributes(db.dialect.system()))
			commit.End()
		}
		if runs > 1 {
			span.SetAttributes(attribute.Int("dispatchd.transaction.runs", runs))
		}
		telemetry.FailSpan(span, err)
		span.End()

		return err
	}
}

// Statement is what GORM or Pipeline sent.
type Statement struct {
	// Table is empty for one that was written by hand.
	Table, SQL string
	Values     []any
}

// OnStatement has fn hear of every statement that GORM or Pipeline sends, after it was sent and in whichever goroutine sent
// it. It is called before Start.
func (db *DB) OnStatement(fn func(ctx context.Context, s Statement)) {
	db.hearing = append(db.hearing, fn)
}

// observeStatements has those of OnStatement hear of GORM's statements, and statements make spans. Without either, nothing is
// added to GORM.
func (db *DB) observeStatements(orm *gorm.DB) error {
	on := orm.Callback()
	var problem error
	if len(db.hearing) > 0 {
		const heard = "dispatchd:heard"
		problem = errors.Join(
			on.Create().After("*").Register(heard, db.heard), on.Query().After("*").Register(heard, db.heard),
			on.Update().After("*").Register(heard, db.heard), on.Delete().After("*").Register(heard, db.heard),
			on.Row().After("*").Register(heard, db.heard), on.Raw().After("*").Register(heard, db.heard),
		)
	}
	if db.tracer == nil {
		return problem
	}
	const before, after = "dispatchd:began", "dispatchd:ended"

	return errors.Join(problem,
		on.Create().Before("*").Register(before, db.began), on.Create().After("*").Register(after, db.ended),
		on.Query().Before("*").Register(before, db.began), on.Query().After("*").Register(after, db.ended),
		on.Update().Before("*").Register(before, db.began), on.Update().After("*").Register(after, db.ended),
		on.Delete().Before("*").Register(before, db.began), on.Delete().After("*").Register(after, db.ended),
		on.Row().Before("*").Register(before, db.began), on.Row().After("*").Register(after, db.ended),
		on.Raw().Before("*").Register(before, db.began), on.Raw().After("*").Register(after, db.ended),
	)
}

func (db *DB) heard(s *gorm.DB) {
	for _, hear := range db.hearing {
		hear(s.Statement.Context, Statement{Table: s.Statement.Table, SQL: s.Statement.SQL.String(), Values: s.Statement.Vars})
	}
}

// beganKey is where a statement keeps when it began.
const beganKey = "dispatchd:at"

func (db *DB) began(s *gorm.DB) {
	if s.Statement.Context != nil && db.tracing(s.Statement.Context) {
		s.InstanceSet(beganKey, time.Now()) //nolint:forbidigo // to measure, nothing is decided by it
	}
}

// ended makes the span of a statement that was sent.
func (db *DB) ended(s *gorm.DB) {
	kept, _ := s.InstanceGet(beganKey)
	if at, ok := kept.(time.Time); ok && !s.DryRun && s.Statement.SQL.Len() > 0 {
		db.statementSpan(s.Statement.Context, at, s.Statement.SQL.String(), s.Error)
	}
}

// tracedTogether makes a span of statements that send sends together.
func (db *DB) tracedTogether(
	ctx context.Context, all []statement, send func(context.Context, []statement) error,
) error {
	for _, hear := range db.hearing {
		defer func() {
			for _, s := range all {
				hear(ctx, Statement{SQL: s.text(), Values: s.values()})
			}
		}()
	}
	if len(all) == 0 || !db.tracing(ctx) {
		return send(ctx, all)
	}
	texts := make([]string, 0, len(all))
	for _, s := range all {
		texts = append(texts, s.text())
	}
	at := time.Now() //nolint:forbidigo // to measure, nothing is decided by it
	err := send(ctx, all)
	db.statementSpan(ctx, at, strings.Join(texts, ";\n"), err)

	return err
}

// statementSpan makes a span of a statement that began at a time and ends now. Its text has
// placeholders where values are bound, and the values are not told; nor is the message of an error,
// which may quote them.
func (db *DB) statementSpan(ctx context.Context, at time.Time, text string, err error) {
	verb := verbOf(text)
	_, span := db.tracer.Start(ctx, verb, trace.WithTimestamp(at), trace.WithSpanKind(trace.SpanKindClient),
		trace.WithAttributes(db.dialect.system(), attribute.String("db.operation.name", verb), attribute.String("db.query.text", text)))
	if !errors.Is(err, gorm.ErrRecordNotFound) {
		telemetry.FailSpan(span, err)
	}
	span.End()
}

// verbOf returns the first word of a statement.
func verbOf(text string) string {
	text = strings.TrimSpace(text)
	if end := strings.IndexFunc(text, unicode.IsSpace); end > 0 {
		return text[:end]
	}

	return text
}

func (d Dialect) system() attribute.KeyValue {
	if d == SQLite {
		return attribute.String("db.system.name", "sqlite")
	}

	return attribute.String("db.system.name", "postgresql")
}
