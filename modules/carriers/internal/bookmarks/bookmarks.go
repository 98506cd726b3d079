// Package bookmarks has the carriers that users of a company want at hand.
package bookmarks

import (
	"context"
	"net/http"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/carriers/internal/number"
	"github.com/dispatchd/dispatchd/modules/carriers/internal/registry"
	"github.com/dispatchd/dispatchd/modules/carriers/internal/store"
	"github.com/dispatchd/dispatchd/platform/clock"
	"github.com/dispatchd/dispatchd/platform/database"
	"github.com/dispatchd/dispatchd/platform/errs"
	"github.com/dispatchd/dispatchd/platform/principal"
	"github.com/dispatchd/dispatchd/platform/resource"
	"github.com/dispatchd/dispatchd/platform/web"
)

// Bookmarks serves saved carriers and who used them last.
type Bookmarks struct {
	saved    *resource.Resource[store.SavedCarrier]
	carriers *resource.Resource[store.Carrier]
	registry *registry.Registry
	stored   *store.Repository
	clock    clock.Clock
}

// NewBookmarks returns a Bookmarks.
func NewBookmarks(
	saved *resource.Resource[store.SavedCarrier], carriers *resource.Resource[store.Carrier], registry *registry.Registry, stored *store.Repository, c clock.Clock,
) *Bookmarks {
	return &Bookmarks{saved, carriers, registry, stored, c}
}

// Routes registers the operations on saved carriers.
func Routes(r *web.Router, s *Bookmarks) {
	web.Register(r, web.Operation{
		Method: http.MethodGet, Path: "/saved/recently", ID: "list_recently_saved", Access: web.Read, Summary: "List the saved carriers that you used last",
		Description: "The last 20 that the calling user saved, read or changed, the latest first. Service tokens have none.",
		Errors:      []*errs.Error{database.ErrUnavailable},
	}, s.recently)
	web.Register(r, web.Operation{
		Method: http.MethodGet, Path: "/saved/{uuid}", ID: "read_saved", Access: web.Read, Summary: "Read a saved carrier",
		Description: "It is then one of those that you used last.", Errors: []*errs.Error{s.saved.NotFound()},
	}, s.read)
}

// Decide names saved carriers, and stores that the caller used them.
func (s *Bookmarks) Decide(ctx context.Context, all []*resource.Change[store.SavedCarrier]) error {
	found, err := s.carriersOf(ctx, all)
	if err != nil {
		return err
	}
	for _, c := range all {
		if c.Verb != resource.Create {
			continue
		}
		if wrong := found.name(c.After); wrong != "" {
			c.Refuse(s.saved.Invalid().WithField("carrier_uuid", wrong))
		}
	}
	if len(all) == 1 && all[0].Verb == resource.Create && all[0].After.Carrier == nil {
		if err := s.nameStranger(ctx, all[0].After); err != nil {
			return err
		}
	}

	return nil
}

// nameStranger names a carrier that the company does not have, by the regulator's record.
func (s *Bookmarks) nameStranger(ctx context.Context, row *store.SavedCarrier) error {
	if row.USDOT == nil {
		return nil
	}
	usdot, err := number.USDOT("", *row.USDOT)
	if err != nil {
		return err
	}
	f, err := s.registry.Find(ctx, usdot.Number)
	if errs.KindOf(err) == errs.NotFound {
		return nil
	}
	if f.Identity.LegalName != "" {
		row.Name = f.Identity.LegalName
	}

	return err
}

// theirs has carriers of the company by id and by USDOT number.
type theirs struct {
	byID    map[uuid.UUID]store.Carrier
	byUSDOT map[string]store.Carrier
}

// name gives a saved carrier the name and the number of the company's carrier or, without one, its own number as its name. It returns what is
// wrong with the carrier_uuid, "" for nothing.
func (t theirs) name(s *store.SavedCarrier) (wrong string) {
	of, ok := t.of(s)
	switch {
	case ok:
		s.Carrier, s.Name = &of.ID, of.LegalName
		if of.USDOT != nil {
			s.USDOT = of.USDOT
		}
	case s.Carrier != nil:
		return "The carrier uuid does not belong to any carrier."
	case s.USDOT == nil:
		return "The carrier uuid or the usdot is required."
	default:
		s.Name = "USDOT " + *s.USDOT
	}

	return ""
}

func (t theirs) of(s *store.SavedCarrier) (c store.Carrier, ok bool) {
	if s.Carrier != nil {
		c, ok = t.byID[*s.Carrier]

		return c, ok
	}
	if s.USDOT != nil {
		c, ok = t.byUSDOT[*s.USDOT]
	}

	return c, ok
}

func (s *Bookmarks) carriersOf(ctx context.Context, all []*resource.Change[store.SavedCarrier]) (found theirs, err error) {
	var ids []uuid.UUID
	var usdots []string
	for _, c := range all {
		if c.Verb != resource.Create {
			continue
		}
		if c.After.Carrier != nil {
			ids = append(ids, *c.After.Carrier)
		} else if c.After.USDOT != nil {
			usdots = append(usdots, *c.After.USDOT)
		}
	}
	if len(ids)+len(usdots) == 0 {
		return found, nil
	}
	rows, err := s.carriers.Where(ctx, "(id IN ? OR usdot IN ?) AND merged_into_id IS NULL", ids, usdots)
	found = theirs{map[uuid.UUID]store.Carrier{}, map[string]store.Carrier{}}
	for _, row := range rows {
		found.byID[row.ID] = row
		if row.USDOT != nil {
			found.byUSDOT[*row.USDOT] = row
		}
	}

	return found, err
}

type savedInput struct {
	UUID uuid.UUID `path:"uuid" format:"uuid"`
}

func (s *Bookmarks) read(ctx context.Context, in *savedInput) (*web.Resource[store.SavedCarrier], error) {
	row, err := s.saved.Find(ctx, in.UUID)
	if user := principal.UserOf(ctx); err == nil && user != nil {
		err = s.stored.InTx(ctx, func(ctx context.Context) error { return s.stored.KeepUse(ctx, *user, row.ID, s.clock.Now()) })
	}

	return s.saved.Answer(ctx, row, err)
}

type recentlyOutput struct {
	Body struct {
		Data []store.SavedCarrier `json:"data" nullable:"false"`
	}
}

// mostRecent is how many saved carriers GET /saved/recently lists.
const mostRecent = 20

func (s *Bookmarks) recently(ctx context.Context, _ *struct{}) (*recentlyOutput, error) {
	out := &recentlyOutput{}
	out.Body.Data = []store.SavedCarrier{}
	user := principal.UserOf(ctx)
	if user == nil {
		return out, nil
	}
	rows, err := s.stored.RecentlySaved(ctx, *user, mostRecent)
	if err != nil {
		return nil, err
	}
	shown := make([]*store.SavedCarrier, len(rows))
	for i := range rows {
		shown[i] = &rows[i]
	}
	out.Body.Data = append(out.Body.Data, rows...)

	return out, s.saved.Show(ctx, nil, shown...)
}
