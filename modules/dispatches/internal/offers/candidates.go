package offers

import (
	"context"
	"errors"
	"slices"
	"strconv"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/carriers/carriersapi"
	"github.com/dispatchd/dispatchd/modules/dispatches/internal/messages"
	"github.com/dispatchd/dispatchd/modules/dispatches/internal/store"
	"github.com/dispatchd/dispatchd/modules/loads/loadsapi"
	"github.com/dispatchd/dispatchd/platform/errs"
	"github.com/dispatchd/dispatchd/platform/item"
	"github.com/dispatchd/dispatchd/platform/notify"
)

// refusedCarrier is a carrier that a load was not offered to.
type refusedCarrier struct {
	Carrier  uuid.UUID             `json:"carrier_uuid"`
	Code     string                `json:"code" example:"carriers.blocked"`
	Message  string                `json:"message"`
	Blockers []carriersapi.Finding `json:"blockers,omitempty"`
}

// SchemaName is the name of the body in the OpenAPI document.
func (refusedCarrier) SchemaName() string { return "RefusedCarrier" }

// Candidates are the carriers that a load can be offered to.
type Candidates struct {
	verdicts  carriersapi.Verdicts
	prospects carriersapi.Prospects
	loads     loadsapi.Coverage
	rows      *store.Repository
	writer    *messages.Writer
}

// NewCandidates returns Candidates.
func NewCandidates(
	v carriersapi.Verdicts, p carriersapi.Prospects, loads loadsapi.Coverage, rows *store.Repository, w *messages.Writer,
) *Candidates {
	return &Candidates{v, p, loads, rows, w}
}

// ids are the carriers that a request names. Those that the company does not have are prospects from then on.
func (c *Candidates) ids(ctx context.Context, in *createOffersInput) ([]uuid.UUID, error) {
	ids := slices.Clone(in.Body.Carriers)
	for i, n := range in.Body.New {
		if n.Email == "" && n.Phone == "" {
			return nil, store.ErrInvalidOffer.WithField("new_carriers."+strconv.Itoa(i)+".email", "An email, or a phone, is required.")
		}
		id, err := c.prospects.Prospect(ctx, carriersapi.NewProspect{Name: n.Name, Email: string(n.Email), Phone: string(n.Phone)})
		if err != nil {
			return nil, err
		}
		if one := item.ID(id); !slices.Contains(ids, one) {
			ids = append(ids, one)
		}
	}

	return ids, nil
}

// pick returns the carriers to whom a load is offered, and those that it is not offered to, with the reasons.
func (c *Candidates) pick(ctx context.Context, in *createOffersInput, load loadsapi.Standing) (to []uuid.UUID, refused []refusedCarrier, err error) {
	ids, err := c.ids(ctx, in)
	if err != nil {
		return nil, nil, err
	}
	known, verdicts, err := c.known(ctx, in.Body.Load, load, ids)
	if err != nil {
		return nil, nil, err
	}
	for _, id := range ids {
		verdict, exists := verdicts[id.String()]
		if !exists {
			refused = append(refused, refusedCarrier{id, "carriers.carrier_not_found", "There is no such carrier.", nil})

			continue
		}
		carrier := item.ID(verdict.Carrier) // the one that it was merged into
		why := known.refusal(carrier, verdict, in.Body.Override != "")
		if slices.Contains(to, carrier) {
			why = store.ErrOfferOpen
		}
		one := refusedCarrier{Carrier: id}
		if why == nil {
			if why, err = c.unreachable(ctx, carrier, in.Body.Channels); err != nil {
				return nil, nil, err
			}
			one.Carrier = carrier
		}
		if why == nil {
			to = append(to, carrier)

			continue
		}
		one.Code, one.Message = why.Code, why.Message
		if errors.Is(why, store.ErrIneligible) {
			one.Blockers = verdict.Blockers
		}
		refused = append(refused, one)
	}

	return to, refused, nil
}

// known reads what is known of a load and some carriers, and the verdicts on these by the uuids that were asked for.
func (c *Candidates) known(
	ctx context.Context, id uuid.UUID, load loadsapi.Standing, ids []uuid.UUID,
) (k knownOfLoad, verdicts map[string]carriersapi.Verdict, err error) {
	texts := make([]string, len(ids))
	for i, one := range ids {
		texts[i] = one.String()
	}
	if verdicts, err = c.verdicts.Judge(ctx, carriersapi.Load{Declared: load.Declared, Delivery: load.Delivery.To}, texts...); err != nil {
		return k, nil, err
	}
	if k.cancelled, err = c.rows.CancelledDispatches(ctx, id); err != nil {
		return k, nil, err
	}
	if k.open, err = c.rows.OpenOffers(ctx, id); err != nil {
		return k, nil, err
	}
	carriers := make([]string, 0, len(verdicts))
	for _, v := range verdicts {
		carriers = append(carriers, v.Carrier)
	}
	k.unwanted, err = c.loads.Unwanted(ctx, load.Load, carriers...)

	return k, verdicts, err
}

// unreachable refuses a carrier that no channel reaches; nil without channels.
func (c *Candidates) unreachable(ctx context.Context, carrier uuid.UUID, channels []string) (*errs.Error, error) {
	reach, err := c.writer.Reach(ctx, carrier, channels, notify.Sales)
	if err != nil || len(channels) == 0 || len(reach.Recipients) > 0 {
		return nil, err
	}

	return notify.ErrNoChannel.WithMessage("No channel reaches the carrier: %s Without channels, you pass on the link yourself.", reach.Why()), nil
}

// knownOfLoad is what may keep carriers from being offered a load.
type knownOfLoad struct {
	// open are the open offers for it, cancelled the dispatches of it that were canceled.
	open      []store.Offer
	cancelled []store.Dispatch
	// unwanted are the refusals of carriers that its customer does not want, by their uuids.
	unwanted map[string]error
}

// errBounced refuses a carrier that has given the load back.
var errBounced = errs.New(errs.Conflict, "dispatches.bounced", "The carrier has given this load back before.")

// refusal says why a carrier is not offered the load, nil if it is. A prospect sees the offer, and gets the load once it is a carrier of the
// company.
func (k knownOfLoad) refusal(carrier uuid.UUID, v carriersapi.Verdict, override bool) *errs.Error {
	if slices.ContainsFunc(k.open, func(o store.Offer) bool { return o.Carrier == carrier }) {
		return store.ErrOfferOpen
	}
	if why, is := errors.AsType[*errs.Error](k.unwanted[v.Carrier]); is {
		return why
	}
	if override {
		return nil
	}
	if !v.Eligible && !isProspect(v) {
		return store.ErrIneligible
	}
	if slices.ContainsFunc(k.cancelled, func(d store.Dispatch) bool { return d.Carrier == carrier && d.FailedByCarrier() }) {
		return errBounced
	}

	return nil
}

// isProspect reports whether a verdict is against a carrier as a prospect.
func isProspect(v carriersapi.Verdict) bool {
	return slices.ContainsFunc(v.Blockers, func(f carriersapi.Finding) bool { return f.Code == "prospect" })
}
