package notes_test

import (
	"testing"

	"github.com/dispatchd/dispatchd/modules/notes"
	"github.com/dispatchd/dispatchd/platform/moduletest"
)

func TestMain(m *testing.M) { moduletest.MainUnshared(m, notes.Module) }
