package custommodules_test

import (
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/dispatchd/dispatchd/platform/identity"
	"github.com/dispatchd/dispatchd/platform/moduletest"
)

// dealers is a yard with dealers, and lots that refer to them.
type dealers struct {
	yard

	dealers, lots string
}

func lookupOf(key, reference, field string) object {
	return object{"key": key, "type": "lookup", "options": object{"reference": reference, "field": field}}
}

func (y yard) dealers(t *testing.T) dealers {
	t.Helper()
	d := dealers{yard: y, dealers: y.module(t, "Dealers",
		object{"key": "name", "type": "text", "indexed": true},
		object{"key": "limit", "type": "decimal", "options": object{"scale": 3}},
		object{"key": "since", "type": "date"},
		object{"key": "memo", "type": "long_text"},
	)}
	city := lookupOf("dealer_name", "dealer", "name")
	city["indexed"] = true
	d.lots = y.module(t, "Lots",
		object{"key": "code", "type": "text", "unique": true},
		object{"key": "dealer", "type": "reference", "options": object{"module_uuid": d.dealers, "on_delete": "set_null"}},
		city, lookupOf("dealer_limit", "dealer", "limit"),
		object{"key": "twice", "type": "formula", "options": object{"formula": "dealer_limit * 2", "result": "decimal", "scale": 3}},
	)

	return d
}

func (d dealers) add(t *testing.T, module string, field object) string {
	t.Helper()

	return d.post(t, modulesPath+"/"+module+"/fields", field).OK(t).Header.Get("Location")
}

// ready waits until a field has the values of all records.
func (y yard) ready(t *testing.T, field string) {
	t.Helper()
	require.Eventually(t, func() bool { return y.get(t, field).OK(t).Get("rollup_state").String() == "ready" }, time.Minute, 5*time.Millisecond)
}

func refer(id string) object { return object{"record_uuid": id} }

func TestLookup_HasTheValueOfTheRecordThatItsReferenceNames(t *testing.T) {
	t.Parallel()
	eachYard(t, func(t *testing.T, y yard) {
		d := y.dealers(t)
		ann := y.create(t, d.dealers, object{"name": "Ann", "limit": "1.125"}).OK(t)
		bob := y.create(t, d.dealers, object{"name": "Bob", "limit": "7"}).OK(t)
		annID, bobID := ann.Get("uuid").String(), bob.Get("uuid").String()

		lot := y.create(t, d.lots, object{"code": "A", "dealer": refer(annID)}).OK(t)
		require.Equal(t, "Ann 1.125 2.250", fmt.Sprint(lot.Get("payload.dealer_name"), " ", lot.Get("payload.dealer_limit"), " ", lot.Get("payload.twice")))
		at := lot.Header.Get("Location")
		none := y.create(t, d.lots, object{"code": "B"}).OK(t)
		require.JSONEq(t, `{"code":"B"}`, none.Get("payload").Raw)

		y.patch(t, ann.Header.Get("Location"), object{"name": "Anna", "limit": "2"}).OK(t)
		now := y.fresh(t, at)
		require.Equal(t, "Anna 2.000 4.000", fmt.Sprint(now.Get("payload.dealer_name"), " ", now.Get("payload.dealer_limit"), " ", now.Get("payload.twice")))
		require.EqualValues(t, 1, now.Get("version").Int(), "nobody changed the record")

		moved := y.patch(t, at, object{"dealer": refer(bobID)}).OK(t)
		require.Equal(t, "Bob 7.000 14.000", fmt.Sprint(moved.Get("payload.dealer_name"), " ", moved.Get("payload.dealer_limit"), " ", moved.Get("payload.twice")))
		y.create(t, d.lots, object{"code": "C", "dealer": refer(annID)}).OK(t)
		require.Equal(t, []string{"C", "A", "B"}, texts(y.get(t, recordsPath+"?module_uuid="+d.lots+"&sort=dealer_name").OK(t), "data.#.payload.code"))
		require.Equal(t, int64(1), y.count(t, "module_uuid="+d.lots+"&filter[dealer_name]=Bob&filter[dealer_limit][gt]=6.999"))
		require.JSONEq(t, `[{"keys":{"dealer_name":"Anna"},"count":1,"sums":{"dealer_limit":"2.000"}},{"keys":{"dealer_name":"Bob"},"count":1,"sums":{"dealer_limit":"7.000"}},
			{"keys":{"dealer_name":null},"count":1,"sums":{"dealer_limit":null}}]`, y.groups(t, d.lots, "group_by=dealer_name&sum=dealer_limit").OK(t).Get("data").Raw)
		require.Contains(t, string(y.get(t, modulesPath+"/"+d.lots+"/export?fields=payload.code,payload.dealer_name").OK(t).Body), "A,Bob")

		cleared := y.patch(t, at, object{"dealer": nil}).OK(t)
		require.False(t, cleared.Get("payload.dealer_name").Exists() && cleared.Get("payload.dealer_name").Raw != "null")
		y.patch(t, at, object{"dealer": refer(bobID)}).OK(t)
		y.remove(t, bob.Header.Get("Location")).OK(t)
		require.Empty(t, y.get(t, at).OK(t).Get("payload.dealer_name").String(), "the reference is cleared, and with it what it leads to")
		y.post(t, bob.Header.Get("Location")+"/restore", nil).OK(t)
		require.Empty(t, y.fresh(t, at).Get("payload.dealer_name").String())
		back := y.post(t, at+"/revert", object{"version": 2}).OK(t)
		require.Equal(t, "Bob", back.Get("payload.dealer_name").String())
	})
}

