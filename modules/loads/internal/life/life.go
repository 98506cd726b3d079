// Package life has the steps of the lives of loads that people take.
package life

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"time"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/loads/internal/admission"
	"github.com/dispatchd/dispatchd/modules/loads/internal/assigning"
	"github.com/dispatchd/dispatchd/modules/loads/internal/lookup"
	"github.com/dispatchd/dispatchd/modules/loads/internal/signing"
	"github.com/dispatchd/dispatchd/modules/loads/internal/store"
	"github.com/dispatchd/dispatchd/modules/loads/internal/terms"
	"github.com/dispatchd/dispatchd/modules/loads/loadsapi"
	"github.com/dispatchd/dispatchd/platform/clock"
	"github.com/dispatchd/dispatchd/platform/errs"
	"github.com/dispatchd/dispatchd/platform/identity"
	"github.com/dispatchd/dispatchd/platform/money"
	"github.com/dispatchd/dispatchd/platform/principal"
	"github.com/dispatchd/dispatchd/platform/resource"
	"github.com/dispatchd/dispatchd/platform/state"
	"github.com/dispatchd/dispatchd/platform/web"
)

// Desk takes the steps of the lives of loads that people take.
type Desk struct {
	loads     *resource.Resource[store.Load]
	terms     *terms.Reader
	admission *admission.Admission
	desk      *assigning.Desk
	clock     clock.Clock
}

// New returns a Desk.
func New(loads *resource.Resource[store.Load], t *terms.Reader, a *admission.Admission, d *assigning.Desk, c clock.Clock) *Desk {
	return &Desk{loads, t, a, d, c}
}

// Routes are the operations that take steps.
func Routes(r *web.Router, s *Desk) {
	web.Register(r, web.Operation{
		Method: http.MethodPost, Path: "/loads/{uuid}/book", ID: "book_load", Access: web.Write, Summary: "Book a load",
		Description: "It has a customer, stops, vehicles, a day and a price. A load on account to a contact that gets no credit is booked with a reason and the scope loads:override.",
		Errors:      store.StepErrors(append(store.Rules().Errors, state.ErrNotYours)...),
	}, s.bookByHand)
	web.Register(r, web.Operation{
		Method: http.MethodPost, Path: "/loads/{uuid}/cover", ID: "cover_load", Access: web.Write, Summary: "Give a load to a carrier",
		Description: "By hand, such as for a carrier that was called. From here on the carrier may know all of the load. `carrier_pay`, or If-Match, says for what it has the load.",
		Errors:      store.StepErrors(store.ErrOnHold, store.ErrNoCarrier, store.ErrPay, signing.ErrUnsigned, state.ErrNotYours),
	}, s.cover)
	web.Register(r, web.Operation{
		Method: http.MethodPost, Path: "/loads/{uuid}/complete", ID: "complete_load", Access: web.Write, Summary: "End a load with nothing left to do",
		Description: "All is paid by customer and carrier; else this takes the scope loads:override and a note.", Errors: store.StepErrors(store.ErrUnpaid),
	}, s.complete)
	web.Register(r, web.Operation{
		Method: http.MethodPost, Path: "/loads/{uuid}/lose", ID: "lose_load", Access: web.Write, Summary: "End a load that was not sold", Errors: store.StepErrors(),
	}, s.lose)
	web.Register(r, web.Operation{
		Method: http.MethodPost, Path: "/loads/{uuid}/cancel", ID: "cancel_load", Access: web.Write, Summary: "Cancel a load",
		Description: "Once a vehicle was picked up, this takes the scope loads:override and a note.", Errors: store.StepErrors(state.ErrNotYours, store.ErrNoNote),
	}, s.cancel)
	web.Register(r, web.Operation{
		Method: http.MethodPost, Path: "/loads/{uuid}/hold", ID: "hold_load", Access: web.Write, Summary: "Hold a load",
		Description: "A held load is not booked, cleared or covered. Its vehicles still move.", Errors: []*errs.Error{s.loads.NotFound(), store.ErrInvalid},
	}, s.hold)
	web.Register(r, web.Operation{
		Method: http.MethodPost, Path: "/loads/{uuid}/release", ID: "release_load", Access: web.Write, Summary: "Let a held load go on", Errors: []*errs.Error{s.loads.NotFound()},
	}, s.release)
	web.Register(r, web.Operation{
		Method: http.MethodPost, Path: "/loads/{uuid}/reassign", ID: "reassign_load", Access: web.Write, Summary: "Have others work on a load",
		Description: "What the body leaves out stays.", Errors: []*errs.Error{s.loads.NotFound(), store.ErrInvalid, identity.ErrUserNotFound},
	}, s.reassign)
}

