package cards_test

import (
	"testing"

	"github.com/dispatchd/dispatchd/modules/cards"
	"github.com/dispatchd/dispatchd/platform/moduletest"
)

func TestMain(m *testing.M) { moduletest.MainUnshared(m, cards.Module) }
