package carriersapi_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dispatchd/dispatchd/modules/carriers/carriersapi"
	"github.com/dispatchd/dispatchd/platform/errs"
)

func TestParseUSDOT_KeepsTheSuffixApart(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]carriersapi.USDOT{
		"1234567":            {Number: 1234567},
		" usdot 1234567 ":    {Number: 1234567},
		"US DOT #0001234567": {Number: 1234567},
		"US-DOT: 1":          {Number: 1},
		"DOT-99999999":       {Number: 99999999},
		"DOT No. 1234567":    {Number: 1234567},
		"1234567C":           {Number: 1234567, Suffix: "C"},
		"usdot1234567 cb":    {Number: 1234567, Suffix: "CB"},
		"03576562":           {Number: 3576562},
		"USDOT\u00a01234567": {Number: 1234567},
		"USDOT\u20131234567": {Number: 1234567},
	} {
		got, err := carriersapi.ParseUSDOT(text)
		require.NoError(t, err, text)
		require.Equal(t, want, got, text)
	}
	for text, why := range map[string]string{
		"": "has no digits", "USDOT": "has no digits", "acme": "has no digits", "0": "only zeros", "123456789": "has 9 digits",
		"MC-123456": "is a docket", "12 34": "must be", "12a34": "must be", "1234567Q": "letters behind", "1234567CCCCC": "letters behind",
		"-1": "must be", "1.5e3": "must be", "１２３": "must be", strings.Repeat("1", 100): "must be", "' OR 1=1": "must be",
	} {
		got, err := carriersapi.ParseUSDOT(text)
		require.ErrorIs(t, err, carriersapi.ErrInvalidNumber, text)
		require.ErrorContains(t, err, why, text)
		require.Zero(t, got, text)
	}
}

func TestParseDocket_IsOneFormForAll(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"MC-139446": "MC-139446", "mc 0139446": "MC-139446", "MC139446": "MC-139446", "MC0000139446": "MC-139446", "mc 0-123456": "MC-123456",
		"MC#123456": "MC-123456", "ff 12": "FF-12", "MX-00001234": "MX-1234", "139446": "MC-139446",
	} {
		got, err := carriersapi.ParseDocket(text)
		require.NoError(t, err, text)
		require.Equal(t, want, got.String(), text)
	}
	for text, why := range map[string]string{
		"MC-": "has no digits", "MC-0": "only zeros", "MC-123456789": "has 9 digits", "USDOT 1": "is a USDOT number", "MC-123456B": "no letters", "MCABC": "has no digits",
	} {
		_, err := carriersapi.ParseDocket(text)
		require.ErrorIs(t, err, carriersapi.ErrInvalidNumber, text)
		require.ErrorContains(t, err, why, text)
	}
}

func TestParseNumber_RefusesBareDigits(t *testing.T) {
	t.Parallel()
	n, err := carriersapi.ParseNumber("1234567c")
	require.NoError(t, err)
	require.Equal(t, carriersapi.KindUSDOT, n.Kind)
	require.Equal(t, "C", n.USDOT.Suffix)
	n, err = carriersapi.ParseNumber("mx 12")
	require.NoError(t, err)
	require.Equal(t, "MX-12", n.String())

	_, err = carriersapi.ParseNumber("1234567")
	require.ErrorIs(t, err, carriersapi.ErrAmbiguousNumber)
	_, err = carriersapi.ParseNumber("trucking")
	var failure *errs.Error
	require.ErrorAs(t, err, &failure)
	require.Equal(t, "USDOT 1234567, or MC-123456", failure.Details["want"])
	require.NotContains(t, failure.Details, "kind")
}

func FuzzParseNumber(f *testing.F) {
	for _, text := range []string{"MC-123456", "usdot 1234567C", "mc 0-123456", "", "MC-", "000", "\xff\xfe"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		n, err := carriersapi.ParseNumber(text)
		if err != nil {
			return
		}
		again, err := carriersapi.ParseNumber(map[carriersapi.Kind]string{carriersapi.KindUSDOT: "USDOT ", carriersapi.KindDocket: ""}[n.Kind] + n.String())
		require.NoError(t, err)
		require.Equal(t, n.String(), again.String())
	})
}
