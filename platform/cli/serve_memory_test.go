package cli

import (
	"errors"
	"math"
	"runtime/debug"
	"testing"

	"github.com/stretchr/testify/require"
)

//nolint:paralleltest // it sets the memory limit of the process
func TestServe_KeepsGoBelowTheMemoryOfTheContainer(t *testing.T) {
	before := debug.SetMemoryLimit(-1)
	t.Cleanup(func() { debug.SetMemoryLimit(before) })
	container := func(limit uint64, err error) func() (uint64, error) {
		return func() (uint64, error) { return limit, err }
	}
	c := &commandLine{}
	c.limitMemory(container(8<<30, nil))
	require.EqualValues(t, 8<<30*90/100, debug.SetMemoryLimit(-1))
	set := debug.SetMemoryLimit(-1)
	c.limitMemory(container(0, errors.New("no cgroup")))
	c.limitMemory(container(math.MaxUint64, nil))
	c.process.Environ = []string{"GOMEMLIMIT=1GiB"}
	c.limitMemory(container(4<<30, nil))
	require.Equal(t, set, debug.SetMemoryLimit(-1))
}
