package vendoraccount

import (
	"context"
	"net/http"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/platform/errs"
	"github.com/dispatchd/dispatchd/platform/list"
	"github.com/dispatchd/dispatchd/platform/web"
)

// Operations say what an area's accounts are called, and how they are shown and written. B is how the API shows one.
type Operations[A, B any] struct {
	// Path is that of the list, "/sms/api/v1/accounts".
	Path string
	// Scope is who may change accounts.
	Scope string
	// One is what an account is called ("a provider account"), Many what several are, Unused one that may be deleted.
	One, Many, Unused string
	// Fields are what lists can be filtered by besides.
	Fields []list.Field

	Show   func(ctx context.Context, row A) B
	Update func(ctx context.Context, id uuid.UUID, match web.IfMatch, name *string, credentials map[string]string) (A, error)
	Remove func(ctx context.Context, id uuid.UUID, match web.IfMatch) error
}

// Read is the input of an operation that reads an account.
type Read struct {
	UUID uuid.UUID `path:"uuid" format:"uuid"`
}

// Write is the input of an operation that changes an account, and takes nothing more.
type Write struct {
	web.IfMatch

	UUID uuid.UUID `path:"uuid" format:"uuid"`
}

// Resource is the answer of an operation on the account a, which is shown as body.
func Resource[B any](body B, a Account, path string) *web.Resource[B] {
	return web.NewResource(body, a.Version, path+"/"+a.ID.String())
}

type patchAccountInput struct {
	web.IfMatch

	UUID uuid.UUID `path:"uuid" format:"uuid"`
	Body struct {
		Name        *string           `json:"name,omitempty" minLength:"1" maxLength:"100" pattern:"\\S" patternDescription:"text that can be seen"`
		Credentials map[string]string `json:"credentials,omitempty" maxProperties:"20"`
	}
}

// Routes declares the operations that list, read, update, delete, enable and disable accounts, and make one the default.
// Creating and testing one is the area's.
func Routes[A any, P Row[A], B any](r *web.Router, s *Store[A, P], o Operations[A, B]) {
	manage, rules, fields := web.Scope(o.Scope), s.rules, listSchema[B](o.Fields)
	answer := func(ctx context.Context, row A, err error) (*web.Resource[B], error) {
		if err != nil {
			return nil, err
		}

		return Resource(o.Show(ctx, row), *P(&row).Common(), o.Path), nil
	}
	web.Register(r, web.Operation{
		Method: http.MethodGet, Path: "/accounts", ID: "list_accounts", Access: web.Read, Summary: "List " + o.Many,
		Description: fields.Describe(), Errors: list.Errors,
	}, func(ctx context.Context, in *list.Input) (*list.Output[B], error) {
		return list.Serve(fields, s.List, func(row A) B { return o.Show(ctx, row) })(ctx, in)
	})
	web.Register(r, web.Operation{
		Method: http.MethodGet, Path: "/accounts/{uuid}", ID: "read_account", Access: web.Read, Summary: "Read " + o.One,
		Errors: []*errs.Error{rules.NotFound},
	}, func(ctx context.Context, in *Read) (*web.Resource[B], error) {
		row, err := s.One(ctx, in.UUID)

		return answer(ctx, row, err)
	})
	web.Register(r, web.Operation{
		Method: http.MethodPatch, Path: "/accounts/{uuid}", ID: "update_account", Access: manage,
		Summary: "Change " + o.One, Description: "Credentials are replaced as a whole.",
		Errors: []*errs.Error{rules.NotFound, rules.Invalid, rules.Taken},
	}, func(ctx context.Context, in *patchAccountInput) (*web.Resource[B], error) {
		if err := s.CheckSize(in.Body.Credentials); err != nil {
			return nil, err
		}
		row, err := o.Update(ctx, in.UUID, in.IfMatch, in.Body.Name, in.Body.Credentials)

		return answer(ctx, row, err)
	})
	web.Register(r, web.Operation{
		Method: http.MethodDelete, Path: "/accounts/{uuid}", ID: "delete_account", Access: manage,
		Summary: "Delete " + o.Unused, Errors: []*errs.Error{rules.NotFound, rules.Used},
	}, func(ctx context.Context, in *Write) (*struct{}, error) {
		return nil, o.Remove(ctx, in.UUID, in.IfMatch)
	})
	verb := func(name, summary string, do func(context.Context, uuid.UUID, web.IfMatch) (A, error)) {
		web.Register(r, web.Operation{
			Method: http.MethodPost, Path: "/accounts/{uuid}/" + name, ID: name + "_account", Access: manage,
			Summary: summary, Errors: []*errs.Error{rules.NotFound},
		}, func(ctx context.Context, in *Write) (*web.Resource[B], error) {
			row, err := do(ctx, in.UUID, in.IfMatch)

			return answer(ctx, row, err)
		})
	}
	verb("disable", "Disable "+o.One, func(ctx context.Context, id uuid.UUID, match web.IfMatch) (A, error) {
		return s.Disable(ctx, id, match, true)
	})
	verb("enable", "Enable "+o.One, func(ctx context.Context, id uuid.UUID, match web.IfMatch) (A, error) {
		return s.Disable(ctx, id, match, false)
	})
	verb("make_default", "Make "+o.One+" the default one", s.prefer)
}
