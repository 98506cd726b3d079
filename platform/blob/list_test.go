package blob_test

import (
	"context"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dispatchd/dispatchd/platform/blob"
)

func TestList_TakesNoHarmFromWhatIsDeletedMeanwhile(t *testing.T) {
	t.Parallel()
	files := started(t, blob.Defaults(), t.TempDir())
	ctx, cancel := context.WithCancel(company(t))
	_, err := files.Write(ctx, "attachments/stays", strings.NewReader("x"))
	require.NoError(t, err)
	var others sync.WaitGroup
	for i := range 4 {
		others.Go(func() {
			for name := "attachments/" + strconv.Itoa(i); ctx.Err() == nil; {
				if _, err := files.Write(ctx, name, strings.NewReader("x")); err != nil {
					return
				}
				if err := files.Delete(ctx, name); err != nil {
					return
				}
			}
		})
	}
	whole := context.WithoutCancel(ctx)
	for range 500 {
		found := listed(whole, t, files)
		require.Equal(t, "attachments/stays", found[len(found)-1].Name)
	}
	cancel()
	others.Wait()
}