func TestLookup_OfWhatComesBackTogetherIsRight(t *testing.T) {
	t.Parallel()
	eachYard(t, func(t *testing.T, y yard) {
		d := y.dealers(t)
		units := y.module(t, "Units",
			object{"key": "dealer", "type": "reference", "options": object{"module_uuid": d.dealers, "on_delete": "cascade"}}, lookupOf("who", "dealer", "name"))
		ann := y.create(t, d.dealers, object{"name": "Ann"}).OK(t)
		unit := y.create(t, units, object{"dealer": refer(ann.Get("uuid").String())}).OK(t).Header.Get("Location")
		y.remove(t, ann.Header.Get("Location")).OK(t)
		y.get(t, unit).Refused(t, http.StatusNotFound, "custom_modules.record_not_found")
		y.post(t, ann.Header.Get("Location")+"/restore", nil).OK(t)
		require.Equal(t, "Ann", y.get(t, unit).OK(t).Get("payload.who").String())

		y.remove(t, unit).OK(t)
		y.patch(t, ann.Header.Get("Location"), object{"name": "Anna"}).OK(t)
		y.post(t, unit+"/restore", nil).OK(t)
		require.Equal(t, "Anna", y.get(t, unit).OK(t).Get("payload.who").String())

		y.remove(t, modulesPath+"/"+units).OK(t)
		y.patch(t, ann.Header.Get("Location"), object{"name": "Annabel"}).OK(t)
		y.post(t, modulesPath+"/"+units+"/restore", nil).OK(t)
		require.Equal(t, "Annabel", y.fresh(t, unit).Get("payload.who").String())
	})
}

func TestLookup_ThatComesLaterIsComputedForTheRecordsThatAreThere(t *testing.T) {
	t.Parallel()
	eachYard(t, func(t *testing.T, y yard) {
		d := y.dealers(t)
		ann := y.create(t, d.dealers, object{"name": "Ann", "limit": "1", "since": "2026-12-01"}).OK(t)
		lot := y.create(t, d.lots, object{"code": "A", "dealer": refer(ann.Get("uuid").String())}).OK(t).Header.Get("Location")
		made := d.add(t, d.lots, lookupOf("since", "dealer", "since"))
		y.ready(t, made)
		shown := y.get(t, made).OK(t)
		require.Equal(t, "lookup date", shown.Get("type").String()+" "+shown.Get("options.result").String())
		require.Equal(t, d.dealers, shown.Get("options.module_uuid").String())
		require.True(t, shown.Get("schema.readOnly").Bool())
		require.Equal(t, "2026-12-01", y.fresh(t, lot).Get("payload.since").String())
		require.Equal(t, int64(1), y.count(t, "module_uuid="+d.lots+"&filter[since][lt]=2027-01-01"))

		y.patch(t, ann.Header.Get("Location"), object{"since": "2027-12-01"}).OK(t)
		require.Equal(t, "2027-12-01", y.fresh(t, lot).Get("payload.since").String())

		limit := y.field(t, d.dealers, "limit")
		y.change(t, limit, object{"options": object{"scale": 5}}).OK(t)
		y.patch(t, ann.Header.Get("Location"), object{"limit": "1.00001"}).OK(t)
		require.Eventually(t, func() bool { return y.fresh(t, lot).Get("payload.dealer_limit").String() == "1.00001" }, time.Minute, 5*time.Millisecond)
		y.change(t, limit, object{"key": "credit"}).OK(t)
		y.patch(t, ann.Header.Get("Location"), object{"credit": "3"}).OK(t)
		require.Equal(t, "3.00000", y.fresh(t, lot).Get("payload.dealer_limit").String(), "the key is another one, the field the same")
	})
}

