package collections_test

import (
	"testing"

	"github.com/dispatchd/dispatchd/modules/audit"
	"github.com/dispatchd/dispatchd/modules/collections"
	"github.com/dispatchd/dispatchd/modules/custommodules"
	"github.com/dispatchd/dispatchd/platform/moduletest"
)

func TestMain(m *testing.M) {
	moduletest.Main(m, collections.Module, append(plainPort(), audit.Module, custommodules.Module)...)
}
