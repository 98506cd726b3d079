package dispatches

import (
	"cmp"
	"context"
	"errors"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/carriers/carriersapi"
	"github.com/dispatchd/dispatchd/modules/dispatches/dispatchesapi"
	"github.com/dispatchd/dispatchd/modules/dispatches/internal/preferences"
	"github.com/dispatchd/dispatchd/modules/dispatches/internal/store"
	"github.com/dispatchd/dispatchd/modules/loads/loadsapi"
	"github.com/dispatchd/dispatchd/platform/database"
	"github.com/dispatchd/dispatchd/platform/errs"
	"github.com/dispatchd/dispatchd/platform/field"
	"github.com/dispatchd/dispatchd/platform/item"
	"github.com/dispatchd/dispatchd/platform/link"
	"github.com/dispatchd/dispatchd/platform/money"
	"github.com/dispatchd/dispatchd/platform/notify"
	"github.com/dispatchd/dispatchd/platform/principal"
	"github.com/dispatchd/dispatchd/platform/resource"
	"github.com/dispatchd/dispatchd/platform/share"
	"github.com/dispatchd/dispatchd/platform/state"
	"github.com/dispatchd/dispatchd/platform/web"
)

const base = "/dispatches/api/v1"

// offerRoutes are the company's operations on offers.
func offerRoutes(r *web.Router, d *desk) {
	failures := []*errs.Error{d.offers.NotFound(), store.ErrInvalidOffer, store.ErrOfferExpired, store.ErrNotYourTurn, store.ErrNotOpen, store.ErrVehicleTaken, state.ErrNotAllowed, state.ErrMoved}
	with := func(more ...*errs.Error) []*errs.Error { return append(slices.Clone(failures), more...) }
	web.Register(r, web.Operation{
		Method: http.MethodPost, Path: "/offers", ID: "create_offers", Access: web.Scope("offer"), Secret: true, Summary: "Offer a load to carriers",
		ActsOn: web.ActsOn{Item: loadsapi.Load, Verb: "offer", Key: "load_uuid"},
		Description: "The load must be ready. Carriers that may not have it, that have given it back before, or that have an open offer for it are listed in refused with the reason, and get none; `override` " +
			"(scope dispatches:override) offers it to them all the same, as far as the load's own check allows. Only this response has the texts of the links.",
		Errors: []*errs.Error{store.ErrInvalidOffer, store.ErrOutsideWindow, loadsapi.ErrNotFound, loadsapi.ErrNotReady, loadsapi.ErrPlanFixed, loadsapi.ErrPayBelowCharges, store.ErrOnHold, principal.ErrScopeMissing},
	}, d.createOffers)
	web.Register(r, web.Operation{
		Method: http.MethodPost, Path: "/offers/{uuid}/counter", ID: "counter_offer", Access: web.Scope("offer"), Summary: "Answer a carrier's counter with another one",
		Description: "On the company's turn. What the body leaves out stays. `shown`, or If-Match, says which terms it answers.", Errors: with(store.ErrNothingChanged, store.ErrNoRoundsLeft, store.ErrOutsideWindow, store.ErrTermsChanged, loadsapi.ErrPlanFixed, loadsapi.ErrPayBelowCharges),
	}, func(ctx context.Context, in *counterInput) (*web.Resource[store.Offer], error) {
		row, err := d.counter(ctx, in.UUID, in.IfMatch, store.Proposal{
			Party: store.Broker, Amount: in.Body.Amount, Pickup: in.Body.Pickup, Delivery: in.Body.Delivery, Note: strings.TrimSpace(in.Body.Note), Shown: in.Body.Shown,
		})
		if err == nil {
			err = d.tellOfCounter(ctx, &row)
		}

		return d.offers.Answer(ctx, row, err)
	})
	web.Register(r, web.Operation{
		Method: http.MethodPost, Path: "/offers/{uuid}/accept", ID: "accept_offer", Access: web.Scope("offer"), Summary: "Accept an offer for its carrier, a carrier's counter, or its late response",
		Description: "The carrier has the load at the current terms, such as when it has accepted on the phone. What was accepted already stays so. `shown`, or If-Match, says which terms are accepted.",
		Errors:      with(store.ErrIneligible, store.ErrUnsigned, store.ErrOnHold, loadsapi.ErrNotReady, loadsapi.ErrPlanFixed, loadsapi.ErrPayBelowCharges, store.ErrOutsideWindow, store.ErrTermsChanged),
	}, func(ctx context.Context, in *acceptInput) (*web.Resource[store.Offer], error) {
		row, err := d.accept(ctx, in.UUID, in.IfMatch, store.Proposal{Party: store.Broker, Pickup: in.Body.Pickup, Delivery: in.Body.Delivery, Note: in.Body.Note, Shown: in.Body.Shown}, store.Crew{})

		return d.offers.Answer(ctx, row, err)
	})
	ending := func(verb resource.Verb, id, summary, description string) {
		web.Register(r, web.Operation{
			Method: http.MethodPost, Path: "/offers/{uuid}/" + string(verb), ID: id, Access: web.Scope("offer"), Summary: summary, Description: description, Errors: failures,
		}, func(ctx context.Context, in *noteInput) (*web.Resource[store.Offer], error) {
			row, err := d.end(ctx, in.UUID, in.IfMatch, verb, store.Proposal{Party: store.Broker, Note: in.Body.Note})

			return d.offers.Answer(ctx, row, err)
		})
	}
	ending(store.VerbDecline, "decline_offer", "Decline a carrier's counter", "Of a sequence, the next carrier is asked.")
	ending(store.VerbWithdraw, "withdraw_offer", "Take an offer back", "The carrier can no longer accept it. Of a sequence, the next carrier is asked.")
	web.Register(r, web.Operation{
		Method: http.MethodPost, Path: "/offers/{uuid}/send", ID: "send_offer", Access: web.Scope("offer"), Secret: true, Summary: "Send an offer before its turn",
		Errors: with(loadsapi.ErrNotReady, store.ErrOnHold, store.ErrIneligible, share.ErrRecipient, notify.ErrNoChannel),
	}, d.sendAgain(store.VerbSend))
	web.Register(r, web.Operation{
		Method: http.MethodPost, Path: "/offers/{uuid}/reactivate", ID: "reactivate_offer", Access: web.Scope("offer"), Secret: true, Summary: "Open an offer again",
		Description: "One that was declined or withdrawn, or that has expired, at its current terms. If those are the carrier's counter, `shown` or If-Match says so.",
		Errors:      with(loadsapi.ErrNotReady, store.ErrOnHold, store.ErrOfferOpen, store.ErrTermsChanged, store.ErrIneligible, share.ErrRecipient, notify.ErrNoChannel),
	}, d.sendAgain(store.VerbReactivate))
	share.Routes(r, d.given, share.Operations{
		Path: "/offers/{uuid}/shares", Name: "offer_share", Summary: "by which the carrier answers an offer", Access: web.Scope("offer"), Purpose: sheet,
		Description: "Once the offer was accepted, it shows the load that the carrier has.", Subject: d.offerSubject, Give: d.giveOffer, Errors: []*errs.Error{d.offers.NotFound()},
	})
}

