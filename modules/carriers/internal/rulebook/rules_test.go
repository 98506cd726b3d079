package rulebook

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dispatchd/dispatchd/modules/carriers/internal/verdict"
	"github.com/dispatchd/dispatchd/platform/errs"
)

// rule is a rule of the company with one condition.
func rule(code, when string) Rule {
	r := Rule{Code: code, Title: "A rule", Unknown: "note"}
	r.Levels.V = []verdict.Level{{Severity: verdict.Warn, When: when}}

	return r
}

func TestEffective_ReplacesDefaultsOfTheSameCode(t *testing.T) {
	t.Parallel()
	defaults := len(verdict.Defaults)
	first := verdict.Defaults[0]
	all := Effective([]Rule{rule(first.Code, "rating < 3"), rule("own", "rating < 2")})
	require.Len(t, all, defaults+1)
	require.Equal(t, []string{first.Code, "rating < 3"}, []string{all[0].Code, all[0].Levels[0].When})
	require.Equal(t, "own", all[defaults].Code)
	require.Equal(t, first, verdict.Defaults[0], "the defaults stay as they are")
}

func TestCheckRule_NamesTheFieldThatIsWrong(t *testing.T) {
	t.Parallel()
	good := rule("own", "rating < 3")
	require.NoError(t, checkRule(t.Context(), &good))
	for _, when := range []string{"rating <", "nothing_such > 1"} {
		bad := rule("own", when)
		err := checkRule(t.Context(), &bad)
		require.ErrorIs(t, err, errRule, when)
		wrong, _ := errors.AsType[*errs.Error](err)
		require.Contains(t, wrong.Fields, "levels.0.when", when)
	}
}
