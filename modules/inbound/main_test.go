package inbound_test

import (
	"testing"

	"github.com/dispatchd/dispatchd/modules/inbound"
	"github.com/dispatchd/dispatchd/platform/moduletest"
)

func TestMain(m *testing.M) { moduletest.MainUnshared(m, inbound.Module) }
