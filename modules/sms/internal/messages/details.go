package messages

import (
	"context"
	"time"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/sms/internal/store"
	"github.com/dispatchd/dispatchd/platform/state"
	"github.com/dispatchd/dispatchd/platform/web"
)

// detailBody is a message with everything that happened to it.
type detailBody struct {
	MessageBody

	History  []historyBody `json:"history" nullable:"false" doc:"What happened to the message, earliest first."`
	Attempts []attemptBody `json:"attempts" nullable:"false" doc:"Attempts to send the message and their outcomes."`
}

// SchemaName is the name of the body in the OpenAPI document.
func (detailBody) SchemaName() string { return "SmsMessageDetails" }

type historyBody struct {
	From      string     `json:"from"`
	To        string     `json:"to"`
	Verb      string     `json:"verb"`
	ActorKind string     `json:"actor_kind"`
	UserUUID  *uuid.UUID `json:"user_uuid"`
	Party     string     `json:"party"`
	Reason    string     `json:"reason"`
	At        time.Time  `json:"at"`
}

// SchemaName is the name of the body in the OpenAPI document.
func (historyBody) SchemaName() string { return "SmsMessageTransition" }

type attemptBody struct {
	Number    int64                `json:"number"`
	Outcome   store.AttemptOutcome `json:"outcome" enum:"attempting,taken,not_taken,unknown"`
	Reason    *string              `json:"reason"`
	Code      *string              `json:"code"`
	Detail    *string              `json:"detail" doc:"The provider's answer."`
	StartedAt time.Time            `json:"started_at"`
	EndedAt   *time.Time           `json:"ended_at"`
}

// SchemaName is the name of the body in the OpenAPI document.
func (attemptBody) SchemaName() string { return "SmsMessageAttempt" }

type readInput struct {
	UUID uuid.UUID `path:"uuid" format:"uuid"`
}

func (s *Desk) getOne(ctx context.Context, in *readInput) (*web.Resource[detailBody], error) {
	row, err := s.store.Message(ctx, in.UUID)
	if err != nil {
		return nil, err
	}
	history, err := s.states.History(ctx, store.MessageItem, row.ID)
	if err != nil {
		return nil, err
	}
	tried, err := s.store.Attempts(ctx, row.ID)
	if err != nil {
		return nil, err
	}
	body := detailBody{MessageBody: NewMessageBody(s.vendors, row), History: make([]historyBody, 0, len(history)), Attempts: make([]attemptBody, 0, len(tried))}
	for _, t := range history {
		body.History = append(body.History, newHistoryBody(t))
	}
	for _, a := range tried {
		body.Attempts = append(body.Attempts, attemptBody{
			Number: a.Number, Outcome: a.Outcome, Reason: web.Optional(a.Reason), Code: web.Optional(a.Code), Detail: web.Optional(a.Detail),
			StartedAt: a.StartedAt, EndedAt: a.EndedAt,
		})
	}

	return web.NewResource(body, row.Version, store.BasePath+"/messages/"+row.ID.String()), nil
}

func newHistoryBody(t state.Transition) historyBody {
	b := historyBody{From: t.From, To: t.To, Verb: t.Verb, ActorKind: t.ActorKind, Party: t.Party, Reason: t.Reason, At: t.At}
	if t.Actor != uuid.Nil {
		b.UserUUID = &t.Actor
	}

	return b
}
