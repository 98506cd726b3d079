package docks

import (
	"context"
	"net/http"
	"time"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/platform/errs"
	"github.com/dispatchd/dispatchd/platform/list"
	"github.com/dispatchd/dispatchd/platform/web"
)

// doorRoutes are the operations on doors.
func doorRoutes(r *web.Router, s *service) {
	h := handlers{service: s}
	web.Register(r, web.Operation{
		Method: http.MethodPost, Path: "/doors", ID: "create_door", Summary: "Create a door",
		Access: web.Write, Errors: []*errs.Error{errInvalid},
	}, h.create)
	web.Register(r, web.Operation{
		Method: http.MethodGet, Path: "/doors/{uuid}", ID: "read_door", Summary: "Read a door",
		Access: web.Read, Errors: []*errs.Error{errNotFound},
	}, h.read)
	web.Register(r, web.Operation{
		Method: http.MethodGet, Path: "/doors", ID: "list_doors", Summary: "List doors",
		Access: web.Read, Errors: list.Errors(),
	}, list.Serve(listSchema(), s.repository.list, show))
}

type handlers struct{ service *service }

// body is a door as the API shows it.
type body struct {
	UUID      uuid.UUID `json:"uuid" doc:"Id of the door."`
	Name      string    `json:"name" doc:"Name of the door."`
	Version   int64     `json:"version" doc:"Grows with every change; the ETag."`
	CreatedAt time.Time `json:"created_at"`
	UpdatedAt time.Time `json:"updated_at"`
}

// SchemaName is the name of the body in the OpenAPI document.
func (body) SchemaName() string { return "DocksDoor" }

func show(row door) body {
	return body{
		UUID: row.ID, Name: row.Name, Version: row.Version, CreatedAt: row.CreatedAt, UpdatedAt: row.UpdatedAt,
	}
}

func resource(row door) *web.Resource[body] {
	return web.NewResource(show(row), row.Version, "/docks/api/v1/doors/"+row.ID.String())
}

type createInput struct {
	Body struct {
		Name string `json:"name" minLength:"1" doc:"Name of the door."`
	}
}

func (h handlers) create(ctx context.Context, in *createInput) (*web.Resource[body], error) {
	row, err := h.service.create(ctx, in.Body.Name)
	if err != nil {
		return nil, err
	}

	return resource(row), nil
}

type readInput struct {
	UUID uuid.UUID `path:"uuid" format:"uuid" doc:"Id of the door."`
}

func (h handlers) read(ctx context.Context, in *readInput) (*web.Resource[body], error) {
	row, err := h.service.repository.find(ctx, in.UUID)
	if err != nil {
		return nil, err
	}

	return resource(row), nil
}
