package sms

import (
	"context"
	"net/http"
	"time"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/sms/internal/phone"
	"github.com/dispatchd/dispatchd/modules/sms/internal/provider"
	"github.com/dispatchd/dispatchd/modules/sms/internal/sandbox"
	"github.com/dispatchd/dispatchd/platform/database"
	"github.com/dispatchd/dispatchd/platform/errs"
	"github.com/dispatchd/dispatchd/platform/list"
	"github.com/dispatchd/dispatchd/platform/web"
)

func threadRoutes(r *web.Router, s *receiver) {
	web.Register(r, web.Operation{
		Method: http.MethodGet, Path: "/threads", ID: "list_threads", Access: web.Read, Summary: "List threads",
		Description: "A thread is what one of our numbers and one of theirs have written. Its messages: GET …/messages?filter[thread_uuid]=…. " + threadSchema().Describe(),
		Errors:      list.Errors(),
	}, s.listThreads)
	web.Register(r, web.Operation{
		Method: http.MethodGet, Path: "/threads/{uuid}", ID: "read_thread", Access: web.Read, Summary: "Read a thread", Errors: []*errs.Error{errThread},
	}, s.getThread)
	web.Register(r, web.Operation{
		Method: http.MethodPost, Path: "/threads/{uuid}/read", ID: "mark_thread_read", Access: web.Scope(sendScope),
		Summary: "Mark all messages of a thread as read", Errors: []*errs.Error{errThread},
	}, s.postRead)
	web.Register(r, web.Operation{
		Method: http.MethodPost, Path: "/sandbox/inbound", ID: "simulate_inbound", Access: web.Scope(sendScope),
		Summary:     "Make up a message from outside, to a number of a sandbox account",
		Description: "It takes the way of every message that a provider tells of.",
		Errors:      []*errs.Error{errNumber, errNotSandbox, errNotSending, phone.ErrNotANumber, phone.ErrShortCode},
	}, s.postInbound)
}

// threadBody is a thread as the API shows it.
type threadBody struct {
	UUID            uuid.UUID `json:"uuid"`
	NumberUUID      uuid.UUID `json:"number_uuid"`
	Number          string    `json:"number" doc:"Ours."`
	Counterpart     string    `json:"counterpart" doc:"Theirs."`
	LastMessageUUID uuid.UUID `json:"last_message_uuid"`
	LastAt          time.Time `json:"last_at"`
	Direction       string    `json:"direction" enum:"outbound,inbound" doc:"Of the last message."`
	Unread          int64     `json:"unread" doc:"How many messages have come since the thread was marked as read."`
	CreatedAt       time.Time `json:"created_at"`

	LastMessage *messageBody `json:"last_message,omitempty" doc:"In lists, with expand=last_message."`
}

// SchemaName is the name of the body in the OpenAPI document.
func (threadBody) SchemaName() string { return "SmsThread" }

func showThread(row thread) threadBody {
	return threadBody{
		UUID: row.ID, NumberUUID: row.NumberID, Number: row.Number, Counterpart: row.Counterpart, LastMessageUUID: row.LastID,
		LastAt: row.LastAt, Direction: row.Direction, Unread: row.Unread, CreatedAt: row.CreatedAt,
	}
}

type threadOutput struct{ Body threadBody }

func (s *receiver) getThread(ctx context.Context, in *readInput) (*threadOutput, error) {
	row, err := s.thread(ctx, in.UUID)
	if err != nil {
		return nil, err
	}

	return &threadOutput{Body: showThread(row)}, nil
}

func (s *receiver) postRead(ctx context.Context, in *readInput) (*threadOutput, error) {
	var row thread
	err := s.db.InTx(ctx, func(ctx context.Context) (err error) {
		if err := s.markRead(ctx, in.UUID); err != nil {
			return err
		}
		row, err = s.thread(ctx, in.UUID)

		return err
	})
	if err != nil {
		return nil, err
	}

	return &threadOutput{Body: showThread(row)}, nil
}

type inboundInput struct {
	Body struct {
		NumberUUID uuid.UUID `json:"number_uuid" doc:"The number of ours that it comes to."`
		From       string    `json:"from" maxLength:"100"`
		Body       string    `json:"body" maxLength:"1600"`
		ProviderID string    `json:"provider_id,omitempty" maxLength:"100" doc:"The same id twice is the same message; a new one if it is left out."`
	}
}

func (s *receiver) postInbound(ctx context.Context, in *inboundInput) (*web.Resource[messageBody], error) {
	to, err := s.number(ctx, in.Body.NumberUUID)
	if err != nil {
		return nil, err
	}
	account, err := s.accounts.One(ctx, to.AccountID)
	if err != nil {
		return nil, err
	}
	if account.Provider != sandbox.Name {
		return nil, errNotSandbox
	}
	if to.State != numberActive {
		return nil, errNotSending
	}
	from, err := s.e164(ctx, in.Body.From, "from")
	if err != nil {
		return nil, err
	}
	id := in.Body.ProviderID
	if id == "" {
		id = database.NewID().String()
	}
	row, err := s.receive(ctx, account.ID, provider.Inbound{ID: "IN" + id, From: from, To: to.Number, Body: in.Body.Body})
	if err != nil {
		return nil, err
	}

	return messageResource(row), nil
}
