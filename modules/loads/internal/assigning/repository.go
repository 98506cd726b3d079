package assigning

import (
	"context"

	"github.com/google/uuid"
	"gorm.io/gorm"

	"github.com/dispatchd/dispatchd/platform/database"
)

// repository counts the turns of rules.
type repository struct{ db *database.DB }

// takeTurn returns the number of the next turn of a rule, in the transaction in ctx, which holds the rule.
func (r repository) takeTurn(ctx context.Context, rule uuid.UUID) (int64, error) {
	if err := r.addTurns(ctx, rule, 1); err != nil {
		return 0, err
	}
	found, err := database.One[Rule](r.db.Conn(ctx), database.ErrNotFound, "id = ?", rule)

	return found.Turn - 1, err
}

// addTurns counts turns of a rule that were taken.
func (r repository) addTurns(ctx context.Context, rule uuid.UUID, n int64) error {
	return database.Translate(r.db.Conn(ctx).Model(&Rule{}).Where("id = ?", rule).UpdateColumn("turn", gorm.Expr("turn + ?", n)).Error)
}
