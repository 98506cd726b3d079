package carrying

import (
	"cmp"
	"context"
	"errors"
	"strings"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/dispatches/internal/assigning"
	"github.com/dispatchd/dispatchd/modules/dispatches/internal/preferences"
	"github.com/dispatchd/dispatchd/modules/dispatches/internal/store"
	"github.com/dispatchd/dispatchd/modules/loads/loadsapi"
	"github.com/dispatchd/dispatchd/platform/errs"
	"github.com/dispatchd/dispatchd/platform/field"
	"github.com/dispatchd/dispatchd/platform/settings"
	"github.com/dispatchd/dispatchd/platform/web"
)

// Abandonments take the vehicles from carriers on the way.
type Abandonments struct {
	follower *Follower
	closer   *assigning.Closer
	settings *settings.Settings[preferences.Preferences]
	loads    loadsapi.Carriage
	bounces  *Bounces
}

// NewAbandonments returns Abandonments.
func NewAbandonments(
	f *Follower, c *assigning.Closer, kept *settings.Settings[preferences.Preferences], loads loadsapi.Carriage, b *Bounces,
) *Abandonments {
	return &Abandonments{f, c, kept, loads, b}
}

type abandonInput struct {
	web.IfMatch

	UUID uuid.UUID `path:"uuid" format:"uuid"`
	Body struct {
		Reason string      `json:"reason" maxLength:"40" doc:"The id of one of cancel_reasons of the settings." example:"breakdown"`
		Note   string      `json:"note" minLength:"1" maxLength:"500" pattern:"\\S" patternDescription:"text that can be seen"`
		Place  whereabouts `json:"place" doc:"Where the vehicles are: a postal_code, or a city and a state."`
	}
}

// whereabouts are where vehicles wait.
type whereabouts struct {
	Name       string      `json:"name,omitempty" maxLength:"200" example:"Big Sky Towing"`
	Line1      string      `json:"line1,omitempty" maxLength:"200" doc:"Street and number."`
	City       string      `json:"city,omitempty" maxLength:"100"`
	State      string      `json:"state,omitempty" maxLength:"50"`
	PostalCode string      `json:"postal_code,omitempty" maxLength:"10" example:"39401"`
	Contact    string      `json:"contact_name,omitempty" maxLength:"200"`
	Phone      field.Phone `json:"phone,omitempty"`
}

// SchemaName is the name of the body in the OpenAPI document.
func (whereabouts) SchemaName() string { return "DispatchPlace" }

// abandon takes the vehicles from a carrier that carries them no further. They wait at another place for the next carrier.
func (a *Abandonments) abandon(ctx context.Context, in *abandonInput) (row store.Dispatch, err error) {
	b := in.Body
	reason, err := cancelReason(ctx, a.settings, b.Reason)
	if err != nil {
		return row, err
	}
	err = a.follower.Hold(ctx, in.UUID, func(ctx context.Context, held store.Dispatch, _ loadsapi.Standing) error {
		row = held
		if !row.IsLive() {
			return row.CheckEndedBy(store.VerbAbandon)
		}
		if row.State != store.PickedUp {
			return loadsapi.ErrNotOnBoard
		}
		if row, err = a.closer.Close(ctx, in.UUID, in.IfMatch, store.VerbAbandon, reason, strings.TrimSpace(b.Note), store.Broker); err != nil {
			return err
		}
		if err := a.loads.HandOver(ctx, row.Load.String(), loadsapi.HandOver{
			Name: b.Place.Name, Line1: b.Place.Line1, City: b.Place.City, State: b.Place.State, PostalCode: b.Place.PostalCode, Contact: b.Place.Contact,
			Phone: string(b.Place.Phone), Note: cmp.Or(b.Note, reason.Label), Party: store.Broker,
		}); err != nil {
			return placeErrors(err)
		}
		if reason.Responsible != store.Carrier {
			return nil
		}

		return a.bounces.Record(ctx, row, reason)
	})

	return row, err
}

// placeErrors names the fields of the place where a refusal names those of the stop that it was to become.
func placeErrors(err error) error {
	wrong, ok := errors.AsType[*errs.Error](err)
	if !ok || len(wrong.Fields) == 0 {
		return err
	}
	named := store.ErrInvalidDispatch
	for name, texts := range wrong.Fields {
		if _, part, isVenue := strings.Cut(name, ".venue."); isVenue {
			name = "place." + part
		}
		for _, text := range texts {
			named = named.WithField(name, text)
		}
	}

	return named
}
