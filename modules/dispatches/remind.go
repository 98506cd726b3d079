package dispatches

import (
	"cmp"
	"context"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/dispatches/dispatchesapi"
	"github.com/dispatchd/dispatchd/modules/dispatches/internal/store"
	"github.com/dispatchd/dispatchd/platform/errs"
	"github.com/dispatchd/dispatchd/platform/link"
	"github.com/dispatchd/dispatchd/platform/notify"
	"github.com/dispatchd/dispatchd/platform/share"
	"github.com/dispatchd/dispatchd/platform/state"
	"github.com/dispatchd/dispatchd/platform/web"
)

const (
	remindEvery   = 30 * time.Minute
	mostReminders = 5
)

var errNotUnderWay = errs.New(errs.Conflict, "dispatches.not_under_way", "The carrier does not have the load, or has delivered it. There is nothing to remind it of.")

// reminders have carriers answer in time, come and arrive.
type reminders struct{ desk *desk }

func newReminders(d *desk) reminders { return reminders{d} }

func remindRoutes(r *web.Router, s reminders) {
	open := []*errs.Error{s.desk.offers.NotFound(), store.ErrInvalidOffer, store.ErrOfferExpired, store.ErrNotYourTurn, store.ErrNotOpen, store.ErrVehicleTaken, state.ErrNotAllowed, state.ErrMoved}
	web.Register(r, web.Operation{
		Method: http.MethodPost, Path: "/offers/{uuid}/remind", ID: "remind_carrier", Access: web.Scope("offer"), Secret: true, Summary: "Remind a carrier of an offer",
		Description: "At most every 30 minutes, and five times. One that no channel takes to the carrier is not counted.", Errors: append(slices.Clone(open), store.ErrRemindedRecently, share.ErrRecipient),
	}, s.remindOfOffer)
	web.Register(r, web.Operation{
		Method: http.MethodPost, Path: "/offers/{uuid}/extend", ID: "extend_offer", Access: web.Scope("offer"), Summary: "Let a carrier answer an offer for longer",
		Description: "From now on, and not for shorter than before. One that has expired is reactivated instead.", Errors: open,
	}, s.extend)
	web.Register(r, web.Operation{
		Method: http.MethodPost, Path: "/dispatches/{uuid}/remind", ID: "remind_dispatch", Access: web.Write, Secret: true, Summary: "Remind a carrier of a load that it has",
		Description: "Of the pickup, and then of the delivery: at most every 30 minutes, and five times. Only this response has the text of the link.",
		Errors:      []*errs.Error{s.desk.dispatches.NotFound(), store.ErrInvalidDispatch, errNotUnderWay, store.ErrRemindedRecently, share.ErrRecipient},
	}, s.remindOfDispatch)
}

// again reminds and counts that, and refuses one reminder too many. One that reaches nobody by the channels that it was to take is not counted.
func again(count *int64, last **time.Time, now time.Time, channels []string, remind func() (share.Share, error)) error {
	if *last != nil && now.Sub(**last) < remindEvery {
		return store.ErrRemindedRecently.WithRetryAfter(remindEvery - now.Sub(**last))
	}
	if *count >= mostReminders {
		return store.ErrRemindedRecently.WithMessage("The carrier was reminded %d times, which is the most. Call it instead.", *count)
	}
	given, err := remind()
	if err != nil {
		return err
	}
	if len(channels) == 0 || slices.ContainsFunc(given.Deliveries, func(d share.Delivery) bool { return d.Result == share.Sent }) {
		*count++
		*last = &now
	}

	return nil
}

func (s reminders) remindOfOffer(ctx context.Context, in *noteInput) (*sendOutput, error) {
	out, now, d := &sendOutput{}, s.desk.now(), s.desk
	var given share.Share
	o, err := d.offers.Change(ctx, in.UUID, in.IfMatch, store.VerbRemind, func(ctx context.Context, o *store.Offer) error {
		if err := d.answerable(*o, store.Proposal{Party: store.Carrier}); err != nil {
			return err
		}

		return again(&o.Reminders, &o.RemindedAt, now, o.Channels.V, func() (_ share.Share, err error) {
			given, err = d.tell(ctx, *o, func(load string) string {
				return strings.TrimSpace("Please answer our offer of the load " + load + ". " + in.Body.Note)
			})

			return given, err
		})
	})
	if err != nil {
		return nil, err
	}
	if out.Body, err = d.sentOf(ctx, o, given); err != nil {
		return nil, err
	}

	return out, d.offers.Show(ctx, nil, &out.Body.Offer)
}

