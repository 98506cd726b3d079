package custommodules_test

import (
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/dispatchd/dispatchd/platform/moduletest"
)

func TestCreateModule_AnswersWithItsFields(t *testing.T) {
	t.Parallel()
	eachYard(t, func(t *testing.T, y yard) {
		made := y.Call(t, y.Owner.Token, http.MethodPost, modulesPath, object{
			"name": "  Yard check-ins ",
			"fields": []object{
				{"key": "VIN", "type": "vin", "required": true, "indexed": true},
				{"key": "odometer", "label": "Odometer (mi)", "type": "integer"},
			},
		}).OK(t)
		require.Equal(t, "Yard check-ins", made.Get("name").String())
		require.Equal(t, `"1"`, made.Header.Get("ETag"))
		require.Equal(t, modulesPath+"/"+made.Get("uuid").String(), made.Header.Get("Location"))
		vin := made.Get("fields.0")
		require.Equal(t, "vin", vin.Get("key").String())
		require.Equal(t, "Vin", vin.Get("label").String())
		require.True(t, vin.Get("required").Bool())
		require.True(t, vin.Get("indexed").Bool())
		require.Equal(t, int64(1), vin.Get("position").Int())
		require.JSONEq(t, `{"check_digit":"warn"}`, vin.Get("options").Raw)
		require.Equal(t, "string", vin.Get("schema.type").String())
		require.Equal(t, "Odometer (mi)", made.Get("fields.1.label").String())

		read := y.get(t, made.Header.Get("Location")).OK(t)
		require.JSONEq(t, string(made.Body), string(read.Body))
	})
}

func TestCreateModule_SaysEverythingThatIsWrongAtOnce(t *testing.T) {
	t.Parallel()
	eachYard(t, func(t *testing.T, y yard) {
		other := y.NewCompany(t)
		theirs := y.Call(t, other.Token, http.MethodPost, modulesPath, object{"name": "Theirs"}).OK(t).Get("uuid").String()
		refused(t, y.Call(t, y.Owner.Token, http.MethodPost, modulesPath, object{
			"name": " ",
			"fields": []object{
				{"key": "vin", "type": "vin"},
				{"key": "VIN", "type": "vin"},
				{"key": "pickup date", "type": "date"},
				{"key": "uuid", "type": "text"},
				{"key": "price", "type": "decimal", "options": object{"scale": 99}},
				{"key": "year", "type": "integer", "options": object{"scale": 2}},
				{"key": "notes", "type": "long_text", "indexed": true},
				{"key": "customer", "type": "reference"},
				{"key": "carrier", "type": "reference", "options": object{"module_uuid": theirs}},
				{"key": "label", "type": "text", "label": "a\nb"},
			},
		}), "custom_modules.invalid_definition", map[string]string{
			"name":                         "The name is required.",
			"fields.1.key":                 "The key vin is given to two fields.",
			"fields.2.key":                 "The key must be in snake_case: lower case letters, digits and underscores, starting with a letter.",
			"fields.3.key":                 "The key uuid is reserved.",
			"fields.4.options.scale":       "The scale must be between 0 and 18.",
			"fields.5.options.scale":       "The key scale is not known for this type. Known are: max, min.",
			"fields.6.indexed":             "A field of the type long_text cannot be indexed. With searchable: true, q= finds records by its words.",
			"fields.7.options.module_uuid": "The module uuid of a reference is required.",
			"fields.8.options.module_uuid": "There is no module with the module uuid.",
			"fields.9.label":               "The label must not contain control characters.",
		})
		unknown := y.Call(t, y.Owner.Token, http.MethodPost, modulesPath,
			object{"name": "X", "fields": []object{{"key": "a", "type": "colour"}}})
		require.Equal(t, http.StatusUnprocessableEntity, unknown.Status)
		require.Contains(t, string(unknown.Body), "vin")
	})
}

func TestCreateModule_RefusesANameTwice(t *testing.T) {
	t.Parallel()
	eachYard(t, func(t *testing.T, y yard) {
		for _, name := range []string{"Vehicles", "VEHICLES", " vehicles "} {
			y.Call(t, y.Owner.Token, http.MethodPost, modulesPath, object{"name": name}).
				Refused(t, http.StatusConflict, "custom_modules.module_name_taken")
		}
		y.Call(t, y.NewCompany(t).Token, http.MethodPost, modulesPath, object{"name": "Vehicles"}).OK(t)
	})
}

