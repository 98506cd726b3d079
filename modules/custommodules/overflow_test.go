package custommodules

import (
	"context"
	"fmt"
	"net/url"
	"strconv"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/dispatchd/dispatchd/modules/custommodules/internal/definition"
	"github.com/dispatchd/dispatchd/modules/custommodules/internal/modeling"
	"github.com/dispatchd/dispatchd/modules/custommodules/internal/records"
	"github.com/dispatchd/dispatchd/modules/custommodules/internal/store"
	"github.com/dispatchd/dispatchd/platform/database"
	"github.com/dispatchd/dispatchd/platform/field"
	"github.com/dispatchd/dispatchd/platform/list"
	"github.com/dispatchd/dispatchd/platform/moduletest"
	"github.com/dispatchd/dispatchd/platform/rawjson"
)

// fillers are fields that take all slots.
func fillers() []definition.NewField {
	var fields []definition.NewField
	for _, s := range definition.AllSlots() {
		typ := map[field.Index]definition.TypeName{field.TextIndex: "text", field.NumericIndex: "integer", field.TimeIndex: "date", field.BoolIndex: "boolean", field.UUIDIndex: "user"}[s.Kind()]
		fields = append(fields, definition.NewField{Key: "filler_" + string(s), Type: typ, Indexed: true})
	}

	return fields
}

// indexRows counts the rows of a field in custom_modules_index.
func indexRows(ctx context.Context, t require.TestingT, s *service, field uuid.UUID) int64 {
	var rows int64
	require.NoError(t, s.db.Conn(ctx).Model(&store.IndexRow{}).Where("field_id = ?", field).Count(&rows).Error)

	return rows
}

// listedKeys are the values of a field of the records that a query finds.
func listedKeys(ctx context.Context, t *testing.T, s *service, module uuid.UUID, key, query string) []string {
	t.Helper()
	values, err := url.ParseQuery(query)
	require.NoError(t, err)
	in := list.FromQuery("/records", values)
	found, err := s.records.FindRecords(ctx, module, uuid.Nil, &in)
	require.NoError(t, err, query)
	all := []string{}
	for _, row := range found.Data {
		text, _ := found.Definition.Field(key).Comparand(row.Data)
		all = append(all, text)
	}

	return all
}

func TestIndex_HasNoCliffWhereTheSlotsEnd(t *testing.T) {
	t.Parallel()
	eachService(t, func(t *testing.T, s *service, ctx context.Context) {
		spec := modeling.NewModule{Name: "Wide"}
		for i := range 20 {
			spec.Fields = append(spec.Fields, definition.NewField{Key: "t" + strconv.Itoa(i), Type: "text", Indexed: true})
		}
		module, fields, err := s.modeling.CreateModule(ctx, spec)
		require.NoError(t, err)
		for _, f := range fields {
			require.Equal(t, definition.IndexReady, f.IndexState(), "no record can have a value")
		}
		last := fields[19].ID
		ids := map[string]uuid.UUID{}
		for _, text := range []string{"c", "a", "b"} {
			made, err := s.records.CreateRecord(ctx, database.NewID(), module.ID, fmt.Appendf(nil, `{"t0":"x","t19":%q}`, text))
			require.NoError(t, err)
			ids[text] = made.ID
		}
		_, err = s.records.CreateRecord(ctx, database.NewID(), module.ID, []byte(`{"t0":"x"}`))
		require.NoError(t, err)
		require.EqualValues(t, 3, indexRows(ctx, t, s, last))
		for query, want := range map[string][]string{
			"sort=t19": {"a", "b", "c", ""}, "sort=-t19": {"c", "b", "a", ""}, "filter[t19]=b": {"b"}, "filter[t19][gte]=b&sort=t19": {"b", "c"},
			"filter[t19][null]=true": {""}, "filter[t19][ne]=a&sort=t19": {"b", "c", ""}, "filter[t0]=x&sort=t19": {"a", "b", "c", ""},
			"filter[or][0][t19]=a&filter[or][1][t19]=c&sort=t19": {"a", "c"}, "filter[t19][starts]=a&filter[t0]=x": {"a"},
			"sort=t0,t19": {"a", "b", "c", ""}, "sort=t19,t0": {"a", "b", "c", ""},
		} {
			require.Equal(t, want, listedKeys(ctx, t, s, module.ID, "t19", query), query)
		}

		_, err = s.records.UpdateRecord(ctx, ids["a"], []byte(`{"t19":"z"}`), records.Always{})
		require.NoError(t, err)
		_, err = s.records.UpdateRecord(ctx, ids["b"], []byte(`{"t19":null}`), records.Always{})
		require.NoError(t, err)
		require.Equal(t, []string{"c", "z", "", ""}, listedKeys(ctx, t, s, module.ID, "t19", "sort=t19"))
		require.NoError(t, s.records.DeleteRecord(ctx, ids["c"], records.Always{}))
		require.EqualValues(t, 1, indexRows(ctx, t, s, last), "what is deleted is not in the index")
		_, err = s.records.RestoreRecord(ctx, ids["c"], records.Always{})
		require.NoError(t, err)
		require.Equal(t, []string{"c", "z"}, listedKeys(ctx, t, s, module.ID, "t19", "sort=t19&filter[t19][null]=false"))
		silent(ctx, t, s)
	})
}

