package trucks_test

import (
	"testing"

	"github.com/dispatchd/dispatchd/modules/trucks"
	"github.com/dispatchd/dispatchd/platform/moduletest"
)

func TestMain(m *testing.M) { moduletest.MainUnshared(m, trucks.Module) }
