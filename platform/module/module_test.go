package module_test

import (
	"errors"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"go.uber.org/fx"

	"github.com/dispatchd/dispatchd/platform/module"
)

func TestSelect_OrdersTheEnabledAreasByID(t *testing.T) {
	t.Parallel()
	all := []module.Module{module.New("sms", ""), module.New("carriers", ""), module.New("loads", "")}
	selected, err := module.Select(all, func(id string) bool { return id != "loads" })

	require.NoError(t, err)
	require.Equal(t, []string{"carriers", "sms"}, ids(selected))
	require.Equal(t, []string{"sms", "carriers", "loads"}, ids(all), "the list given is left alone")
}

func TestSelect_ReportsEveryProblemAtOnce(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name    string
		modules []module.Module
		off     []string
		want    []string
	}{
		{
			"a need that is off",
			[]module.Module{module.New("esign", "").Needs("attachments"), module.New("attachments", "")},
			[]string{"attachments"},
			[]string{`area "esign" needs "attachments", which is off: set modules.attachments.enabled`},
		},
		{
			"a need that nobody has",
			[]module.Module{module.New("esign", "").Needs("attachments", "sms")},
			nil,
			[]string{`area "esign" needs "attachments", which is not part of this binary`, `needs "sms"`},
		},
		{
			"an essential area that needs one that is not",
			[]module.Module{module.New("companies", "", module.Essential()).Needs("sms"), module.New("sms", "")},
			nil,
			[]string{`area "companies" is essential and needs "sms", which companies may not use`},
		},
		{
			"ids that are no ids",
			[]module.Module{module.New("Esign", ""), module.New("", ""), module.New("e-sign", "")},
			nil,
			[]string{`area id "Esign"`, `area id ""`, `area id "e-sign"`},
		},
		{
			"an id used twice",
			[]module.Module{module.New("sms", ""), module.New("sms", "")},
			nil,
			[]string{`area id "sms" is used by two modules`},
		},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			_, err := module.Select(test.modules, func(id string) bool { return !slices.Contains(test.off, id) })
			for _, want := range test.want {
				require.ErrorContains(t, err, want)
			}
		})
	}
}

func TestSelect_StaysQuietAboutAreasThatAreOnlyListenedTo(t *testing.T) {
	t.Parallel()
	_, err := module.Select([]module.Module{module.New("sms", "").Listens("carriers")}, func(string) bool { return true })
	require.NoError(t, err)
}

func TestEssential_IsALineOfTheManifest(t *testing.T) {
	t.Parallel()
	require.True(t, module.New("audit", "", module.Essential()).Essential())
	require.False(t, module.New("sms", "", notes(nil)).Essential())
	_, err := module.Select([]module.Module{
		module.New("companies", "", module.Essential()).Needs("audit"), module.New("audit", "", module.Essential()),
	}, func(string) bool { return true })
	require.NoError(t, err)
}

// register records the order in which a registry is filled; note is what an area brings along.
type register struct{ lines []string }

type note string

func notes(fail error) fx.Option {
	return module.Contribute("note", "n", nil, func(at module.At) fx.Option {
		return module.Register(at, func(r *register, n note) error {
			r.lines = append(r.lines, at.Area+":"+string(n))

			return fail
		})
	})
}

func area(id string, n note, fail error) module.Module {
	return module.New(id, "", fx.Supply(n, fx.Private), notes(fail), notes(fail))
}

func fill(modules ...module.Module) (*register, error) {
	r := &register{}
	options := []fx.Option{fx.NopLogger, fx.Supply(r)}
	for _, m := range modules {
		options = append(options, m.Options())
	}

	return r, fx.New(append(options, fx.Invoke(module.Fill))...).Err()
}

func TestFill_EntersByAreaAndPositionWhateverTheOrderOfModules(t *testing.T) {
	t.Parallel()
	for range 20 {
		r, err := fill(area("b", "private to b", nil), area("a", "private to a", nil))
		require.NoError(t, err)
		require.Equal(t, []string{"a:private to a", "a:private to a", "b:private to b", "b:private to b"}, r.lines)
	}
}

func TestFill_EntersAnyNumberOfRegistrationsInTheirOrder(t *testing.T) {
	t.Parallel()
	lines := []fx.Option{fx.Supply(note("first"), fx.Private)}
	var want []string
	for range 150 {
		lines = append(lines, notes(nil))
		want = append(want, "a:first")
	}
	r, err := fill(module.New("a", "", lines...))
	require.NoError(t, err)
	require.Equal(t, want, r.lines)
}

func TestRegister_RefusesToStandInOptionsWhereItWouldNotBeSeen(t *testing.T) {
	t.Parallel()
	hidden := module.Contribute("note", "n", nil, func(at module.At) fx.Option {
		return fx.Options(module.Register(at, func(*register, note) error { return nil }))
	})
	_, err := fill(module.New("a", "", fx.Supply(note(""), fx.Private), hidden))
	require.ErrorContains(t, err, `area "a": a registration in fx.Options: want module.Lines`)
}

func TestFill_NamesTheAreaWhoseContributionIsRefused(t *testing.T) {
	t.Parallel()
	boom := errors.New("boom")
	_, err := fill(area("a", "", nil), area("b", "", boom))
	require.ErrorIs(t, err, boom)
	require.ErrorContains(t, err, `area "b"`)
}

func TestValues_ReadsTheManifestBeforeFxExists(t *testing.T) {
	t.Parallel()
	m := module.New("a", "An area", fx.Provide(func() int { panic("never built") }),
		module.Contribute("section", "one", note("1"), nil),
		module.Contribute("other", "x", 7, nil),
		module.Contribute("section", "two", note("2"), nil))

	require.Equal(t, []note{"1", "2"}, module.Values[note](m))
	kinds := make([]string, 0, 3)
	for _, c := range m.Contributions() {
		kinds = append(kinds, c.Kind+" "+c.Name)
	}
	require.Equal(t, []string{"section one", "other x", "section two"}, kinds)
}

func TestFuncName_IsBare(t *testing.T) {
	t.Parallel()
	require.Equal(t, "notes", module.FuncName(notes))
	require.Equal(t, "method", module.FuncName(receiver{}.method))
}

type receiver struct{}

func (receiver) method() {}

func ids(modules []module.Module) []string {
	list := make([]string, 0, len(modules))
	for _, m := range modules {
		list = append(list, m.ID())
	}

	return list
}

func TestNamesOf_PutsAnotherIDInFrontOfTheNamesAlone(t *testing.T) {
	t.Parallel()
	var at module.At
	line := module.Contribute("note", "n", nil, func(here module.At) fx.Option {
		at = here

		return fx.Options()
	})
	m := module.New("regulator", "", line).NamesOf("carriers")
	m.Options()
	require.Equal(t, module.At{Area: "regulator", Prefix: "carriers"}, at)
	require.Equal(t, "regulator", m.ID())
	require.Equal(t, "carriers", m.Prefix())
	require.Equal(t, "sms", module.New("sms", "").Prefix())
}
