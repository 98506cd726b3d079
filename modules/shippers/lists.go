package shippers

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/platform/errs"
	"github.com/dispatchd/dispatchd/platform/item"
	"github.com/dispatchd/dispatchd/platform/resource"
)

// carrierItem is the type of carriers, of an area that a company may do without.
const carrierItem = "carriers.carrier"

// lists checks the lists of carriers of shippers.
type lists struct{ items *item.Registry }

func newLists(items *item.Registry) lists { return lists{items} }

// decide refuses new entries that are no carriers of the company. Without the area carriers, nobody knows.
func (s lists) decide(ctx context.Context, all []*resource.Change[shipper]) error {
	for _, c := range all {
		var before shipper
		if c.Before != nil {
			before = *c.Before
		}
		wrong := errShipper
		for _, of := range []struct {
			name        string
			before, now []uuid.UUID
		}{{"allowed_carriers", before.Allowed.V, c.After.Allowed.V}, {"denied_carriers", before.Denied.V, c.After.Denied.V}} {
			var err error
			if wrong, err = s.check(ctx, of.name, of.before, of.now, wrong); errors.Is(err, item.ErrUnknownType) {
				return nil
			} else if err != nil {
				return err
			}
		}
		if len(wrong.Fields) > 0 {
			c.Refuse(wrong)
		}
	}

	return nil
}

func (s lists) check(ctx context.Context, name string, before, now []uuid.UUID, wrong *errs.Error) (*errs.Error, error) {
	var fresh []item.Ref
	for _, id := range now {
		if !slices.Contains(before, id) {
			fresh = append(fresh, item.Ref{Type: carrierItem, UUID: id})
		}
	}
	if len(fresh) == 0 {
		return wrong, nil
	}
	missing, err := s.items.Exists(ctx, fresh...)
	for _, m := range missing {
		wrong = wrong.WithField(fmt.Sprintf("%s.%d", name, slices.Index(now, m.UUID)), "There is no such carrier.")
	}

	return wrong, err
}
