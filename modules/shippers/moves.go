package shippers

import (
	"context"
	"slices"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/platform/resource"
	"github.com/dispatchd/dispatchd/platform/resource/moving"
	"github.com/dispatchd/dispatchd/platform/web"
)

// moves has the lists of carriers follow carriers that are merged.
type moves struct{ shippers *resource.Resource[shipper] }

func newMoves(shippers *resource.Resource[shipper]) moves { return moves{shippers} }

// What a move does to a list: it replaces a carrier, takes it away where the other one is there already, or, as a denial outweighs, takes the other one off
// the carriers that are allowed. Undoing the two last ones adds a carrier.
const (
	replaced = ""
	joined   = ".joined"
	outdone  = ".outdone"
)

// carrierLists are the lists of carriers of shippers, as what has moved names them.
const carrierLists = "shippers.carrier_lists"

// listed are the lists of a shipper by their keys, the denied carriers first.
func (s *shipper) listed() map[string]*[]uuid.UUID {
	return map[string]*[]uuid.UUID{denies: &s.Denied.V, allows: &s.Allowed.V}
}

const (
	denies = "denied_carriers"
	allows = "allowed_carriers"
)

// follow implements resource.MovesReferences.
func (v moves) follow(ctx context.Context, m resource.Moving) ([]resource.Moved, error) {
	if m.Type != carrierItem {
		return nil, nil
	}
	rows, err := v.shippers.Where(ctx, "CAST(denied_carriers AS text) LIKE ? OR CAST(allowed_carriers AS text) LIKE ?", like(m.From), like(m.From))
	if m.Only != nil { // a list may name neither now
		rows, err = v.shippers.FindSome(ctx, movedRows(m))
	}
	if err != nil {
		return nil, err
	}
	if len(rows) > moving.Most {
		return nil, moving.ErrTooMany.WithDetail("type", v.shippers.ItemType())
	}
	by := map[string][]uuid.UUID{}
	for _, row := range rows {
		_, err := v.shippers.Change(ctx, row.ID, web.IfMatch{}, resource.Move, func(_ context.Context, s *shipper) error {
			for _, how := range s.move(m) {
				by[how] = append(by[how], s.ID)
			}

			return nil
		})
		if err != nil {
			return nil, err
		}
	}
	var all []resource.Moved
	for _, list := range []string{denies, allows} {
		for _, how := range []string{replaced, joined, outdone} {
			if ids := by[list+how]; len(ids) > 0 {
				all = append(all, resource.Moved{Of: carrierLists, By: list + how, Rows: ids})
			}
		}
	}

	return all, nil
}

// movedRows returns the shippers whose lists an earlier move changed.
func movedRows(m resource.Moving) (ids []uuid.UUID) {
	for _, one := range m.Only {
		if one.Of == carrierLists {
			ids = append(ids, one.Rows...)
		}
	}

	return ids
}

func like(id uuid.UUID) string { return "%" + id.String() + "%" }

// move has the lists name another carrier, and returns what it did to which.
func (s *shipper) move(m resource.Moving) (done []string) {
	for _, list := range []string{denies, allows} {
		of := s.listed()[list]
		if m.Only != nil {
			*of = moveBack(*of, m, func(how string) bool {
				ids, _ := m.Among(carrierLists, list+how)

				return slices.Contains(ids, s.ID)
			})

			continue
		}
		switch at := slices.Index(*of, m.From); {
		case at < 0:
		case slices.Contains(*of, m.To):
			*of = slices.Delete(slices.Clone(*of), at, at+1)
			done = append(done, list+joined)
		default:
			*of = slices.Clone(*of)
			(*of)[at] = m.To
			done = append(done, list+replaced)
		}
	}
	if m.Only == nil && slices.Contains(s.Denied.V, m.To) && slices.Contains(s.Allowed.V, m.To) {
		s.Allowed.V = slices.DeleteFunc(slices.Clone(s.Allowed.V), func(id uuid.UUID) bool { return id == m.To })
		done = append(done, allows+outdone)
	}

	return done
}

// moveBack undoes what a move did to a list.
func moveBack(list []uuid.UUID, m resource.Moving, did func(how string) bool) []uuid.UUID {
	list = slices.Clone(list)
	switch at := slices.Index(list, m.From); {
	case did(outdone) && !did(replaced):
		return append(list, m.From)
	case did(outdone), did(joined):
		return append(list, m.To)
	case did(replaced) && at >= 0:
		list[at] = m.To
	}

	return list
}
