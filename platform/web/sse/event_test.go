package sse_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dispatchd/dispatchd/platform/web/sse"
)

func TestEvent_HasAnIDOfOneLine(t *testing.T) {
	t.Parallel()
	kind := sse.NewKind[string]("said", "Somebody said something.")
	_, err := kind.New("1\ndata: x", "")
	require.Error(t, err)
	_, err = kind.New("1", "two\nlines")
	require.NoError(t, err)
}
