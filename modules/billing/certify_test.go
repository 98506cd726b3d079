package billing_test

import (
	"testing"

	"github.com/dispatchd/dispatchd/modules/billing/billingapi"
	"github.com/dispatchd/dispatchd/platform/moduletest"
)

// TestBilling_IsCertified certifies the area with the fake of the area cards.
//
//nolint:paralleltest // certification counts goroutines
func TestBilling_IsCertified(t *testing.T) {
	moduletest.Certify(t, billingapi.Area, areas()...)
}
