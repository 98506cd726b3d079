package database_test

import (
	"context"
	"fmt"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
)

// More different statements than are kept, from several goroutines: each is answered, whether it is kept,
// is being forgotten, or was.
func TestDynamic_AnswersMoreStatementsThanAreKept(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, f fixture) {
		f.add(t, f.ctx, "a")
		count := func(ctx context.Context, i int) (n int64, err error) {
			return n, f.Dynamic(ctx).Model(&thing{}).Where(fmt.Sprintf("amount > %d", -1-i)).Count(&n).Error
		}
		var all sync.WaitGroup
		for range 4 {
			all.Go(func() {
				for i := range 250 {
					n, err := count(f.ctx, i*7%250)
					if err != nil || n != 1 {
						t.Errorf("statement %d: %d, %v", i, n, err)
					}
				}
			})
		}
		all.Wait()
		_, err := count(f.ctx, 1)
		require.NoError(t, err)
	})
}
