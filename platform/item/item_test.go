package item

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"
	"go.uber.org/fx"
	"pgregory.net/rapid"

	"github.com/dispatchd/dispatchd/platform/errs"
	"github.com/dispatchd/dispatchd/platform/kind"
	"github.com/dispatchd/dispatchd/platform/module"
	"github.com/dispatchd/dispatchd/platform/principal"
	"github.com/dispatchd/dispatchd/platform/telemetry"
)

// shelf is an area with things of its companies, which it counts the questions for.
type shelf struct {
	company map[uuid.UUID]uuid.UUID
	asked   []int
	area    string
	err     error
}

func newShelf() *shelf { return &shelf{company: map[uuid.UUID]uuid.UUID{}} }

// mine returns those of the things that are the caller's.
func (s *shelf) mine(ctx context.Context, ids []uuid.UUID) []uuid.UUID {
	s.asked, s.area = append(s.asked, len(ids)), telemetry.Area(ctx)
	caller, _ := principal.From(ctx)
	var mine []uuid.UUID
	for _, id := range ids {
		if s.company[id] == caller.Company {
			mine = append(mine, id)
		}
	}

	return mine
}

func (s *shelf) describe(ctx context.Context, ids []uuid.UUID) (map[uuid.UUID]Description, error) {
	found := map[uuid.UUID]Description{}
	for _, id := range s.mine(ctx, ids) {
		found[id] = Description{Title: "thing " + id.String(), Part: id.String()[:1]}
	}

	return found, s.err
}

func (s *shelf) fields(_ context.Context, parts []string) (map[string][]Field, error) {
	s.asked = append(s.asked, len(parts))
	found := map[string][]Field{}
	for _, part := range parts {
		if part != "gone" {
			found[part] = []Field{{Key: "name" + part, Label: "Name", Kind: kind.Text}}
		}
	}

	return found, s.err
}

func (s *shelf) values(ctx context.Context, ids []uuid.UUID, keys []string) (map[uuid.UUID]Values, error) {
	found := map[uuid.UUID]Values{}
	for _, id := range s.mine(ctx, ids) {
		found[id] = Values{"keys": json.RawMessage(fmt.Sprintf("%q", keys))}
	}

	return found, s.err
}

// put makes a thing of a company.
func (s *shelf) put(company uuid.UUID) uuid.UUID {
	id := uuid.New()
	s.company[id] = company

	return id
}

func line(typ string) fx.Option {
	return Type(typ, "Thing", (*shelf).describe, (*shelf).fields, (*shelf).values)
}

// fill builds a registry as the app does.
func fill(gate Gate, modules ...module.Module) (*Registry, error) {
	r := New(gate)
	options := []fx.Option{fx.NopLogger, fx.Supply(r)}
	for _, m := range modules {
		options = append(options, m.Options())
	}

	return r, fx.New(append(options, fx.Invoke(module.Fill))...).Err()
}

func area(id string, s *shelf, lines ...fx.Option) module.Module {
	return module.New(id, "", append(lines, fx.Supply(s, fx.Private))...)
}

// yard is a registry with the types loads.load and sms.message, and a caller.
type yard struct {
	*Registry

	loads, messages *shelf
	company         uuid.UUID
}

func newYard(t require.TestingT, gate Gate) yard {
	y := yard{loads: newShelf(), messages: newShelf(), company: uuid.New()}
	r, err := fill(gate, area("sms", y.messages, line("sms.message")), area("loads", y.loads,
		line("loads.load"), Type("loads.note", "Note", (*shelf).describe, nil, nil)))
	require.NoError(t, err)
	y.Registry = r

	return y
}

// calling returns a context in which a service of the company is calling.
func (y yard) calling(ctx context.Context, scopes ...string) context.Context {
	return principal.With(ctx, principal.Principal{Kind: principal.Service, Company: y.company, Scopes: scopes})
}

func load(id uuid.UUID) Ref    { return Ref{Type: "loads.load", UUID: id} }
func message(id uuid.UUID) Ref { return Ref{Type: "sms.message", UUID: id} }

func requireCode(t *testing.T, err error, kind errs.Kind, code string) {
	t.Helper()
	refused := refusal(t, err)
	require.Equal(t, kind, refused.Kind)
	require.Equal(t, code, refused.Code)
}

func refusal(t *testing.T, err error) *errs.Error {
	t.Helper()
	refused, ok := errors.AsType[*errs.Error](err)
	require.True(t, ok, err)

	return refused
}

