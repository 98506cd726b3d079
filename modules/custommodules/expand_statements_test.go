package custommodules

import (
	"context"
	"fmt"
	"net/url"
	"strconv"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/dispatchd/dispatchd/modules/custommodules/internal/definition"
	"github.com/dispatchd/dispatchd/modules/custommodules/internal/modeling"
	"github.com/dispatchd/dispatchd/platform/database"
	"github.com/dispatchd/dispatchd/platform/list"
	"github.com/dispatchd/dispatchd/platform/moduletest"
	"github.com/dispatchd/dispatchd/platform/rawjson"
)

// However many records are listed, each level of references costs one statement more.
func TestExpand_TakesOneStatementForEachLevel(t *testing.T) {
	t.Parallel()
	eachApp(t, func(t *testing.T, a *moduletest.App, s *service, ctx context.Context) {
		t.Helper()
		var module, record uuid.UUID
		for level := range 4 {
			fields := []definition.NewField{{Key: "name", Type: "text"}}
			payload := `{}`
			if level > 0 {
				for _, key := range []string{"next", "other"} {
					fields = append(fields, definition.NewField{Key: key, Type: "reference", Options: rawjson.Object(`{"module_uuid":"` + module.String() + `"}`)})
				}
				payload = fmt.Sprintf(`{"next":{"record_uuid":%q},"other":{"record_uuid":%q}}`, record, record)
			}
			made, _, err := s.modeling.CreateModule(ctx, modeling.NewModule{Name: strconv.Itoa(level), Fields: fields})
			require.NoError(t, err)
			module = made.ID
			for range 10 {
				row, err := s.records.CreateRecord(ctx, database.NewID(), module, []byte(payload))
				require.NoError(t, err)
				record = row.ID
			}
		}
		reads := countReads(ctx, a)
		for _, warm := range []bool{false, true} {
			for expand, levels := range map[string]int64{"": 0, "next": 1, "next,other": 1, "next.next,next.other,other": 2, "next.next.next": 3} {
				in := list.FromQuery("/records", url.Values{"expand": {expand}})
				in.Expand = expand
				before := reads.Load()
				found, err := s.records.FindRecords(ctx, module, uuid.Nil, &in)
				require.NoError(t, err)
				require.Len(t, found.Data, 10)
				if warm {
					require.Equal(t, 1+levels, reads.Load()-before, expand)
				}
			}
		}
	})
}
