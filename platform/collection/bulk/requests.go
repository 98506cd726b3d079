package bulk

import (
	"context"
	"slices"

	"github.com/dispatchd/dispatchd/platform/collection"
	"github.com/dispatchd/dispatchd/platform/database"
	"github.com/dispatchd/dispatchd/platform/web"
)

// Requests does the bulk requests of all collections. It may be used from several goroutines.
type Requests struct {
	settings    Settings
	db          *database.DB
	collections *collection.Registry
	api         *web.API
}

// New returns the requests of collections.
func New(s Settings, db *database.DB, all *collection.Registry, api *web.API) *Requests {
	return &Requests{settings: s, db: db, collections: all, api: api}
}

// Settings are those of the requests.
func (r *Requests) Settings() Settings { return r.settings }

// Run does a request, whose body is a Body, of a caller who may write the rows of a collection; for acts alone, who may read them and
// has the scopes of their operations. Errors: those of collection.Registry.Open and of Run, ErrNotWritable, ErrInvalid.
func (r *Requests) Run(ctx context.Context, name collection.Name, in *web.RawJSON) ([]Done, error) {
	var body Body
	if err := in.Decode(&body); err != nil {
		return nil, err
	}
	access := collection.Write
	if !slices.ContainsFunc(body.Items, func(i Item) bool { return i.Do != Act }) {
		access = collection.Read
	}
	c, err := r.collections.Open(ctx, name, access)
	if err != nil {
		return nil, err
	}
	w, ok := c.(Writer)
	if !ok {
		return nil, ErrNotWritable
	}
	face := Face{Items: r.settings.MaxItems, Room: int(r.settings.MaxSize), Invalid: ErrInvalid, Refused: ErrRefused}
	if actor, ok := c.(Actor); ok {
		face.Acts = operations{r.api, actor}
	}
	if wrong := face.Check(body); wrong != nil {
		return nil, wrong
	}

	return Run(ctx, r.db, w, face, body)
}
