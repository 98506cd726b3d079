package modules_test

import (
	"testing"

	"github.com/dispatchd/dispatchd/modules"
	"github.com/dispatchd/dispatchd/platform/moduletest"
)

//nolint:paralleltest // certification counts goroutines first
func TestAreas_KeepWhatEveryAreaPromises(t *testing.T) {
	for _, m := range modules.All() {
		t.Run(m.ID(), func(t *testing.T) {
			moduletest.Certify(t, m.ID(), modules.All()...)
		})
	}
}