type createOffersInput struct {
	Body struct {
		Load     uuid.UUID    `json:"load_uuid"`
		Carriers []uuid.UUID  `json:"carrier_uuids,omitempty" maxItems:"50" nullable:"false" doc:"In the order in which a sequence asks them."`
		Mode     string       `json:"mode,omitempty" enum:"direct,broadcast,sequential" default:"direct" doc:"direct: to one carrier. broadcast: to all at once; the first to accept has the load. sequential: to one after the other."`
		Amount   money.Amount `json:"amount,omitempty" doc:"What the carrier ends up with; by default the carrier_pay of the load." example:"900.00"`
		Pickup   field.Date   `json:"pickup_date,omitempty" doc:"By default the carrier names it."`
		Delivery field.Date   `json:"delivery_date,omitempty"`
		Minutes  int64        `json:"expires_in_minutes,omitempty" minimum:"5" maximum:"20160" doc:"How long each carrier can answer; by default as the settings say."`
		Channels []string     `json:"channels,omitempty" maxItems:"2" nullable:"false" enum:"email,sms" doc:"How the carriers are written to; without any, give them the links yourself. A sequence needs one, or [] if you pass on each link yourself. A carrier that none of them reaches gets no offer, and is listed in refused."`
		Message  string       `json:"message,omitempty" maxLength:"500"`
		New      []newCarrier `json:"new_carriers,omitempty" maxItems:"50" nullable:"false" doc:"Carriers that the company does not have yet. They see the offer, and accept it once they have proved who they are."`
		Override string       `json:"override,omitempty" maxLength:"500" doc:"Why carriers that would be refused are asked all the same."`
	}
}

