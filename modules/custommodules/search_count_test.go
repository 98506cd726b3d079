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
	"github.com/dispatchd/dispatchd/modules/custommodules/internal/records"
	"github.com/dispatchd/dispatchd/modules/custommodules/internal/store"
	"github.com/dispatchd/dispatchd/platform/collection/bulk"
	"github.com/dispatchd/dispatchd/platform/errs"
	"github.com/dispatchd/dispatchd/platform/list"
	"github.com/dispatchd/dispatchd/platform/moduletest"
)

func TestSearch_CountsWordsThatManyHaveByTheirIndexAndRefusesToCountThemWithAFilter(t *testing.T) {
	t.Parallel()
	for _, large := range []bool{false, true} {
		most := 10_000
		if large {
			most = 100
		}
		eachService(t, func(t *testing.T, s *service, ctx context.Context) {
			module, _, err := s.modeling.CreateModule(ctx, modeling.NewModule{Name: "Notes", Fields: []definition.NewField{
				{Key: "text", Type: "text", Searchable: true}, {Key: "number", Type: "integer", Indexed: true},
			}})
			require.NoError(t, err)
			const many = store.FewMatches + 5
			var items []bulk.Item
			for i := range many + 3 {
				word := "common"
				if i >= many {
					word = "rare"
				}
				items = append(items, bulk.Item{Do: bulk.Create, Payload: fmt.Appendf(nil, `{"text":%q,"number":%d}`, word, i%2)})
			}
			outcomes, err := s.bulk(ctx, module.ID, items, true)
			require.NoError(t, err)
			require.NoError(t, s.records.DeleteRecord(ctx, outcomes[0].Row, records.Always{}))
			ask := func(query string) (records.Page, error) {
				values, err := url.ParseQuery(query + "&per_page=2")
				require.NoError(t, err)
				in := list.FromQuery(definition.Base+"/records", values)

				return s.records.FindRecords(ctx, module.ID, uuid.Nil, &in)
			}
			for _, count := range []string{"exact", "estimate"} {
				for query, total := range map[string]int64{"q=common": many - 1, "q=rare": 3, "q=rare&filter[number]=1": 2} {
					found, err := ask(query + "&count=" + count)
					require.NoErrorf(t, err, "%s", query)
					require.Equalf(t, total, *found.Meta.Total, "%s", query)
					require.Equalf(t, list.TotalExact, found.Meta.TotalKind, "%s", query)
				}
				found, err := ask("q=common&filter[number]=1&count=" + count)
				if !large {
					require.NoError(t, err)
					require.EqualValues(t, many/2, *found.Meta.Total)

					continue
				}
				require.ErrorIs(t, err, list.ErrInvalidQuery)
				var refusal *errs.Error
				require.ErrorAs(t, err, &refusal)
				require.Contains(t, refusal.Fields["count"][0], "Search for more words")
			}
			found, err := ask("q=common&filter[number]=1")
			require.NoError(t, err)
			require.Len(t, found.Data, 2)
			require.Nil(t, found.Meta.Total)
		}, moduletest.Set("modules.custom_modules.max_scan="+strconv.Itoa(most)))
	}
}
