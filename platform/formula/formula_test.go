package formula

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/cockroachdb/apd/v3"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/dispatchd/dispatchd/platform/naming"
)

// formulaInputs are the values that formulas of these tests have.
func formulaInputs() (Names, []any) {
	number := func(text string) any {
		made, _, err := apd.NewFromString(text)
		if err != nil {
			panic(err)
		}

		return made
	}
	all := []struct {
		name  string
		kind  Kind
		value any
	}{
		{"price", Number, number("19.99")},
		{"count", Number, number("3")},
		{"huge", Number, number("999999999999999999.999999999999999999")},
		{"none", Number, nil},
		{"name", Text, "Ärzte"},
		{"nothing", Text, nil},
		{"yes", Boolean, true},
		{"maybe", Boolean, nil},
		{"day", Date, time.Date(2028, 2, 28, 0, 0, 0, 0, time.UTC)},
		{"later", Date, time.Date(2028, 3, 1, 0, 0, 0, 0, time.UTC)},
		{"at", Moment, "2028-02-28 23:59:59"},
		{"custom.count", Number, number("4")},
	}
	values := make([]any, len(all))
	for i, one := range all {
		values[i] = one.value
	}

	return func(name string) (Kind, int, error) {
		for i, one := range all {
			if one.name == name {
				return one.kind, i, nil
			}
		}

		return "", 0, Error("has an unknown name.")
	}, values
}

// calculated returns what a formula comes to, in words.
func calculated(text string) (string, error) {
	known, values := formulaInputs()
	compiled, err := Compile(text, known)
	if err != nil {
		return "", err
	}
	result, err := compiled.Run(&Evaluation{Values: values})
	switch v := result.(type) {
	case *apd.Decimal:
		return v.Text('f'), err
	case time.Time:
		return v.Format(time.DateOnly), err
	default:
		return fmt.Sprint(v), err
	}
}

func TestFormula_ReckonsExactly(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		`price * count`:               "59.97",
		`custom.count * count`:        "12",
		`0.1 + 0.2`:                   "0.3",
		`0.1 + 0.2 == 0.3`:            "true",
		`9007199254740993 + 0`:        "9007199254740993",
		`huge * 1`:                    "999999999999999999.999999999999999999",
		`huge + 0.000000000000000001`: "1000000000000000000.000000000000000000",
		`round(1 / 3, 4)`:             "0.3333",
		`round(2.5, 0)`:               "3",
		`round(-2.5, 0)`:              "-3",
		`7 % 4`:                       "3",
		`-price`:                      "-19.99",
		`min(3, price, 2.5)`:          "2.5",
		`max(3, price)`:               "19.99",
		`price + none`:                "<nil>",
		`price + (none ?? 0)`:         "19.99",
		`coalesce(none, count, 1)`:    "3",
		`none == nil`:                 "true",
		`price != nil`:                "true",
		`price > 10 && count < 4`:     "true",
		`maybe or yes`:                "true",
		`maybe and yes`:               "false",
		`maybe ? 1 : 2`:               "2",
		`yes ? price : nil`:           "19.99",
		`name + "-" + text(count)`:    "Ärzte-3",
		`upper(name)`:                 "ÄRZTE",
		`len(name)`:                   "5",
		`name startsWith "Ä" and not (name contains "x")`: "true",
		`name in ["a", "Ärzte"]`:                          "true",
		`nothing in ["a"]`:                                "false",
		`count not in [1, 2]`:                             "true",
		`later - day`:                                     "2",
		`day + 2`:                                         "2028-03-01",
		`year(day) * 100 + month(day)`:                    "202802",
		`date(at) == day`:                                 "true",
		`day < later`:                                     "true",
		`(((1)))`:                                         "1",
		`1 < count < 5`:                                   "true",
	} {
		got, err := calculated(text)
		require.NoErrorf(t, err, "%s", text)
		require.Equalf(t, want, got, "%s", text)
	}
}

