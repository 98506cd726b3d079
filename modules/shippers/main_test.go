package shippers_test

import (
	"testing"

	"github.com/dispatchd/dispatchd/modules/shippers"
	"github.com/dispatchd/dispatchd/platform/moduletest"
)

func TestMain(m *testing.M) { moduletest.MainUnshared(m, shippers.Module) }
