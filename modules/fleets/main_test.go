package fleets_test

import (
	"testing"

	"github.com/dispatchd/dispatchd/modules/fleets"
	"github.com/dispatchd/dispatchd/platform/moduletest"
)

func TestMain(m *testing.M) { moduletest.MainUnshared(m, fleets.Module) }
