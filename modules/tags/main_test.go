package tags_test

import (
	"testing"

	"github.com/dispatchd/dispatchd/modules/tags"
	"github.com/dispatchd/dispatchd/platform/moduletest"
)

func TestMain(m *testing.M) { moduletest.MainUnshared(m, tags.Module) }
