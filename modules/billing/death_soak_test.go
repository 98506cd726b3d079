//go:build soak

package billing_test

import "testing"

func TestRenewal_ChargesOnceAtWhateverStatementItDies(t *testing.T) {
	t.Parallel()
	eachMortal(t, func(t *testing.T, m *mortal) {
		t.Helper()
		m.dies(t, 1)
	})
}
