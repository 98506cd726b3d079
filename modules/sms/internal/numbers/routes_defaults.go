package numbers

import (
	"context"
	"net/http"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/sms/internal/store"
	"github.com/dispatchd/dispatchd/platform/errs"
	"github.com/dispatchd/dispatchd/platform/web"
)

// DefaultRoutes are the operations on default numbers.
func DefaultRoutes(r *web.Router, s *Defaults) {
	web.Register(r, web.Operation{
		Method: http.MethodGet, Path: "/numbers/user/default", ID: "user_default", Access: web.Read,
		Summary:     "Read the number that the caller sends from",
		Description: "User Default of the documented interface: the current user's default number, else the company's. A service token gets the company's.",
		Errors:      []*errs.Error{store.ErrNoDefault},
	}, s.getUserDefault)
	web.Register(r, web.Operation{
		Method: http.MethodPut, Path: "/numbers/user/default", ID: "set_user_default", Access: web.Scope(store.SendScope),
		Summary: "Choose the number that the caller sends from", Errors: []*errs.Error{store.ErrNumber, store.ErrNotSending, store.ErrNotYours, store.ErrNoUser},
	}, func(ctx context.Context, in *defaultInput) (*web.Resource[defaultBody], error) {
		row, err := s.setUser(ctx, in.Body.NumberUUID)

		return defaultResource(row, ofUser, err)
	})
	web.Register(r, web.Operation{
		Method: http.MethodDelete, Path: "/numbers/user/default", ID: "clear_user_default", Access: web.Scope(store.SendScope),
		Summary: "Remove the caller's default number", Errors: []*errs.Error{store.ErrNoUser},
	}, func(ctx context.Context, _ *struct{}) (*struct{}, error) { return nil, s.clearUser(ctx) })
	web.Register(r, web.Operation{
		Method: http.MethodGet, Path: "/numbers/company/default", ID: "company_default", Access: web.Read,
		Summary: "Read the company's default number", Errors: []*errs.Error{store.ErrNoDefault},
	}, func(ctx context.Context, _ *struct{}) (*web.Resource[defaultBody], error) {
		p, err := s.store.Preferences(ctx)
		if err != nil {
			return nil, err
		}
		row, err := s.companyDefault(ctx, p)

		return defaultResource(row, ofCompany, err)
	})
	web.Register(r, web.Operation{
		Method: http.MethodPut, Path: "/numbers/company/default", ID: "set_company_default", Access: web.Write,
		Summary: "Choose the company's default number", Errors: []*errs.Error{store.ErrNumber, store.ErrNotSending, store.ErrNotYours},
	}, func(ctx context.Context, in *defaultInput) (*web.Resource[defaultBody], error) {
		row, err := s.setCompany(ctx, &in.Body.NumberUUID)

		return defaultResource(row, ofCompany, err)
	})
	web.Register(r, web.Operation{
		Method: http.MethodDelete, Path: "/numbers/company/default", ID: "clear_company_default", Access: web.Write,
		Summary: "Remove the company's default number", Errors: []*errs.Error{store.ErrNumber},
	}, func(ctx context.Context, _ *struct{}) (*struct{}, error) {
		_, err := s.setCompany(ctx, nil)

		return nil, err
	})
}

// defaultBody is a number, and whose default it is.
type defaultBody struct {
	NumberBody

	DefaultOf string `json:"default_of" enum:"user,company" doc:"Whose default it is."`
}

// SchemaName is the name of the body in the OpenAPI document.
func (defaultBody) SchemaName() string { return "SmsDefaultNumber" }

func defaultResource(row store.Number, whose string, err error) (*web.Resource[defaultBody], error) {
	if err != nil {
		return nil, err
	}

	return web.NewResource(defaultBody{NumberBody: NewNumberBody(row), DefaultOf: whose}, row.Version, store.BasePath+"/numbers/"+row.ID.String()), nil
}

type defaultInput struct {
	Body struct {
		NumberUUID uuid.UUID `json:"number_uuid"`
	}
}

func (s *Defaults) getUserDefault(ctx context.Context, _ *struct{}) (*web.Resource[defaultBody], error) {
	p, err := s.store.Preferences(ctx)
	if err != nil {
		return nil, err
	}
	row, whose, err := s.OfCaller(ctx, p)

	return defaultResource(row, whose, err)
}