func TestFormula_RefusesWhatIsNoFormula(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		``:                                  "is required",
		`price *`:                           "cannot be read",
		`price + name`:                      "has + between a number and a text",
		`unknown + 1`:                       "unknown name",
		`name ? 1 : 2`:                      "must have a condition",
		`yes ? 1 : "a"`:                     "is a number or a text",
		`sqrt(2)`:                           "which is no function",
		`round(price)`:                      "must call round(number, number)",
		`[1, 2]`:                            "formulas do not support",
		`1..1000000000`:                     "formulas do not support",
		`2 ** 1000000000`:                   "which formulas do not support",
		`map(1..10, # * 2)`:                 "formulas do not support",
		`repeat("x", 1000000000)`:           "which is no function",
		`let x = 1; x`:                      "formulas do not support",
		`name matches "(a+)+$"`:             "which formulas do not support",
		`{"a": 1}`:                          "formulas do not support",
		`price.value`:                       "formulas do not support",
		`custom.price.value`:                "formulas do not support",
		`custom["count"]`:                   "formulas do not support",
		`custom?.count`:                     "formulas do not support",
		`custom . count`:                    "formulas do not support",
		`custom.nothing`:                    "unknown name",
		`1e9`:                               "should be like 12",
		`0x10`:                              "should be like 12",
		strings.Repeat("(", 900):            "cannot be read",
		strings.Repeat("1+", 200) + "1":     "cannot be read",
		strings.Repeat("-", 999) + "1":      "cannot be read",
		strings.Repeat("x", 1_001):          "longer than 1000 characters",
		strings.Repeat("not ", 240) + "yes": "cannot be read",
	} {
		_, err := calculated(text)
		require.ErrorContainsf(t, err, want, "%s", naming.Shorten(text))
	}
}

func TestFormula_CutsBombsOff(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		`price / 0`:           "divided by zero",
		`price % (count - 3)`: "divided by zero",
		`huge * huge * huge`:  "too large",
		`day + 4000001`:       "the number of days to add to a date is not valid",
		`day + 0.5`:           "the number of days to add to a date is not valid",
		`day + 3999999`:       "out of bounds",
		`round(price, 19)`:    "digits to round a number to",
		strings.Repeat("upper(", 30) + `"` + strings.Repeat("x", 500) + `"` + strings.Repeat(")", 30): "",
	} {
		_, err := calculated(text)
		if want == "" {
			require.NoError(t, err)

			continue
		}
		require.ErrorContainsf(t, err, want, "%s", text)
	}

	long := strings.Repeat("x", 60_000)
	known := func(string) (Kind, int, error) { return Text, 0, nil }
	joined, err := Compile("a + a", known)
	require.NoError(t, err)
	_, err = joined.Run(&Evaluation{Values: []any{long}})
	require.ErrorContains(t, err, "text is too long")
	upper, err := Compile(strings.Repeat("upper(", 80)+"a"+strings.Repeat(")", 80), known)
	require.NoError(t, err)
	_, err = upper.Run(&Evaluation{Values: []any{long}})
	require.ErrorContains(t, err, "too long to compute")
}

// TestFormula_NeverPanics throws pieces of formulas together.
func TestFormula_NeverPanics(t *testing.T) {
	t.Parallel()
	pieces := []string{
		"price", "none", "name", "day", "yes", "(", ")", "+", "-", "*", "/", "%", "==", "<", "in", "[", "]", ",", "?", ":", "??",
		"not", "and", "1", "2.5", `"a"`, "nil", "true", "round(", "len(", "{", "}", "|", ".", "?.", "#", "let", ";", "if", "else", "map(",
		"coalesce(", "min(", "..", "contains", "\u00e4", "'", "`", "\\", "0x", "1e", "\x00",
	}
	rapid.Check(t, func(t *rapid.T) {
		text := strings.Join(rapid.SliceOfN(rapid.SampledFrom(pieces), 0, 30).Draw(t, "pieces"), " ")
		_, err := calculated(text)
		if err != nil {
			_, expected := errors.AsType[Error](err)
			require.Truef(t, expected, "%v", err)
		}
		require.NotPanics(t, func() { Rename(text, "price", "cost"); NamesIn(text) })
	})
}

func TestRenamedIn_LeavesTextsAndOtherNamesAlone(t *testing.T) {
	t.Parallel()
	require.Equal(t, `cost * prices + len("price ä") + cost`, Rename(`price * prices + len("price ä") + price`, "price", "cost"))
	require.Equal(t, []string{"a", "b"}, NamesIn("a + b * a"))
	require.Equal(t, `price + custom.cost * 2 + custom`, Rename(`price + custom.price * 2 + custom`, "custom.price", "custom.cost"))
	require.Equal(t, `cost + custom.price`, Rename(`price + custom.price`, "price", "cost"))
	require.Equal(t, []string{"custom.a", "custom.price", "price"}, NamesIn("custom.price + price + upper(custom.a)"))
}

func FuzzFormula(f *testing.F) {
	for _, text := range []string{"price * 2", `name in ["a"]`, "yes ? day : later", "((", `"\u00`, "a?.b", "if yes {1} else {2}"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if _, err := calculated(text); err != nil {
			_, expected := errors.AsType[Error](err)
			require.Truef(t, expected, "%v", err)
		}
	})
}
