package views_test

import (
	"context"
	"slices"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/dispatchd/dispatchd/platform/clock"
	"github.com/dispatchd/dispatchd/platform/collection"
	"github.com/dispatchd/dispatchd/platform/collection/views"
	"github.com/dispatchd/dispatchd/platform/database"
	"github.com/dispatchd/dispatchd/platform/kind"
	"github.com/dispatchd/dispatchd/platform/list"
	"github.com/dispatchd/dispatchd/platform/moduletest"
	"github.com/dispatchd/dispatchd/platform/principal"
	"github.com/dispatchd/dispatchd/platform/web"
)

// slots is a collection of fields whose keys change; an ID is "id of" what the key was first.
type slots struct {
	collection.Collection

	keys map[string]string // by ID
}

func (s *slots) Listing(ctx context.Context, use func(context.Context, collection.Listing) error) error {
	return use(ctx, s.listing())
}

func (s *slots) listing() collection.Listing {
	var keys []string
	schema := list.Schema{ID: list.Field{Name: "uuid", Expr: "id", Kind: kind.UUID}}
	for _, key := range s.keys {
		keys = append(keys, key)
		schema.Fields = append(schema.Fields, list.Field{Name: key, Expr: "c", Kind: kind.Integer, Sortable: true, Filterable: true})
	}

	return collection.Listing{
		Info: collection.Info{Name: "yards.slot", Area: "yards"}, Noun: "collection", Own: []string{"uuid"}, Keys: keys,
		ByKey: func(key string) (collection.ListedField, bool) {
			for id, known := range s.keys {
				if known == key {
					return collection.ListedField{ID: id, Key: key}, true
				}
			}

			return collection.ListedField{}, false
		},
		ByID: func(id string) (collection.ListedField, bool) {
			key, ok := s.keys[id]

			return collection.ListedField{ID: id, Key: key}, ok
		},
		MayShare: func(context.Context) error { return nil },
		Ask: func(ctx context.Context, in *list.Input) ([]list.Warning, error) {
			_, err := in.Parse(ctx, schema)

			return nil, err
		},
	}
}

func each(t *testing.T, test func(t *testing.T, ctx context.Context, v *views.Views, db *database.DB)) {
	t.Helper()
	moduletest.BootEach(t, nil, func(t *testing.T, a *moduletest.App) {
		t.Helper()
		test(t, principal.With(t.Context(), principal.ForCompany(a.Owner.ID)), views.New(a.DB, clock.System{}, a.Audit), a.DB)
	})
}

func lanes() *slots { return &slots{keys: map[string]string{"id of lane": "lane", "id of row": "row"}} }

func TestChange_LeavesPartsThatAreGoneAsTheyAreUnlessTheyAreReplaced(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, ctx context.Context, v *views.Views, _ *database.DB) {
		t.Helper()
		of := lanes()
		made, err := v.Create(ctx, of, views.NewView{
			Name: "Far", Shared: true, Filter: []views.Condition{{Field: "lane", Operator: "gte", Value: "9"}}, Sort: []views.Order{{Field: "row"}},
		})
		require.NoError(t, err)
		of.keys["id of row"] = "line"
		delete(of.keys, "id of lane")
		renamed, err := v.Change(ctx, of, made.UUID, web.IfMatch{IfMatch: `"1"`}, views.Patch{Name: new("Far out")})
		require.NoError(t, err)
		require.Equal(t, "Far out", renamed.Name)
		require.Equal(t, []views.Order{{Field: "line"}}, renamed.Sort)
		require.Equal(t, []views.Part{{Path: "filter.0", Field: "id of lane"}}, renamed.Broken())
		in := list.FromQuery("", nil)
		_, err = v.ApplyTo(ctx, of.listing(), made.UUID, &in)
		require.ErrorIs(t, err, views.ErrBroken)

		of.keys["id of lane"] = "lane"
		again, err := v.Find(ctx, of, made.UUID)
		require.NoError(t, err)
		require.Equal(t, []views.Condition{{Field: "lane", Operator: "gte", Value: "9"}}, again.Filter, "it was kept")
		cleared, err := v.Change(ctx, of, made.UUID, web.IfMatch{}, views.Patch{Filter: []views.Condition{}})
		require.NoError(t, err)
		require.Empty(t, cleared.Filter)
		require.Equal(t, []views.Order{{Field: "line"}}, cleared.Sort)
		_, err = v.Change(ctx, of, made.UUID, web.IfMatch{IfMatch: `"1"`}, views.Patch{Name: new("x")})
		require.ErrorContains(t, err, "version 3")
		_, err = v.Change(ctx, of, made.UUID, web.IfMatch{}, views.Patch{Sort: []views.Order{{Field: "road"}}})
		require.ErrorIs(t, err, views.ErrInvalid)
	})
}

// storedView is a row of collection_views.
type storedView struct {
	database.Tenant

	ID         uuid.UUID `gorm:"primaryKey"`
	Collection string
	Name       string
	Content    string
	Version    int64
	CreatedAt  time.Time
	UpdatedAt  time.Time
}

func (storedView) TableName() string { return "collection_views" }

func TestCreate_StaysWithinTheLimitWhenManySaveAtOnce(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, ctx context.Context, v *views.Views, db *database.DB) {
		t.Helper()
		many := make([]storedView, 999)
		for i := range many {
			many[i] = storedView{ID: database.NewID(), Collection: "yards.slot", Name: "One", Content: "{}", Version: 1}
		}
		require.NoError(t, db.InTx(ctx, func(ctx context.Context) error {
			for part := range slices.Chunk(many, 100) {
				if err := db.Conn(ctx).Create(&part).Error; err != nil {
					return err
				}
			}

			return nil
		}))
		results := make(chan error, 5)
		for range cap(results) {
			go func() {
				_, err := v.Create(ctx, lanes(), views.NewView{Name: "One more", Shared: true})
				results <- err
			}()
		}
		made := 0
		for range cap(results) {
			if err := <-results; err == nil {
				made++
			} else {
				require.ErrorIs(t, err, views.ErrTooMany)
			}
		}
		require.Equal(t, 1, made)
		_, err := v.Create(ctx, &slots{}, views.NewView{Name: "No more", Shared: true})
		require.ErrorIs(t, err, views.ErrTooMany)
	})
}
