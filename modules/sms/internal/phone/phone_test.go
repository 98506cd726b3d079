package phone_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dispatchd/dispatchd/modules/sms/internal/phone"
)

func TestRecipient_UnderstandsWhatPeopleWriteAndRefusesWhatTakesNoText(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		text, region, want string
		err                error
	}{
		"national":             {"(202) 555-0123", "US", "+12025550123", nil},
		"international":        {"+1 202-555-0123", "DE", "+12025550123", nil},
		"another region":       {"07400 123456", "GB", "+447400123456", nil},
		"a word":               {"hello", "US", "", phone.ErrNotANumber},
		"nothing":              {"", "US", "", phone.ErrNotANumber},
		"too short":            {"+1202555", "US", "", phone.ErrNotANumber},
		"no such area":         {"+1 002 555 0123", "US", "", phone.ErrNotANumber},
		"with an extension":    {"+1 202 555 0123 ext. 4", "US", "", phone.ErrNotANumber},
		"far too long":         {strings.Repeat("1", 10000), "US", "", phone.ErrNotANumber},
		"a landline":           {"020 7946 0018", "GB", "", phone.ErrLandline},
		"premium":              {"+1 900 555 0123", "US", "", phone.ErrPremium},
		"premium, elsewhere":   {"+44 909 879 0123", "GB", "", phone.ErrPremium},
		"a short code":         {"72645", "US", "", phone.ErrShortCode},
		"an emergency number":  {"911", "US", "", phone.ErrShortCode},
		"toll-free is sent to": {"+1 800 234 5678", "US", "+18002345678", nil},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, err := phone.Recipient(test.text, test.region)
			require.ErrorIs(t, err, test.err)
			require.Equal(t, test.want, got)
		})
	}
}

func TestZones_AreThoseOfTheNumber(t *testing.T) {
	t.Parallel()
	require.Equal(t, []string{"America/New_York"}, phone.Zones("+12025550123"))
	require.Equal(t, []string{"America/Los_Angeles"}, phone.Zones("+12065550123"))
	require.Greater(t, len(phone.Zones("+18002345678")), 1, "anywhere in the country")
	require.Empty(t, phone.Zones("+80012345678"))
	require.True(t, phone.IsTollFree("+18002345678"))
	require.True(t, phone.IsRegion("US"))
	require.False(t, phone.IsRegion("XX"))
	require.Equal(t, "GB", phone.Region("+447400123456"))
}

func FuzzRecipient(f *testing.F) {
	f.Add("+1 202 555 0123", "US")
	f.Fuzz(func(t *testing.T, text, region string) {
		got, err := phone.Recipient(text, region)
		if err == nil {
			require.Regexp(t, `^\+[1-9]\d{1,14}$`, got)
		}
	})
}