// newCarrier is a carrier that the company does not have yet.
type newCarrier struct {
	Name  string      `json:"name" minLength:"1" maxLength:"200"`
	Email field.Email `json:"email,omitempty" doc:"An email, or a phone, is required. A carrier that has it already is taken for the same."`
	Phone field.Phone `json:"phone,omitempty"`
}

// SchemaName is the name of the body in the OpenAPI document.
func (newCarrier) SchemaName() string { return "NewCarrier" }

// asked are the carriers that a load is to be offered to. Those that the company does not have are prospects from then on.
func (in *createOffersInput) asked(ctx context.Context, all carriersapi.Prospects) ([]uuid.UUID, error) {
	ids := slices.Clone(in.Body.Carriers)
	for i, n := range in.Body.New {
		if n.Email == "" && n.Phone == "" {
			return nil, store.ErrInvalidOffer.WithField("new_carriers."+strconv.Itoa(i)+".email", "An email, or a phone, is required.")
		}
		id, err := all.Prospect(ctx, carriersapi.NewProspect{Name: n.Name, Email: string(n.Email), Phone: string(n.Phone)})
		if err != nil {
			return nil, err
		}
		if one := item.ID(id); !slices.Contains(ids, one) {
			ids = append(ids, one)
		}
	}

	return ids, nil
}

// sentOffer is an offer that was made, with the link for its carrier.
type sentOffer struct {
	Offer     store.Offer  `json:"offer"`
	Share     *share.Share `json:"share" doc:"Null for an offer of a sequence whose turn it is not yet."`
	Unreached []string     `json:"unreached" nullable:"false" doc:"Those of the channels that have not taken the message to the carrier."`
	// Why is by channel.
	Why map[string]string `json:"unreached_reasons" nullable:"false" doc:"Why they have not, by channel." example:"{\"email\": \"The company has no area that sends by this channel.\"}"`
}

// sentOf is an offer with the link for its carrier, and the channels that did not reach it.
func (d *desk) sentOf(ctx context.Context, o store.Offer, made share.Share) (sentOffer, error) {
	names, why, err := d.missed(ctx, o.Carrier, o.Channels.V, made.Deliveries, notify.Sales)

	return sentOffer{o, &made, names, why}, err
}

// missed returns those of some channels that have not taken a message to a carrier, and why, by channel.
func (d *desk) missed(ctx context.Context, carrier uuid.UUID, channels []string, made []share.Delivery, purpose notify.Purpose) (names []string, why map[string]string, err error) {
	names, why = []string{}, map[string]string{}
	took := func(channel string) bool {
		return slices.ContainsFunc(made, func(d share.Delivery) bool { return d.Channel == channel && d.Result == share.Sent })
	}
	for _, channel := range channels {
		if !took(channel) {
			names = append(names, channel)
		}
	}
	if len(names) == 0 {
		return names, why, nil
	}
	to, err := d.reach(ctx, carrier, names, purpose)
	for _, channel := range names {
		why[channel] = to.Unreached[channel]
		if i := slices.IndexFunc(made, func(d share.Delivery) bool { return d.Channel == channel }); i >= 0 {
			why[channel] = made[i].Reason
		}
	}

	return names, why, err
}

// tellOfCounter writes to a carrier that the company has countered, and warns if that reaches it by no channel.
func (d *desk) tellOfCounter(ctx context.Context, o *store.Offer) error {
	made, err := d.tell(ctx, *o, func(load string) string { return "There is an answer to your counter for the load " + load + "." })
	if err != nil {
		return err
	}
	err = d.notSent(ctx, *o, made)
	if refusal, is := errors.AsType[*errs.Error](err); is && errors.Is(err, notify.ErrNoChannel) {
		o.Warnings = append(o.Warnings, store.Warning{Code: refusal.Code, Field: "channels", Message: "The counter counts, but was not sent. " + refusal.Message})

		return nil
	}

	return err
}

// SchemaName is the name of the body in the OpenAPI document.
func (sentOffer) SchemaName() string { return "SentOffer" }

