package document_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"
	"go.uber.org/fx"

	"github.com/dispatchd/dispatchd/platform/document"
	"github.com/dispatchd/dispatchd/platform/errs"
	"github.com/dispatchd/dispatchd/platform/item"
	"github.com/dispatchd/dispatchd/platform/module"
	"github.com/dispatchd/dispatchd/platform/paper"
	"github.com/dispatchd/dispatchd/platform/port"
	"github.com/dispatchd/dispatchd/platform/principal"
)

const load, dispatch = "yard.load", "haul.dispatch"

var (
	one  = item.Ref{Type: load, UUID: uuid.MustParse("0190f6a4-0000-7000-8000-000000000001")}
	two  = item.Ref{Type: dispatch, UUID: uuid.MustParse("0190f6a4-0000-7000-8000-000000000002")}
	gate = uuid.MustParse("0190f6a4-0000-7000-8000-000000000003")
)

const haulers, others = "0190f6a4-0000-7000-8000-00000000000a", "0190f6a4-0000-7000-8000-00000000000b"

func day(n int) time.Time { return time.Date(2026, time.December, n, 12, 0, 0, 0, time.UTC) }

// yard keeps files, haul prints rate confirmations.
type (
	yard struct{}
	haul struct{}
)

func (yard) files(_ context.Context, of item.Ref) ([]document.Paper, error) {
	return []document.Paper{
		{UUID: uuid.NewSHA1(of.UUID, []byte("gate")), Kind: document.KindFile, Title: "Gate pass of " + of.Type, CreatedAt: day(1), Visibility: document.Public},
		{UUID: uuid.NewSHA1(of.UUID, []byte("margin")), Kind: document.KindFile, Title: "Margin of " + of.Type, CreatedAt: day(2), Visibility: document.Internal},
		{UUID: gate, Kind: document.KindFile, Title: "Scan 3", CreatedAt: day(3), Visibility: document.Internal},
	}, nil
}

func (haul) papers(context.Context, item.Ref) ([]document.Paper, error) {
	return []document.Paper{
		{Kind: "confirmation", Title: "Confirmation", CreatedAt: day(5), Visibility: document.Carrier, Carrier: haulers, Of: two, Path: "/haul/confirmation"},
		{UUID: gate, Kind: "invoice", Title: "Invoice of the carrier", CreatedAt: day(3), Visibility: document.Carrier, Carrier: haulers},
		{UUID: uuid.NewSHA1(gate, nil), Kind: "order", Title: "Signed order", CreatedAt: day(4), Visibility: document.Customer},
	}, nil
}

func (haul) model(_ context.Context, of item.Ref, o document.Options) (document.Model, error) {
	if of.UUID != two.UUID {
		return document.Model{}, errs.New(errs.NotFound, "haul.missing", "There is no such dispatch.")
	}

	return document.Model{Number: "D-1", Values: map[string]any{"scan": o.Scan}}, nil
}

func example() document.Model {
	return document.Model{Number: "D-2", Parts: []document.Part{{Name: "parties", Required: true, Blocks: []paper.Block{paper.Text{Text: "Acme"}}}}}
}

type uses map[string]bool

func (u uses) Allows(_ context.Context, _ uuid.UUID, area string) (bool, error) { return u[area], nil }

func fill(t *testing.T, gate document.Gate, modules ...module.Module) (*document.Registry, error) {
	t.Helper()
	all := document.New(gate)
	options := []fx.Option{fx.NopLogger, fx.Supply(all)}
	for _, m := range modules {
		options = append(options, m.Options())
	}

	return all, fx.New(append(options, fx.Invoke(module.Fill))...).Err()
}

func registry(t *testing.T, gate document.Gate) *document.Registry {
	t.Helper()
	all, err := fill(t, gate,
		module.New("a_yard", "", fx.Supply(yard{}, fx.Private), document.Source(nil, yard.files)),
		module.New("haul", "", fx.Supply(haul{}, fx.Private), document.Source([]string{load, dispatch}, haul.papers),
			document.Kind("confirmation", "Confirmation", haul.model, document.About(dispatch), document.NeedsScopes("haul:margins"), document.For(document.Carrier), document.Example(example))),
	)
	require.NoError(t, err)

	return all
}

func as(t *testing.T, scopes ...string) context.Context {
	t.Helper()

	return principal.With(t.Context(), principal.Principal{Kind: principal.User, Company: uuid.New(), Scopes: scopes})
}

