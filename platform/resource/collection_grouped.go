package resource

import (
	"context"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/platform/database"
	"github.com/dispatchd/dispatchd/platform/list"
)

// Groups implements collection.Grouped.
func (c rows) Groups(ctx context.Context, view uuid.UUID, in *list.GroupInput) (list.Groups, error) {
	ctx, err := c.of.lookUpOwn(ctx)
	if err != nil {
		return list.Groups{}, err
	}
	from, err := c.of.viewed(ctx, view, in.List())
	if err != nil {
		return list.Groups{}, err
	}
	schema, err := c.of.schema(ctx)
	if err != nil {
		return list.Groups{}, err
	}
	q, err := from.Conditions().Parse(ctx, schema)
	if err != nil {
		return list.Groups{}, err
	}
	g, err := in.Of(ctx, schema, q)
	if err != nil {
		return list.Groups{}, err
	}
	tx, err := c.of.searched(ctx, q, false)
	if err != nil {
		return list.Groups{}, err
	}
	groups, err := list.FindGroups(tx, c.of.plan.New(), g)

	return groups, database.Translate(err)
}
