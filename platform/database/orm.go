package database

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"gorm.io/gorm"
	"gorm.io/gorm/logger"
)

// slowStatement is how long a statement may take before it is logged.
const slowStatement = 500 * time.Millisecond

func ormConfig(log *slog.Logger, slow time.Duration) *gorm.Config {
	return &gorm.Config{
		SkipDefaultTransaction: true,
		DisableAutomaticPing:   true,
		TranslateError:         false,
		Logger:                 statementLog{log: log, slow: slow},
		NowFunc:                func() time.Time { return time.Now().UTC().Truncate(time.Microsecond) }, //nolint:forbidigo // GORM's own clock, where a row brings no time
	}
}

// statementLog logs slow statements, with placeholders where values are bound.
type statementLog struct {
	log  *slog.Logger
	slow time.Duration
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
	took := time.Since(begin)
	if took < l.slow || errors.Is(err, context.Canceled) {
		return
	}
	statement, rows := fc()
	l.log.WarnContext(ctx, "slow statement", "statement", statement, "rows", rows, "took", took)
}