func TestIndex_OfAReferenceGoesOnBeyondTheSlots(t *testing.T) {
	t.Parallel()
	eachService(t, func(t *testing.T, s *service, ctx context.Context) {
		target, _, err := s.modeling.CreateModule(ctx, modeling.NewModule{Name: "Targets"})
		require.NoError(t, err)
		options := rawjson.Object(`{"module_uuid":"` + target.ID.String() + `"}`)
		module, _, err := s.modeling.CreateModule(ctx, modeling.NewModule{Name: "Pointers", Fields: append(fillers(), definition.NewField{Key: "to", Type: "reference", Options: options})})
		require.NoError(t, err)
		var ids []string
		for range 2 {
			made, err := s.records.CreateRecord(ctx, database.NewID(), target.ID, []byte(`{}`))
			require.NoError(t, err)
			ids = append(ids, made.ID.String())
			_, err = s.records.CreateRecord(ctx, database.NewID(), module.ID, []byte(`{"to":{"record_uuid":"`+made.ID.String()+`"}}`))
			require.NoError(t, err)
		}
		require.Equal(t, ids[1:], listedKeys(ctx, t, s, module.ID, "to", "filter[to]="+ids[1]))
		silent(ctx, t, s)
	})
}

func TestIndex_BeyondTheSlotsIsBuiltAndTakenAway(t *testing.T) {
	t.Parallel()
	eachService(t, func(t *testing.T, s *service, ctx context.Context) {
		module, fields, err := s.modeling.CreateModule(ctx, modeling.NewModule{Name: "Parts", Fields: append(fillers(), definition.NewField{Key: "late", Type: "decimal"})})
		require.NoError(t, err)
		late := fields[len(fields)-1].ID
		for i := range 5 {
			_, err := s.records.CreateRecord(ctx, database.NewID(), module.ID, fmt.Appendf(nil, `{"late":"-%d.00"}`, i))
			require.NoError(t, err)
		}
		index := func(on bool, rows int64) {
			changed, err := s.modeling.ChangeField(ctx, module.ID, late, records.Always{}, modeling.FieldChanges{Indexed: &on})
			require.NoError(t, err)
			require.Equal(t, on, changed.Overflows())
			require.Eventually(t, func() bool {
				now, err := s.repo.Field(ctx, module.ID, late)

				return err == nil && now.IndexState() != definition.IndexBuilding && indexRows(ctx, t, s, late) == rows
			}, time.Minute, 20*time.Millisecond)
			require.Equal(t, []string{"-4.00", "-3.00", "-2.00", "-1.00", "0.00"}, listedKeys(ctx, t, s, module.ID, "late", "sort=late"))
			silent(ctx, t, s)
		}
		index(true, 5)
		index(false, 0)
		index(true, 5)
		require.NoError(t, s.modeling.DeleteField(ctx, module.ID, late, records.Always{}))
		require.Eventually(t, func() bool { return indexRows(ctx, t, s, late) == 0 }, time.Minute, 20*time.Millisecond)
		silent(ctx, t, s)
	})
}

