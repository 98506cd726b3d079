package collection_test

import (
	"context"
	"slices"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"
	"go.uber.org/fx"

	"github.com/dispatchd/dispatchd/platform/collection"
	"github.com/dispatchd/dispatchd/platform/module"
	"github.com/dispatchd/dispatchd/platform/principal"
)

// rows is a collection that is nothing but there.
type rows struct {
	collection.Collection

	id uuid.UUID
}

// yard is the service of an area; it has collections that companies define.
type yard struct{ defined []collection.Info }

func (y *yard) slots() collection.Collection { return rows{} }

func (y *yard) source() collection.Source { return source{y} }

type source struct{ yard *yard }

func (s source) List(context.Context) ([]collection.Info, error) { return s.yard.defined, nil }

func (source) Open(id uuid.UUID) collection.Collection { return rows{id: id} }

// using is the areas that companies use.
type using []string

func (u using) Allows(_ context.Context, _ uuid.UUID, area string) (bool, error) {
	return slices.Contains(u, area), nil
}

// registry fills a registry from the manifest of the area "yards".
func registry(t *testing.T, uses using, y *yard, lines ...fx.Option) (*collection.Registry, error) {
	t.Helper()
	r := collection.New(uses)
	m := module.New("yards", "Yards", append(lines, fx.Supply(y, fx.Private))...)
	app := fx.New(fx.Supply(r), m.Options(), fx.Invoke(module.Fill), fx.NopLogger)

	return r, app.Err()
}

func lines() []fx.Option {
	return []fx.Option{collection.Type("yards.slot", "Slots", collection.Scopes{}, (*yard).slots), collection.Family((*yard).source)}
}

func as(ctx context.Context, scopes ...string) context.Context {
	return principal.With(ctx, principal.Principal{Kind: principal.User, Scopes: scopes})
}

func TestOpen_FindsTypesByNameAndDefinedOnesByUUID(t *testing.T) {
	t.Parallel()
	r, err := registry(t, using{"yards"}, &yard{}, lines()...)
	require.NoError(t, err)
	ctx, id := as(t.Context(), "yards:read"), uuid.New()

	slots, err := r.Open(ctx, "yards.slot", collection.Read)
	require.NoError(t, err)
	require.Equal(t, rows{}, slots)
	defined, err := r.Open(ctx, collection.Name(id.String()), collection.Read)
	require.NoError(t, err)
	require.Equal(t, rows{id: id}, defined)

	for _, name := range []collection.Name{"", "yards.gate", "yards", "urn:uuid:" + collection.Name(id.String()), "{" + collection.Name(id.String()) + "}"} {
		_, err := r.Open(ctx, name, collection.Read)
		require.ErrorIsf(t, err, collection.ErrNotFound, "%q", name)
	}
}

func TestOpen_TakesTheScopeOfTheAreaAndThatTheCompanyUsesIt(t *testing.T) {
	t.Parallel()
	r, err := registry(t, using{"yards"}, &yard{}, lines()...)
	require.NoError(t, err)
	_, err = r.Open(as(t.Context(), "yards:read", "collections:write"), "yards.slot", collection.Write)
	require.ErrorIs(t, err, principal.ErrScopeMissing)
	_, err = r.Open(as(t.Context(), "collections:read"), "yards.slot", collection.Read)
	require.ErrorIs(t, err, principal.ErrScopeMissing)
	_, err = r.Open(as(t.Context(), "yards:write"), "yards.slot", collection.Write)
	require.NoError(t, err)

	off, err := registry(t, using{}, &yard{}, lines()...)
	require.NoError(t, err)
	_, err = off.Open(as(t.Context(), "*"), "yards.slot", collection.Read)
	require.ErrorIs(t, err, collection.ErrNotFound)
}

func TestOpen_TakesTheScopesOfTheCollectionWhereItHasItsOwn(t *testing.T) {
	t.Parallel()
	r, err := registry(t, using{"yards"}, &yard{},
		collection.Type("yards.vault", "Vaults", collection.Scopes{Read: "yards:guard", Write: "yards:manage"}, (*yard).slots))
	require.NoError(t, err)
	_, err = r.Open(as(t.Context(), "yards:read", "yards:write"), "yards.vault", collection.Read)
	require.ErrorIs(t, err, principal.ErrScopeMissing)
	_, err = r.Open(as(t.Context(), "yards:guard", "yards:write"), "yards.vault", collection.Write)
	require.ErrorIs(t, err, principal.ErrScopeMissing)
	_, err = r.Open(as(t.Context(), "yards:manage"), "yards.vault", collection.Write)
	require.NoError(t, err)
	none, err := r.List(as(t.Context(), "yards:read"))
	require.NoError(t, err)
	require.Empty(t, none)
}

func TestList_HasWhatTheCallerMayRead(t *testing.T) {
	t.Parallel()
	defined := collection.Info{Name: collection.Name(uuid.NewString()), Area: "yards", Title: "Claims"}
	r, err := registry(t, using{"yards"}, &yard{[]collection.Info{defined}}, lines()...)
	require.NoError(t, err)
	all, err := r.List(as(t.Context(), "*:read"))
	require.NoError(t, err)
	require.Equal(t, []collection.Info{{Name: "yards.slot", Area: "yards", Title: "Slots"}, defined}, all)

	none, err := r.List(as(t.Context(), "collections:read"))
	require.NoError(t, err)
	require.Empty(t, none)
}

func TestRegistry_RefusesWhatIsDeclaredWrongly(t *testing.T) {
	t.Parallel()
	for want, wrong := range map[string]fx.Option{
		`collection "yards.slot" is declared twice`:        collection.Type("yards.slot", "Slots", collection.Scopes{}, (*yard).slots),
		`collection "loads.load": want a title, and "yard`: collection.Type("loads.load", "Loads", collection.Scopes{}, (*yard).slots),
		`collection "yards.gate": want a title`:            collection.Type("yards.gate", "", collection.Scopes{}, (*yard).slots),
		`both have collections by uuid`:                    collection.Family((*yard).source),
	} {
		_, err := registry(t, using{}, &yard{}, append(lines(), wrong)...)
		require.ErrorContains(t, err, want)
	}
}