func TestRegistry_AsksEachTypeOnceForABatchAndKeepsTheOrder(t *testing.T) {
	t.Parallel()
	y := newYard(t, nil)
	ctx := y.calling(t.Context(), "*")
	var refs []Ref
	for range 2*Batch + 1 {
		refs = append(refs, load(y.loads.put(y.company)), message(y.messages.put(y.company)))
	}
	refs = append(refs, refs...) // each twice
	titles, err := y.Titles(ctx, refs)
	require.NoError(t, err)
	values, err := y.Values(ctx, refs, "b", "a", "b")
	require.NoError(t, err)
	missing, err := y.Exists(ctx, refs...)
	require.NoError(t, err)
	require.Empty(t, missing)
	for i, ref := range refs {
		require.Equal(t, Titled{
			Ref: ref, Exists: true, Title: "thing " + ref.UUID.String(), Class: Class{Type: ref.Type, Part: ref.UUID.String()[:1]},
		}, titles[i])
		require.JSONEq(t, `["b","a"]`, strings.ReplaceAll(string(values[i]["keys"]), " ", ","))
	}
	each := []int{Batch, Batch, 1}
	require.Equal(t, append(append(append([]int{}, each...), each...), each...), y.loads.asked)
	require.Equal(t, y.loads.asked, y.messages.asked)
	require.Equal(t, "sms", y.messages.area)

	nothing, err := y.Titles(ctx, nil)
	require.NoError(t, err)
	require.Empty(t, nothing)
}

// Whatever is asked for, the answers are those for each reference by itself.
func TestRegistry_AnswersForManyWhatItAnswersForEach(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		y := newYard(t, nil)
		pool := []Ref{load(uuid.New()), message(uuid.New()), {Type: "gone.thing", UUID: uuid.New()}}
		for _, company := range []uuid.UUID{y.company, uuid.New()} {
			for range 3 {
				pool = append(pool, load(y.loads.put(company)), message(y.messages.put(company)))
			}
		}
		refs := rapid.SliceOf(rapid.SampledFrom(pool)).Draw(t, "refs")
		ctx := y.calling(t.Context(), rapid.SampledFrom([]string{"*", "loads:read", "sms:read", "loads:write"}).Draw(t, "scope"))
		titles, err := y.Titles(ctx, refs)
		require.NoError(t, err)
		require.Len(t, titles, len(refs))
		for i, ref := range refs {
			alone, err := y.Titles(ctx, []Ref{ref})
			require.NoError(t, err)
			require.Equal(t, alone[0], titles[i])
			own := y.loads.company[ref.UUID] == y.company || y.messages.company[ref.UUID] == y.company
			require.Equal(t, own, titles[i].Exists)
		}
	})
}

func TestExists_SaysWhatIsMissingAndOthersAreMissing(t *testing.T) {
	t.Parallel()
	y := newYard(t, nil)
	own, foreign, none := load(y.loads.put(y.company)), message(y.messages.put(uuid.New())), load(uuid.New())
	missing, err := y.Exists(y.calling(t.Context()), foreign, own, none, foreign)
	require.NoError(t, err)
	require.Equal(t, []Ref{foreign, none, foreign}, missing)
}

func TestRegistry_WithoutTheScopeSaysThatAnItemExistsAndNoMore(t *testing.T) {
	t.Parallel()
	y := newYard(t, nil)
	ctx := y.calling(t.Context(), "sms:read", "loads:write")
	first, second := load(y.loads.put(y.company)), message(y.messages.put(y.company))
	titles, err := y.Titles(ctx, []Ref{first, second})
	require.NoError(t, err)
	require.Equal(t, Titled{Ref: first, Exists: true}, titles[0])
	require.NotEmpty(t, titles[1].Title)

	_, err = y.Values(ctx, []Ref{second, first})
	requireCode(t, err, errs.Forbidden, "web.scope_missing")
	require.ErrorContains(t, err, "loads:read")
	_, err = y.Fields(ctx, Class{Type: "loads.load"})
	requireCode(t, err, errs.Forbidden, "web.scope_missing")
	_, err = y.Values(ctx, []Ref{second})
	require.NoError(t, err)
}

func TestFields_AreThoseOfTheClass(t *testing.T) {
	t.Parallel()
	y := newYard(t, nil)
	ctx := y.calling(t.Context(), "*")
	a, gone, plain := Class{"loads.load", "a"}, Class{"loads.load", "gone"}, Class{Type: "sms.message"}
	fields, err := y.Fields(ctx, a, plain, gone, a)
	require.NoError(t, err)
	of := func(key string) []Field { return []Field{{Key: key, Label: "Name", Kind: kind.Text}} }
	require.Equal(t, [][]Field{of("namea"), of("name"), nil, of("namea")}, fields)
	require.Equal(t, []int{2}, y.loads.asked)

	_, err = y.Fields(ctx, Class{Type: "loads.note"})
	requireCode(t, err, errs.Invalid, "item.no_fields")
	_, err = y.Values(ctx, []Ref{{Type: "loads.note", UUID: uuid.New()}})
	requireCode(t, err, errs.Invalid, "item.no_fields")
}

