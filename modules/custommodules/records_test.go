package custommodules_test

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/dispatchd/dispatchd/platform/moduletest"
)

func TestCreateRecord_StoresTheDocumentedPayload(t *testing.T) {
	t.Parallel()
	eachYard(t, func(t *testing.T, y yard) {
		made := y.create(t, y.vehicles, y.documented()).OK(t)
		require.Equal(t, http.StatusOK, made.Status)
		require.Equal(t, recordsPath+"/"+made.Get("uuid").String(), made.Header.Get("Location"))
		require.Equal(t, `"1"`, made.Header.Get("ETag"))
		require.Equal(t, y.vehicles, made.Get("module_uuid").String())
		require.Equal(t, int64(1), made.Get("version").Int())
		require.Equal(t, made.Get("created_at").String(), made.Get("updated_at").String())

		want, err := json.Marshal(y.documented())
		require.NoError(t, err)
		require.JSONEq(t, string(want), made.Get("payload").Raw)
		require.Len(t, made.Get("@this").Map(), 8)

		read := y.get(t, made.Header.Get("Location")).OK(t)
		require.Equal(t, string(made.Body), string(read.Body))
		require.Equal(t, `"1"`, read.Header.Get("ETag"))
	})
}

func TestCreateRecord_AnswersNothingToWhoWantsNothing(t *testing.T) {
	t.Parallel()
	eachYard(t, func(t *testing.T, y yard) {
		made := y.Call(t, y.Owner.Token, http.MethodPost, recordsPath,
			object{"module_uuid": y.vehicles, "payload": y.documented()}, "Prefer", "return=minimal").OK(t)
		require.JSONEq(t, `{}`, string(made.Body))
		y.get(t, made.Header.Get("Location")).OK(t)
	})
}

func TestCreateRecord_TakesJSONLabelledAsText(t *testing.T) {
	t.Parallel()
	eachYard(t, func(t *testing.T, y yard) {
		y.Call(t, y.Owner.Token, http.MethodPost, recordsPath,
			object{"module_uuid": y.vehicles, "payload": y.documented()}, "Content-Type", "text/plain").OK(t)
	})
}

func TestCreateRecord_SaysEverythingThatIsWrongAtOnce(t *testing.T) {
	t.Parallel()
	eachYard(t, func(t *testing.T, y yard) {
		refused(t, y.create(t, y.vehicles, object{
			"vin": "SHORT", "year": "2019", "price": 12500, "operable": "yes", "pickup_date": "soon",
			"pickup_time": "noon", "notes": 1, "customer": object{"record_uuid": uuid.NewString()}, "colour": "red", "vinn": 1,
		}), "custom_modules.invalid_payload", map[string]string{
			"payload.vin":         "The VIN must be 17 characters.",
			"payload.year":        "The year must be a whole number.",
			"payload.price":       `The price must be a decimal number in a string, such as "12500.00".`,
			"payload.operable":    "The operable must be true or false.",
			"payload.pickup_date": "The pickup date must be a date: YYYY-MM-DD.",
			"payload.pickup_time": "The pickup time must be a date and time: YYYY-MM-DD HH:MM:SS.",
			"payload.notes":       "The notes must be a string.",
			"payload.customer":    "The customer does not exist.",
			"payload.colour":      "The key colour is not known in this module. Known are: customer, notes, operable, pickup_date, pickup_time, price, vin, year.",
			"payload.vinn":        "The key vinn is not known in this module. Did you mean vin?",
		})
		refused(t, y.create(t, y.vehicles, object{}), "custom_modules.invalid_payload",
			map[string]string{"payload.vin": "The VIN is required."})
		require.Zero(t, y.get(t, recordsPath+"?module_uuid="+y.vehicles).OK(t).Get("data.#").Int())
	})
}

func TestCreateRecord_RefusesAReferenceToARecordThatIsNotThere(t *testing.T) {
	t.Parallel()
	eachYard(t, func(t *testing.T, y yard) {
		other := y.NewCompany(t)
		theirModule := y.Call(t, other.Token, http.MethodPost, modulesPath, object{
			"name": "Customers", "fields": []object{{"key": "name", "type": "text"}},
		}).OK(t).Get("uuid").String()
		theirs := y.Call(t, other.Token, http.MethodPost, recordsPath,
			object{"module_uuid": theirModule, "payload": object{"name": "Theirs"}}).OK(t).Get("uuid").String()
		vehicle := y.create(t, y.vehicles, y.documented()).OK(t).Get("uuid").String()

		for _, record := range []string{uuid.NewString(), theirs, vehicle} {
			payload := y.documented()
			payload["customer"] = object{"record_uuid": record}
			refused(t, y.create(t, y.vehicles, payload), "custom_modules.invalid_payload",
				map[string]string{"payload.customer": "The customer does not exist."})
		}
		require.Equal(t, int64(1), y.get(t, recordsPath+"?module_uuid="+y.vehicles).OK(t).Get("data.#").Int())
	})
}

func TestCreateRecord_FindsNoModuleOfAnotherCompany(t *testing.T) {
	t.Parallel()
	eachYard(t, func(t *testing.T, y yard) {
		other := y.NewCompany(t)
		for range 2 { // the second time the definition might be in the cache
			y.create(t, y.vehicles, y.documented()).OK(t)
			y.Call(t, other.Token, http.MethodPost, recordsPath, object{"module_uuid": y.vehicles, "payload": object{}}).
				Refused(t, http.StatusNotFound, "custom_modules.module_not_found")
		}
		y.create(t, uuid.NewString(), object{}).Refused(t, http.StatusNotFound, "custom_modules.module_not_found")
	})
}

