package fill_test

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/dispatchd/dispatchd/modules/esign/internal/fill"
	"github.com/dispatchd/dispatchd/modules/esign/internal/provider"
	"github.com/dispatchd/dispatchd/platform/item"
	"github.com/dispatchd/dispatchd/platform/kind"
)

func roles() []provider.Role {
	tab := func(label, typ string) provider.Tab { return provider.Tab{Label: label, Type: typ, Fillable: true} }
	limited, needed, locked, choice := tab("short", "text"), tab("needed", "text"), tab("locked", "text"), tab("choice", "list")
	limited.MaxSize = 5
	needed.Required = true
	locked.Required, locked.Locked, locked.Value = true, true, "preset"
	choice.Options = []string{"good", "damaged"}

	return []provider.Role{{Name: "Shipper", Kind: provider.Signer, Tabs: []provider.Tab{
		tab("free", "text"), limited, needed, locked, choice, tab("box", "checkbox"), {Label: "signature", Type: "sign_here", Required: true},
	}}}
}

func fields() []item.Field {
	return []item.Field{
		{Key: "vin", Kind: kind.Text},
		{Key: "rate", Kind: kind.Decimal},
		{Key: "day", Kind: kind.Date},
		{Key: "at", Kind: kind.Time},
		{Key: "when", Kind: kind.LocalTime},
		{Key: "runs", Kind: kind.Boolean},
		{Key: "count", Kind: kind.Integer},
		{Key: "ssn", Kind: kind.Text, Sensitive: true},
		{Key: "owner", Kind: kind.Object},
	}
}

func values() fill.Values {
	return fill.Values{
		"vin": []byte(`"1hgCM8 o'neil"`), "rate": []byte(`"1234567.895"`), "day": []byte(`"2026-09-05"`), "at": []byte(`"2026-09-05T01:30:00Z"`),
		"when": []byte(`"2026-09-05 14:05:00"`), "runs": []byte(`true`), "count": []byte(`12345678901234567890`), "owner": []byte(`{"name": "Ann"}`),
		"blank": []byte(`" "`),
	}
}

func TestDo_WritesValuesAsTheRulesSay(t *testing.T) {
	t.Parallel()
	east, err := time.LoadLocation("America/New_York")
	require.NoError(t, err)
	zero := 0
	for _, test := range []struct {
		rule fill.Rule
		want string
	}{
		{fill.Rule{Label: "free", Field: "vin", Format: &fill.Format{Case: "upper"}}, "1HGCM8 O'NEIL"},
		{fill.Rule{Label: "free", Field: "vin", Format: &fill.Format{Case: "title"}}, "1hgcm8 O'neil"},
		{fill.Rule{Label: "free", Field: "rate", Format: &fill.Format{Money: &fill.Money{Currency: "USD"}}}, "$1,234,567.90"},
		{fill.Rule{Label: "free", Field: "rate", Format: &fill.Format{Money: &fill.Money{Currency: "CHF", Decimals: &zero}}}, "CHF 1,234,568"},
		{fill.Rule{Label: "free", Field: "rate"}, "1234567.895"},
		{fill.Rule{Label: "free", Field: "count"}, "12345678901234567890"},
		{fill.Rule{Label: "free", Field: "day", Format: &fill.Format{Date: "long"}}, "September 5, 2026"},
		{fill.Rule{Label: "free", Field: "day", Format: &fill.Format{Date: "us_time"}}, "09/05/2026"},
		{fill.Rule{Label: "free", Field: "at"}, "2026-09-04 21:30"},
		{fill.Rule{Label: "free", Field: "at", Format: &fill.Format{Date: "us"}}, "09/04/2026"},
		{fill.Rule{Label: "free", Field: "when", Format: &fill.Format{Date: "long_time"}}, "September 5, 2026 2:05 PM"},
		{fill.Rule{Label: "free", Field: "runs"}, "Yes"},
		{fill.Rule{Label: "box", Field: "runs"}, "true"},
		{fill.Rule{Label: "box", Field: "count"}, "true"},
		{fill.Rule{Label: "box", Field: "vin", Format: &fill.Format{Checked: []string{"2T1"}}}, "false"},
		{fill.Rule{Label: "box", Field: "nothing"}, "false"},
		{fill.Rule{Label: "free", Field: "nothing", Fallback: "n/a"}, "n/a"},
		{fill.Rule{Label: "free", Field: "blank", Fallback: "n/a"}, "n/a"},
		{fill.Rule{Label: "free", Text: "VIN {{ item.vin | upcase }} of {{ item.owner.name }}"}, "VIN 1HGCM8 O'NEIL of Ann"},
		{fill.Rule{Label: "free", Text: "{{ item.color }}", Fallback: "any"}, "any"},
		{fill.Rule{Role: "SHIPPER", Label: "choice", Field: "color", Fallback: "good"}, "good"},
	} {
		if test.rule.Role == "" {
			test.rule.Role = "Shipper"
		}
		filled, problems := fill.Tabs(t.Context(), fill.Input{Roles: roles(), Rules: []fill.Rule{test.rule}, Fields: fields(), Values: values(), Zone: east})
		require.Empty(t, problems)
		require.Len(t, filled, 1, test.rule)
		require.Equal(t, test.want, filled[0].Value, test.rule)
	}
}

