package incoming

import (
	"context"
	"net/http"
	"sync"
	"time"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/sms/internal/company"
	"github.com/dispatchd/dispatchd/modules/sms/internal/messages"
	"github.com/dispatchd/dispatchd/modules/sms/internal/phone"
	"github.com/dispatchd/dispatchd/modules/sms/internal/provider"
	"github.com/dispatchd/dispatchd/modules/sms/internal/sandbox"
	"github.com/dispatchd/dispatchd/modules/sms/internal/store"
	"github.com/dispatchd/dispatchd/modules/sms/internal/vendors"
	"github.com/dispatchd/dispatchd/platform/clock"
	"github.com/dispatchd/dispatchd/platform/database"
	"github.com/dispatchd/dispatchd/platform/errs"
	"github.com/dispatchd/dispatchd/platform/kind"
	"github.com/dispatchd/dispatchd/platform/list"
	"github.com/dispatchd/dispatchd/platform/web"
)

// expandLast has the last message embedded in threads.
const expandLast = "last_message"

// listThreads lists threads, with their last messages where expand= names them.
func (s *Threads) listThreads(ctx context.Context, in *list.Input) (*list.Output[threadBody], error) {
	q, err := in.Parse(ctx, threadSchema())
	if err != nil {
		return nil, err
	}
	rows, err := s.store.Threads(ctx, q)
	if err != nil {
		return nil, err
	}
	page := list.Convert(rows, newThreadBody)
	if q.Expands(expandLast) {
		err = store.Embed(ctx, s.store, page.Data, func(b *threadBody) *uuid.UUID { return &b.LastMessageUUID }, messageKey,
			func(b *threadBody, row store.Message) { b.LastMessage = new(messages.NewMessageBody(s.vendors, row)) })
	}
	if err != nil {
		return nil, err
	}

	return list.Answer(q, page), nil
}

func messageKey(row store.Message) uuid.UUID { return row.ID }

// Threads answers about conversations.
type Threads struct {
	store    *store.Repository
	vendors  *vendors.Service
	receiver *Receiver
	company  *company.Profile
	clock    clock.Clock
}

// NewThreads returns Threads.
func NewThreads(r *store.Repository, v *vendors.Service, receiver *Receiver, company *company.Profile, c clock.Clock) *Threads {
	return &Threads{store: r, vendors: v, receiver: receiver, company: company, clock: c}
}

// ThreadRoutes are the operations on threads.
func ThreadRoutes(r *web.Router, s *Threads) {
	web.Register(r, web.Operation{
		Method: http.MethodGet, Path: "/threads", ID: "list_threads", Access: web.Read, Summary: "List threads",
		Description: "A thread is what one of our numbers and one of theirs have written. Its messages: GET …/messages?filter[thread_uuid]=…. " + threadSchema().Describe(),
		Errors:      list.Errors,
	}, s.listThreads)
	web.Register(r, web.Operation{
		Method: http.MethodGet, Path: "/threads/{uuid}", ID: "read_thread", Access: web.Read, Summary: "Read a thread", Errors: []*errs.Error{store.ErrThread},
	}, s.getThread)
	web.Register(r, web.Operation{
		Method: http.MethodPost, Path: "/threads/{uuid}/read", ID: "mark_thread_read", Access: web.Scope(store.SendScope),
		Summary: "Mark all messages of a thread as read", Errors: []*errs.Error{store.ErrThread},
	}, s.postRead)
	web.Register(r, web.Operation{
		Method: http.MethodPost, Path: "/sandbox/inbound", ID: "simulate_inbound", Access: web.Scope(store.SendScope),
		Summary:     "Simulate an inbound message to a number of a sandbox account",
		Description: "It is processed like any inbound message from a provider.",
		Errors:      []*errs.Error{store.ErrNumber, store.ErrNotSandbox, store.ErrNotSending, phone.ErrNotANumber, phone.ErrShortCode},
	}, s.postInbound)
}

