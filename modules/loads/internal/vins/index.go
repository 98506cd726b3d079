// Package vins knows which VINs are on which open loads, and gives vehicles the VINs that were found on them.
package vins

import (
	"context"
	"slices"
	"strconv"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/loads/internal/store"
	"github.com/dispatchd/dispatchd/modules/loads/internal/terms"
	"github.com/dispatchd/dispatchd/platform/resource"
)

// Index knows which VINs are on which open loads.
type Index struct {
	loads *resource.Resource[store.Load]
	rows  *store.Repository
}

// NewIndex returns an Index.
func NewIndex(loads *resource.Resource[store.Load], rows *store.Repository) *Index {
	return &Index{loads, rows}
}

// Follow keeps which VINs are on which loads, and warns of those that another open load has.
func (s *Index) Follow(ctx context.Context, read terms.Read, all []*resource.Change[store.Load]) error {
	var changed []uuid.UUID
	var made []store.VINOnLoad
	for _, c := range all {
		before, after := store.VinsOf(c.Before), store.VinsOf(c.After)
		if c.Verb == resource.Delete {
			after = nil
		}
		if slices.Equal(before, after) {
			continue
		}
		if len(before) > 0 {
			changed = append(changed, c.After.ID)
		}
		for _, vin := range after {
			made = append(made, store.VINOnLoad{LoadID: c.After.ID, VIN: vin})
		}
	}
	if len(made) > 0 && len(all) == 1 {
		if err := s.warnOfVINs(ctx, read, all[0], made); err != nil {
			return err
		}
	}
	if err := s.rows.RemoveVINs(ctx, changed); err != nil {
		return err
	}

	return s.rows.AddVINs(ctx, made)
}

// warnOfVINs warns of vehicles that are on another open load too, or refuses them where the settings say so.
func (s *Index) warnOfVINs(ctx context.Context, read terms.Read, c *resource.Change[store.Load], made []store.VINOnLoad) error {
	vins := make([]string, len(made))
	for i, m := range made {
		vins[i] = m.VIN
	}
	found, err := s.rows.Elsewhere(ctx, c.After.ID, vins)
	if err != nil || len(found) == 0 {
		return err
	}
	now, err := read(ctx)
	if err != nil {
		return err
	}
	others, err := s.numbersOf(ctx, found)
	if err != nil {
		return err
	}
	for _, f := range found {
		i := slices.IndexFunc(c.After.Vehicles.V, func(v store.Vehicle) bool { return v.VIN == f.VIN })
		at := "vehicles." + strconv.Itoa(i) + ".vin"
		text := "The vehicle is on the load " + others[f.LoadID] + " too."
		if now.RefuseVIN && c.Verb != store.VerbSplit && c.Verb != store.VerbMerge {
			c.Refuse(store.ErrDuplicateVIN.WithField(at, text).WithDetail("load_uuid", f.LoadID))
		}
		c.After.Warn("loads.vin_open_elsewhere", at, text)
	}

	return nil
}

// numbersOf are the numbers of the loads that some VINs are on.
func (s *Index) numbersOf(ctx context.Context, found []store.VINOnLoad) (map[uuid.UUID]string, error) {
	ids := make([]uuid.UUID, len(found))
	for i, f := range found {
		ids[i] = f.LoadID
	}
	rows, err := s.loads.FindSome(ctx, ids)
	numbers := make(map[uuid.UUID]string, len(rows))
	for _, row := range rows {
		numbers[row.ID] = row.Number
	}

	return numbers, err
}

// elsewhere returns those of some VINs that other open loads have too.
func (s *Index) elsewhere(ctx context.Context, load uuid.UUID, vins []string) ([]store.VINOnLoad, error) {
	return s.rows.Elsewhere(ctx, load, vins)
}
