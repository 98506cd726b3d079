package events

import (
	"context"
	"fmt"
	"strings"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/platform/database"
	"github.com/dispatchd/dispatchd/platform/principal"
)

// Gate says whether a company uses an area.
type Gate interface {
	Allows(ctx context.Context, company uuid.UUID, area string) (bool, error)
}

// UseGate leaves out, from then on, those who listen for an area that the event's company does not
// use, when it is published and when it is delivered. It is called before anything runs.
func (b *Bus) UseGate(g Gate) { b.gate = g }

// uses reports whether the principal's company uses an area.
func (b *Bus) uses(ctx context.Context, area string) (bool, error) {
	who, _ := principal.From(ctx)
	if b.gate == nil || who.Company == uuid.Nil {
		return true, nil
	}

	return b.gate.Allows(ctx, who.Company, area)
}

// waiting counts the deliveries to an area's handlers that wait or run.
const waiting = `SELECT count(*) FROM river_job
WHERE kind = ? AND state IN ('available', 'pending', 'retryable', 'running', 'scheduled')
AND args ->> 'company' = ? AND args -> 'args' ->> 'handler' LIKE ? ESCAPE '\'`

// Waiting returns how many deliveries of the principal's company to an area wait or run.
func (b *Bus) Waiting(ctx context.Context, area string) (int64, error) {
	who, _ := principal.From(ctx)
	var n int64
	err := b.db.Raw(ctx, "River's table, whose rows carry their company within").
		Raw(waiting, delivery{}.Kind(), who.Company.String(), strings.ReplaceAll(area, "_", `\_`)+"/%").Scan(&n).Error
	if err != nil {
		return 0, fmt.Errorf("counting deliveries: %w", database.Translate(err))
	}

	return n, nil
}