// threadBody is a thread as the API shows it.
type threadBody struct {
	UUID            uuid.UUID `json:"uuid"`
	NumberUUID      uuid.UUID `json:"number_uuid"`
	Number          string    `json:"number" doc:"The company's number."`
	Counterpart     string    `json:"counterpart" doc:"The contact's number."`
	LastMessageUUID uuid.UUID `json:"last_message_uuid"`
	LastAt          time.Time `json:"last_at"`
	Direction       string    `json:"direction" enum:"outbound,inbound" doc:"Time of the last message."`
	Unread          int64     `json:"unread" doc:"Number of messages received since the thread was marked as read."`
	CreatedAt       time.Time `json:"created_at"`

	LastMessage *messages.MessageBody `json:"last_message,omitempty" doc:"In lists, with expand=last_message."`
}

// SchemaName is the name of the body in the OpenAPI document.
func (threadBody) SchemaName() string { return "SmsThread" }

func newThreadBody(row store.Thread) threadBody {
	return threadBody{
		UUID: row.ID, NumberUUID: row.NumberID, Number: row.Number, Counterpart: row.Counterpart, LastMessageUUID: row.LastID,
		LastAt: row.LastAt, Direction: row.Direction, Unread: row.Unread, CreatedAt: row.CreatedAt,
	}
}

type threadOutput struct{ Body threadBody }

type readInput struct {
	UUID uuid.UUID `path:"uuid" format:"uuid"`
}

func (s *Threads) getThread(ctx context.Context, in *readInput) (*threadOutput, error) {
	row, err := s.store.Thread(ctx, in.UUID)
	if err != nil {
		return nil, err
	}

	return &threadOutput{Body: newThreadBody(row)}, nil
}

func (s *Threads) postRead(ctx context.Context, in *readInput) (*threadOutput, error) {
	var row store.Thread
	err := s.store.DB.InTx(ctx, func(ctx context.Context) (err error) {
		if err := s.store.MarkRead(ctx, in.UUID); err != nil {
			return err
		}
		row, err = s.store.Thread(ctx, in.UUID)

		return err
	})
	if err != nil {
		return nil, err
	}

	return &threadOutput{Body: newThreadBody(row)}, nil
}

type inboundInput struct {
	Body struct {
		NumberUUID uuid.UUID `json:"number_uuid" doc:"The company's number that receives it."`
		From       string    `json:"from" maxLength:"100"`
		Body       string    `json:"body" maxLength:"1600"`
		ProviderID string    `json:"provider_id,omitempty" maxLength:"100" doc:"A repeated id is the same message; generated if omitted."`
	}
}

func (s *Threads) postInbound(ctx context.Context, in *inboundInput) (*web.Resource[messages.MessageBody], error) {
	to, err := s.store.Number(ctx, in.Body.NumberUUID)
	if err != nil {
		return nil, err
	}
	account, err := s.vendors.Accounts.One(ctx, to.AccountID)
	if err != nil {
		return nil, err
	}
	if account.Provider != sandbox.Name {
		return nil, store.ErrNotSandbox
	}
	if to.State != store.NumberActive {
		return nil, store.ErrNotSending
	}
	from, err := s.company.ParseNumber(ctx, in.Body.From, "from")
	if err != nil {
		return nil, err
	}
	id := in.Body.ProviderID
	if id == "" {
		id = database.NewID().String()
	}
	row, err := s.receiver.Receive(ctx, account.ID, provider.Inbound{ID: "IN" + id, From: from, To: to.Number, Body: in.Body.Body})
	if err != nil {
		return nil, err
	}

	return messages.Resource(s.vendors, row), nil
}

var threadSchema = sync.OnceValue(func() list.Schema {
	return list.ShownAs[threadBody](list.Schema{
		Fields: []list.Field{
			{Name: "number", Expr: "number", Kind: kind.Text, Filterable: true},
			{Name: "counterpart", Expr: "counterpart", Kind: kind.Text, Filterable: true},
			{Name: "number_uuid", Expr: "number_id", Kind: kind.UUID, Filterable: true},
			{Name: "unread", Expr: "unread", Kind: kind.Integer, Filterable: true},
			{Name: "direction", Expr: "direction", Kind: kind.Text, Filterable: true},
			{Name: "last_at", Expr: "last_at", Kind: kind.Time, Sortable: true, Filterable: true},
		},
		ID: list.Field{Name: "uuid", Expr: "id", Kind: kind.UUID, Filterable: true}, DefaultSort: []string{"-last_at"},
		Search: []string{"counterpart"}, Expand: []string{expandLast},
	})
})
