package numbers

import (
	"context"
	"net/http"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/sms/internal/accounts"
	"github.com/dispatchd/dispatchd/modules/sms/internal/store"
	"github.com/dispatchd/dispatchd/modules/sms/internal/vendors"
	"github.com/dispatchd/dispatchd/platform/errs"
	"github.com/dispatchd/dispatchd/platform/list"
	"github.com/dispatchd/dispatchd/platform/web"
)

// Handlers answer the operations on numbers.
type Handlers struct {
	store       *store.Repository
	numbers     *Editor
	vendors     *vendors.Service
	releases    *Releases
	assignments *Assignments
}

// NewHandlers returns Handlers.
func NewHandlers(r *store.Repository, v *vendors.Service, n *Editor, re *Releases, a *Assignments) *Handlers {
	return &Handlers{store: r, vendors: v, numbers: n, releases: re, assignments: a}
}

// Routes are the operations on the company's numbers.
func Routes(r *web.Router, s *Handlers) {
	manage := web.Scope(accounts.Scope)
	web.Register(r, web.Operation{
		Method: http.MethodGet, Path: "/numbers", ID: "list_numbers", Access: web.Read, Summary: "List the company's numbers",
		Description: numberSchema().Describe(), Errors: list.Errors,
	}, s.listNumbers)
	web.Register(r, web.Operation{
		Method: http.MethodGet, Path: "/numbers/{uuid}", ID: "read_number", Access: web.Read, Summary: "Read a number",
		Errors: []*errs.Error{store.ErrNumber},
	}, s.getOne)
	web.Register(r, web.Operation{
		Method: http.MethodPatch, Path: "/numbers/{uuid}", ID: "update_number", Access: web.Write, Summary: "Change a number's label, user and rate",
		Description: "A number that is assigned to a user is no longer the default of other users or the company.",
		Errors:      []*errs.Error{store.ErrNumber, store.ErrInvalid},
	}, s.patchOne)
	web.Register(r, web.Operation{
		Method: http.MethodPost, Path: "/numbers/{uuid}/release", ID: "release_number", Access: manage, Summary: "Release a number to the provider",
		Description: "The number stops sending at once and is removed as a default.", Errors: []*errs.Error{store.ErrNumber, store.ErrNotSending},
	}, func(ctx context.Context, in *writeInput) (*web.Resource[NumberBody], error) {
		return numberResource(s.releases.Release(ctx, in.UUID, in.IfMatch))
	})
}

type readInput struct {
	UUID uuid.UUID `path:"uuid" format:"uuid"`
}

type writeInput struct {
	web.IfMatch

	UUID uuid.UUID `path:"uuid" format:"uuid"`
}

func (s *Handlers) getOne(ctx context.Context, in *readInput) (*web.Resource[NumberBody], error) {
	return numberResource(s.store.Number(ctx, in.UUID))
}

type patchNumberInput struct {
	web.IfMatch

	UUID uuid.UUID `path:"uuid" format:"uuid"`
	Body struct {
		Label     *string             `json:"label,omitempty" maxLength:"100"`
		UserUUID  web.Sent[uuid.UUID] `json:"user_uuid,omitzero" doc:"The user it is assigned to; null for everyone."`
		PerMinute *int64              `json:"per_minute,omitempty" minimum:"0" maximum:"60000"`
	}
}

func (s *Handlers) patchOne(ctx context.Context, in *patchNumberInput) (*web.Resource[NumberBody], error) {
	return numberResource(s.numbers.Change(ctx, in.UUID, in.IfMatch, func(ctx context.Context, row *store.Number) error {
		if in.Body.Label != nil {
			row.Label = *in.Body.Label
		}
		if in.Body.PerMinute != nil {
			row.PerMinute = *in.Body.PerMinute
		}
		switch user := in.Body.UserUUID; {
		case !user.IsSet():
			return nil
		case user.Null():
			return s.assignments.assign(ctx, row, nil)
		default:
			id := user.ValueOr(uuid.Nil)

			return s.assignments.assign(ctx, row, &id)
		}
	}))
}