func TestLookup_LeadsOnOverSeveralModules(t *testing.T) {
	t.Parallel()
	eachYard(t, func(t *testing.T, y yard) {
		d := y.dealers(t)
		keys := y.module(t, "Keys", object{"key": "lot", "type": "reference", "options": object{"module_uuid": d.lots}},
			lookupOf("who", "lot", "dealer_name"), lookupOf("twice", "lot", "twice"))
		ann := y.create(t, d.dealers, object{"name": "Ann", "limit": "1"}).OK(t)
		lot := y.create(t, d.lots, object{"code": "A", "dealer": refer(ann.Get("uuid").String())}).OK(t)
		key := y.create(t, keys, object{"lot": refer(lot.Get("uuid").String())}).OK(t)
		require.Equal(t, "Ann 2.000", key.Get("payload.who").String()+" "+key.Get("payload.twice").String())
		y.patch(t, ann.Header.Get("Location"), object{"name": "Anna", "limit": "2"}).OK(t)
		require.Eventually(t, func() bool {
			now := y.fresh(t, key.Header.Get("Location"))

			return now.Get("payload.who").String()+" "+now.Get("payload.twice").String() == "Anna 4.000"
		}, time.Minute, 5*time.Millisecond)
	})
}

func TestLookup_SaysWhatIsWrongWithIt(t *testing.T) {
	t.Parallel()
	eachYard(t, func(t *testing.T, y yard) {
		d := y.dealers(t)
		fields := modulesPath + "/" + d.lots + "/fields"
		d.add(t, d.lots, object{"key": "about", "type": "item"})
		for want, field := range map[string]object{
			"options.reference: The reference is required: the key of a field of this module that refers to records.":                              {"key": "a", "type": "lookup", "options": object{"field": "name"}},
			"options.reference: The reference must be the key of a field of the type reference. References of the module are: dealer.":             lookupOf("a", "nothing", "name"),
			"options.reference: The field code does not refer to records. References of the module are: dealer.":                                   lookupOf("a", "code", "name"),
			"options.reference: Only values of records can be looked up, not those of items of other areas. References of the module are: dealer.": lookupOf("a", "about", "name"),
			"options.field: The field must be the key of a field of the module that dealer names.":                                                 lookupOf("a", "dealer", "code"),
			"options.field: A lookup does not support fields of the type long_text.":                                                               lookupOf("a", "dealer", "memo"),
		} {
			path, message, _ := strings.Cut(want, ": ")
			refused(t, y.post(t, fields, field), "custom_modules.invalid_definition", map[string]string{path: message})
		}
		for _, trait := range []string{"unique", "required"} {
			field := lookupOf("a", "dealer", "name")
			field[trait] = true
			require.Contains(t, y.post(t, fields, field).Get("errors").Map(), trait)
		}
		refused(t, y.create(t, d.lots, object{"dealer_name": "x"}), "custom_modules.invalid_payload",
			map[string]string{"payload.dealer_name": "The dealer name is computed and cannot be set."})

		name, dealer := y.field(t, d.dealers, "name"), y.field(t, d.lots, "dealer")
		for _, used := range []string{name, dealer} {
			y.remove(t, used).Refused(t, http.StatusConflict, "custom_modules.field_in_use")
		}
		planned := y.post(t, name+"/plan", object{"change": "delete"})
		require.Equal(t, "lookup dealer_name true", planned.Get("report.uses.#(kind==\"lookup\").kind").String()+" "+
			planned.Get("report.uses.#(kind==\"lookup\").name").String()+" "+planned.Get("report.uses.#(kind==\"lookup\").blocks").String(), string(planned.Body))
		y.remove(t, y.field(t, d.lots, "dealer_name")).OK(t)
		y.remove(t, name).OK(t)
	})
}