// refusedCarrier is a carrier that a load was not offered to.
type refusedCarrier struct {
	Carrier  uuid.UUID             `json:"carrier_uuid"`
	Code     string                `json:"code" example:"carriers.blocked"`
	Message  string                `json:"message"`
	Blockers []carriersapi.Finding `json:"blockers,omitempty"`
}

// SchemaName is the name of the body in the OpenAPI document.
func (refusedCarrier) SchemaName() string { return "RefusedCarrier" }

type createOffersOutput struct {
	Body struct {
		Offers   []sentOffer      `json:"offers" nullable:"false"`
		Refused  []refusedCarrier `json:"refused" nullable:"false"`
		Warnings []store.Warning  `json:"warnings" nullable:"false" doc:"What may be wrong."`
	}
}

func (d *desk) createOffers(ctx context.Context, in *createOffersInput) (*createOffersOutput, error) {
	if in.Body.Amount != "" {
		if err := d.offers.MaySet(ctx, "amount"); err != nil {
			return nil, err
		}
	}
	in.Body.Override = strings.TrimSpace(in.Body.Override)
	b, out := in.Body, &createOffersOutput{}
	out.Body.Offers, out.Body.Refused, out.Body.Warnings = []sentOffer{}, []refusedCarrier{}, []store.Warning{}
	if who, _ := principal.From(ctx); b.Override != "" && !who.Allows(dispatchesapi.Area+":override") {
		return nil, principal.Lacks(dispatchesapi.Area + ":override")
	}
	switch n := len(b.Carriers) + len(b.New); {
	case n == 0:
		return nil, store.ErrInvalidOffer.WithField("carrier_uuids", "A carrier is required, here or in new_carriers.")
	case n > mostOffers:
		return nil, store.ErrInvalidOffer.WithField("new_carriers", "A load is offered to at most 50 carriers at a time.")
	}
	if len(b.Carriers)+len(b.New) > 1 && b.Mode != "broadcast" && b.Mode != "sequential" {
		return nil, store.ErrInvalidOffer.WithField("mode", "For more than one carrier, the mode must be broadcast or sequential.")
	}
	if b.Mode == "sequential" && b.Channels == nil {
		return nil, store.ErrInvalidOffer.WithField("channels", "A sequence writes to one carrier after the other by itself: it needs a channel, sms or email. With [], you pass on each link yourself.")
	}
	if err := d.given.CanSend(ctx, b.Channels); err != nil {
		return nil, err
	}
	terms, err := d.settings.Read(ctx)
	if err != nil {
		return nil, err
	}
	err = d.db.InTx(ctx, func(ctx context.Context) error {
		of, err := d.standings.ForCarrier(ctx, b.Load.String())
		if err != nil {
			return err
		}
		like := in.offer(of, terms.Now)
		if wrong := like.CheckTerms(store.ErrInvalidOffer); len(wrong.Fields) > 0 {
			return wrong
		}
		can, err := d.daysOf(ctx, of)
		if err != nil {
			return err
		}
		if wrong := can.Check(like.Days(), store.Dates{}, false); len(wrong.Fields) > 0 {
			return wrong
		}
		if _, err := d.views.Proposed(ctx, of.Load, "", string(like.Amount)); err != nil {
			return err
		}
		if of.Carried {
			return store.ErrInvalidOffer.WithField("load_uuid", "The company carries this load itself.")
		}
		asked, err := in.asked(ctx, d.prospects)
		if err != nil {
			return err
		}
		out.Body.Refused = []refusedCarrier{} // those of an attempt before
		to, err := d.pick(ctx, in, asked, of, &out.Body.Refused)
		if err != nil {
			return err
		}
		out.Body.Warnings = append([]store.Warning{}, store.OfferingWarnings(of, like.PickupDate)...)
		out.Body.Offers, err = d.offerTo(ctx, like, to, b.Message)

		return err
	})
	for i := range out.Body.Offers {
		if err == nil {
			err = d.offers.Show(ctx, nil, &out.Body.Offers[i].Offer)
		}
	}

	return out, err
}

