package carrierlink

import (
	"context"
	"strings"
	"time"

	"github.com/dispatchd/dispatchd/modules/dispatches/internal/carrying"
	"github.com/dispatchd/dispatchd/modules/dispatches/internal/loadview"
	"github.com/dispatchd/dispatchd/modules/dispatches/internal/store"
	"github.com/dispatchd/dispatchd/platform/errs"
	"github.com/dispatchd/dispatchd/platform/money"
	"github.com/dispatchd/dispatchd/platform/web"
)

type updateByLinkInput struct {
	Link string `path:"link" maxLength:"200" doc:"Text of the link."`
	Body struct {
		Crew        store.Crew `json:"crew,omitzero"`
		ETAPickup   string     `json:"eta_pickup,omitempty" maxLength:"40" doc:"On a clock at the first stop, or with an offset." example:"2026-12-03T14:00"`
		ETADelivery string     `json:"eta_delivery,omitempty" maxLength:"40" doc:"On a clock at the last stop, or with an offset."`
	}
}

type confirmByLinkInput struct {
	Link string `path:"link" maxLength:"200" doc:"Text of the link."`
	Body struct {
		Revision int64  `json:"revision" minimum:"1" doc:"The revision of the dispatch that is accepted."`
		Name     string `json:"name" maxLength:"200" doc:"Who accepts."`
		Accepted bool   `json:"accepted" doc:"Whether the terms are accepted."`
	}
}

type collectByLinkInput struct {
	Link string `path:"link" maxLength:"200" doc:"Text of the link."`
	Body struct {
		Amount money.Amount `json:"amount,omitempty" example:"900.00"`
		Method string       `json:"method,omitempty" enum:"cash,certified_check,check,cashiers_check,money_order,comchek,ach,wire,direct_deposit,credit_card,venmo,cashapp,zelle,uship,other" doc:"By default as agreed."`
	}
}

type cancelByLinkInput struct {
	Link string `path:"link" maxLength:"200" doc:"Text of the link."`
	Body struct {
		Reason string `json:"reason" maxLength:"40" doc:"The id of one of cancel_reasons."`
		Note   string `json:"note,omitempty" maxLength:"500"`
	}
}

// DispatchAnswers takes what carriers report of the loads that they have.
type DispatchAnswers struct {
	door          *Door
	sheets        *Sheets
	updates       *carrying.CarrierUpdates
	collecting    *carrying.Collecting
	cancellations *carrying.Cancellations
}

// NewDispatchAnswers returns a DispatchAnswers.
func NewDispatchAnswers(d *Door, s *Sheets, u *carrying.CarrierUpdates, c *carrying.Collecting, cancel *carrying.Cancellations) *DispatchAnswers {
	return &DispatchAnswers{d, s, u, c, cancel}
}

func (a *DispatchAnswers) update(ctx context.Context, in *updateByLinkInput) (*sheetOutput, error) {
	return a.answer(ctx, in.Link, func(ctx context.Context, row store.Dispatch) error {
		wrong := carrying.ErrInvalidUpdate
		first, last := loadview.Zones(row.Snapshot)
		var etas [2]*time.Time
		for i, one := range []struct {
			name, text string
			in         *time.Location
		}{{"eta_pickup", in.Body.ETAPickup, first}, {"eta_delivery", in.Body.ETADelivery, last}} {
			if one.text == "" {
				continue
			}
			at, err := momentOf(one.text, one.in)
			if err != nil {
				wrong = wrong.WithField(one.name, "The time must be one on a clock at the stop, such as 2026-12-03T14:00.")
			}
			etas[i] = &at
		}
		if len(wrong.Fields) > 0 {
			return wrong
		}

		return a.updates.Update(ctx, row.ID, in.Body.Crew, etas[0], etas[1])
	})
}

func (a *DispatchAnswers) confirm(ctx context.Context, in *confirmByLinkInput) (*sheetOutput, error) {
	return a.answer(ctx, in.Link, func(ctx context.Context, row store.Dispatch) error {
		if wrong := consent(in.Body.Name, in.Body.Accepted); len(wrong.Fields) > 0 {
			return wrong
		}

		return a.updates.Confirm(ctx, row.ID, carrying.Confirmation{Revision: in.Body.Revision, Name: in.Body.Name, Address: web.ClientIP(ctx)})
	})
}

func (a *DispatchAnswers) collect(ctx context.Context, in *collectByLinkInput) (*sheetOutput, error) {
	return a.answer(ctx, in.Link, func(ctx context.Context, row store.Dispatch) error {
		return a.collecting.Collect(ctx, row, in.Body.Amount, in.Body.Method)
	})
}

func (a *DispatchAnswers) cancel(ctx context.Context, in *cancelByLinkInput) (*sheetOutput, error) {
	return a.answer(ctx, in.Link, func(ctx context.Context, row store.Dispatch) error {
		_, err := a.cancellations.Cancel(ctx, row.ID, web.IfMatch{}, store.VerbCarrierCancel, in.Body.Reason, in.Body.Note)

		return asOutsider(err)
	})
}

// answer counts what a carrier reports of the load that it has, takes it, and shows the page again.
func (a *DispatchAnswers) answer(ctx context.Context, text string, take func(ctx context.Context, row store.Dispatch) error) (*sheetOutput, error) {
	ctx, e, err := a.door.EnterLoad(ctx, text)
	if err == nil {
		err = a.door.countChange(ctx, e.Dispatch.ID)
	}
	if err == nil {
		err = take(ctx, *e.Dispatch)
	}

	return a.sheets.again(ctx, text, err)
}

var errAnswer = errs.New(errs.Invalid, "dispatches.invalid_answer", "The given data was invalid.")

// consent refuses an acceptance without a name, or that is not given.
func consent(name string, accepted bool) *errs.Error {
	wrong := errAnswer
	if strings.TrimSpace(name) == "" {
		wrong = wrong.WithField("name", "The name is required.")
	}
	if !accepted {
		wrong = wrong.WithField("accepted", "Accept the load to have it.")
	}

	return wrong
}

const localTime = "2006-01-02T15:04"

// momentOf reads a time with an offset, or one on a clock in a zone.
func momentOf(text string, in *time.Location) (time.Time, error) {
	at, err := time.Parse(time.RFC3339, text)
	if err != nil {
		at, err = time.ParseInLocation(localTime, text, in)
	}

	return at.UTC().Truncate(time.Second), err
}