func TestCreateModule_KeepsToItsLimits(t *testing.T) {
	t.Parallel()
	eachYard(t, func(t *testing.T, y yard) {
		fields := []object{}
		for i := range 10 {
			fields = append(fields, object{"key": fmt.Sprintf("f%d", i), "type": "text"})
		}
		refused(t, y.Call(t, y.Owner.Token, http.MethodPost, modulesPath, object{"name": "Wide", "fields": fields}),
			"custom_modules.invalid_definition", map[string]string{"fields": "A module must not have more than 9 fields."})
		made := y.Call(t, y.Owner.Token, http.MethodPost, modulesPath, object{"name": "Wide", "fields": fields[:9]}).OK(t)
		y.Call(t, y.Owner.Token, http.MethodPost, made.Header.Get("Location")+"/fields", fields[9]).
			Refused(t, http.StatusUnprocessableEntity, "custom_modules.too_many_fields")
		y.Call(t, y.Owner.Token, http.MethodPost, modulesPath, object{"name": "Fourth"}).
			Refused(t, http.StatusUnprocessableEntity, "custom_modules.too_many_modules")
	}, moduletest.Set("modules.custom_modules.max_fields=9", "modules.custom_modules.max_modules=3"))
}

func TestCreateModule_RefusesMoreIndexedFieldsThanAllowed(t *testing.T) {
	t.Parallel()
	eachYard(t, func(t *testing.T, y yard) {
		fields := []object{}
		for i := range 9 {
			fields = append(fields, object{"key": fmt.Sprintf("f%d", i), "type": "text", "indexed": true})
		}
		refused(t, y.Call(t, y.Owner.Token, http.MethodPost, modulesPath, object{"name": "Deep", "fields": fields}),
			"custom_modules.invalid_definition", map[string]string{"fields.8.indexed": "The module has 8 indexed fields, the maximum."})
		made := y.Call(t, y.Owner.Token, http.MethodPost, modulesPath, object{"name": "Deep", "fields": fields[:8]}).OK(t)
		y.Call(t, y.Owner.Token, http.MethodPost, made.Header.Get("Location")+"/fields", fields[8]).
			Refused(t, http.StatusUnprocessableEntity, "custom_modules.too_many_indexed")
	}, moduletest.Set("modules.custom_modules.max_indexed=8"))
}

func TestModules_AreFoundByTheirCompanyAlone(t *testing.T) {
	t.Parallel()
	eachYard(t, func(t *testing.T, y yard) {
		other := y.NewCompany(t).Token
		for _, path := range []string{modulesPath + "/" + y.vehicles, modulesPath + "/" + y.vehicles + "/fields"} {
			y.get(t, path).OK(t)
			y.Call(t, other, http.MethodGet, path, nil).Refused(t, http.StatusNotFound, "custom_modules.module_not_found")
		}
		y.Call(t, other, http.MethodPost, modulesPath+"/"+y.vehicles+"/fields", object{"key": "a", "type": "text"}).
			Refused(t, http.StatusNotFound, "custom_modules.module_not_found")
		require.Zero(t, y.Call(t, other, http.MethodGet, modulesPath, nil).OK(t).Get("data.#").Int())
		y.get(t, modulesPath+"/"+uuid.NewString()).Refused(t, http.StatusNotFound, "custom_modules.module_not_found")
	})
}

func TestListModules_ShowsEachWithItsFields(t *testing.T) {
	t.Parallel()
	eachYard(t, func(t *testing.T, y yard) {
		all := y.get(t, modulesPath).OK(t)
		require.Equal(t, []string{"Customers", "Vehicles"}, texts(all, "data.#.name"))
		require.Equal(t, []string{"1", "8"}, texts(all, "data.#.fields.#"))
		require.Equal(t, "vin", all.Get("data.1.fields.0.key").String())
		require.Equal(t, []string{"Vehicles"}, texts(y.get(t, modulesPath+"?filter[name]=VEHICLES").OK(t), "data.#.name"))
		fields := y.get(t, modulesPath+"/"+y.vehicles+"/fields?filter[required]=true").OK(t)
		require.Equal(t, []string{"vin"}, texts(fields, "data.#.key"))
	})
}

