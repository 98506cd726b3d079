package tasks_test

import (
	"testing"

	"github.com/dispatchd/dispatchd/modules/tasks"
	"github.com/dispatchd/dispatchd/platform/moduletest"
)

func TestMain(m *testing.M) { moduletest.MainUnshared(m, tasks.Module) }
