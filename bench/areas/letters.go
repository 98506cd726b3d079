package main

import (
	"context"
	"net/http"
	"time"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/platform/clock"
	"github.com/dispatchd/dispatchd/platform/database"
	"github.com/dispatchd/dispatchd/platform/errs"
	"github.com/dispatchd/dispatchd/platform/list"
	"github.com/dispatchd/dispatchd/platform/web"
)

var (
	errLetter = errs.New(errs.NotFound, "letters.letter_not_found", "There is no such letter.")
	errTaken  = errs.New(errs.Conflict, "letters.letter_taken", "There is such a letter already.")
)

// writer decides about letters.
type writer struct {
	repository

	clock clock.Clock
}

func newWriter(db *database.DB, c clock.Clock) *writer { return &writer{repository{db}, c} }

func letterRoutes(r *web.Router, w *writer) {
	web.Register(r, web.Operation{
		Method: http.MethodGet, Path: "/letters", ID: "list_letters", Access: web.Read, Summary: "List letters",
		Description: letterSchema().Describe(), Errors: list.Errors,
	}, list.Serve(letterSchema(), w.page, show))
	web.Register(r, web.Operation{
		Method: http.MethodPost, Path: "/letters", ID: "create_letter", Access: web.Write, Summary: "Create a letter", Errors: []*errs.Error{errTaken},
	}, w.create)
	web.Register(r, web.Operation{
		Method: http.MethodGet, Path: "/letters/{uuid}", ID: "read_letter", Access: web.Read, Summary: "Read a letter", Errors: []*errs.Error{errLetter},
	}, w.read)
	web.Register(r, web.Operation{
		Method: http.MethodPatch, Path: "/letters/{uuid}", ID: "update_letter", Access: web.Write, Summary: "Change a letter",
		Errors: []*errs.Error{errLetter, errTaken},
	}, w.patch)
}

// body is a letter as the API shows it.
type body struct {
	UUID      uuid.UUID `json:"uuid"`
	Name      string    `json:"name"`
	Body      string    `json:"body"`
	Version   int64     `json:"version"`
	CreatedAt time.Time `json:"created_at"`
	UpdatedAt time.Time `json:"updated_at"`
}

// SchemaName is the name of the body in the OpenAPI document.
func (body) SchemaName() string { return "Letter" }

func show(row letter) body {
	return body{UUID: row.ID, Name: row.Name, Body: row.Body, Version: row.Version, CreatedAt: row.CreatedAt, UpdatedAt: row.UpdatedAt}
}

func shown(row letter, err error) (*web.Resource[body], error) {
	if err != nil {
		return nil, err
	}

	return web.NewResource(show(row), row.Version, "/letters/api/v1/letters/"+row.ID.String()), nil
}

type createInput struct {
	Body struct {
		Name string `json:"name" minLength:"1" maxLength:"100"`
		Body string `json:"body" minLength:"1" maxLength:"5000"`
	}
}

func (w *writer) create(ctx context.Context, in *createInput) (*web.Resource[body], error) {
	now := w.clock.Now()
	row := letter{ID: database.NewID(), Name: in.Body.Name, Body: in.Body.Body, Version: 1, CreatedAt: now, UpdatedAt: now}

	return shown(row, w.db.InTx(ctx, func(ctx context.Context) error { return w.insert(ctx, &row) }))
}

type readInput struct {
	UUID uuid.UUID `path:"uuid" format:"uuid"`
}

func (w *writer) read(ctx context.Context, in *readInput) (*web.Resource[body], error) {
	return shown(w.one(ctx, in.UUID))
}

type patchInput struct {
	web.IfMatch

	UUID uuid.UUID `path:"uuid" format:"uuid"`
	Body struct {
		Name *string `json:"name,omitempty" minLength:"1" maxLength:"100"`
		Body *string `json:"body,omitempty" minLength:"1" maxLength:"5000"`
	}
}

func (w *writer) patch(ctx context.Context, in *patchInput) (*web.Resource[body], error) {
	var row letter
	err := w.db.InTx(ctx, func(ctx context.Context) (err error) {
		if row, err = w.held(ctx, in.UUID); err != nil {
			return err
		}
		if err := in.Check(row.Version); err != nil {
			return err
		}
		if in.Body.Name != nil {
			row.Name = *in.Body.Name
		}
		if in.Body.Body != nil {
			row.Body = *in.Body.Body
		}
		row.Version, row.UpdatedAt = row.Version+1, w.clock.Now()

		return w.save(ctx, &row)
	})

	return shown(row, err)
}