func TestRegistry_RefusesAnUnknownTypeNamingTheNearest(t *testing.T) {
	t.Parallel()
	y := newYard(t, nil)
	ctx, wrong := y.calling(t.Context(), "*"), Ref{Type: "loads.laod", UUID: uuid.New()}
	_, err := y.Exists(ctx, load(uuid.New()), wrong)
	requireCode(t, err, errs.Invalid, "item.unknown_type")
	refused := refusal(t, err)
	require.Equal(t, `There is no item type "loads.laod"; the nearest is loads.load.`, refused.Message)
	require.Equal(t, []string{"loads.load", "loads.note", "sms.message"}, refused.Details["types"])
	_, err = y.Values(ctx, []Ref{wrong})
	requireCode(t, err, errs.Invalid, "item.unknown_type")
	_, err = y.Fields(ctx, Class{Type: strings.Repeat("x", 10_000)})
	require.Less(t, len(refusal(t, err).Message), 200)
	_, err = New(nil).Exists(ctx, wrong)
	requireCode(t, err, errs.Invalid, "item.unknown_type")

	titles, err := y.Titles(ctx, []Ref{wrong})
	require.NoError(t, err, "a stored reference outlives its type")
	require.Equal(t, []Titled{{Ref: wrong}}, titles)
}

// gate keeps companies out of sms.
type gate struct{ err error }

func (g gate) Allows(_ context.Context, _ uuid.UUID, area string) (bool, error) {
	return area != "sms", g.err
}

func TestRegistry_TypesOfAnAreaThatTheCompanyDoesNotUseAreUnknownToIt(t *testing.T) {
	t.Parallel()
	y := newYard(t, gate{})
	ctx := y.calling(t.Context(), "*")
	first, second := load(y.loads.put(y.company)), message(y.messages.put(y.company))
	_, err := y.Exists(ctx, second)
	requireCode(t, err, errs.Invalid, "item.unknown_type")
	_, err = y.Values(ctx, []Ref{second})
	requireCode(t, err, errs.Invalid, "item.unknown_type")
	titles, err := y.Titles(ctx, []Ref{first, second})
	require.NoError(t, err)
	require.True(t, titles[0].Exists)
	require.Equal(t, Titled{Ref: second}, titles[1])
	require.Empty(t, y.messages.asked)

	boom := errors.New("boom")
	_, err = newYard(t, gate{err: boom}).Titles(ctx, []Ref{second})
	require.ErrorIs(t, err, boom)
}

func TestRegistry_NamesTheTypeThatFails(t *testing.T) {
	t.Parallel()
	y := newYard(t, nil)
	y.loads.err = errors.New("boom")
	ctx := y.calling(t.Context(), "*")
	_, err := y.Values(ctx, []Ref{load(uuid.New())})
	require.EqualError(t, err, "items of type loads.load: boom")
	_, err = y.Fields(ctx, Class{Type: "loads.load"})
	require.EqualError(t, err, "fields of items of type loads.load: boom")
}

func TestType_RefusesWhatIsNoType(t *testing.T) {
	t.Parallel()
	for problem, lines := range map[string][]fx.Option{
		`item type "sms.x": want "loads."`:         {line("sms.x")},
		`item type "loads.X": want "loads."`:       {line("loads.X")},
		`item type "loads.x" is declared twice`:    {line("loads.x"), line("loads.x")},
		`item type "loads.x": want a title`:        {Type("loads.x", "", (*shelf).describe, nil, nil)},
		"fields and values together or neither":    {Type("loads.x", "X", (*shelf).describe, (*shelf).fields, nil)},
		"want a title, a method that describes, a": {Type[*shelf]("loads.x", "X", nil, nil, nil)},
	} {
		_, err := fill(nil, area("loads", newShelf(), lines...))
		require.ErrorContains(t, err, problem)
	}
}

func TestTypes_AreListedByName(t *testing.T) {
	t.Parallel()
	require.Equal(t, []TypeInfo{
		{Type: "loads.load", Title: "Thing", Readable: true},
		{Type: "loads.note", Title: "Note"},
		{Type: "sms.message", Title: "Thing", Readable: true},
	}, newYard(t, nil).Types())
}

func TestRef_IsReadStrictly(t *testing.T) {
	t.Parallel()
	id := uuid.New()
	want := Ref{Type: "custom_modules.record", UUID: id}
	text, err := json.Marshal(want)
	require.NoError(t, err)
	require.Equal(t, `{"type":"custom_modules.record","uuid":"`+id.String()+`"}`, string(text))
	var got Ref
	require.NoError(t, json.Unmarshal(text, &got))
	require.Equal(t, want, got)
	require.Equal(t, "custom_modules", got.Area())

	for _, wrong := range []string{
		`{}`, `"x"`, `[]`, `{"type":"loads.load"}`, `{"type":"loads","uuid":"` + id.String() + `"}`,
		`{"type":"Loads.load","uuid":"` + id.String() + `"}`, `{"type":"loads.load.x","uuid":"` + id.String() + `"}`,
		`{"type":"loads.load","uuid":"` + strings.ReplaceAll(id.String(), "-", "") + `"}`,
		`{"type":"loads.load","uuid":"` + uuid.Nil.String() + `"}`, `{"type":"loads.load","uuid":7}`,
		`{"type":"loads.load","uuid":"` + id.String() + `","x":1}`,
	} {
		require.Error(t, json.Unmarshal([]byte(wrong), &got), wrong)
		require.Equal(t, want, got, "left as it was")
	}
}
