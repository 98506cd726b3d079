package settings

import (
	"cmp"
	"context"
	"encoding/json"
	"net/http"

	"github.com/dispatchd/dispatchd/platform/errs"
	"github.com/dispatchd/dispatchd/platform/web"
	"github.com/dispatchd/dispatchd/platform/web/httperror"
)

// Document is the struct of settings that are served: it shows its version.
type Document[S any] interface{ WithVersion(n int64) S }

// Operations are how the settings of an area are read and changed.
type Operations[S any] struct {
	// About is what they say, after "Read": "how the company makes quotes". Description is of the operation that changes them.
	About, Description string
	// Check says what is wrong beyond the limits of the fields, as Failure; both are nil where nothing is.
	Failure *errs.Error
	Check   func(ctx context.Context, now S) error
}

// patchInput is a merge patch of settings.
type patchInput[S any] struct {
	web.IfMatch

	Body web.Patch[S]
}

// Routes registers GET and PATCH /settings of the area. A null in a patch has the default again. Changing takes the scope settings.
func Routes[S Document[S]](r *web.Router, s *Settings[S], o Operations[S]) {
	path := "/" + s.area + "/api/v1/settings"
	failures := []*errs.Error{cmp.Or(o.Failure, httperror.ErrInvalid)}
	answer := func(v Versioned[S], err error) (*web.Resource[S], error) {
		return web.NewResource(v.Now.WithVersion(v.Version), v.Version, path), err
	}
	web.Register(r, web.Operation{
		Method: http.MethodGet, Path: "/settings", ID: "read_settings", Access: web.Read, Summary: "Read " + o.About, Errors: failures,
	}, func(ctx context.Context, _ *struct{}) (*web.Resource[S], error) { return answer(s.Read(ctx)) })
	web.Register(r, web.Operation{
		Method: http.MethodPatch, Path: "/settings", ID: "update_settings", Access: web.Scope("settings"), Summary: "Change " + o.About,
		Description: "What the body leaves out stays; null is the default. " + o.Description, Errors: failures,
	}, func(ctx context.Context, in *patchInput[S]) (*web.Resource[S], error) {
		return answer(s.Change(ctx, in.IfMatch, func(now *S) error { return patch(ctx, now, s.defaults(), in.Body, o.Check) }))
	})
}

// patch changes settings as a patch says.
func patch[S Document[S]](ctx context.Context, now *S, standard S, by web.Patch[S], check func(context.Context, S) error) error {
	made, err := by.Over(*now)
	if err != nil {
		return err
	}
	defaults, err := json.Marshal(standard)
	if err != nil {
		return err
	}
	all := map[string]json.RawMessage{}
	if err := json.Unmarshal(defaults, &all); err != nil {
		return err
	}
	for name := range all {
		if !by.Clears(name) {
			delete(all, name)
		}
	}
	cleared, err := json.Marshal(all)
	if err != nil {
		return err
	}
	if made, err = over(made, cleared); err != nil {
		return err
	}
	made = made.WithVersion(0) // it is not part of the document
	if check != nil {
		if err := check(ctx, made); err != nil {
			return err
		}
	}
	*now = made

	return nil
}