func TestDo_SaysWhatIsMissingOrDoesNotFit(t *testing.T) {
	t.Parallel()
	yes, no := true, false
	for name, test := range map[string]struct {
		rule fill.Rule
		code string
	}{
		"a required tab without a value":       {fill.Rule{Label: "needed", Field: "color"}, fill.Missing},
		"a rule that wants a value":            {fill.Rule{Label: "free", Field: "color", Required: &yes}, fill.Missing},
		"a rule that wants none":               {fill.Rule{Label: "needed", Field: "color", Required: &no}, ""},
		"a tab that may stay empty":            {fill.Rule{Label: "free", Field: "color"}, ""},
		"too long":                             {fill.Rule{Label: "short", Field: "rate"}, fill.TooLong},
		"too long in characters, not in bytes": {fill.Rule{Label: "short", Text: "äöüßé"}, ""},
		"none of the options":                  {fill.Rule{Label: "choice", Text: "bad"}, fill.UnknownOption},
		"a sensitive field that is not shown":  {fill.Rule{Label: "free", Field: "ssn", Fallback: "none"}, fill.Withheld},
		"a text that shows a sensitive field":  {fill.Rule{Label: "free", Text: "{{ item.ssn }}", Fallback: "none"}, fill.Missing},
		"a text that shows what is not there":  {fill.Rule{Label: "free", Text: "{{ item.color }}"}, fill.Missing},
		"an object":                            {fill.Rule{Label: "free", Field: "owner"}, fill.BadValue},
		"money that is none":                   {fill.Rule{Label: "free", Field: "vin", Format: &fill.Format{Money: &fill.Money{}}}, fill.BadValue},
		"a tab that is gone":                   {fill.Rule{Label: "old", Field: "vin"}, fill.TabGone},
		"a tab that only the signer fills":     {fill.Rule{Label: "signature", Field: "vin"}, fill.TabGone},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			test.rule.Role = "Shipper"
			_, problems := fill.Tabs(t.Context(), fill.Input{Roles: roles(), Rules: []fill.Rule{test.rule}, Fields: fields(), Values: values(), Zone: time.UTC})
			if test.code == "" {
				require.Empty(t, problems)

				return
			}
			require.Len(t, problems, 1)
			require.Equal(t, test.code, problems[0].Code)
			require.NotContains(t, problems[0].Message, "%!")
		})
	}
}

func TestDo_TakesWhatIsSaidByHandBeforeTheRules(t *testing.T) {
	t.Parallel()
	rules := []fill.Rule{{Role: "Shipper", Label: "needed", Field: "color"}, {Role: "Shipper", Label: "free", Field: "vin"}}
	given := map[string]map[string]string{"shipper": {"needed": "blue", "box": "yes"}}
	filled, problems := fill.Tabs(t.Context(), fill.Input{Roles: roles(), Rules: rules, Fields: fields(), Values: values(), Given: given, Zone: time.UTC})
	require.Empty(t, problems)
	require.Equal(t, []string{"box=true hand", "needed=blue hand", "free=1hgCM8 o'neil field"}, placeName(filled))
	_, problems = fill.Tabs(t.Context(), fill.Input{Roles: roles(), Given: map[string]map[string]string{"Shipper": {"short": "123456", "old": "x"}}})
	require.Len(t, problems, 2)
}

func TestDo_WantsRequiredTabsFilledThatNobodyElseCan(t *testing.T) {
	t.Parallel()
	locked := roles()
	locked[0].Tabs[3].Value = ""
	_, problems := fill.Tabs(t.Context(), fill.Input{Roles: locked})
	require.Len(t, problems, 1)
	require.Equal(t, "locked", problems[0].Label)
	_, problems = fill.Tabs(t.Context(), fill.Input{Roles: locked, Given: map[string]map[string]string{"Shipper": {"locked": "x"}}})
	require.Empty(t, problems)
}

func placeName(filled []fill.Filled) []string {
	var all []string
	for _, f := range filled {
		all = append(all, f.Label+"="+f.Value+" "+f.Source)
	}

	return all
}

