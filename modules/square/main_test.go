package square_test

import (
	"testing"

	"github.com/dispatchd/dispatchd/modules/square"
	"github.com/dispatchd/dispatchd/platform/moduletest"
)

func TestMain(m *testing.M) { moduletest.MainUnshared(m, square.Module) }