// offerTo makes offers like one to some carriers, and sends those whose turn it is.
func (d *desk) offerTo(ctx context.Context, like store.Offer, to []uuid.UUID, message string) ([]sentOffer, error) {
	rows := make([]store.Offer, len(to))
	for i, id := range to {
		rows[i] = like
		rows[i].Carrier, rows[i].Rank = id, int64(i)+1
	}
	rows, err := d.offers.CreateSome(ctx, rows)
	if err != nil {
		return nil, err
	}
	var turn []uuid.UUID
	all := make([]sentOffer, len(rows))
	for i, row := range rows {
		all[i] = sentOffer{Offer: row, Unreached: []string{}, Why: map[string]string{}}
		if i == 0 || row.Mode != "sequential" {
			turn = append(turn, row.ID)
		}
	}
	sent, err := d.send(ctx, turn, store.VerbSend, store.Proposal{Party: store.Broker, Note: message})
	for i, row := range rows {
		if one, its := sent[row.ID]; its {
			all[i] = one
		}
	}

	return all, err
}

// offer is what each carrier is offered.
func (in *createOffersInput) offer(of loadsapi.Standing, terms preferences.Preferences) store.Offer {
	b, batch := in.Body, database.NewID()
	o := store.Offer{
		Load: b.Load, Mode: b.Mode, Batch: &batch, Amount: b.Amount, Currency: money.Currency(of.Currency), PickupDate: b.Pickup, DeliveryDate: b.Delivery,
		Minutes: b.Minutes, Message: b.Message,
	}
	o.Channels.V = b.Channels
	if o.Amount == "" {
		o.Amount = money.Amount(of.CarrierPay)
	}
	if o.Mode == "" {
		o.Mode = "direct"
	}
	if o.Minutes == 0 && o.Mode == "sequential" {
		o.Minutes = terms.NextMinutes
	} else if o.Minutes == 0 {
		o.Minutes = terms.OfferMinutes
	}

	return o
}

// mostOffers is to how many carriers a load is offered at a time.
const mostOffers = 50

// prospective reports whether a carrier is a prospect: it sees the offer, and gets the load once it is none any more, and nothing else is against it.
func prospective(v carriersapi.Verdict) bool {
	return slices.ContainsFunc(v.Blockers, func(f carriersapi.Finding) bool { return f.Code == "prospect" })
}

// pick returns the carriers to whom a load is offered, and lists the others.
func (d *desk) pick(ctx context.Context, in *createOffersInput, ids []uuid.UUID, of loadsapi.Standing, refused *[]refusedCarrier) (to []uuid.UUID, err error) {
	texts := make([]string, len(ids))
	for i, id := range ids {
		texts[i] = id.String()
	}
	all, err := d.verdicts.Judge(ctx, carriersapi.Load{Declared: of.Declared, Delivery: of.Delivery.To}, texts...)
	if err != nil {
		return nil, err
	}
	before, err := d.rows.CancelledDispatches(ctx, in.Body.Load)
	if err != nil {
		return nil, err
	}
	open, err := d.rows.OpenOffers(ctx, in.Body.Load)
	if err != nil {
		return nil, err
	}
	standing := make([]string, 0, len(all))
	for _, v := range all {
		standing = append(standing, v.Carrier)
	}
	unwanted, err := d.coverage.Unwanted(ctx, of.Load, standing...)
	if err != nil {
		return nil, err
	}
	refuse := func(id uuid.UUID, code, message string, blockers []carriersapi.Finding) {
		*refused = append(*refused, refusedCarrier{id, code, message, blockers})
	}
	for i, asked := range ids {
		v, known := all[texts[i]]
		id := item.ID(v.Carrier) // the one that it was merged into
		switch {
		case !known:
			refuse(asked, "carriers.carrier_not_found", "There is no such carrier.", nil)
		case slices.Contains(to, id) || slices.ContainsFunc(open, func(o store.Offer) bool { return o.Carrier == id }):
			refuse(asked, store.ErrOfferOpen.Code, store.ErrOfferOpen.Message, nil)
		case unwanted[v.Carrier] != nil:
			why, _ := errors.AsType[*errs.Error](unwanted[v.Carrier])
			refuse(asked, why.Code, why.Message, nil)
		case !v.Eligible && in.Body.Override == "" && !prospective(v):
			refuse(asked, store.ErrIneligible.Code, store.ErrIneligible.Message, v.Blockers)
		case in.Body.Override == "" && slices.ContainsFunc(before, func(b store.Dispatch) bool { return b.Carrier == id && b.State == store.CancelledByCarrier }):
			refuse(asked, "dispatches.bounced", "The carrier has given this load back before.", nil)
		default:
			reach, err := d.reach(ctx, id, in.Body.Channels, notify.Sales)
			if err != nil {
				return nil, err
			}
			if len(in.Body.Channels) > 0 && len(reach.Recipients) == 0 {
				refuse(id, notify.ErrNoChannel.Code, "No channel reaches the carrier: "+reach.why()+" Without channels, you pass on the link yourself.", nil)

				continue
			}
			to = append(to, id)
		}
	}

	return to, nil
}