type oneInput struct {
	web.IfMatch

	UUID uuid.UUID `path:"uuid" format:"uuid"`
}

type bookByHandInput struct {
	web.IfMatch

	UUID uuid.UUID `path:"uuid" format:"uuid"`
	Body *struct {
		Reason string `json:"reason,omitempty" maxLength:"1000" doc:"The reason; kept in the log. With the scope loads:override, also why the contact gets credit all the same."`
		Party  string `json:"party,omitempty" maxLength:"100" doc:"On whose behalf; kept in the log."`
	}
}

func (s *Desk) bookByHand(ctx context.Context, in *bookByHandInput) (*web.Resource[store.Load], error) {
	move := state.Move{Verb: string(store.VerbBook)}
	if in.Body != nil {
		move.Reason, move.Party = in.Body.Reason, in.Body.Party
	}
	row, err := s.loads.Change(ctx, in.UUID, in.IfMatch, store.VerbBook, func(ctx context.Context, l *store.Load) error {
		if who, _ := principal.From(ctx); who.Allows(loadsapi.Area + ":" + store.OverrideScope) {
			l.CreditReason = strings.TrimSpace(move.Reason)
		}

		return s.loads.Step(ctx, l, move)
	})

	return s.loads.Answer(ctx, row, err)
}

type coverInput struct {
	web.IfMatch

	UUID uuid.UUID `path:"uuid" format:"uuid"`
	Body struct {
		CarrierUUID uuid.UUID    `json:"carrier_uuid,omitzero" doc:"A carrier of the company; left out for a load that the company carries itself."`
		CarrierPay  money.Amount `json:"carrier_pay,omitempty" doc:"The carrier_pay of the load, as you read it. Required without If-Match if a carrier gets something." example:"900.00"`
		Note        string       `json:"note,omitempty" maxLength:"500"`
	}
}

func (s *Desk) cover(ctx context.Context, in *coverInput) (*web.Resource[store.Load], error) {
	row, err := s.loads.Change(ctx, in.UUID, in.IfMatch, store.VerbCover, func(ctx context.Context, l *store.Load) error {
		if in.Body.CarrierUUID != uuid.Nil {
			l.Carrier = &in.Body.CarrierUUID
		}
		if l.Carrier == nil && l.Role == store.Broker {
			return store.ErrNoCarrier
		}
		if err := s.agreed(ctx, in, l); err != nil {
			return err
		}
		if err := admission.MayGo(ctx, l, in.Body.Note); err != nil {
			return err
		}
		if err := s.loads.Step(ctx, l, state.Move{Verb: string(store.VerbCover), Reason: in.Body.Note}); err != nil || l.Carrier == nil {
			return err
		}

		return s.admission.Admit(ctx, l)
	})

	return s.loads.Answer(ctx, row, err)
}

