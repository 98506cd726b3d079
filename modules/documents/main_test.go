package documents_test

import (
	"testing"

	"github.com/dispatchd/dispatchd/modules/documents"
	"github.com/dispatchd/dispatchd/platform/moduletest"
	"github.com/dispatchd/dispatchd/platform/pdfjoin"
)

func TestMain(m *testing.M) {
	pdfjoin.ServeChild()
	moduletest.Main(m, documents.Module, areas()...)
}