func TestLookup_IsNotMadeOfItself(t *testing.T) {
	t.Parallel()
	eachYard(t, func(t *testing.T, y yard) {
		tree := y.module(t, "Tree", object{"key": "name", "type": "text"})
		y.post(t, modulesPath+"/"+tree+"/fields", object{"key": "parent", "type": "reference", "options": object{"module_uuid": tree}}).OK(t)
		self := y.post(t, modulesPath+"/"+tree+"/fields", lookupOf("root", "parent", "root"))
		refused(t, self, "custom_modules.invalid_definition", map[string]string{"options.field": "The lookup depends on itself."})
		y.post(t, modulesPath+"/"+tree+"/fields", object{"key": "path", "type": "formula", "options": object{"formula": "name", "result": "text"}}).OK(t)
		y.post(t, modulesPath+"/"+tree+"/fields", lookupOf("above", "parent", "path")).OK(t)
		circle := y.change(t, y.field(t, tree, "path"), object{"options": object{"formula": "above + name"}})
		refused(t, circle, "custom_modules.invalid_definition", map[string]string{"options.formula": "The formula depends on itself."})

		top := y.create(t, tree, object{"name": "top"}).OK(t)
		leaf := y.create(t, tree, object{"name": "leaf", "parent": refer(top.Get("uuid").String())}).OK(t)
		require.Equal(t, "top", leaf.Get("payload.above").String())
		y.patch(t, top.Header.Get("Location"), object{"name": "crown", "parent": refer(leaf.Get("uuid").String())}).OK(t)
		require.Equal(t, "crown", y.fresh(t, leaf.Header.Get("Location")).Get("payload.above").String())
		require.Equal(t, "leaf", y.fresh(t, top.Header.Get("Location")).Get("payload.above").String())
	})
}

func TestLookup_OfASensitiveFieldIsSensitive(t *testing.T) {
	t.Parallel()
	eachYard(t, func(t *testing.T, y yard) {
		d := y.dealers(t)
		y.post(t, modulesPath+"/"+d.dealers+"/fields", object{"key": "tax", "type": "text", "sensitive": true}).OK(t)
		open := lookupOf("tax", "dealer", "tax")
		refused(t, y.post(t, modulesPath+"/"+d.lots+"/fields", open), "custom_modules.invalid_definition",
			map[string]string{"sensitive": "The lookup uses the sensitive field tax: it must be sensitive too."})
		open["sensitive"] = true
		d.add(t, d.lots, open)
		ann := y.create(t, d.dealers, object{"name": "Ann", "tax": "12-3"}).OK(t)
		lot := y.create(t, d.lots, object{"code": "A", "dealer": refer(ann.Get("uuid").String())}).OK(t)
		require.Equal(t, "12-3", lot.Get("payload.tax").String())
		viewer := as(t, y.App, identity.Viewer)
		require.NotContains(t, string(y.Call(t, viewer, http.MethodGet, lot.Header.Get("Location"), nil).OK(t).Body), "12-3")
		y.Call(t, viewer, http.MethodGet, recordsPath+"?module_uuid="+d.lots+"&filter[tax]=12-3", nil).Refused(t, http.StatusUnprocessableEntity, "list.invalid_query")
		for _, field := range []string{y.field(t, d.dealers, "name"), y.field(t, d.lots, "dealer")} {
			require.Contains(t, y.change(t, field, object{"sensitive": true}).Get("errors").Map(), "sensitive")
		}
	})
}