type extendInput struct {
	web.IfMatch

	UUID uuid.UUID `path:"uuid" format:"uuid"`
	Body struct {
		Minutes int64  `json:"expires_in_minutes,omitempty" minimum:"5" maximum:"20160" doc:"By default as long as when it was sent."`
		Note    string `json:"note,omitempty" maxLength:"500"`
	}
}

// extend has an offer expire later.
func (s reminders) extend(ctx context.Context, in *extendInput) (*web.Resource[store.Offer], error) {
	now := s.desk.now()
	row, err := s.desk.offers.Change(ctx, in.UUID, in.IfMatch, store.VerbExtend, func(ctx context.Context, o *store.Offer) error {
		if err := s.desk.answerable(*o, store.Proposal{Party: o.Turn}); err != nil {
			return err
		}
		until := now.Add(time.Duration(cmp.Or(in.Body.Minutes, o.Minutes)) * time.Minute)
		if until.Before(*o.ExpiresAt) {
			return store.ErrInvalidOffer.WithField("expires_in_minutes", "The offer expires later already.")
		}
		o.ExpiresAt = &until
		o.Record(ctx, string(store.VerbExtend), store.Proposal{Party: store.Broker, Amount: o.Amount, Pickup: o.PickupDate, Delivery: o.DeliveryDate, Note: in.Body.Note}, now)

		return nil
	})

	return s.desk.offers.Answer(ctx, row, err)
}

type remindDispatchInput struct {
	web.IfMatch

	UUID uuid.UUID `path:"uuid" format:"uuid"`
	Body struct {
		Channels []string `json:"channels,omitempty" maxItems:"2" nullable:"false" enum:"email,sms" doc:"By default all by which the carrier can be reached; [] for none, to give it the link yourself."`
		Note     string   `json:"note,omitempty" maxLength:"500" doc:"What is added to the text."`
	}
}

type remindDispatchOutput struct{ Body remindedDispatch }

// remindedDispatch is a dispatch of which its carrier was reminded, and the link that it was sent.
type remindedDispatch struct {
	Dispatch  store.Dispatch `json:"dispatch"`
	Link      share.Share    `json:"link"`
	Unreached []string       `json:"unreached" nullable:"false" doc:"Those of the channels that have not taken the message to the carrier."`
	// Why is by channel.
	Why map[string]string `json:"unreached_reasons" nullable:"false" doc:"Why they have not, by channel."`
}

// SchemaName is the name of the body in the OpenAPI document.
func (remindedDispatch) SchemaName() string { return "RemindedDispatch" }

func (s reminders) remindOfDispatch(ctx context.Context, in *remindDispatchInput) (*remindDispatchOutput, error) {
	out, d, now := &remindDispatchOutput{}, s.desk, s.desk.now()
	channels := in.Body.Channels
	if channels == nil {
		channels = []string{"email", "sms"}
	}
	row, err := d.dispatches.Change(ctx, in.UUID, in.IfMatch, store.VerbRemind, func(ctx context.Context, row *store.Dispatch) error {
		if row.State != store.Assigned && row.State != store.PickedUp {
			return errNotUnderWay.WithDetail("state", row.State)
		}

		return again(&row.Reminders, &row.RemindedAt, now, channels, func() (_ share.Share, err error) {
			out.Body.Link, err = s.tellOfDispatch(ctx, *row, channels, in.Body.Note)

			return out.Body.Link, err
		})
	})
	if err != nil {
		return nil, err
	}
	out.Body.Dispatch = row
	if out.Body.Unreached, out.Body.Why, err = d.missed(ctx, row.Carrier, channels, out.Body.Link.Deliveries, notify.Business); err != nil {
		return nil, err
	}

	return out, d.dispatches.Show(ctx, nil, &out.Body.Dispatch)
}

// tellOfDispatch makes a link for the carrier of a dispatch, and sends it by channels with what the carrier is reminded of.
func (s reminders) tellOfDispatch(ctx context.Context, row store.Dispatch, channels []string, note string) (share.Share, error) {
	brand, err := s.desk.brands.Brand(ctx)
	if err != nil {
		return share.Share{}, err
	}
	to, err := s.desk.reach(ctx, row.Carrier, channels, notify.Business)
	if err != nil {
		return share.Share{}, err
	}

	return s.desk.given.Give(ctx, share.Given{
		Purpose: sheet, Subject: link.Subject{Type: dispatchesapi.Dispatch, ID: row.ID}, Page: base + "/carrier/", Title: brand.Name + ": load " + row.LoadNumber(),
		Text: brand.Name + ": " + strings.TrimSpace(row.ReminderText()+" "+note),
	}, share.Create{To: to.Recipients})
}
