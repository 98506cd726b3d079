package catalog_test

import (
	"testing"

	"github.com/dispatchd/dispatchd/modules/catalog"
	"github.com/dispatchd/dispatchd/platform/moduletest"
)

func TestMain(m *testing.M) { moduletest.MainUnshared(m, catalog.Module) }
