package passwords

import (
	"context"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestCheckPassword_AsksForLengthAndRefusesWhatIsGuessedFirst(t *testing.T) {
	t.Parallel()
	for password, good := range map[string]bool{
		"a horse that jumps":           true,
		"кошка и собака":               true,
		"elevenchars":                  false,
		"twelve chars":                 true,
		strings.Repeat("abcdef1 ", 16): true,
		strings.Repeat("abcdef1 ", 17): false,
		"aaaaaaaaaaaaaaaa":             false,
		"Anna@Example.com":             false,
		" anna@example.com ":           false,
		"Blue Ridge Transport":         false,
		"Blue Ridge Transport 2026":    false,
		"password1234":                 false,
		"Password2026!":                false,
		"p@ssw0rd1234":                 false,
		"!!!letmein!!!":                false,
		"passwordpassword":             false,
		"123456789012":                 false,
		"abcdefghijkl":                 false,
		"qwerty123456":                 false,
		"password of mine":             true,
		"47 dragons in a truck":        true,
	} {
		err := Check("password", password, "anna@example.com", "anna", "Blue Ridge Transport")
		require.Equalf(t, good, err == nil, "%q: %v", password, err)
		if err != nil {
			require.ErrorIs(t, err, ErrWeak)
		}
	}
}

func TestPasswords_MatchTheirOwnHashAlone(t *testing.T) {
	t.Parallel()
	p := New(2)
	one, err := p.Hash(t.Context(), "a horse that jumps", nil)
	require.NoError(t, err)
	require.True(t, strings.HasPrefix(one, "$argon2id$v=19$m=19456,t=2,p=1$"), one)
	two, err := p.Hash(t.Context(), "a cow that swims", []string{"no hash", one})
	require.NoError(t, err)
	require.Equal(t, strings.Split(one, "$")[4], strings.Split(two, "$")[4], "one salt for the same person")

	right, err := p.Match(t.Context(), "a cow that swims", []string{one, two})
	require.NoError(t, err)
	require.Equal(t, []bool{false, true}, right)
	right, err = p.Match(t.Context(), "a cow that swims", nil)
	require.NoError(t, err)
	require.Empty(t, right)
}

func TestPasswords_AreTheSameInEveryFormOfUnicode(t *testing.T) {
	t.Parallel()
	p := New(2)
	hash, err := p.Hash(t.Context(), "caf\u00e9 caf\u00e9 caf\u00e9", nil)
	require.NoError(t, err)
	right, err := p.Match(t.Context(), "cafe\u0301 cafe\u0301 cafe\u0301", []string{hash})
	require.NoError(t, err)
	require.True(t, right[0])
}

func TestPasswords_WaitForTheirTurn(t *testing.T) {
	t.Parallel()
	p := New(1)
	p.turns <- struct{}{}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := p.Hash(ctx, "a horse that jumps", nil)
	require.ErrorIs(t, err, context.Canceled)
}