func TestLookup_OfAClosedModuleIsTheOwnersToShowAndWarns(t *testing.T) {
	t.Parallel()
	eachYard(t, func(t *testing.T, y yard) {
		d := y.dealers(t)
		admin := as(t, y.App, identity.Admin)
		shown := y.change(t, modulesPath+"/"+d.dealers, object{"permissions": object{"read": []string{"accountant"}}}).OK(t)
		require.Equal(t, "The lookup dealer_name shows values of Dealers to everyone who may read Lots, including users who may not read Dealers.",
			shown.Get("warnings.0").String())
		made := y.post(t, modulesPath+"/"+d.lots+"/fields", lookupOf("since", "dealer", "since")).OK(t)
		require.Contains(t, made.Get("warnings.0").String(), "The lookup since shows values of Dealers to everyone")

		fields := modulesPath + "/" + d.lots + "/fields"
		closed := y.Call(t, admin, http.MethodPost, fields, lookupOf("a", "dealer", "since"))
		none := y.Call(t, admin, http.MethodPost, fields, lookupOf("a", "dealer", "nothing"))
		require.Equal(t, http.StatusUnprocessableEntity, closed.Status)
		require.JSONEq(t, none.Get("errors").Raw, closed.Get("errors").Raw)
		renamed := y.Call(t, admin, http.MethodPatch, made.Header.Get("Location"), object{"label": "Since"}).OK(t)
		require.False(t, renamed.Get("warnings").Exists(), "the admin is not told of the module")
		y.Call(t, admin, http.MethodPatch, made.Header.Get("Location"), object{"options": object{"field": "name"}}).
			Refused(t, http.StatusUnprocessableEntity, "custom_modules.invalid_definition")
	})
}

func TestLookup_TakesValuesOfManyTypes(t *testing.T) {
	t.Parallel()
	eachYard(t, func(t *testing.T, y yard) {
		fields := []object{
			{"key": "n", "type": "integer"},
			{"key": "yes", "type": "boolean"},
			{"key": "at", "type": "datetime"},
			{"key": "local", "type": "local_datetime"},
			{"key": "kind", "type": "select", "options": object{"options": []object{{"id": "a", "label": "Alpha"}}}},
			{"key": "vin", "type": "vin"},
			{"key": "load", "type": "weight"},
			{"key": "phone", "type": "phone"},
		}
		cars := y.module(t, "Cars", fields...)
		looks := []object{{"key": "car", "type": "reference", "options": object{"module_uuid": cars}}}
		for _, f := range fields {
			looks = append(looks, lookupOf(fmt.Sprint(f["key"]), "car", fmt.Sprint(f["key"])))
		}
		moves := y.module(t, "Moves", looks...)
		car := y.create(t, cars, object{
			"n": 7, "yes": false, "at": "2026-12-01T09:30:00Z", "local": "2026-12-01 09:30:00", "kind": "a", "vin": "1HGCM82633A004352",
			"load": object{"value": "4000", "unit": "lb"}, "phone": "202-555-0143",
		}).OK(t)
		id := car.Get("uuid").String()
		move := y.create(t, moves, object{"car": refer(id)}).OK(t)
		require.JSONEq(t, `{"car":{"record_uuid":"`+id+`"},"n":7,"yes":false,"at":"2026-12-01T09:30:00Z","local":"2026-12-01 09:30:00","kind":"a",
			"vin":"1HGCM82633A004352","load":"1814.369480","phone":"+12025550143"}`, move.Get("payload").Raw)
		require.Equal(t, int64(1), y.count(t, "module_uuid="+moves+"&filter[load][gt]=1814.36&filter[yes]=false&filter[at][lt]=2027-01-01T00:00:00Z&filter[kind]=a"))
	})
}

