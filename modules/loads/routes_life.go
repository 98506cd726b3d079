package loads

import (
	"cmp"
	"context"
	"errors"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/loads/internal/assigning"
	"github.com/dispatchd/dispatchd/modules/loads/internal/record"
	"github.com/dispatchd/dispatchd/modules/loads/internal/signing"
	"github.com/dispatchd/dispatchd/modules/loads/internal/terms"
	"github.com/dispatchd/dispatchd/modules/loads/loadsapi"
	"github.com/dispatchd/dispatchd/platform/errs"
	"github.com/dispatchd/dispatchd/platform/hook"
	"github.com/dispatchd/dispatchd/platform/identity"
	"github.com/dispatchd/dispatchd/platform/item"
	"github.com/dispatchd/dispatchd/platform/money"
	"github.com/dispatchd/dispatchd/platform/principal"
	"github.com/dispatchd/dispatchd/platform/state"
	"github.com/dispatchd/dispatchd/platform/web"
)

// lifeFailures are those of a step.
func (s *service) lifeFailures(more ...*errs.Error) []*errs.Error {
	return append([]*errs.Error{s.loads.NotFound(), errInvalid, state.ErrNotAllowed, state.ErrMoved}, more...)
}

func lifeRoutes(r *web.Router, s *service) {
	web.Register(r, web.Operation{
		Method: http.MethodPost, Path: "/loads/{uuid}/book", ID: "book_load", Access: web.Write, Summary: "Book a load",
		Description: "It has a customer, stops, vehicles, a day and a price. A load on account to a contact that gets no credit is booked with a reason and the scope loads:override.",
		Errors:      s.lifeFailures(append(rules().Errors, state.ErrNotYours)...),
	}, s.bookByHand)
	web.Register(r, web.Operation{
		Method: http.MethodPost, Path: "/loads/{uuid}/cover", ID: "cover_load", Access: web.Write, Summary: "Give a load to a carrier",
		Description: "By hand, such as for a carrier that was called. From here on the carrier may know all of the load. `carrier_pay`, or If-Match, says for what it has the load.",
		Errors:      s.lifeFailures(errOnHold, errNoCarrier, errPay, signing.ErrUnsigned, state.ErrNotYours),
	}, s.cover)
	web.Register(r, web.Operation{
		Method: http.MethodPost, Path: "/loads/{uuid}/complete", ID: "complete_load", Access: web.Write, Summary: "End a load with nothing left to do",
		Description: "All is paid by customer and carrier; else this takes the scope loads:override and a note.", Errors: s.lifeFailures(errUnpaid),
	}, s.complete)
	web.Register(r, web.Operation{
		Method: http.MethodPost, Path: "/loads/{uuid}/lose", ID: "lose_load", Access: web.Write, Summary: "End a load that was not sold", Errors: s.lifeFailures(),
	}, s.lose)
	web.Register(r, web.Operation{
		Method: http.MethodPost, Path: "/loads/{uuid}/cancel", ID: "cancel_load", Access: web.Write, Summary: "Cancel a load",
		Description: "Once a vehicle was picked up, this takes the scope loads:override and a note.", Errors: s.lifeFailures(state.ErrNotYours, errNoNote),
	}, s.cancel)
	web.Register(r, web.Operation{
		Method: http.MethodPost, Path: "/loads/{uuid}/hold", ID: "hold_load", Access: web.Write, Summary: "Hold a load",
		Description: "A held load is not booked, cleared or covered. Its vehicles still move.", Errors: []*errs.Error{s.loads.NotFound(), errInvalid},
	}, s.hold)
	web.Register(r, web.Operation{
		Method: http.MethodPost, Path: "/loads/{uuid}/release", ID: "release_load", Access: web.Write, Summary: "Let a held load go on", Errors: []*errs.Error{s.loads.NotFound()},
	}, s.release)
	web.Register(r, web.Operation{
		Method: http.MethodPost, Path: "/loads/{uuid}/reassign", ID: "reassign_load", Access: web.Write, Summary: "Have others work on a load",
		Description: "What the body leaves out stays.", Errors: []*errs.Error{s.loads.NotFound(), errInvalid, identity.ErrUserNotFound},
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

func (s *service) bookByHand(ctx context.Context, in *bookByHandInput) (*web.Resource[load], error) {
	move := state.Move{Verb: string(verbBook)}
	if in.Body != nil {
		move.Reason, move.Party = in.Body.Reason, in.Body.Party
	}
	row, err := s.loads.Change(ctx, in.UUID, in.IfMatch, verbBook, func(ctx context.Context, l *load) error {
		if who, _ := principal.From(ctx); who.Allows(loadsapi.Area + ":" + overrideScope) {
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

func (s *service) cover(ctx context.Context, in *coverInput) (*web.Resource[load], error) {
	row, err := s.loads.Change(ctx, in.UUID, in.IfMatch, verbCover, func(ctx context.Context, l *load) error {
		if in.Body.CarrierUUID != uuid.Nil {
			l.Carrier = &in.Body.CarrierUUID
		}
		if l.Carrier == nil && l.Role == broker {
			return errNoCarrier
		}
		if err := in.agreed(ctx, s, l); err != nil {
			return err
		}
		if err := mayGo(ctx, l, in.Body.Note); err != nil {
			return err
		}
		if err := s.loads.Step(ctx, l, state.Move{Verb: string(verbCover), Reason: in.Body.Note}); err != nil || l.Carrier == nil {
			return err
		}

		return s.admit(ctx, l)
	})

	return s.loads.Answer(ctx, row, err)
}

// agreed refuses to give a load to a carrier for a pay that the caller does not name, or that is another one by now.
func (in *coverInput) agreed(ctx context.Context, s *service, l *load) error {
	pay, _ := l.units(l.CarrierPay) // checked before
	if in.Body.CarrierPay != "" {
		if err := s.loads.MaySet(ctx, "carrier_pay"); err != nil {
			return err
		}
	}
	switch named, ok := l.units(in.Body.CarrierPay); {
	case l.Carrier == nil || l.own() || pay == 0 && in.Body.CarrierPay == "":
		return nil
	case in.Body.CarrierPay == "" && (in.IfMatch.IfMatch == "" || in.IfMatch.IfMatch == "*"):
		return errInvalid.WithField("carrier_pay", "The `carrier_pay` is required: what the carrier gets, as you read it. Or send If-Match with the ETag of the load.")
	case in.Body.CarrierPay != "" && (!ok || named != pay):
		return errPay.WithDetail("carrier_pay", l.amountOf(pay))
	}

	return nil
}

// admit asks whether the carrier of a load may have it.
func (s *service) admit(ctx context.Context, l *load) error {
	if err := s.checkCarrier(ctx, *l.Carrier); err != nil {
		return err
	}
	about := loadsapi.Covering{Load: l.ID.String(), Carrier: l.Carrier.String(), Declared: l.declared(), Delivery: l.deliveryDay()}
	if err := hook.Run(ctx, s.hooks, &about); err != nil {
		return err
	}
	carrier, err := uuid.Parse(about.Carrier)
	if err != nil {
		return err
	}
	l.Carrier = &carrier
	refused, err := s.choose(ctx, l, about.Carrier)
	if err != nil {
		return err
	}

	return refused[about.Carrier]
}

// declared is the sum of the declared values in US dollars, "" if none is declared, or not in dollars.
func (l *load) declared() string {
	var sum int64
	for _, v := range l.Vehicles.V {
		if v.Open() {
			units, _ := l.units(v.Declared) // checked before
			sum += units
		}
	}
	for _, c := range l.Commodities.V {
		units, _ := l.units(c.Declared)
		sum += units
	}
	if sum == 0 || l.Currency != "USD" {
		return ""
	}

	return string(l.amountOf(sum))
}

// deliveryDay is the day on which the last stop is to be reached, as clocks there show it; "" if it has no window.
func (l *load) deliveryDay() string {
	if len(l.Stops.V) == 0 {
		return ""
	}
	w := l.Stops.V[len(l.Stops.V)-1].Days()

	return cmp.Or(w.To, w.From)
}

// checkCarrier refuses a carrier that the company does not have.
func (s *service) checkCarrier(ctx context.Context, id uuid.UUID) error {
	missing, err := s.items.Exists(ctx, item.Ref{Type: record.CarrierItem, UUID: id})
	if len(missing) > 0 || errors.Is(err, item.ErrUnknownType) {
		return errInvalid.WithField("carrier_uuid", "There is no such carrier.")
	}

	return err
}

type loseInput struct {
	web.IfMatch

	UUID uuid.UUID `path:"uuid" format:"uuid"`
	Body struct {
		Reason string `json:"reason" maxLength:"40" doc:"The id of one of lost_reasons of the settings." example:"price"`
		Note   string `json:"note,omitempty" maxLength:"500"`
	}
}

func (s *service) lose(ctx context.Context, in *loseInput) (*web.Resource[load], error) {
	row, err := s.loads.Change(ctx, in.UUID, in.IfMatch, verbLose, func(ctx context.Context, l *load) error {
		known, err := s.settings(ctx)
		if err != nil {
			return err
		}
		if !terms.Has(known.LostReasons, in.Body.Reason) {
			return errInvalid.WithField("reason", "The reason must be the id of one of lost_reasons of the settings.")
		}
		l.ReasonID = in.Body.Reason

		return s.loads.Step(ctx, l, state.Move{Verb: string(verbLose), Reason: in.Body.Note})
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

func (s *service) cancel(ctx context.Context, in *cancelInput) (*web.Resource[load], error) {
	row, err := s.loads.Change(ctx, in.UUID, in.IfMatch, verbCancel, func(ctx context.Context, l *load) error {
		known, err := s.settings(ctx)
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
			return errInvalid.WithField("reason", "The reason must be the id of one of cancel_reasons of the settings.")
		}
		err = s.loads.Step(ctx, l, state.Move{Verb: string(verbCancel), Reason: in.Body.Note, Party: l.EndedBy})
		if errors.Is(err, state.ErrNoReason) { // the reason of the step is the note
			err = errNoNote
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

func (s *service) hold(ctx context.Context, in *holdInput) (*web.Resource[load], error) {
	row, err := s.loads.Change(ctx, in.UUID, in.IfMatch, verbHold, func(ctx context.Context, l *load) error {
		known, err := s.settings(ctx)
		if err != nil {
			return err
		}
		now := s.clock.Now()
		switch {
		case !terms.Has(known.HoldReasons, in.Body.Reason):
			return errInvalid.WithField("reason", "The reason must be the id of one of hold_reasons of the settings.")
		case !in.Body.Until.IsZero() && !in.Body.Until.After(now):
			return errInvalid.WithField("until", "`until` must be in the future.")
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

func (s *service) release(ctx context.Context, in *oneInput) (*web.Resource[load], error) {
	row, err := s.loads.Change(ctx, in.UUID, in.IfMatch, verbRelease, func(_ context.Context, l *load) error {
		l.letGo()

		return nil
	})

	return s.loads.Answer(ctx, row, err)
}

func (l *load) letGo() {
	l.HoldReason, l.HoldNote, l.HoldUntil, l.HeldAt, l.HeldBy = "", "", nil, nil, nil
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

func (s *service) reassign(ctx context.Context, in *reassignInput) (*web.Resource[load], error) {
	row, err := s.loads.Change(ctx, in.UUID, in.IfMatch, verbReassign, func(ctx context.Context, l *load) error {
		switch {
		case in.Body.UserUUID != nil:
			l.Assigned = in.Body.UserUUID
		case in.Body.By != "":
			to, err := s.desk.Assign(ctx, []assigning.Load{toAssign(*l)})
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

// loseEvery is how often leads are looked for of which nothing was heard any more.
const loseEvery = 24 * time.Hour

// loseStale is the job that loses leads and quoted loads that nobody has changed for as long as the settings say.
type loseStale struct{}

// Kind implements jobs.Args.
func (loseStale) Kind() string { return "loads.lose_stale" }

func (s *service) loseStale(ctx context.Context, _ loseStale) error {
	now, days := s.clock.Now(), map[uuid.UUID]int64{}

	return s.rows.eachStale(ctx, now.AddDate(0, 0, -terms.LeastLeadDays), func(ctx context.Context, id uuid.UUID) error {
		company := principal.CompanyOf(ctx)
		if _, known := days[company]; !known {
			kept, err := s.settings(ctx)
			if err != nil {
				return err
			}
			days[company] = kept.LeadExpiry
		}
		if days[company] == 0 {
			return nil
		}
		since := now.AddDate(0, 0, -int(days[company]))
		_, err := s.loads.Change(ctx, id, web.IfMatch{}, verbLose, func(ctx context.Context, l *load) error {
			if !slices.Contains(of(loadsapi.Lead, loadsapi.Quoted), l.State) || l.HeldAt != nil || l.UpdatedAt.After(since) {
				return nil // somebody was quicker, or has it wait
			}
			l.ReasonID = terms.Expired

			return s.loads.Step(ctx, l, state.Move{Verb: string(verbLose), Reason: "No further response."})
		})

		return err
	})
}

// releaseEvery is how often loads are looked for that go on by themselves.
const releaseEvery = time.Minute

// releaseHeld is the job that lets loads go on whose hold is over.
type releaseHeld struct{}

// Kind implements jobs.Args.
func (releaseHeld) Kind() string { return "loads.release_held" }

func (s *service) releaseHeld(ctx context.Context, _ releaseHeld) error {
	now := s.clock.Now()

	return s.rows.eachHeld(ctx, now, func(ctx context.Context, id uuid.UUID) error {
		_, err := s.loads.Change(ctx, id, web.IfMatch{}, verbRelease, func(_ context.Context, l *load) error {
			if l.HoldUntil != nil && !l.HoldUntil.After(now) {
				l.letGo()
			}

			return nil
		})

		return err
	})
}