// agreed refuses to give a load to a carrier for a pay that the caller does not name, or that is another one by now.
func (s *Desk) agreed(ctx context.Context, in *coverInput, l *store.Load) error {
	pay, _ := l.Units(l.CarrierPay) // checked before
	if in.Body.CarrierPay != "" {
		if err := s.loads.MaySet(ctx, "carrier_pay"); err != nil {
			return err
		}
	}
	switch named, ok := l.Units(in.Body.CarrierPay); {
	case l.Carrier == nil || l.CarriedByCompany() || pay == 0 && in.Body.CarrierPay == "":
		return nil
	case in.Body.CarrierPay == "" && (in.IfMatch.IfMatch == "" || in.IfMatch.IfMatch == "*"):
		return store.ErrInvalid.WithField("carrier_pay", "The `carrier_pay` is required: what the carrier gets, as you read it. Or send If-Match with the ETag of the load.")
	case in.Body.CarrierPay != "" && (!ok || named != pay):
		return store.ErrPay.WithDetail("carrier_pay", l.AmountOf(pay))
	}

	return nil
}

type loseInput struct {
	web.IfMatch

	UUID uuid.UUID `path:"uuid" format:"uuid"`
	Body struct {
		Reason string `json:"reason" maxLength:"40" doc:"The id of one of lost_reasons of the settings." example:"price"`
		Note   string `json:"note,omitempty" maxLength:"500"`
	}
}

func (s *Desk) lose(ctx context.Context, in *loseInput) (*web.Resource[store.Load], error) {
	row, err := s.loads.Change(ctx, in.UUID, in.IfMatch, store.VerbLose, func(ctx context.Context, l *store.Load) error {
		known, err := s.terms.Now(ctx)
		if err != nil {
			return err
		}
		if !terms.Has(known.LostReasons, in.Body.Reason) {
			return store.ErrInvalid.WithField("reason", "The reason must be the id of one of lost_reasons of the settings.")
		}
		l.ReasonID = in.Body.Reason

		return s.loads.Step(ctx, l, state.Move{Verb: string(store.VerbLose), Reason: in.Body.Note})
	})

	return s.loads.Answer(ctx, row, err)
}

type cancelInput struct {
	web.IfMatch

	UUID uuid.UUID `path:"uuid" format:"uuid"`
	Body struct {
		Reason string `json:"reason" maxLength:"40" doc:"The id of one of cancel_reasons of the settings." example:"customer"`
		By     string `json:"by,omitempty" enum:"customer,carrier,broker" doc:"By default who is responsible by the reason."`
		Note   string `json:"note,omitempty" maxLength:"500"`
	}
}

func (s *Desk) cancel(ctx context.Context, in *cancelInput) (*web.Resource[store.Load], error) {
	row, err := s.loads.Change(ctx, in.UUID, in.IfMatch, store.VerbCancel, func(ctx context.Context, l *store.Load) error {
		known, err := s.terms.Now(ctx)
		if err != nil {
			return err
		}
		l.ReasonID, l.EndedBy = "", in.Body.By
		for _, r := range known.EndReasons {
			if r.ID == in.Body.Reason {
				l.ReasonID = r.ID
				if l.EndedBy == "" {
					l.EndedBy = r.Responsible
				}
			}
		}
		if l.ReasonID == "" {
			return store.ErrInvalid.WithField("reason", "The reason must be the id of one of cancel_reasons of the settings.")
		}
		err = s.loads.Step(ctx, l, state.Move{Verb: string(store.VerbCancel), Reason: in.Body.Note, Party: l.EndedBy})
		if errors.Is(err, state.ErrNoReason) { // the reason of the step is the note
			err = store.ErrNoNote
		}

		return err
	})

	return s.loads.Answer(ctx, row, err)
}

type holdInput struct {
	web.IfMatch

	UUID uuid.UUID `path:"uuid" format:"uuid"`
	Body struct {
		Reason string    `json:"reason" maxLength:"40" doc:"The id of one of hold_reasons of the settings." example:"payment"`
		Note   string    `json:"note,omitempty" maxLength:"500"`
		Until  time.Time `json:"until,omitzero" doc:"When it is released automatically; by default not."`
	}
}

