package boards

import (
	"context"
	"time"

	"gorm.io/gorm/clause"

	"github.com/dispatchd/dispatchd/platform/database"
)

// repository keeps the answers of load boards.
type repository struct{ db *database.DB }

// inTx runs a function in a transaction.
func (r *repository) inTx(ctx context.Context, fn func(context.Context) error) error {
	return r.db.InTx(ctx, fn)
}

// boardAnswer is the last answer of a load board about a carrier.
type boardAnswer struct {
	database.Tenant

	USDOT     int64  `gorm:"column:usdot;primaryKey;autoIncrement:false"`
	Board     string `gorm:"primaryKey"`
	Outcome   string
	Body      string
	FetchedAt *time.Time
	FailedAt  *time.Time
	Why       string
}

// TableName implements the naming that GORM asks for.
func (boardAnswer) TableName() string { return "carriers_board_answers" }

// boardAnswers returns the answers about a carrier, by the names of the boards.
func (r *repository) boardAnswers(ctx context.Context, usdot int64) (map[string]boardAnswer, error) {
	rows, err := database.All[boardAnswer](r.db.Conn(ctx).Where("usdot = ?", usdot))
	all := make(map[string]boardAnswer, len(rows))
	for _, row := range rows {
		all[row.Board] = row
	}

	return all, err
}

// putBoardAnswer writes an answer in place of the one before, in the transaction in ctx.
func (r *repository) putBoardAnswer(ctx context.Context, a boardAnswer) error {
	return database.Translate(r.db.Conn(ctx).Clauses(clause.OnConflict{
		Columns:   []clause.Column{{Name: "company_id"}, {Name: "usdot"}, {Name: "board"}},
		Where:     database.SameCompany(a.TableName()),
		DoUpdates: clause.AssignmentColumns([]string{"outcome", "body", "fetched_at", "failed_at", "why"}),
	}).Create(&a).Error)
}
