package collections_test

import (
	"net/http"
	"testing"
	"testing/fstest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/dispatchd/dispatchd/modules/collections"
	"github.com/dispatchd/dispatchd/modules/custommodules"
	"github.com/dispatchd/dispatchd/platform/field"
	"github.com/dispatchd/dispatchd/platform/migrate"
	"github.com/dispatchd/dispatchd/platform/module"
	"github.com/dispatchd/dispatchd/platform/moduletest"
	"github.com/dispatchd/dispatchd/platform/resource"
)

const buoys = "/sea/api/v1/buoys"

// buoy is a row of sea_buoys, in which q= finds nothing of the struct.
type buoy struct {
	resource.Row

	Depth  int64        `json:"depth"`
	Weight field.Weight `json:"weight"`
	Laid   field.Date   `json:"laid"`
	Seen   *time.Time   `json:"seen"`
	Lit    bool         `json:"lit"`
	Colour string       `json:"colour" field:"default=red" enum:"red,green"`
}

func (buoy) TableName() string { return "sea_buoys" }

// eachSea runs test with buoys and own fields.
func eachSea(t *testing.T, test func(t *testing.T, y yard)) {
	t.Helper()
	const table = `-- +goose Up
CREATE TABLE sea_buoys (depth bigint NOT NULL, weight jsonb, laid date, seen timestamptz, lit boolean NOT NULL, colour text COLLATE "C" NOT NULL,
    company_id uuid NOT NULL, id uuid NOT NULL, version bigint NOT NULL, created_at timestamptz NOT NULL, created_by uuid,
    updated_at timestamptz NOT NULL, updated_by uuid, deleted_at timestamptz, PRIMARY KEY (company_id, id));
-- +goose Down
DROP TABLE sea_buoys;
`
	modules := []module.Module{collections.Module, custommodules.Module, module.New("sea", "Buoys", resource.Of(resource.Rules[buoy]{Item: "sea.buoy"}),
		migrate.Files(fstest.MapFS{"00001_create_buoys.sql": {Data: []byte(table)}}))}
	moduletest.BootEach(t, modules, func(t *testing.T, a *moduletest.App) {
		t.Helper()
		test(t, yard{App: a})
	})
}

func TestOwnFormulas_ReadFieldsOfEachType(t *testing.T) {
	t.Parallel()
	eachSea(t, func(t *testing.T, y yard) {
		t.Helper()
		for key, f := range map[string][2]string{
			"deeper": {"depth + 0.5", "decimal"}, "double": {"weight * 2", "decimal"}, "next": {"laid + 1", "date"},
			"day": {"date(seen)", "date"}, "dark": {"not lit", "boolean"}, "paint": {"upper(colour)", "text"},
		} {
			y.Call(t, y.Owner.Token, http.MethodPost, collectionsPath+"/sea.buoy/fields", object{
				"key": key, "type": "formula", "options": object{"formula": f[0], "result": f[1]},
			}).OK(t)
		}
		made := y.Call(t, y.Owner.Token, http.MethodPost, buoys, object{
			"depth": 7, "weight": object{"value": "1000", "unit": "lb"}, "laid": "2026-11-23", "seen": "2026-11-23T23:59:59.5-02:00", "lit": false,
		}).OK(t)
		require.JSONEq(t, `{"deeper":"7.50","double":"907.18","next":"2026-11-24","day":"2026-11-24","dark":true,"paint":"RED"}`, made.Get("custom").Raw)
		made = y.Call(t, y.Owner.Token, http.MethodPatch, buoys+"/"+made.Get("uuid").String(), object{"weight": nil, "laid": nil, "seen": nil, "lit": true}).OK(t)
		require.JSONEq(t, `{"deeper":"7.50","dark":false,"paint":"RED"}`, made.Get("custom").Raw)
	})
}
