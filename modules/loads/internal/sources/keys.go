package sources

import (
	"context"
	"net/http"
	"time"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/platform/errs"
	"github.com/dispatchd/dispatchd/platform/link"
	"github.com/dispatchd/dispatchd/platform/resource"
	"github.com/dispatchd/dispatchd/platform/web"
)

// Key is what the keys of sources are for. They are links without a page: random, kept as a hash, limited and revoked like those.
const Key link.Purpose = "loads.source"

// KeyRules are the rules of keys: each may be used sixty times a minute.
func KeyRules() link.Rules { return link.Rules{Life: 10 * 366 * 24 * time.Hour, PerMinute: 60} } //nolint:mnd // ten years

// Keys lets sources send requests by themselves.
type Keys struct {
	sources *resource.Resource[Source]
	links   *link.Service
	desk    *Desk
}

// NewKeys returns the keys of sources.
func NewKeys(sources *resource.Resource[Source], links *link.Service, d *Desk) *Keys {
	return &Keys{sources, links, d}
}

// KeyRoutes registers the operations on the keys of sources, and that by which a source sends a request with one.
func KeyRoutes(r *web.Router, k *Keys) {
	access, missing := web.Scope("settings"), []*errs.Error{k.sources.NotFound()}
	web.Register(r, web.Operation{
		Method: http.MethodPost, Path: "/from-source", ID: "create_load_from_source", Access: web.Public, Summary: "Send a request for a transport",
		Description: "For sources outside, with their key in the body. Numbers may be texts, and further keys are kept with the load. The same body within ten minutes is the same load.",
		Errors:      []*errs.Error{errSourceKey, errRequest, errInactive, link.ErrTooOften},
	}, k.fromSource)
	web.Register(r, web.Operation{
		Method: http.MethodPost, Path: "/sources/{uuid}/keys", ID: "create_source_key", Access: access, Secret: true, Summary: "Make a key by which a source sends requests",
		Description: "Only this response has it. To replace a key, make another one, have the source use it, and revoke the old one.", Errors: missing,
	}, func(ctx context.Context, in *oneInput) (*keyOutput, error) {
		if _, err := k.sources.Find(ctx, in.UUID); err != nil {
			return nil, err
		}
		made, text, err := k.links.Create(ctx, link.NewLink{Purpose: Key, Subject: link.Subject{Type: sourceItem, ID: in.UUID}})
		out := &keyOutput{keyOf(made)}
		out.Body.Key = text

		return out, err
	})
	web.Register(r, web.Operation{
		Method: http.MethodGet, Path: "/sources/{uuid}/keys", ID: "list_source_keys", Access: web.Read, Summary: "List the keys of a source",
		Description: "The newest 100.", Errors: missing,
	}, func(ctx context.Context, in *oneInput) (*keysOutput, error) {
		if _, err := k.sources.Find(ctx, in.UUID); err != nil {
			return nil, err
		}
		all, err := k.links.List(ctx, link.Filter{Purpose: Key, Subject: link.Subject{Type: sourceItem, ID: in.UUID}})
		out := &keysOutput{}
		out.Body.Data = make([]keyBody, len(all))
		for i, l := range all {
			out.Body.Data[i] = keyOf(l)
		}

		return out, err
	})
	web.Register(r, web.Operation{
		Method: http.MethodDelete, Path: "/sources/{uuid}/keys/{key}", ID: "revoke_source_key", Access: access, Summary: "Revoke a key of a source",
		Errors: append(missing, link.ErrNotFound),
	}, func(ctx context.Context, in *revokeKeyInput) (*struct{}, error) {
		if _, err := k.sources.Find(ctx, in.UUID); err != nil {
			return nil, err
		}

		return nil, k.links.RevokeOf(ctx, Key, link.Subject{Type: sourceItem, ID: in.UUID}, in.Key)
	})
}

type oneInput struct {
	UUID uuid.UUID `path:"uuid" format:"uuid"`
}

type revokeKeyInput struct {
	UUID uuid.UUID `path:"uuid" format:"uuid"`
	Key  uuid.UUID `path:"key" format:"uuid"`
}

// keyBody is a key as the company sees it.
type keyBody struct {
	UUID       uuid.UUID  `json:"uuid"`
	Key        string     `json:"key,omitempty" doc:"Only in the response that creates it."`
	Prefix     string     `json:"prefix" doc:"Beginning of the key, to identify it."`
	CreatedAt  time.Time  `json:"created_at"`
	RevokedAt  *time.Time `json:"revoked_at"`
	LastUsedAt *time.Time `json:"last_used_at"`
}

// SchemaName is the name of the body in the OpenAPI document.
func (keyBody) SchemaName() string { return "LoadSourceKey" }

func keyOf(l link.Link) keyBody {
	return keyBody{UUID: l.ID, Prefix: l.Prefix, CreatedAt: l.CreatedAt, RevokedAt: l.RevokedAt, LastUsedAt: l.LastUsedAt}
}

type keyOutput struct{ Body keyBody }

type keysOutput struct {
	Body struct {
		Data []keyBody `json:"data" nullable:"false"`
	}
}
