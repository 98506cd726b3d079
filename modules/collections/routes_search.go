package collections

import (
	"context"
	"fmt"
	"net/http"
	"strings"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/platform/collection"
	"github.com/dispatchd/dispatchd/platform/errs"
	"github.com/dispatchd/dispatchd/platform/list"
	"github.com/dispatchd/dispatchd/platform/web"
)

func searchRoutes(r *web.Router, c *collection.Registry) {
	h := handlers{collections: c}
	web.Register(r, web.Operation{
		Method: http.MethodGet, Path: "/search", ID: "search", Access: web.Read,
		Summary: "Search the rows of all collections that you may read",
		Description: "Finds rows of resources and records of custom modules that have every word of `q`, as `q=` of " +
			"their lists does. The best matches come first: titles equal to the query, then titles that start with it, " +
			"then titles that contain it; equal matches are sorted latest first.",
		Errors: []*errs.Error{list.ErrInvalidQuery},
	}, h.search)
}

type searchInput struct {
	Q     string `query:"q" required:"true" minLength:"1" maxLength:"200" doc:"Words to search for, ignoring case and accents; an item must have every word." example:"blue ridge"`
	Limit int    `query:"limit" minimum:"1" maximum:"100" default:"20" doc:"Maximum number of rows."`
}

type searchOutput struct{ Body searchBody }

// searchBody is what a search has found.
type searchBody struct {
	Data []hitBody  `json:"data" nullable:"false"`
	Meta searchMeta `json:"meta"`
}

type searchMeta struct {
	More bool `json:"more" doc:"Whether there are more rows. The lists of their collections have all of them, with the same q."`
}

// hitBody is a row that was found.
type hitBody struct {
	Type       string         `json:"type" doc:"The type of the row as an item." example:"trucks.truck"`
	UUID       uuid.UUID      `json:"uuid"`
	Title      string         `json:"title" doc:"Title of the row; empty without one."`
	Collection collectionBody `json:"collection" doc:"The collection that has it."`
	Field      string         `json:"field,omitempty" doc:"The key of a field that contains a word."`
	Snippet    string         `json:"snippet,omitempty" doc:"The text around the word."`
}

func (h handlers) search(ctx context.Context, in *searchInput) (*searchOutput, error) {
	if n := len(strings.Fields(in.Q)); n == 0 || n > list.MaxWords {
		return nil, list.ErrInvalidQuery.WithField("q", fmt.Sprintf("q must have at least one word, and at most %d.", list.MaxWords))
	}
	found, err := h.collections.Search(ctx, in.Q, in.Limit)
	if err != nil {
		return nil, err
	}
	out := &searchOutput{Body: searchBody{Data: make([]hitBody, len(found.Hits)), Meta: searchMeta{More: found.More}}}
	for i, hit := range found.Hits {
		out.Body.Data[i] = hitBody{
			Type: hit.Type, UUID: hit.Row, Title: hit.Title, Collection: collectionBody(hit.Collection), Field: hit.Field, Snippet: hit.Snippet,
		}
	}

	return out, nil
}