func (s *Desk) hold(ctx context.Context, in *holdInput) (*web.Resource[store.Load], error) {
	row, err := s.loads.Change(ctx, in.UUID, in.IfMatch, store.VerbHold, func(ctx context.Context, l *store.Load) error {
		known, err := s.terms.Now(ctx)
		if err != nil {
			return err
		}
		now := s.clock.Now()
		switch {
		case !terms.Has(known.HoldReasons, in.Body.Reason):
			return store.ErrInvalid.WithField("reason", "The reason must be the id of one of hold_reasons of the settings.")
		case !in.Body.Until.IsZero() && !in.Body.Until.After(now):
			return store.ErrInvalid.WithField("until", "`until` must be in the future.")
		}
		l.HoldReason, l.HoldNote, l.HoldUntil, l.HeldAt, l.HeldBy = in.Body.Reason, in.Body.Note, nil, &now, nil
		if !in.Body.Until.IsZero() {
			until := in.Body.Until.UTC()
			l.HoldUntil = &until
		}
		if who, _ := principal.From(ctx); who.User != uuid.Nil {
			l.HeldBy = &who.User
		}

		return nil
	})

	return s.loads.Answer(ctx, row, err)
}

func (s *Desk) release(ctx context.Context, in *oneInput) (*web.Resource[store.Load], error) {
	row, err := s.loads.Change(ctx, in.UUID, in.IfMatch, store.VerbRelease, func(_ context.Context, l *store.Load) error {
		l.LetGo()

		return nil
	})

	return s.loads.Answer(ctx, row, err)
}

type reassignInput struct {
	web.IfMatch

	UUID uuid.UUID `path:"uuid" format:"uuid"`
	Body struct {
		UserUUID       *uuid.UUID `json:"user_uuid,omitempty" doc:"Who sells the load from now on."`
		By             string     `json:"by,omitempty" enum:"rules" doc:"rules: the assignment rules say who sells it from now on; it stays as it was if none of them finds somebody."`
		DispatcherUUID *uuid.UUID `json:"dispatcher_uuid,omitempty" doc:"Who finds the carrier from now on."`
	}
}

func (s *Desk) reassign(ctx context.Context, in *reassignInput) (*web.Resource[store.Load], error) {
	row, err := s.loads.Change(ctx, in.UUID, in.IfMatch, store.VerbReassign, func(ctx context.Context, l *store.Load) error {
		switch {
		case in.Body.UserUUID != nil:
			l.Assigned = in.Body.UserUUID
		case in.Body.By != "":
			to, err := s.desk.Assign(ctx, []assigning.Load{lookup.ToAssign(*l)})
			if err != nil {
				return err
			}
			if to[0] != nil {
				l.Assigned = to[0]
			}
		}
		if in.Body.DispatcherUUID != nil {
			l.Dispatcher = in.Body.DispatcherUUID
		}

		return nil
	})

	return s.loads.Answer(ctx, row, err)
}

type completeInput struct {
	web.IfMatch

	UUID uuid.UUID `path:"uuid" format:"uuid"`
	Body struct {
		Note string `json:"note,omitempty" maxLength:"500" doc:"Why, if something is left to pay."`
	}
}

func (s *Desk) complete(ctx context.Context, in *completeInput) (*web.Resource[store.Load], error) {
	row, err := s.loads.Change(ctx, in.UUID, in.IfMatch, store.VerbComplete, func(ctx context.Context, l *store.Load) error {
		who, _ := principal.From(ctx)
		if l.State == loadsapi.Delivered && !l.Balance().Settled() && (in.Body.Note == "" || !who.Allows(loadsapi.Area+":"+store.OverrideScope)) {
			b := l.Balance()

			return store.Concealed(ctx, store.ErrUnpaid.WithDetail("customer_balance", l.AmountOf(b.Customer)).WithDetail("carrier_balance", l.AmountOf(b.Carrier)))
		}

		return s.loads.Step(ctx, l, state.Move{Verb: string(store.VerbComplete), Reason: in.Body.Note})
	})

	return s.loads.Answer(ctx, row, err)
}