func titles(t *testing.T, ctx context.Context, r *document.Registry, v document.Viewer, items ...item.Ref) (all []string) {
	t.Helper()
	papers, err := r.Of(ctx, v, items...)
	require.NoError(t, err)
	for _, p := range papers {
		all = append(all, p.Title)
	}

	return all
}

// archive keeps the confirmation as it was printed, for the company alone.
type archive struct{}

func (archive) papers(context.Context, item.Ref) ([]document.Paper, error) {
	return []document.Paper{{
		UUID: uuid.NewSHA1(gate, []byte("archive")), Kind: "confirmation", Title: "Frozen", CreatedAt: day(6), Visibility: document.Internal, Of: two, Frozen: true,
	}}, nil
}

func TestOf_ListsAFrozenPaperInPlaceOfTheLiveOne(t *testing.T) {
	t.Parallel()
	r, err := fill(t, nil,
		module.New("haul", "", fx.Supply(haul{}, fx.Private), document.Source([]string{load, dispatch}, haul.papers),
			document.Kind("confirmation", "Confirmation", haul.model, document.About(dispatch), document.Example(example))),
		module.New("archive", "", fx.Supply(archive{}, fx.Private), document.Source(nil, archive.papers)),
	)
	require.NoError(t, err)
	all := as(t, "*")
	require.Equal(t, []string{"Frozen", "Signed order", "Invoice of the carrier"}, titles(t, all, r, document.ForCompany(), two))
	require.Equal(t, []string{"Confirmation", "Invoice of the carrier"}, titles(t, all, r, document.ForCarrier(haulers), two), "who does not see the frozen one")
	every, err := r.Every(all, document.ForCompany(), two)
	require.NoError(t, err)
	require.Len(t, every, 4)
}

func TestUnmeant_SaysForWhomPapersOfAKindAre(t *testing.T) {
	t.Parallel()
	r := registry(t, nil)
	require.Empty(t, r.Unmeant("confirmation", document.Internal))
	require.Empty(t, r.Unmeant("confirmation", document.Carrier))
	for _, v := range []document.Visibility{document.Customer, document.Public, "everybody"} {
		require.Equal(t, "Papers of the kind `confirmation` cannot be `"+string(v)+"`, only `internal` or `carrier`.", r.Unmeant("confirmation", v))
	}
	require.NotEmpty(t, r.Unmeant("unknown", document.Carrier))
	require.Equal(t, []document.Visibility{document.Internal}, r.Audience("unknown"))
}

func TestOf_MergesThePapersOfAnItemForItsViewer(t *testing.T) {
	t.Parallel()
	all, r := as(t, "*"), registry(t, nil)
	for name, c := range map[string]struct {
		viewer document.Viewer
		want   []string
	}{
		"the company":     {document.ForCompany(), []string{"Confirmation", "Signed order", "Invoice of the carrier", "Margin of yard.load", "Gate pass of yard.load"}},
		"the customer":    {document.ForCustomer(), []string{"Signed order", "Gate pass of yard.load"}},
		"the carrier":     {document.ForCarrier(haulers), []string{"Confirmation", "Invoice of the carrier", "Gate pass of yard.load"}},
		"another carrier": {document.ForCarrier(others), []string{"Gate pass of yard.load"}},
		"nobody":          {document.Viewer{}, nil},
	} {
		require.Equal(t, c.want, titles(t, all, r, c.viewer, one), name)
	}
	require.Equal(t, []string{"Confirmation", "Invoice of the carrier", "Gate pass of yard.load", "Gate pass of haul.dispatch"},
		titles(t, all, r, document.ForCarrier(haulers), one, two), "each paper of two items once")
}

func TestOf_LeavesOutWhatTheCallerMayNotRead(t *testing.T) {
	t.Parallel()
	r := registry(t, nil)
	files := []string{"Scan 3", "Margin of yard.load", "Gate pass of yard.load"}
	require.Equal(t, files, titles(t, as(t, "a_yard:read"), r, document.ForCompany(), one))
	require.NotContains(t, titles(t, as(t, "a_yard:read", "haul:read"), r, document.ForCompany(), one), "Confirmation", "a kind with a scope of its own")
	require.Contains(t, titles(t, as(t, "*:read", "haul:margins"), r, document.ForCompany(), one), "Confirmation")
	require.Equal(t, files, titles(t, as(t, "*"), registry(t, uses{"a_yard": true}), document.ForCompany(), one), "an area that is off")
}