type counterInput struct {
	web.IfMatch

	UUID uuid.UUID `path:"uuid" format:"uuid"`
	Body struct {
		Amount   money.Amount `json:"amount,omitempty" example:"950.00"`
		Pickup   field.Date   `json:"pickup_date,omitempty"`
		Delivery field.Date   `json:"delivery_date,omitempty"`
		Shown    int          `json:"shown,omitempty" minimum:"1" doc:"How many transactions the offer had when you read it: the n of the last one. Required without If-Match."`
		Note     string       `json:"note,omitempty" maxLength:"500"`
	}
}

type acceptInput struct {
	web.IfMatch

	UUID uuid.UUID `path:"uuid" format:"uuid"`
	Body struct {
		Pickup   field.Date `json:"pickup_date,omitempty" doc:"By default that of the offer."`
		Delivery field.Date `json:"delivery_date,omitempty"`
		Shown    int        `json:"shown,omitempty" minimum:"1" doc:"How many transactions the offer had when you read it: the n of the last one. Required without If-Match."`
		Note     string     `json:"note,omitempty" maxLength:"500" doc:"How the carrier agreed. With the scope loads:override, also why the load goes although the customer has yet to sign its changes."`
	}
}

type noteInput struct {
	web.IfMatch

	UUID uuid.UUID `path:"uuid" format:"uuid"`
	Body struct {
		Note string `json:"note,omitempty" maxLength:"500"`
	}
}

type sendInput struct {
	web.IfMatch

	UUID uuid.UUID `path:"uuid" format:"uuid"`
	Body struct {
		Minutes int64  `json:"expires_in_minutes,omitempty" minimum:"5" maximum:"20160" doc:"By default as before."`
		Shown   int    `json:"shown,omitempty" minimum:"1" doc:"How many transactions the offer had when you read it. Required without If-Match if the terms are the carrier's counter."`
		Note    string `json:"note,omitempty" maxLength:"500"`
	}
}

type sendOutput struct{ Body sentOffer }

// sendAgain has a carrier be able to answer an offer that it could not answer.
func (d *desk) sendAgain(verb resource.Verb) func(ctx context.Context, in *sendInput) (*sendOutput, error) {
	return func(ctx context.Context, in *sendInput) (*sendOutput, error) {
		out := &sendOutput{}
		err := d.db.InTx(ctx, func(ctx context.Context) error {
			o, err := d.offers.Find(ctx, in.UUID)
			if err != nil {
				return err
			}
			if _, err := d.standings.ForCarrier(ctx, o.Load.String()); err != nil {
				return err
			}
			if banned, err := d.banned(ctx, o.Carrier.String()); err != nil || banned {
				return cmp.Or(err, error(store.ErrIneligible.WithMessage("The carrier is marked as do not use.")))
			}
			out.Body, err = d.sendOne(ctx, in.UUID, verb, store.Proposal{Party: store.Broker, Note: in.Body.Note, Minutes: in.Body.Minutes, Shown: in.Body.Shown, Match: in.IfMatch})

			return err
		})
		if err != nil {
			return nil, err
		}

		return out, d.offers.Show(ctx, nil, &out.Body.Offer)
	}
}

func (d *desk) offerSubject(ctx context.Context, id uuid.UUID) (link.Subject, error) {
	_, err := d.offers.Find(ctx, id)

	return link.Subject{Type: dispatchesapi.Offer, ID: id}, err
}

func (d *desk) giveOffer(ctx context.Context, id uuid.UUID) (share.Given, error) {
	o, err := d.offers.Find(ctx, id)
	if err != nil {
		return share.Given{}, err
	}
	of, err := d.standings.Standing(ctx, o.Load.String())
	if err != nil {
		return share.Given{}, err
	}
	brand, err := d.brands.Brand(ctx)

	return share.Given{
		Purpose: sheet, Subject: link.Subject{Type: dispatchesapi.Offer, ID: id}, Page: base + "/carrier/",
		Title: brand.Name + ": load " + of.Number, Text: brand.Name + ": " + offerText(of.Number),
	}, err
}
