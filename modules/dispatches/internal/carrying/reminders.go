package carrying

import (
	"context"
	"net/http"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/dispatches/internal/messages"
	"github.com/dispatchd/dispatchd/modules/dispatches/internal/store"
	"github.com/dispatchd/dispatchd/platform/clock"
	"github.com/dispatchd/dispatchd/platform/errs"
	"github.com/dispatchd/dispatchd/platform/link"
	"github.com/dispatchd/dispatchd/platform/notify"
	"github.com/dispatchd/dispatchd/platform/resource"
	"github.com/dispatchd/dispatchd/platform/share"
	"github.com/dispatchd/dispatchd/platform/web"
)

type remindDispatchInput struct {
	web.IfMatch

	UUID uuid.UUID `path:"uuid" format:"uuid"`
	Body struct {
		Channels []string `json:"channels,omitempty" maxItems:"2" nullable:"false" enum:"email,sms" doc:"By default all by which the carrier can be reached; [] for none, to give it the link yourself."`
		Note     string   `json:"note,omitempty" maxLength:"500" doc:"What is added to the text."`
	}
}

type remindDispatchOutput struct{ Body remindedDispatch }

// remindedDispatch is a dispatch whose carrier was reminded, and the link that was sent.
type remindedDispatch struct {
	Dispatch  store.Dispatch `json:"dispatch"`
	Link      share.Share    `json:"link"`
	Unreached []string       `json:"unreached" nullable:"false" doc:"Those of the channels that have not taken the message to the carrier."`
	// Why is by channel.
	Why map[string]string `json:"unreached_reasons" nullable:"false" doc:"Why they have not, by channel."`
}

// SchemaName is the name of the body in the OpenAPI document.
func (remindedDispatch) SchemaName() string { return "RemindedDispatch" }

var errNotUnderWay = errs.New(errs.Conflict, "dispatches.not_under_way", "The carrier does not have the load, or has delivered it. There is nothing to remind it of.")

// Reminders have carriers come and arrive.
type Reminders struct {
	dispatches *resource.Resource[store.Dispatch]
	writer     *messages.Writer
	clock      clock.Clock
}

// NewReminders returns Reminders.
func NewReminders(dispatches *resource.Resource[store.Dispatch], w *messages.Writer, c clock.Clock) *Reminders {
	return &Reminders{dispatches, w, c}
}

func (r *Reminders) remind(ctx context.Context, in *remindDispatchInput) (*remindDispatchOutput, error) {
	out, now := &remindDispatchOutput{}, r.clock.Now()
	channels := in.Body.Channels
	if channels == nil {
		channels = []string{"email", "sms"}
	}
	row, err := r.dispatches.Change(ctx, in.UUID, in.IfMatch, store.VerbRemind, func(ctx context.Context, row *store.Dispatch) error {
		if row.State != store.Assigned && row.State != store.PickedUp {
			return errNotUnderWay.WithDetail("state", row.State)
		}

		return messages.Remind(&row.Reminders, &row.RemindedAt, now, channels, func() (_ share.Share, err error) {
			out.Body.Link, err = r.writer.RemindOfDispatch(ctx, *row, channels, in.Body.Note)

			return out.Body.Link, err
		})
	})
	if err != nil {
		return nil, err
	}
	out.Body.Dispatch = row
	if out.Body.Unreached, out.Body.Why, err = r.writer.Missed(ctx, row.Carrier, channels, out.Body.Link.Deliveries, notify.Business); err != nil {
		return nil, err
	}

	return out, r.dispatches.Show(ctx, nil, &out.Body.Dispatch)
}

// ReminderRoutes registers the operation that reminds a carrier of its load.
func ReminderRoutes(r *web.Router, m *Reminders) {
	web.Register(r, web.Operation{
		Method: http.MethodPost, Path: "/dispatches/{uuid}/remind", ID: "remind_dispatch", Access: web.Write, Secret: true, Summary: "Remind a carrier of a load that it has",
		Description: "Of the pickup, and then of the delivery: at most every 30 minutes, and five times. Only this response has the text of the link.",
		Errors:      []*errs.Error{m.dispatches.NotFound(), store.ErrInvalidDispatch, errNotUnderWay, store.ErrRemindedRecently, share.ErrRecipient, link.ErrPortalOff},
	}, m.remind)
}