// The job that takes rows away comes late: the field has its index again.
func TestClear_LeavesAFieldAloneThatIsIndexedAgain(t *testing.T) {
	t.Parallel()
	eachService(t, func(t *testing.T, s *service, ctx context.Context) {
		module, fields, err := s.modeling.CreateModule(ctx, modeling.NewModule{Name: "Parts", Fields: append(fillers(), definition.NewField{Key: "late", Type: "text", Indexed: true})})
		require.NoError(t, err)
		late := fields[len(fields)-1].ID
		_, err = s.records.CreateRecord(ctx, database.NewID(), module.ID, []byte(`{"late":"x"}`))
		require.NoError(t, err)
		require.NoError(t, s.modeling.Clear(ctx, modeling.ClearIndex{Module: module.ID, Field: late}))
		require.EqualValues(t, 1, indexRows(ctx, t, s, late))
		require.NoError(t, s.modeling.Clear(ctx, modeling.ClearIndex{Module: uuid.New(), Field: late}), "of a module that is gone for good")
	})
}

func TestIndex_ALimitOfFieldsIsSaid(t *testing.T) {
	t.Parallel()
	eachService(t, func(t *testing.T, s *service, ctx context.Context) {
		module, _, err := s.modeling.CreateModule(ctx, modeling.NewModule{Name: "Parts", Fields: []definition.NewField{
			{Key: "a", Type: "text", Indexed: true}, {Key: "b", Type: "integer", Indexed: true}, {Key: "c", Type: "text"},
		}})
		require.NoError(t, err)
		_, err = s.modeling.AddField(ctx, module.ID, definition.NewField{Key: "d", Type: "boolean", Indexed: true})
		require.ErrorIs(t, err, definition.ErrNoFreeSlot)
		row, err := s.modeling.AddField(ctx, module.ID, definition.NewField{Key: "r", Type: "reference", Options: rawjson.Object(`{"module_uuid":"` + module.ID.String() + `"}`)})
		require.NoError(t, err)
		require.Equal(t, definition.NoIndex, row.IndexState(), "nobody asked for one")
	}, moduletest.Set("modules.custom_modules.max_indexed=2"))
}

func TestCreate_WithSlotsAloneTouchesNoOtherIndex(t *testing.T) {
	t.Parallel()
	eachService(t, func(t *testing.T, s *service, ctx context.Context) {
		for _, tc := range []struct {
			fields []definition.NewField
			sent   bool
		}{{fillers(), false}, {append(fillers(), definition.NewField{Key: "more", Type: "text", Indexed: true}), true}} {
			module, _, err := s.modeling.CreateModule(ctx, modeling.NewModule{Name: strconv.Itoa(len(tc.fields)), Fields: tc.fields})
			require.NoError(t, err)
			def, _, err := s.definitions.Get(ctx, module.ID)
			require.NoError(t, err)
			w := &store.Writing{Verb: definition.Created, Definition: def, Row: s.records.NewRow(ctx, def, database.NewID())}
			payload := `{"filler_text_1":"a"`
			if tc.sent {
				payload += `,"more":"b"`
			}
			made, found := def.Decode([]byte(payload+"}"), definition.Presets{})
			require.True(t, found.None())
			w.Made = made
			require.Equal(t, tc.sent, s.records.KeepIndexed(ctx, w) != nil, "without a transaction, a statement is an error")
		}
	})
}