func TestCheck_NamesWhatIsWrongAndWhatThereIs(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		rule      fill.Rule
		key, says string
	}{
		"an unknown role":             {fill.Rule{Role: "Carrier", Label: "free", Field: "vin"}, "role", "It has: Shipper."},
		"an unknown tab":              {fill.Rule{Role: "Shipper", Label: "fre", Field: "vin"}, "label", "It has: free, short, needed, locked, choice, box."},
		"a signature":                 {fill.Rule{Role: "Shipper", Label: "signature", Field: "vin"}, "label", "recipient's to fill"},
		"an unknown field":            {fill.Rule{Role: "Shipper", Label: "free", Field: "win"}, "field", "It has: vin, rate, day"},
		"an object":                   {fill.Rule{Role: "Shipper", Label: "free", Field: "owner"}, "field", "{{ item.owner.name }}"},
		"neither field nor text":      {fill.Rule{Role: "Shipper", Label: "free"}, "field", "either"},
		"field and text":              {fill.Rule{Role: "Shipper", Label: "free", Field: "vin", Text: "x"}, "field", "either"},
		"a text with a loop":          {fill.Rule{Role: "Shipper", Label: "free", Text: "{% for i in (1..9) %}{% endfor %}"}, "text", "for"},
		"a date of a text":            {fill.Rule{Role: "Shipper", Label: "free", Field: "vin", Format: &fill.Format{Date: "us"}}, "format.date", "no date"},
		"money of a date":             {fill.Rule{Role: "Shipper", Label: "free", Field: "day", Format: &fill.Format{Money: &fill.Money{}}}, "format.money", "no amount"},
		"checked of what is no box":   {fill.Rule{Role: "Shipper", Label: "free", Field: "vin", Format: &fill.Format{Checked: []string{"x"}}}, "format.checked", "no checkbox"},
		"money of a text with Liquid": {fill.Rule{Role: "Shipper", Label: "free", Text: "x", Format: &fill.Format{Money: &fill.Money{}}}, "format", "for fields"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			wrong := fill.Check(roles(), []fill.Rule{test.rule}, fields())
			require.Len(t, wrong, 1)
			require.Equal(t, test.key, wrong[0].Key)
			require.Contains(t, wrong[0].Message, test.says)
		})
	}
	twice := []fill.Rule{{Role: "Shipper", Label: "free", Field: "vin"}, {Role: "shipper", Label: "free", Field: "rate"}}
	require.Len(t, fill.Check(roles(), twice, fields()), 1)
	require.Equal(t, 1, fill.Check(roles(), twice, fields())[0].Rule)
}

func TestCompare_NamesTabsThatAreGoneNewAndChanged(t *testing.T) {
	t.Parallel()
	require.False(t, fill.Compare(roles(), roles()).Any())
	is := roles()
	is[0].Tabs[0].Label = "renamed"
	is[0].Tabs[4].Options = []string{"good"}
	is = append(is, provider.Role{Name: "Carrier", Tabs: []provider.Tab{{Label: "usdot"}}})
	changes := fill.Compare(roles(), is)
	require.Equal(t, fill.Changes{
		Gone: []string{"Shipper / free"}, New: []string{"Shipper / renamed", "Carrier / usdot"}, Changed: []string{"Shipper / choice"},
	}, changes)
}

func TestFit_LooksAtTheTemplateAsItIs(t *testing.T) {
	t.Parallel()
	was := []fill.Filled{{Role: "Shipper", Label: "free", Type: "text", Value: "x"}, {Role: "Shipper", Label: "choice", Type: "list", Value: "good"}}
	require.Empty(t, fill.CheckFit(roles(), was))
	is := roles()
	is[0].Tabs[0].Type = "number"
	is[0].Tabs[4].Options = []string{"damaged"}
	require.Len(t, fill.CheckFit(is, was), 2)
	require.Len(t, fill.CheckFit(nil, was), 2)
}

func FuzzDo(f *testing.F) {
	f.Add(`{{ item.vin }}`, `"x"`, "USD", "us")
	f.Add(`x`, `"1/0"`, "", "iso_time")
	f.Fuzz(func(t *testing.T, text, value, currency, date string) {
		for _, of := range []kind.Kind{kind.Text, kind.Decimal, kind.Date, kind.Time, kind.LocalTime} {
			fill.Tabs(t.Context(), fill.Input{
				Roles: roles(), Fields: []item.Field{{Key: "a", Kind: of}}, Values: fill.Values{"a": []byte(value)}, Zone: time.UTC,
				Rules: []fill.Rule{
					{Role: "Shipper", Label: "free", Field: "a", Format: &fill.Format{Date: date, Money: &fill.Money{Currency: currency}}},
					{Role: "Shipper", Label: "box", Field: "a"},
					{Role: "Shipper", Label: "needed", Text: strings.ToValidUTF8(text, "")},
				},
			})
		}
	})
}
