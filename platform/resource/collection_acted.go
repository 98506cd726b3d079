package resource

import (
	"context"
	"encoding/json"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/platform/collection/bulk"
	"github.com/dispatchd/dispatchd/platform/resource/columns"
	"github.com/dispatchd/dispatchd/platform/web"
)

var _ bulk.Actor = rows{}

// Thing implements bulk.Actor.
func (c rows) Thing() web.Thing { return web.Thing{Item: c.of.Item, Path: c.of.path()} }

// Lock implements bulk.Actor.
func (c rows) Lock(ctx context.Context, id uuid.UUID) (version int64, err error) {
	row, err := c.of.lockRow(ctx, id, false)
	if err != nil {
		return 0, err
	}

	return columns.MetaOf(row).Version, nil
}

// Shown implements bulk.Actor.
func (c rows) Shown(ctx context.Context, id uuid.UUID) (shown json.RawMessage, version int64, err error) {
	row, err := c.of.find(ctx, id)
	if err == nil {
		err = c.of.show(ctx, nil, row)
	}
	if err != nil {
		return nil, 0, err
	}
	shown, err = json.Marshal(row)

	return shown, columns.MetaOf(row).Version, err
}