func TestOf_GivesAPrintedPaperAnIDOfItsKindAndItem(t *testing.T) {
	t.Parallel()
	papers, err := registry(t, nil).Of(as(t, "*"), document.ForCarrier(haulers), one)
	require.NoError(t, err)
	require.Equal(t, uuid.NewSHA1(two.UUID, []byte("confirmation")), papers[0].UUID)
	require.Equal(t, two, papers[0].Of)
	require.Equal(t, one, papers[1].Of)
}

func TestModel_IsOfAKindAndAnItemThatTheCallerMayRead(t *testing.T) {
	t.Parallel()
	p := document.NewPrinter(registry(t, nil), port.New(nil), nil, nil)
	m, err := p.Model(as(t, "*"), "confirmation", two, document.Options{Scan: "https://example.com"})
	require.NoError(t, err)
	require.Equal(t, "Confirmation", m.Title)
	require.Equal(t, "https://example.com", m.Values["scan"])
	for name, c := range map[string]struct {
		ctx  context.Context
		kind string
		of   item.Ref
		want *errs.Error
	}{
		"an unknown kind":    {as(t, "*"), "letter", two, document.ErrUnknownKind},
		"an item of another": {as(t, "*"), "confirmation", one, document.ErrWrongItem},
		"without the scope":  {as(t, "haul:read"), "confirmation", two, principal.ErrScopeMissing},
		"without the area":   {as(t, "haul:margins"), "confirmation", two, principal.ErrScopeMissing},
	} {
		_, err := p.Model(c.ctx, c.kind, c.of, document.Options{})
		require.ErrorIs(t, err, c.want, name)
	}
	_, err = document.NewPrinter(registry(t, uses{}), port.New(nil), nil, nil).Model(as(t, "*"), "confirmation", two, document.Options{})
	require.ErrorIs(t, err, document.ErrUnknownKind, "an area that is off")
}

func TestKinds_ShowWhatThereIs(t *testing.T) {
	t.Parallel()
	kinds, err := registry(t, nil).Kinds(as(t, "*"))
	require.NoError(t, err)
	want := example()
	want.Title = "Confirmation"
	require.Equal(t, []document.KindInfo{{Name: "confirmation", Title: "Confirmation", Area: "haul", About: []string{dispatch}, Scopes: []string{"haul:margins"}, Example: want}}, kinds)
	kinds, err = registry(t, uses{"a_yard": true}).Kinds(as(t, "*"))
	require.NoError(t, err)
	require.Empty(t, kinds)
}

func TestKind_RefusesWhatIsIncomplete(t *testing.T) {
	t.Parallel()
	for name, line := range map[string]fx.Option{
		"a name in upper case": document.Kind("Confirmation", "Confirmation", haul.model, document.About(dispatch), document.Example(example)),
		"no title":             document.Kind("confirmation", "", haul.model, document.About(dispatch), document.Example(example)),
		"no item":              document.Kind("confirmation", "Confirmation", haul.model, document.Example(example)),
		"no example":           document.Kind("confirmation", "Confirmation", haul.model, document.About(dispatch)),
	} {
		_, err := fill(t, nil, module.New("haul", "", fx.Supply(haul{}, fx.Private), line))
		require.ErrorContains(t, err, "kind of papers", name)
	}
	twice := document.Kind("confirmation", "Confirmation", haul.model, document.About(dispatch), document.Example(example))
	_, err := fill(t, nil, module.New("haul", "", fx.Supply(haul{}, fx.Private), twice, twice))
	require.ErrorContains(t, err, "declared twice")
}

var errBoom = errors.New("boom")

func (haul) failing(context.Context, item.Ref) ([]document.Paper, error) { return nil, errBoom }

func TestOf_NamesTheAreaThatFails(t *testing.T) {
	t.Parallel()
	r, err := fill(t, nil, module.New("haul", "", fx.Supply(haul{}, fx.Private), document.Source([]string{load}, haul.failing)))
	require.NoError(t, err)
	_, err = r.Of(as(t, "*"), document.ForCompany(), one)
	require.ErrorIs(t, err, errBoom)
	require.ErrorContains(t, err, "haul")
}
