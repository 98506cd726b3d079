package cardnumber_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dispatchd/dispatchd/platform/cardnumber"
)

func TestIn_FindsNumbersHoweverTheyAreWritten(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		`{"note": "4111111111111111"}`,
		`{"note": "card 4111 1111 1111 1111, thanks"}`,
		`{"note": "4111-1111-1111-1111"}`,
		`{"note": "4111 - 1111 - 1111 - 1111"}`,
		`{"note": "4111\u00a01111\u00a01111\u00a01111"}`,
		`{"note": "\u0034111111111111111"}`,
		`{"note": "4111\n1111\n1111\n1111"}`,
		`{"note": "4111 1111 1111 1111 12/27 123"}`,
		`{"note": "12/27 4111 1111 1111 1111"}`,
		`{"4111111111111111": 1}`,
		`{"number": 4111111111111111}`,
		`{"amex": "3782 822463 10005"}`,
		`{"maestro": "6799990100000000019"}`,
		`{"visa13": "4222222222222"}`,
		`not JSON 5555555555554444`,
		`{"note": "0190d0c0-0000-7000-8000-000000000001 4111111111111111"}`,
		`{"note": "x4111111111111111y"}`,
	} {
		require.True(t, cardnumber.In([]byte(text)), text)
	}
}

func TestIn_PassesOverWhatIsNone(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		``, `{}`, `{"units": 1250}`,
		`{"note": "4111111111111112"}`,
		`{"note": "call +1 202 555 0160"}`,
		`{"at": "2026-11-24T13:09:04.123456Z", "until": "2026-12-24T13:09:04Z"}`,
		`{"uuid": "0190d0c0-0000-7000-8000-000000000001"}`,
		`{"uuid": "00000000-4111-1111-1111-111111111111"}`,
		`{"sha": "a665a45920422f9d417e4867efdc4fb8a04a1f3fff1fa07e998e86f7f7a27ae3"}`,
		`{"token": "cnon:card-nonce-ok"}`,
		`{"vin": "1HGCM82633A004352"}`,
		`{"last4": "1111", "exp": "12/2027"}`,
		`{"two": ["41111111", "11111111"]}`,
	} {
		require.False(t, cardnumber.In([]byte(text)), text)
	}
}

func TestIn_ReadsLargeBodiesOnce(t *testing.T) {
	t.Parallel()
	require.False(t, cardnumber.In([]byte(strings.Repeat("1", 1<<20))))
	require.False(t, cardnumber.In([]byte(strings.Repeat("a", 1<<20))))
	require.True(t, cardnumber.In([]byte(strings.Repeat("a1", 1<<19)+" 4111111111111111")))
}

func FuzzIn(f *testing.F) {
	f.Add([]byte(`{"note": "4111 1111 1111 1111"}`), byte(' '))
	f.Add([]byte(`\u00`), byte('-'))
	f.Fuzz(func(t *testing.T, text []byte, between byte) {
		_ = cardnumber.In(text)
		if between != ' ' && between != '-' {
			between = ' '
		}
		card := strings.Join([]string{"4111", "1111", "1111", "1111"}, string(between))
		require.True(t, cardnumber.In([]byte("|"+card+"|")))
	})
}
