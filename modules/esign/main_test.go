package esign_test

import (
	"testing"

	"github.com/dispatchd/dispatchd/modules/attachments"
	"github.com/dispatchd/dispatchd/modules/audit"
	"github.com/dispatchd/dispatchd/modules/companies"
	"github.com/dispatchd/dispatchd/modules/custommodules"
	"github.com/dispatchd/dispatchd/modules/esign"
	"github.com/dispatchd/dispatchd/platform/moduletest"
)

func TestMain(m *testing.M) {
	moduletest.Main(m, esign.Module, attachments.Module, audit.Module, companies.Module, custommodules.Module)
}