func TestLookup_IsWrittenInBulkImportedAndCopied(t *testing.T) {
	t.Parallel()
	eachYard(t, func(t *testing.T, y yard) {
		d := y.dealers(t)
		ann := y.create(t, d.dealers, object{"name": "Ann", "limit": "1"}).OK(t).Get("uuid").String()
		bob := y.create(t, d.dealers, object{"name": "Bob"}).OK(t).Get("uuid").String()
		done := y.bulk(t, d.lots, true,
			object{"do": "create", "payload": object{"code": "A", "dealer": refer(ann)}}, object{"do": "create", "payload": object{"code": "B", "dealer": refer(bob)}},
			object{"do": "upsert", "by": "code", "payload": object{"code": "A", "dealer": refer(bob)}}).OK(t)
		require.Equal(t, `["Ann","Bob","Bob"]`, done.Get("data.#.record.payload.dealer_name").Raw)
		file := y.upload(t, d.lots, "Code,Dealer,Dealer name\nC,"+ann+",Zoe\n")
		to := func(who any) object {
			return object{"mapping": object{"Code": "code", "Dealer": "dealer", "Dealer name": who}}
		}
		y.configure(t, file, to("dealer_name")).Refused(t, http.StatusUnprocessableEntity, "custom_modules.import_mapping")
		y.configure(t, file, to(nil)).OK(t)
		require.EqualValues(t, 1, y.do(t, file, "start").Get("progress.created").Int())
		require.Equal(t, int64(1), y.count(t, "module_uuid="+d.lots+"&filter[code]=C&filter[dealer_name]=Ann"))

		copied := y.post(t, modulesPath+"/"+d.lots+"/duplicate", object{"name": "Copies"}).OK(t)
		require.Equal(t, "lookup", copied.Get(`fields.#(key=="dealer_name").type`).String())
		require.Equal(t, copied.Get(`fields.#(key=="dealer").uuid`).String(), copied.Get(`fields.#(key=="dealer_name").options.reference_uuid`).String())
		lot := y.create(t, copied.Get("uuid").String(), object{"code": "A", "dealer": refer(ann)}).OK(t)
		require.Equal(t, "Ann 2.000", lot.Get("payload.dealer_name").String()+" "+lot.Get("payload.twice").String())
	})
}

func TestLookup_GoesWithItsPack(t *testing.T) {
	t.Parallel()
	eachYard(t, func(t *testing.T, y yard) {
		d := y.dealers(t)
		exported := y.post(t, packsPath+"/export", object{"module_uuids": []string{d.dealers, d.lots}, "name": "dealing"}).OK(t)
		pack := packOf(t, exported)
		require.Contains(t, string(mustJSON(t, pack)), `"reference":"dealer"`)
		other := y.NewCompany(t)
		made := y.Call(t, other.Token, http.MethodPost, packsPath+"/import", object{"pack": pack}).OK(t)
		again := y.Call(t, other.Token, http.MethodPost, packsPath+"/plan", object{"pack": pack}).OK(t)
		require.Zero(t, again.Get("summary.create").Int()+again.Get("summary.change").Int()+again.Get("summary.conflict").Int(), again.Get("modules").Raw)
		create := func(module string, payload object) moduletest.Response {
			return y.Call(t, other.Token, http.MethodPost, recordsPath, object{"module_uuid": module, "payload": payload}).OK(t)
		}
		ann := create(made.Get("modules.0.module_uuid").String(), object{"name": "Ann"})
		require.Equal(t, "Ann", create(made.Get("modules.1.module_uuid").String(), object{"dealer": refer(ann.Get("uuid").String())}).Get("payload.dealer_name").String())
	})
}

// Lots come, and move from dealer to dealer, while the dealers get other names: in the end each lot has the name that its dealer has.
func TestLookup_LosesNoChangeAmongMany(t *testing.T) {
	t.Parallel()
	eachYard(t, func(t *testing.T, y yard) {
		d := y.dealers(t)
		var ids, locations []string
		for range 3 {
			made := y.create(t, d.dealers, object{"name": "new"}).OK(t)
			ids, locations = append(ids, made.Get("uuid").String()), append(locations, made.Header.Get("Location"))
		}
		const writers, each = 6, 10
		lots := make([]string, writers*each)
		var together sync.WaitGroup
		for w := range writers {
			together.Go(func() {
				for i := range each {
					n := w*each + i
					made := y.create(t, d.lots, object{"dealer": refer(ids[n%3])})
					lots[n] = made.Header.Get("Location")
					y.patch(t, locations[i%3], object{"name": fmt.Sprintf("%d-%d", w, i)})
					y.patch(t, lots[n], object{"dealer": refer(ids[(n+1)%3])})
				}
			})
		}
		together.Wait()
		for n, lot := range lots {
			want := y.get(t, locations[(n+1)%3]).OK(t).Get("payload.name").String()
			require.Equal(t, want, y.fresh(t, lot).Get("payload.dealer_name").String())
		}
	})
}
