package custommodules_test

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestTexts_LoseWhatCannotBeSeenAtTheirEnds(t *testing.T) {
	t.Parallel()
	eachYard(t, func(t *testing.T, y yard) {
		t.Helper()
		module := y.module(t, "Customers of ours",
			object{"key": "name", "type": "text", "required": true, "unique": true, "indexed": true, "options": object{"max_length": 6}},
			object{"key": "notes", "type": "long_text"}, object{"key": "raw", "type": "text", "required": true, "default": "x", "options": object{"trim": false}})
		require.True(t, y.get(t, y.field(t, module, "name")).Get("options.trim").Bool())
		first := y.create(t, module, object{"name": " Acme\u200b ", "notes": "\tkeys\n", "raw": " x "}).OK(t)
		require.JSONEq(t, `{"name":"Acme","notes":"keys","raw":" x "}`, first.Get("payload").Raw)
		refused(t, y.create(t, module, object{"name": "Acme  "}), "custom_modules.value_taken",
			map[string]string{"payload.name": "The name has already been taken."})
		for _, nothing := range []string{"   ", "\u200b", "\ufeff\u00a0", ""} {
			refused(t, y.create(t, module, object{"name": nothing}), "custom_modules.invalid_payload",
				map[string]string{"payload.name": "The name is required."})
			refused(t, y.patch(t, first.Header.Get("Location"), object{"raw": nothing}), "custom_modules.invalid_payload",
				map[string]string{"payload.raw": "The raw is required."})
		}
		y.create(t, module, object{"name": "acme"}).OK(t)
		y.create(t, module, object{"name": "🏴\U000E0067\U000E007F"}).OK(t)
		require.EqualValues(t, 1, y.count(t, "module_uuid="+module+"&filter[name]=%20Acme%20"))
	})
}

func TestUnique_TakesCasesForTheSameWhenTheFieldFolds(t *testing.T) {
	t.Parallel()
	eachYard(t, func(t *testing.T, y yard) {
		t.Helper()
		module := y.module(t, "Customers of ours",
			object{"key": "name", "type": "text", "unique": true, "options": object{"fold": true}}, object{"key": "size", "type": "integer"})
		acme := y.create(t, module, object{"name": "Ácme"}).OK(t)
		require.Equal(t, "Ácme", acme.Get("payload.name").String(), "it is kept as it was written")
		taken := y.create(t, module, object{"name": " áCME "})
		refused(t, taken, "custom_modules.value_taken", map[string]string{"payload.name": "The name has already been taken."})
		up := y.bulk(t, module, true, object{"do": "upsert", "by": "name", "payload": object{"name": "ÁCME", "size": 7}}).OK(t)
		require.Equal(t, acme.Get("uuid").String(), up.Get("data.0.record.uuid").String())

		id := y.upload(t, module, "name,size\nBolt,1\nBOLT,2\n")
		require.Equal(t, []int64{1, 0, 0, 1}, counts(y.do(t, id, "dry_run"), "dry_run"))
		require.Equal(t, []int64{1, 0, 0, 1}, counts(y.do(t, id, "start"), "progress"))

		refused(t, y.change(t, y.field(t, module, "name"), object{"options": object{"fold": false}}), "custom_modules.invalid_definition",
			map[string]string{"options.fold": "The fold of a unique field changes the values of existing records. Plan " +
				"it instead: POST …/plan with change: type and the options."})
		y.applied(t, y.field(t, module, "name"), object{"change": "type", "type": "text", "options": object{"fold": false}}, nil)
		y.create(t, module, object{"name": "bolt"}).OK(t)
		plan := y.planned(t, y.field(t, module, "name"), object{"change": "type", "type": "text", "options": object{"fold": true}})
		require.EqualValues(t, 1, plan.Get("report.duplicate_groups").Int(), string(plan.Body))
	})
}

func TestTexts_OfFieldsThatDoNotTrimAreTrimmedByAPlan(t *testing.T) {
	t.Parallel()
	eachYard(t, func(t *testing.T, y yard) {
		t.Helper()
		module := y.module(t, "Parts", object{"key": "code", "type": "text", "indexed": true, "options": object{"trim": false}})
		record := y.create(t, module, object{"code": " a "}).OK(t).Header.Get("Location")
		y.change(t, y.field(t, module, "code"), object{"options": object{"max_length": 9}}).OK(t)
		y.change(t, y.field(t, module, "code"), object{"options": object{"trim": true}}).
			Refused(t, http.StatusUnprocessableEntity, "custom_modules.invalid_definition")
		y.applied(t, y.field(t, module, "code"), object{"change": "type", "type": "text", "options": object{"trim": true}}, nil)
		require.Equal(t, "a", y.get(t, record).Get("payload.code").String())
	})
}
