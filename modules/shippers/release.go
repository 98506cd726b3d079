package shippers

import (
	"context"

	"github.com/dispatchd/dispatchd/modules/loads/loadsapi"
	"github.com/dispatchd/dispatchd/platform/field"
	"github.com/dispatchd/dispatchd/platform/resource"
)

// releases knows what drivers show to get vehicles.
type releases struct {
	finder    finder
	locations *resource.Resource[location]
}

func newReleases(f finder, locations *resource.Resource[location]) releases {
	return releases{f, locations}
}

// byShipper is the rule of a location that has none of its own.
const byShipper = "shipper"

// needed enters the places that vehicles leave only with a release: by the rule of the location, or else by that of the shipper.
func (r releases) needed(ctx context.Context, q *loadsapi.AskingRelease) error {
	for i := range q.Places {
		at := &q.Places[i]
		for _, contact := range at.Contacts {
			s, ships, err := r.finder.of(ctx, contact)
			if err != nil {
				return err
			}
			if !ships {
				continue
			}
			rule, needed := s.Release, s.NeedsRelease
			there, err := r.locations.Where(ctx, "shipper_id = ?", s.ID)
			if err != nil {
				return err
			}
			here := field.Address{Line1: at.Line1, Line2: at.Line2, City: at.City, State: at.State, PostalCode: at.PostalCode}
			for _, l := range there {
				if l.Release != byShipper && same(l.Address, here) {
					rule, needed = l.Release, l.Release != noRelease
				}
			}
			at.Needed = needed && rule != onlyID
			if rule != noRelease {
				at.Rule = rule
			}

			break
		}
	}

	return nil
}

// The rules by which a driver brings no code and no form.
const (
	noRelease = "none"
	onlyID    = "id"
)