func TestAddField_ChangesTheModule(t *testing.T) {
	t.Parallel()
	eachYard(t, func(t *testing.T, y yard) {
		path := modulesPath + "/" + y.customers
		made := y.Call(t, y.Owner.Token, http.MethodPost, path+"/fields", object{"key": "city", "type": "text", "required": true}).OK(t)
		require.Equal(t, "City", made.Get("label").String())
		require.Equal(t, int64(2), made.Get("position").Int())
		require.JSONEq(t, string(made.Body), string(y.get(t, made.Header.Get("Location")).OK(t).Body))
		require.Equal(t, `"2"`, y.get(t, path).OK(t).Header.Get("ETag"))

		y.get(t, recordsPath+"/"+y.customer).OK(t)
		refused(t, y.create(t, y.customers, object{"name": "X"}), "custom_modules.invalid_payload",
			map[string]string{"payload.city": "The city is required."})

		y.Call(t, y.Owner.Token, http.MethodPost, path+"/fields", object{"key": "City", "type": "text"}).
			Refused(t, http.StatusConflict, "custom_modules.field_key_taken")
		refused(t, y.Call(t, y.Owner.Token, http.MethodPost, path+"/fields",
			object{"key": "parent", "type": "reference", "options": object{"module_uuid": uuid.NewString()}}),
			"custom_modules.invalid_definition", map[string]string{"options.module_uuid": "There is no module with the module uuid."})
	})
}

func TestAddField_LetsAModuleReferToItself(t *testing.T) {
	t.Parallel()
	eachYard(t, func(t *testing.T, y yard) {
		y.Call(t, y.Owner.Token, http.MethodPost, modulesPath+"/"+y.customers+"/fields",
			object{"key": "parent", "type": "reference", "options": object{"module_uuid": y.customers}}).OK(t)
		y.create(t, y.customers, object{"name": "Branch", "parent": object{"record_uuid": y.customer}}).OK(t)
	})
}

func TestAddField_WhileRecordsAreWrittenNeverMixesUpValues(t *testing.T) {
	t.Parallel()
	eachYard(t, func(t *testing.T, y yard) {
		const fields, writers, each = 6, 4, 15
		var wg sync.WaitGroup
		statuses := make(chan int, writers*each)
		for w := range writers {
			wg.Go(func() {
				for i := range each {
					name := fmt.Sprintf("w%d-%d", w, i)
					statuses <- y.create(t, y.customers, object{"name": name}).Status
				}
			})
		}
		for i := range fields {
			y.Call(t, y.Owner.Token, http.MethodPost, modulesPath+"/"+y.customers+"/fields",
				object{"key": fmt.Sprintf("f%d", i), "type": "text", "indexed": true}).OK(t)
		}
		wg.Wait()
		close(statuses)
		for status := range statuses {
			require.Equal(t, http.StatusOK, status)
		}
		for _, row := range y.get(t, recordsPath+"?per_page=200&module_uuid="+y.customers).OK(t).Get("data").Array() {
			payload := row.Get("payload").Map()
			require.Len(t, payload, 1)
			require.NotEmpty(t, payload["name"].String())
		}
		for i := range fields {
			list := y.get(t, recordsPath+"?module_uuid="+y.customers+fmt.Sprintf("&filter[f%d][null]=false", i)).OK(t)
			require.Zero(t, list.Get("data.#").Int())
		}
	})
}

func TestKeys_AreOneInEveryUnicodeForm(t *testing.T) {
	t.Parallel()
	eachYard(t, func(t *testing.T, y yard) {
		made := y.Call(t, y.Owner.Token, http.MethodPost, modulesPath, object{"name": "Größen", "fields": []object{
			{"key": "GRO\u0308SSE", "type": "integer"},
		}}).OK(t)
		require.Equal(t, "grösse", made.Get("fields.0.key").String())
		module := made.Get("uuid").String()
		record := y.create(t, module, object{"gro\u0308sse": 5}).OK(t)
		require.Equal(t, `{"grösse":5}`, record.Get("payload").Raw)
		list := y.get(t, recordsPath+"?module_uuid="+module+"&filter[gr%C3%B6sse]=5").OK(t)
		require.Equal(t, int64(1), list.Get("data.#").Int())
		y.Call(t, y.Owner.Token, http.MethodPost, modulesPath, object{"name": strings.ToUpper("gro\u0308ßen")}).
			Refused(t, http.StatusConflict, "custom_modules.module_name_taken")
	})
}
