package database

import (
	"context"
	"errors"
	"log/slog"
	"strings"
	"time"

	"gorm.io/gorm"
	"gorm.io/gorm/logger"
	"gorm.io/gorm/schema"
)

// slowStatement is how long a statement may take before it is logged.
const slowStatement = 500 * time.Millisecond

func ormConfig(log *slog.Logger, slow time.Duration) *gorm.Config {
	return &gorm.Config{
		SkipDefaultTransaction: true,
		DisableAutomaticPing:   true,
		TranslateError:         false,
		NamingStrategy:         naming{schema.NamingStrategy{IdentifierMaxLength: maxIdentifier}},
		Logger:                 statementLog{log: log, slow: slow},
		NowFunc:                func() time.Time { return time.Now().UTC().Truncate(time.Microsecond) }, //nolint:forbidigo // GORM's own clock, where a row brings no time
	}
}

// maxIdentifier is GORM's own, by which it shortens the names of constraints.
const maxIdentifier = 64

// naming is GORM's own, which takes longer than reading a row to make a name of the columns of a Select: at each of them.
type naming struct{ schema.NamingStrategy }

// ColumnName implements schema.Namer.
func (n naming) ColumnName(table, name string) string {
	if strings.ContainsAny(name, ", (") {
		return name
	}

	return n.NamingStrategy.ColumnName(table, name)
}

// statementLog logs slow statements, with placeholders where values are bound.
type statementLog struct {
	log  *slog.Logger
	slow time.Duration
	// failed gets the error of every statement, if it is not nil.
	failed func(error)
}

// LogMode implements logger.Interface.
func (l statementLog) LogMode(logger.LogLevel) logger.Interface { return l }

// Info implements logger.Interface.
func (l statementLog) Info(ctx context.Context, msg string, _ ...any) {
	l.log.DebugContext(ctx, "gorm", "message", msg)
}

// Warn implements logger.Interface.
func (l statementLog) Warn(ctx context.Context, msg string, _ ...any) {
	l.log.WarnContext(ctx, "gorm", "message", msg)
}

// Error implements logger.Interface.
func (l statementLog) Error(ctx context.Context, msg string, _ ...any) {
	l.log.ErrorContext(ctx, "gorm", "message", msg)
}

// ParamsFilter keeps bound values out of the log.
func (statementLog) ParamsFilter(_ context.Context, sql string, _ ...any) (string, []any) {
	return sql, nil
}

// Trace implements logger.Interface.
func (l statementLog) Trace(ctx context.Context, begin time.Time, fc func() (string, int64), err error) {
	if err != nil && l.failed != nil {
		l.failed(err)
	}
	took := time.Since(begin)
	if took < l.slow || errors.Is(err, context.Canceled) {
		return
	}
	statement, rows := fc()
	l.log.WarnContext(ctx, "slow statement", "statement", statement, "rows", rows, "took", took)
}
