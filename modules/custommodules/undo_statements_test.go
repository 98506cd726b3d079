package custommodules

import (
	"context"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dispatchd/dispatchd/modules/custommodules/internal/definition"
	"github.com/dispatchd/dispatchd/modules/custommodules/internal/modeling"
	"github.com/dispatchd/dispatchd/platform/collection"
	"github.com/dispatchd/dispatchd/platform/moduletest"
	"github.com/dispatchd/dispatchd/platform/rawjson"
)

// However many records an import wrote, taking them back takes as few reads as for one.
func TestRevert_ReadsAllRecordsAtOnce(t *testing.T) {
	t.Parallel()
	eachApp(t, func(t *testing.T, a *moduletest.App, s *service, ctx context.Context) {
		t.Helper()
		module, _, err := s.modeling.CreateModule(ctx, modeling.NewModule{Name: "Parts", Fields: []definition.NewField{
			{Key: "code", Type: "text", Unique: true, Searchable: true}, {Key: "size", Type: "integer", Indexed: true},
		}})
		require.NoError(t, err)
		x := s.recordsOf(module.ID)
		put := func(source string, from, to, size int) (written []collection.Written) {
			var puts []collection.Change
			for i := from; i < to; i++ {
				puts = append(puts, collection.Change{By: "code", Values: fmt.Appendf(nil, `{"code":"c%d","size":%d}`, i, size)})
			}
			require.NoError(t, s.db.InTx(ctx, func(ctx context.Context) error {
				written = nil
				outcomes, err := x.Write(ctx, source, puts)
				for _, o := range outcomes {
					require.NoError(t, o.Err)
					written = append(written, o.Written)
				}

				return err
			}))

			return written
		}
		put("", 0, 100, 1)
		written := put("import:x", 0, 200, 2) // half of them are changed, half made
		reads := countReads(ctx, a)
		require.NoError(t, s.db.InTx(ctx, func(ctx context.Context) error {
			kept, err := x.Revert(ctx, "import:x", written)
			require.Equal(t, make([]error, len(written)), kept)

			return err
		}))
		require.Less(t, reads.Load(), int64(20))
		var left []definition.RecordRow
		require.NoError(t, s.db.Conn(ctx).Where("module_id = ? AND deleted_at IS NULL", module.ID).Find(&left).Error)
		require.Len(t, left, 100)
		for _, row := range left {
			require.Equal(t, "1", string(rawjson.Member(row.Data, "2")))
			require.EqualValues(t, 3, row.Version)
		}
		silent(ctx, t, s)
	})
}