func TestCreateRecord_RefusesABodyThatIsNone(t *testing.T) {
	t.Parallel()
	eachYard(t, func(t *testing.T, y yard) {
		post := func(body any) moduletest.Response {
			return y.Call(t, y.Owner.Token, http.MethodPost, recordsPath, body)
		}
		refused(t, post(`{}`), "custom_modules.invalid_record", map[string]string{
			"module_uuid": "The module uuid is required.", "payload": "The payload is required.",
		})
		refused(t, post(object{"module_uuid": y.vehicles, "payload": []int{}}), "custom_modules.invalid_record",
			map[string]string{"payload": "The payload must be an object."})
		malformed := post("{\"module_uuid\": \""+y.vehicles+"\",\n \"payload\": {\"vin\": }}").
			Refused(t, http.StatusBadRequest, "web.malformed_json")
		require.Contains(t, malformed.Get("message").String(), "line 2, column 21")
		post(`{"module_uuid": "`+y.vehicles+`", "payload": {"notes": "\ud800"}}`).
			Refused(t, http.StatusBadRequest, "web.malformed_json")
		require.Equal(t, http.StatusUnprocessableEntity, post(object{"module_uuid": "x", "payload": object{}}).Status)
		require.Equal(t, http.StatusUnprocessableEntity,
			post(object{"module_uuid": y.vehicles, "payload": object{}, "paylod": object{}}).Status)
	})
}

func TestCreateRecord_KeepsToItsLimits(t *testing.T) {
	t.Parallel()
	eachYard(t, func(t *testing.T, y yard) {
		payload := y.documented()
		payload["notes"] = strings.Repeat("x", 2000)
		y.create(t, y.vehicles, payload).Refused(t, http.StatusRequestEntityTooLarge, "custom_modules.payload_too_large")
		payload["notes"] = strings.Repeat("x", 7000)
		y.create(t, y.vehicles, payload).Refused(t, http.StatusRequestEntityTooLarge, "web.body_too_large")
		payload["notes"] = json.RawMessage(strings.Repeat("[", 9) + strings.Repeat("]", 9))
		refused(t, y.create(t, y.vehicles, payload), "custom_modules.invalid_payload", map[string]string{
			"payload":       "The payload must not be nested deeper than 8 levels.",
			"payload.notes": "The notes must be a string.",
		})
	}, moduletest.Set("modules.custom_modules.max_payload=2048"))
}

func TestCreateRecord_WarnsOfACheckDigitWhenTheFieldSaysSo(t *testing.T) {
	t.Parallel()
	eachYard(t, func(t *testing.T, y yard) {
		made := y.Call(t, y.Owner.Token, http.MethodPost, modulesPath, object{"name": "Checked", "fields": []object{
			{"key": "vin", "type": "vin", "options": object{"check_digit": "warn"}},
		}}).OK(t)
		created := y.create(t, made.Get("uuid").String(), object{"vin": "1M8GDM9A1KP042788"}).OK(t)
		require.Equal(t, "The vin has the check digit 1, but it should be X.",
			created.Get(`warnings.payload\.vin.0`).String())
		require.False(t, y.get(t, created.Header.Get("Location")).OK(t).Get("warnings").Exists())
	})
}

func TestCreateRecord_KeepsNumbersExactly(t *testing.T) {
	t.Parallel()
	eachYard(t, func(t *testing.T, y yard) {
		module := y.Call(t, y.Owner.Token, http.MethodPost, modulesPath, object{"name": "Numbers", "fields": []object{
			{"key": "whole", "type": "integer"},
			{"key": "exact", "type": "decimal", "options": object{"scale": 18}},
		}}).OK(t).Get("uuid").String()
		const payload = `{"whole":9223372036854775807,"exact":"-123456789012345678.000000000000000001"}`
		made := y.create(t, module, json.RawMessage(payload)).OK(t)
		require.Equal(t, payload, made.Get("payload").Raw)
		require.Equal(t, payload, y.get(t, made.Header.Get("Location")).Get("payload").Raw)
	})
}

func TestReadRecord_IsNotFoundForAnotherCompany(t *testing.T) {
	t.Parallel()
	eachYard(t, func(t *testing.T, y yard) {
		made := y.create(t, y.vehicles, y.documented()).OK(t)
		y.Call(t, y.NewCompany(t).Token, http.MethodGet, made.Header.Get("Location"), nil).
			Refused(t, http.StatusNotFound, "custom_modules.record_not_found")
		y.get(t, recordsPath+"/"+uuid.NewString()).Refused(t, http.StatusNotFound, "custom_modules.record_not_found")
	})
}

func TestRecords_NeedTheirScopes(t *testing.T) {
	t.Parallel()
	eachYard(t, func(t *testing.T, y yard) {
		reader := y.Token(t, y.Owner, "custom_modules:read")
		y.Call(t, reader, http.MethodGet, recordsPath+"?module_uuid="+y.vehicles, nil).OK(t)
		body := object{"module_uuid": y.vehicles, "payload": y.documented()}
		require.Equal(t, http.StatusForbidden, y.Call(t, reader, http.MethodPost, recordsPath, body).Status)
		require.Equal(t, http.StatusUnauthorized, y.Call(t, "", http.MethodPost, recordsPath, body).Status)
	})
}
