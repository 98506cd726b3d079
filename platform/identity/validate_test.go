package identity

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/dispatchd/dispatchd/platform/errs"
)

func TestComplaints_SayWhatIsWrongWithEachField(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	past, future := now, now.Add(time.Second)
	known := func(area, action string) bool {
		return (area == "sms" || area == "*") && (action == "read" || action == "*")
	}
	tests := []struct {
		check func(*complaints)
		field string
	}{
		{func(c *complaints) { c.name("  Anna \n") }, ""},
		{func(c *complaints) { c.name(strings.Repeat("é", 200)) }, ""},
		{func(c *complaints) { c.name(" \t") }, "name"},
		{func(c *complaints) { c.name(strings.Repeat("é", 201)) }, "name"},
		{func(c *complaints) { c.name("a\nb") }, "name"},
		{func(c *complaints) { c.name("a\xff") }, "name"},
		{func(c *complaints) { c.email("anna@example.com") }, ""},
		{func(c *complaints) { c.email("Anna.O'Hara+x@Example.com") }, ""},
		{func(c *complaints) { c.email("Anna <anna@example.com>") }, "email"},
		{func(c *complaints) { c.email("<anna@example.com>") }, "email"},
		{func(c *complaints) { c.email(" anna@example.com") }, "email"},
		{func(c *complaints) { c.email("anna") }, "email"},
		{func(c *complaints) { c.email("") }, "email"},
		{func(c *complaints) { c.email("anna@" + strings.Repeat("a", 250)) }, "email"},
		{func(c *complaints) { c.scopes([]string{"sms:read"}) }, ""},
		{func(c *complaints) { c.scopes(nil) }, "scopes"},
		{func(c *complaints) { c.scopes([]string{"*", "sms"}) }, "scopes"},
		{func(c *complaints) { c.added([]string{"sms:reed"}, nil) }, ""},
		{func(c *complaints) { c.added([]string{"sms:read", "*:read", "*"}, known) }, ""},
		{func(c *complaints) { c.added([]string{"sms:read", "sms:reed"}, known) }, "scopes"},
		{func(c *complaints) { c.expiry(nil, now) }, ""},
		{func(c *complaints) { c.expiry(&future, now) }, ""},
		{func(c *complaints) { c.expiry(&past, now) }, "expires_at"},
	}
	for i, test := range tests {
		var c complaints
		test.check(&c)
		if test.field == "" {
			require.NoErrorf(t, c.result(), "case %d", i)

			continue
		}
		invalid, ok := errors.AsType[*errs.Error](c.result())
		require.Truef(t, ok, "case %d", i)
		require.Equal(t, errs.Invalid, invalid.Kind)
		require.Containsf(t, invalid.Fields, test.field, "case %d", i)
	}
}

func TestComplaints_TidyWhatTheyAccept(t *testing.T) {
	t.Parallel()
	var c complaints
	require.Equal(t, "Anna", c.name(" Anna\t"))
	require.Equal(t, "anna@example.com", c.email("Anna@Example.COM"))
	require.NoError(t, c.result())
}
