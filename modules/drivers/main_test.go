package drivers_test

import (
	"testing"

	"github.com/dispatchd/dispatchd/modules/drivers"
	"github.com/dispatchd/dispatchd/platform/moduletest"
)

func TestMain(m *testing.M) { moduletest.MainUnshared(m, drivers.Module) }
