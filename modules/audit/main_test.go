package audit_test

import (
	"testing"

	"github.com/dispatchd/dispatchd/modules/audit"
	"github.com/dispatchd/dispatchd/platform/moduletest"
)

func TestMain(m *testing.M) { moduletest.MainUnshared(m, audit.Module) }
