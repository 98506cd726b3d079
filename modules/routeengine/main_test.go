package routeengine_test

import (
	"testing"

	"github.com/dispatchd/dispatchd/modules/routeengine"
	"github.com/dispatchd/dispatchd/platform/moduletest"
)

func TestMain(m *testing.M) { moduletest.MainUnshared(m, routeengine.Module) }
