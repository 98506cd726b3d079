package billing_test

import (
	"testing"

	"github.com/dispatchd/dispatchd/modules/billing"
	"github.com/dispatchd/dispatchd/platform/moduletest"
)

func TestMain(m *testing.M) { moduletest.MainUnshared(m, billing.Module) }
