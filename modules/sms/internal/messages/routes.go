package messages

import (
	"net/http"

	"github.com/dispatchd/dispatchd/modules/sms/internal/store"
	"github.com/dispatchd/dispatchd/platform/errs"
	"github.com/dispatchd/dispatchd/platform/list"
	"github.com/dispatchd/dispatchd/platform/state"
	"github.com/dispatchd/dispatchd/platform/web"
)

// Routes are the operations that read messages.
func Routes(r *web.Router, s *Desk) {
	web.Register(r, web.Operation{
		Method: http.MethodGet, Path: "/messages", ID: "list_messages", Access: web.Read, Summary: "List messages",
		Description: "Index of the documented interface. " + messageSchema().Describe(), Errors: list.Errors,
	}, s.listMessages)
	web.Register(r, web.Operation{
		Method: http.MethodGet, Path: "/messages/{uuid}", ID: "read_message", Access: web.Read, Summary: "Read a message with its history",
		Description: "Get Message Details of the documented interface.", Errors: []*errs.Error{store.ErrNotFound},
	}, s.getOne)
}

// LifeRoutes are the operations by which people move messages through their lifecycle.
func LifeRoutes(r *web.Router, s *Desk) {
	state.Declare(r, store.Lifecycle, state.Handlers[store.Status, MessageBody]{
		Path: "/messages/{uuid}", Current: s.current, Log: s.states, Apply: s.Move, Errors: []*errs.Error{store.ErrNotFound},
	})
}
