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
	rows := r.db.Conn(ctx).Model(&Rule{}).Where("id = ?", rule)
	if err := rows.UpdateColumn("turn", gorm.Expr("turn + 1")).Error; err != nil {
		return 0, database.Translate(err)
	}
	found, err := database.One[Rule](r.db.Conn(ctx), database.ErrNotFound, "id = ?", rule)

	return found.Turn - 1, err
}
