package fmcsa_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dispatchd/dispatchd/platform/fmcsa"
)

func TestParseUSDOT_KeepsTheSuffixApart(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]fmcsa.USDOT{
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
		got, err := fmcsa.ParseUSDOT(text)
		require.NoError(t, err, text)
		require.Equal(t, want, got, text)
	}
	for text, why := range map[string]string{
		"": "has no digits", "USDOT": "has no digits", "acme": "has no digits", "0": "only zeros", "123456789": "has 9 digits",
		"MC-123456": "is a docket", "12 34": "must be", "12a34": "must be", "1234567Q": "may end with", "1234567CCCCC": "may end with",
		"-1": "must be", "1.5e3": "must be", "１２３": "must be", strings.Repeat("1", 100): "must be", "' OR 1=1": "must be",
	} {
		got, err := fmcsa.ParseUSDOT(text)
		require.ErrorAs(t, err, new(*fmcsa.Error), text)
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
		got, err := fmcsa.ParseDocket(text)
		require.NoError(t, err, text)
		require.Equal(t, want, got.String(), text)
	}
	for text, why := range map[string]string{
		"MC-": "has no digits", "MC-0": "only zeros", "MC-123456789": "has 9 digits", "USDOT 1": "not a USDOT number", "MC-123456B": "has letters after", "MCABC": "has no digits",
	} {
		_, err := fmcsa.ParseDocket(text)
		require.ErrorAs(t, err, new(*fmcsa.Error), text)
		require.ErrorContains(t, err, why, text)
	}
}

func TestParseNumber_RefusesBareDigits(t *testing.T) {
	t.Parallel()
	n, err := fmcsa.ParseNumber("1234567c")
	require.NoError(t, err)
	require.Equal(t, fmcsa.KindUSDOT, n.Kind)
	require.Equal(t, "C", n.USDOT.Suffix)
	n, err = fmcsa.ParseNumber("mx 12")
	require.NoError(t, err)
	require.Equal(t, "MX-12", n.String())

	_, err = fmcsa.ParseNumber("1234567")
	require.ErrorIs(t, err, fmcsa.ErrAmbiguous)
	_, err = fmcsa.ParseNumber("trucking")
	var failure *fmcsa.Error
	require.ErrorAs(t, err, &failure)
	require.Equal(t, "USDOT 1234567 or MC-123456", failure.Want())
	require.Equal(t, "The number has no digits: it must be USDOT 1234567 or MC-123456.", failure.Error())
}

func FuzzParseNumber(f *testing.F) {
	for _, text := range []string{"MC-123456", "usdot 1234567C", "mc 0-123456", "", "MC-", "000", "MC0000139446", "03576562", "\xff\xfe"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		n, err := fmcsa.ParseNumber(text)
		if err != nil {
			return
		}
		again, err := fmcsa.ParseNumber(map[fmcsa.Kind]string{fmcsa.KindUSDOT: "USDOT ", fmcsa.KindDocket: ""}[n.Kind] + n.String())
		require.NoError(t, err)
		require.Equal(t, n.String(), again.String())
	})
}
