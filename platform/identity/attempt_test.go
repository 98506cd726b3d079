package identity

import (
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"
)

func TestAttempts_LockAfterFiveFailuresForTwiceAsLongEachTime(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	a := attempts{last: now}
	for i, want := range []time.Duration{0, 0, 0, 0, 1, 2, 4, 8, 16, 32, 60, 60, 60} {
		var made Attempt
		a, made = a.next(now, freeAttempts)
		require.Zero(t, made.Wait)
		require.Equalf(t, want*time.Minute, made.Locks, "attempt %d", i+1)
		if want > 0 {
			same, refused := a.next(now.Add(want*time.Minute-time.Second), freeAttempts)
			require.Equal(t, a, same, "who waits is not counted")
			require.Equal(t, time.Second, refused.Wait)
		}
		now = now.Add(want * time.Minute)
	}
	a, made := a.next(now.Add(attemptsLife), freeAttempts)
	require.Equal(t, int64(1), a.failures, "a day later nobody remembers")
	require.Zero(t, made)
}

func TestLockAfter_IsNeverNegativeOrLongerThanAnHour(t *testing.T) {
	t.Parallel()
	for _, failures := range []int64{0, 4, 5, 70, 1 << 40} {
		lock := lockAfter(failures, freeAttempts)
		require.GreaterOrEqual(t, lock, time.Duration(0))
		require.LessOrEqual(t, lock, time.Hour)
	}
}

func TestAccount_CountsByAddressWhateverTheCaseAndCompany(t *testing.T) {
	t.Parallel()
	anna, same := Account{Email: "Anna@Example.com"}, Account{Email: "anna@example.com", Company: uuid.New()}
	require.Equal(t, anna.hereKey("192.0.2.1"), same.hereKey("192.0.2.1"))
	require.Equal(t, anna.anywhereKey(), same.anywhereKey())
	require.NotEqual(t, anna.hereKey("192.0.2.1"), anna.hereKey("192.0.2.2"))
	require.NotEqual(t, anna.trustedKey("192.0.2.1"), same.trustedKey("192.0.2.1"), "one company trusts nobody for another")
}

func TestNetwork_IsWhatOneCustomerOfAProviderHas(t *testing.T) {
	t.Parallel()
	for address, want := range map[string]string{
		"192.0.2.7": "192.0.2.7", "::ffff:192.0.2.7": "192.0.2.7", "2001:db8:1:2:3:4:5:6": "2001:db8:1:2::/64",
		"fe80::1%eth0": "fe80::/64", "": "", "pipe": "",
	} {
		require.Equal(t, want, attemptNetwork(address), address)
	}
}

func TestCovers_EachScopeByOneAlone(t *testing.T) {
	t.Parallel()
	tests := []struct {
		have, want []string
		covers     bool
	}{
		{[]string{"*"}, []string{"*", "*:read", "sms:*", "sms:read"}, true},
		{[]string{"*:read"}, []string{"sms:read", "*:read"}, true},
		{[]string{"*:read"}, []string{"sms:write"}, false},
		{[]string{"*:read"}, []string{"sms:*"}, false},
		{[]string{"sms:*"}, []string{"sms:read", "sms:*"}, true},
		{[]string{"sms:*"}, []string{"*:read"}, false},
		{[]string{"*:*"}, []string{"*"}, true},
		{[]string{"*"}, []string{"*:*"}, true},
		{[]string{"*:read", "*:write"}, []string{"*"}, false},
		{[]string{"sms:read"}, nil, true},
		{nil, []string{"sms:read"}, false},
	}
	for _, test := range tests {
		require.Equalf(t, test.covers, Covers(test.have, test.want), "%v %v", test.have, test.want)
	}
}

func TestRoles_OnlyTheOwnerMayGrantEveryBuiltInRole(t *testing.T) {
	t.Parallel()
	all, err := NewRoles()
	require.NoError(t, err)
	for name, scopes := range all {
		require.True(t, Covers(all[Owner], scopes), name)
		require.Equal(t, name != Owner, Covers(all[Admin], scopes), name)
	}
	require.False(t, Covers(all[Dispatcher], []string{"companies:users"}))
	require.False(t, Covers(all[Accountant], []string{"companies:tokens"}))
}
