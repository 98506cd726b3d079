package share

import (
	"cmp"
	"context"
	"net/http"
	"slices"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/platform/errs"
	"github.com/dispatchd/dispatchd/platform/link"
	"github.com/dispatchd/dispatchd/platform/web"
)

// Operations are the operations by which a company gives links to one of its things. Their ids and summaries are made of Name, such as
// "load_share": create_load_share, list_load_shares and revoke_load_share.
type Operations struct {
	// Path has the parameter {uuid}: "/loads/{uuid}/shares".
	Path, Name string
	// Summary is what a link is for, after "Make a link": "by which the customer follows a load".
	Summary string
	// Description is of the operation that makes a link.
	Description string
	// Access is who makes and revokes links, web.Write by default.
	Access web.Access
	// Give returns the link to something, and refuses what there is none to. It runs in the transaction that makes the link.
	Give func(ctx context.Context, id uuid.UUID) (Given, error)
	// Purpose and Subject are those of the links that Give returns.
	Purpose link.Purpose
	Subject func(ctx context.Context, id uuid.UUID) (link.Subject, error)
	// Errors are those of Give and Subject.
	Errors []*errs.Error
}

type oneInput struct {
	UUID uuid.UUID `path:"uuid" format:"uuid"`
}

type createInput struct {
	UUID uuid.UUID `path:"uuid" format:"uuid"`
	Body Create
}

type revokeInput struct {
	UUID uuid.UUID `path:"uuid" format:"uuid"`
	Link uuid.UUID `path:"link" format:"uuid"`
}

type shareOutput struct{ Body Share }

type sharesOutput struct {
	Body struct {
		Data []Share `json:"data" nullable:"false"`
	}
}

// Routes registers the operations.
func Routes(r *web.Router, s *Service, o Operations) {
	access := cmp.Or(o.Access, web.Write)
	web.Register(r, web.Operation{
		Method: http.MethodPost, Path: o.Path, ID: "create_" + o.Name, Access: access, Secret: true, Summary: "Make a link " + o.Summary,
		Description: "Only this response has its text. " + o.Description, Errors: append(slices.Clone(o.Errors), link.ErrInvalid, link.ErrPortalOff, ErrRecipient),
	}, func(ctx context.Context, in *createInput) (*shareOutput, error) {
		out := &shareOutput{}
		err := s.db.InTx(ctx, func(ctx context.Context) error {
			given, err := o.Give(ctx, in.UUID)
			if err == nil {
				out.Body, err = s.Give(ctx, given, in.Body)
			}

			return err
		})

		return out, err
	})
	web.Register(r, web.Operation{
		Method: http.MethodGet, Path: o.Path, ID: "list_" + o.Name + "s", Access: web.Read, Summary: "List the links " + o.Summary,
		Description: "The newest 100.", Errors: o.Errors,
	}, func(ctx context.Context, in *oneInput) (*sharesOutput, error) {
		to, err := o.Subject(ctx, in.UUID)
		if err != nil {
			return nil, err
		}
		out := &sharesOutput{}
		out.Body.Data, err = s.List(ctx, o.Purpose, to)

		return out, err
	})
	web.Register(r, web.Operation{
		Method: http.MethodDelete, Path: o.Path + "/{link}", ID: "revoke_" + o.Name, Access: access, Summary: "Revoke a link " + o.Summary,
		Errors: append(slices.Clone(o.Errors), link.ErrNotFound),
	}, func(ctx context.Context, in *revokeInput) (*struct{}, error) {
		to, err := o.Subject(ctx, in.UUID)
		if err != nil {
			return nil, err
		}

		return nil, s.links.RevokeOf(ctx, o.Purpose, to, in.Link)
	})
}
