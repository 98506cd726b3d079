package shippers

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/platform/item"
	"github.com/dispatchd/dispatchd/platform/resource"
)

// carrierItem is the type of carriers, of an area that a company may do without.
const carrierItem = "carriers.carrier"

// lists checks the lists of carriers of shippers.
type lists struct{ items *item.Registry }

func newLists(items *item.Registry) lists { return lists{items} }

// entry is a carrier that a list did not have before, and where it is.
type entry struct {
	item.Ref

	at string
}

// decide refuses new entries that are no carriers of the company, of all shippers at once. Without the area carriers, nobody knows.
func (s lists) decide(ctx context.Context, all []*resource.Change[shipper]) error {
	made, refs := make([][]entry, len(all)), []item.Ref{}
	for i, c := range all {
		var before shipper
		if c.Before != nil {
			before = *c.Before
		}
		made[i] = append(fresh("allowed_carriers", before.Allowed.V, c.After.Allowed.V), fresh("denied_carriers", before.Denied.V, c.After.Denied.V)...)
		for _, e := range made[i] {
			refs = append(refs, e.Ref)
		}
	}
	if len(refs) == 0 {
		return nil
	}
	missing, err := s.items.Exists(ctx, refs...)
	if errors.Is(err, item.ErrUnknownType) {
		return nil
	}
	for i, c := range all {
		wrong := errShipper
		for _, e := range made[i] {
			if slices.Contains(missing, e.Ref) {
				wrong = wrong.WithField(e.at, "There is no such carrier.")
			}
		}
		if len(wrong.Fields) > 0 {
			c.Refuse(wrong)
		}
	}

	return err
}

func fresh(name string, before, now []uuid.UUID) (made []entry) {
	for i, id := range now {
		if !slices.Contains(before, id) {
			made = append(made, entry{item.Ref{Type: carrierItem, UUID: id}, fmt.Sprintf("%s.%d", name, i)})
		}
	}

	return made
}
