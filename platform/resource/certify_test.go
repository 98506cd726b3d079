package resource_test

import (
	"testing"

	"github.com/dispatchd/dispatchd/platform/moduletest"
)

//nolint:paralleltest // certification counts goroutines first
func TestResource_IsCertifiedWithoutAWordOfTheArea(t *testing.T) {
	moduletest.Certify(t, "yard", yard(tables())...)
}
