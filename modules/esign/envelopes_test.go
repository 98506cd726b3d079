package esign_test

import (
	"maps"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/dispatchd/dispatchd/modules/attachments"
	"github.com/dispatchd/dispatchd/modules/companies"
	"github.com/dispatchd/dispatchd/modules/custommodules"
	"github.com/dispatchd/dispatchd/modules/esign"
	"github.com/dispatchd/dispatchd/platform/module"
	"github.com/dispatchd/dispatchd/platform/moduletest"
)

type object = map[string]any

// office is a company with an account at the sandbox, a module of vehicles, a vehicle, and a mapping that fills a bill
// of lading from one.
type office struct {
	*moduletest.App

	account, template, module, vehicle, mapping string
}

func eachOffice(t *testing.T, test func(t *testing.T, o office)) {
	t.Helper()
	areas := []module.Module{attachments.Module, companies.Module, custommodules.Module, esign.Module}
	moduletest.BootEach(t, areas, func(t *testing.T, a *moduletest.App) {
		t.Helper()
		o := office{App: a}
		o.ask(t, http.MethodPatch, accountsBase+"/settings", object{"return_hosts": []string{"example.org"}}).OK(t)
		o.account = post(t, a, "/accounts", `{"name": "Sandbox"}`).OK(t).Get("uuid").String()
		o.template = o.sync(t)
		o.module = o.ask(t, http.MethodPost, "/custom_modules/api/v1/modules", object{"name": "Vehicles", "fields": []object{
			{"key": "vin", "type": "text"},
			{"key": "from", "type": "text"},
			{"key": "to", "type": "text"},
			{"key": "price", "type": "decimal"},
			{"key": "pickup", "type": "date"},
			{"key": "operable", "type": "boolean"},
			{"key": "condition", "type": "text"},
			{"key": "number", "type": "text", "sensitive": true},
		}}).OK(t).Get("uuid").String()
		o.vehicle = o.record(t, object{
			"vin": "1hgcm82633a004352", "from": "1 Main St", "to": "2 Side St", "price": "1250", "pickup": "2026-12-01", "operable": true,
			"condition": "good", "number": "L-1024",
		})
		o.mapping = post(t, a, "/mappings", o.rules()).OK(t).Get("uuid").String()
		test(t, o)
	})
}

func (o office) ask(t *testing.T, method, path string, body any, headers ...string) moduletest.Response {
	t.Helper()

	return o.Call(t, o.Owner.Token, method, path, body, headers...)
}

// sync has the sandbox's templates read, and returns the bill of lading.
func (o office) sync(t *testing.T) string {
	t.Helper()
	synced := post(t, o.App, "/templates/sync", nil)
	require.Equal(t, http.StatusAccepted, synced.Status)
	require.Equal(t, o.account, synced.Get("account_uuids.0").String())
	var found moduletest.Response
	o.Eventually(t, func() bool {
		found = get(t, o.App, "/templates?q=bill+lading").OK(t)

		return found.Get("data.#").Int() == 1
	}, "the templates are there")

	return found.Get("data.0.uuid").String()
}

func (o office) record(t *testing.T, payload object) string {
	t.Helper()

	return o.ask(t, http.MethodPost, "/custom_modules/api/v1/records", object{"module_uuid": o.module, "payload": payload}).OK(t).Get("uuid").String()
}

func (o office) rules() object {
	rule := func(label, field string) object { return object{"role": "Shipper", "label": label, "field": field} }
	vin, when := rule("vin", "vin"), rule("pickup_date", "pickup")
	vin["format"] = object{"case": "upper"}
	when["format"] = object{"date": "us"}

	return object{"name": "Vehicle to bill", "template_uuid": o.template, "item_type": "custom_modules.record", "item_part": o.module, "rules": []object{
		rule("load_number", "number"), rule("pickup_address", "from"), rule("delivery_address", "to"), vin, when,
		rule("operable", "operable"), rule("condition", "condition"),
		{"role": "Shipper", "label": "vehicle", "text": "{{ item.vin | upcase | slice: 0, 3 }} for {{ item.price }}"},
		{"role": "Carrier", "label": "carrier_name", "text": "To be said"},
	}}
}

func people() []object {
	return []object{
		{"role": "Shipper", "name": "Ann", "email": "ann@example.org", "embedded": true},
		{"role": "Carrier", "name": "Bob", "email": "bob@example.org"},
	}
}

func (o office) envelope(item string) object {
	return object{"mapping_uuid": o.mapping, "item_uuid": item, "source": "load screen", "recipients": people()}
}

func (o office) until(t *testing.T, id, key, value string) moduletest.Response {
	t.Helper()
	var read moduletest.Response
	o.Eventually(t, func() bool {
		read = get(t, o.App, "/envelopes/"+id).OK(t)

		return read.Get(key).String() == value
	}, key+" is "+value)

	return read
}

var tabValue = regexp.MustCompile(`name="(tab\.[^"]+)"[^>]* value="([^"]*)"`)

// sign has the next recipient sign, on the sandbox's page, with some values changed.
func (o office) sign(t *testing.T, page string, changed ...string) {
	t.Helper()
	shown := string(o.Call(t, "", http.MethodGet, page, nil, "Accept", browser).OK(t).Body)
	form := url.Values{"action": {"sign"}, "signature": {"Somebody"}}
	for _, found := range tabValue.FindAllStringSubmatch(shown, -1) {
		form.Set(found[1], found[2])
	}
	form.Set("tab.carrier_name", "Carrier Inc.")
	for i := 0; i < len(changed); i += 2 {
		form.Set(changed[i], changed[i+1])
	}
	o.Call(t, "", http.MethodPost, page, form.Encode(), "Content-Type", "application/x-www-form-urlencoded", "Accept", browser).OK(t)
}

// follow opens an embedded signing link, and returns the page that it leads to.
func (o office) follow(t *testing.T, link string) string {
	t.Helper()
	at, err := url.Parse(link)
	require.NoError(t, err)

	return theater{App: o.App}.follow(t, at.RequestURI())
}

func (o office) mail(t *testing.T, envelope, recipient string) string {
	t.Helper()

	return post(t, o.App, "/sandbox/links", object{"envelope_id": envelope, "recipient_id": recipient}).OK(t).Get("url").String()
}

func TestEnvelope_IsFilledSentSignedAndKept(t *testing.T) {
	t.Parallel()
	eachOffice(t, func(t *testing.T, o office) {
		t.Helper()
		preview := post(t, o.App, "/mappings/"+o.mapping+"/preview", object{"item_uuid": o.vehicle}).OK(t)
		require.True(t, preview.Get("sendable").Bool(), string(preview.Body))
		require.Equal(t, "1HGCM82633A004352", preview.Get(`tabs.#(label=="vin").value`).String())
		require.Equal(t, "12/01/2026", preview.Get(`tabs.#(label=="pickup_date").value`).String())
		require.Equal(t, "true", preview.Get(`tabs.#(label=="operable").value`).String())
		require.Equal(t, "1HG for 1250.00", preview.Get(`tabs.#(label=="vehicle").value`).String())

		made := o.ask(t, http.MethodPost, accountsBase+"/envelopes", o.envelope(o.vehicle), "Idempotency-Key", "k-1").OK(t)
		id := made.Get("uuid").String()
		require.Equal(t, []string{"queued", "Bill of lading: please sign"}, []string{made.Get("state").String(), made.Get("subject").String()})
		require.Equal(t, id, o.ask(t, http.MethodPost, accountsBase+"/envelopes", o.envelope(o.vehicle), "Idempotency-Key", "k-1").OK(t).Get("uuid").String())
		sent := o.until(t, id, "state", "sent")
		external := sent.Get("external_id").String()
		require.Equal(t, `["void","resend","correct","refresh"]`, sent.Get("allowed").Raw)
		of := get(t, o.App, "/envelopes?filter[item_type]=custom_modules.record&filter[item_uuid]="+o.vehicle).OK(t)
		require.EqualValues(t, 1, of.Get("data.#").Int())
		require.Equal(t, "load screen", of.Get("data.0.source").String())

		signer := sent.Get("recipients.0.uuid").String()
		link := post(t, o.App, "/envelopes/"+id+"/signing_link", object{"recipient_uuid": signer, "return_url": "https://example.org/loads"}).OK(t)
		require.Contains(t, link.Get("url").String(), "/sandbox/views/")
		post(t, o.App, "/envelopes/"+id+"/signing_link", object{"recipient_uuid": sent.Get("recipients.1.uuid").String(), "return_url": "https://example.org/"}).
			Refused(t, http.StatusConflict, "esign.not_embedded")
		o.sign(t, o.follow(t, link.Get("url").String()), "tab.vin", "2T1BURHE0JC034461")
		o.Eventually(t, func() bool {
			return get(t, o.App, "/envelopes/"+id).OK(t).Get("recipients.0.state").String() == "completed"
		}, "the first has signed")
		o.sign(t, o.mail(t, external, "2"))
		done := o.until(t, id, "documents", "stored")
		require.Equal(t, "completed", done.Get("state").String())
		require.EqualValues(t, 2, done.Get("signed_documents.#").Int())
		kept := o.ask(t, http.MethodGet, "/attachments/api/v1/attachments?filter[owner_uuid]="+o.vehicle, nil).OK(t)
		require.EqualValues(t, 2, kept.Get("data.#").Int(), "the documents are the vehicle's")
		require.Equal(t, done.Get(`signed_documents.#(kind=="combined").sha256`).String(), kept.Get(`data.#(category=="esign_signed").sha256`).String())

		o.signedTabs(t, done)

		history := get(t, o.App, "/envelopes/"+id+"/history").OK(t)
		require.NotEmpty(t, history.Get(`data.#(event=="recipient-completed")`).Raw, string(history.Body))
		require.Equal(t, "completed", history.Get(`data.#(kind=="transition")#|@reverse|0.to`).String(), string(history.Body))
		names := strings.Join(o.EventNames(t, o.Owner), " ")
		for _, name := range []string{"esign.envelope.sent", "esign.envelope.completed", "esign.envelope.documents_stored"} {
			require.Equal(t, 1, strings.Count(names, name), names)
		}
	})
}

// signedTabs asserts what is shown of the values that were signed: the VIN was changed, the load's number is sensitive.
func (o office) signedTabs(t *testing.T, done moduletest.Response) {
	t.Helper()
	const vin, number = `recipients.0.signed_tabs.#(label=="vin")`, `recipients.0.signed_tabs.#(label=="load_number")`
	require.JSONEq(t, `{"label": "vin", "value": "2T1BURHE0JC034461", "prefilled": "1HGCM82633A004352", "withheld": false}`, done.Get(vin).Raw, string(done.Body))
	require.Equal(t, "L-1024", done.Get(number+".value").String())
	program := o.Token(t, o.Owner, "esign:read")
	blind := o.Call(t, program, http.MethodGet, accountsBase+"/envelopes/"+done.Get("uuid").String(), nil).OK(t)
	require.Equal(t, "2T1BURHE0JC034461", blind.Get(vin+".value").String())
	require.JSONEq(t, `{"label": "load_number", "value": null, "prefilled": null, "withheld": true}`, blind.Get(number).Raw)
	for _, e := range o.Events(t, o.Owner) {
		if e.Name == "esign.envelope.documents_stored" {
			signed := e.Get(`signed_tabs.#(label=="vin")`)
			require.Equal(t, []string{"2T1BURHE0JC034461", "1HGCM82633A004352", "Shipper"}, []string{signed.Get("value").String(), signed.Get("prefilled").String(), signed.Get("role").String()})
			require.NotContains(t, e.Get("signed_tabs").Raw, "L-1024")
		}
	}
}

func TestEnvelope_IsNotSentWithMissingData(t *testing.T) {
	t.Parallel()
	eachOffice(t, func(t *testing.T, o office) {
		t.Helper()
		bare := o.record(t, object{"vin": strings.Repeat("1", 20), "condition": "wrecked", "from": "1 Main St", "price": "1"})
		preview := post(t, o.App, "/mappings/"+o.mapping+"/preview", object{"item_uuid": bare}).OK(t)
		require.False(t, preview.Get("sendable").Bool())
		codes := map[string]string{}
		for _, p := range preview.Get("problems").Array() {
			codes[p.Get("label").String()] = p.Get("code").String()
		}
		require.Equal(t, map[string]string{
			"load_number": "withheld", "delivery_address": "missing", "vin": "too_long", "condition": "unknown_option",
		}, codes)
		refused := post(t, o.App, "/envelopes", o.envelope(bare)).Refused(t, http.StatusUnprocessableEntity, "esign.incomplete")
		require.EqualValues(t, 4, refused.Get("details.problems.#").Int(), string(refused.Body))
		require.Contains(t, string(refused.Body), `"tabs.Shipper.vin":["The tab \"vin\" takes at most 17 characters; the value has 20."]`)
		require.Zero(t, get(t, o.App, "/envelopes").OK(t).Get("data.#").Int())

		// A draft may lack values; what is said by hand comes before the item's.
		wanted := o.envelope(bare)
		wanted["draft"] = true
		made := post(t, o.App, "/envelopes", wanted).OK(t)
		path := "/envelopes/" + made.Get("uuid").String()
		require.Equal(t, `["send","discard"]`, made.Get("allowed").Raw)
		post(t, o.App, path+"/send", nil).Refused(t, http.StatusUnprocessableEntity, "esign.incomplete")
		all := people()
		all[0]["tabs"] = object{"load_number": "7", "delivery_address": "2 Side St", "vin": "1HG", "condition": "damaged"}
		o.ask(t, http.MethodPatch, accountsBase+path, object{"recipients": all}, "If-Match", made.Header.Get("ETag")).OK(t)
		o.ask(t, http.MethodPatch, accountsBase+path, object{"subject": "x"}, "If-Match", made.Header.Get("ETag")).Refused(t, http.StatusPreconditionFailed, "web.stale")
		post(t, o.App, path+"/send", nil).OK(t)
		o.until(t, made.Get("uuid").String(), "state", "sent")
		o.ask(t, http.MethodPatch, accountsBase+path, object{"subject": "x"}).Refused(t, http.StatusConflict, "esign.not_a_draft")

		// Who may not see a sensitive value cannot send it.
		program := o.Token(t, o.Owner, "esign:read", "esign:send", "custom_modules:read")
		blind := o.Call(t, program, http.MethodPost, accountsBase+"/envelopes", o.envelope(o.vehicle)).Refused(t, http.StatusUnprocessableEntity, "esign.incomplete")
		require.Equal(t, "withheld", blind.Get("details.problems.0.code").String())
		require.NotContains(t, string(blind.Body), "L-1024")
		narrow := o.Token(t, o.Owner, "esign:read", "esign:send")
		o.Call(t, narrow, http.MethodPost, accountsBase+"/envelopes", o.envelope(o.vehicle)).Refused(t, http.StatusForbidden, "web.scope_missing")
		reader := o.Token(t, o.Owner, "esign:read", "esign:write")
		o.Call(t, reader, http.MethodPost, accountsBase+"/envelopes", o.envelope(o.vehicle)).Refused(t, http.StatusForbidden, "web.scope_missing")
	})
}

func TestEnvelope_NamesWhatIsWrong(t *testing.T) {
	t.Parallel()
	eachOffice(t, func(t *testing.T, o office) {
		t.Helper()
		none := uuid.NewString()
		wrong := func(change object, field, says string) {
			t.Helper()
			body := o.envelope(o.vehicle)
			for key, value := range change {
				if body[key] = value; value == nil {
					delete(body, key)
				}
			}
			refused := post(t, o.App, "/envelopes", body)
			require.Equal(t, http.StatusUnprocessableEntity, refused.Status, string(refused.Body))
			require.Contains(t, refused.Get("errors").Map()[field].String(), says, string(refused.Body))
		}
		person := func(key string, value any) object {
			all := people()
			all[0][key] = value

			return object{"recipients": all}
		}
		wrong(object{"item_uuid": none}, "item_uuid", "There is no such custom_modules.record.")
		wrong(object{"item_uuid": nil}, "item_uuid", "required")
		wrong(object{"item_type": "sms.message"}, "item_type", "The mapping is for items of custom_modules.record.")
		wrong(object{"mapping_uuid": nil}, "template_uuid", "must have a mapping_uuid, a template_uuid, or attachments")
		wrong(object{"attachments": []string{none}}, "attachments", "no attachments")
		wrong(object{"mapping_uuid": nil, "attachments": []string{none}, "item_uuid": nil, "subject": "x"}, "attachments.0", "no such attachment")
		wrong(object{"subject": "two\nlines"}, "subject", "one line")
		wrong(object{"expire_warn": 5, "expire_after": 5}, "expire_warn", "fewer days")
		wrong(object{"reminder_every": 5}, "reminder_every", "reminder_delay")
		wrong(object{"reminder_delay": -1}, "reminder_delay", "")
		wrong(object{"recipients": people()[:1]}, "recipients", "Nobody plays the role Carrier")
		wrong(person("role", "Captain"), "recipients.0.role", "Shipper, Carrier")
		wrong(person("role", "carrier"), "recipients.1.role", "another recipient's")
		wrong(person("email", "ann"), "recipients.0.email", "e-mail address")
		wrong(person("email", "Ann <ann@example.org>"), "recipients.0.email", "e-mail address")
		wrong(person("name", " "), "recipients.0.name", "one line")
		wrong(person("kind", "carbon_copy"), "recipients.0.kind", "of the kind signer")
		wrong(person("tabs", object{"win": "x"}), "recipients.0.tabs", "no tab")
		wrong(person("tabs", object{"shipper_signature": "x"}), "recipients.0.tabs", "no tab")
		wrong(object{"colour": "red"}, "colour", "")
		wrong(object{"source": strings.Repeat("x", 101)}, "source", "100")
		wrong(object{"source": "two\nlines"}, "source", "one line")
		post(t, o.App, "/envelopes", object{"template_uuid": none, "recipients": people()}).Refused(t, http.StatusNotFound, "esign.template_not_found")
		post(t, o.App, "/envelopes", object{"mapping_uuid": none, "recipients": people()}).Refused(t, http.StatusNotFound, "esign.mapping_not_found")
		post(t, o.App, "/envelopes", object{"template_uuid": o.template, "account_uuid": none, "recipients": people()}).Refused(t, http.StatusNotFound, "esign.account_not_found")
		require.Zero(t, get(t, o.App, "/envelopes").OK(t).Get("data.#").Int())
	})
}

func TestMapping_NamesWhatIsWrongAndIsRestored(t *testing.T) {
	t.Parallel()
	eachOffice(t, func(t *testing.T, o office) {
		t.Helper()
		wrong := func(change object, field, says string) {
			t.Helper()
			body := o.rules()
			body["name"] = "Another"
			maps.Copy(body, change)
			refused := post(t, o.App, "/mappings", body)
			require.Equal(t, http.StatusUnprocessableEntity, refused.Status, string(refused.Body))
			require.Contains(t, refused.Get("errors").Map()[field].String(), says, string(refused.Body))
		}
		wrong(object{"name": " "}, "name", "required")
		wrong(object{"item_type": "loads.load"}, "item_type", "loads.load")
		wrong(object{"item_part": ""}, "item_part", "say which")
		wrong(object{"item_part": uuid.NewString()}, "item_part", "no items")
		wrong(object{"rules": []object{{"role": "Shipper", "label": "vin", "field": "win"}}}, "rules.0.field", "It has: vin, from, to")
		wrong(object{"rules": []object{{"role": "Shipper", "label": "vin", "fild": "vin"}}}, "rules.0.fild", "")
		wrong(object{"rules": []object{{"role": "Shipper", "label": "vin", "field": "vin", "format": object{"date": "french"}}}}, "rules.0.format.date", "")
		wrong(object{"rules": []object{{"role": "Shipper", "label": "vin", "field": "price", "format": object{"money": object{"currency": "XXZ"}}}}},
			"rules.0.format.money.currency", "no currency")
		post(t, o.App, "/mappings", o.rules()).Refused(t, http.StatusConflict, "esign.name_taken")

		path := accountsBase + "/mappings/" + o.mapping
		other := o.record(t, object{"vin": "x"})
		post(t, o.App, "/mappings/"+o.mapping+"/preview", object{"item_uuid": uuid.NewString()}).Refused(t, http.StatusUnprocessableEntity, "esign.invalid")
		strange := o.ask(t, http.MethodPost, "/custom_modules/api/v1/modules", object{"name": "Others", "fields": []object{{"key": "vin", "type": "text"}}}).OK(t).Get("uuid").String()
		elsewhere := o.ask(t, http.MethodPost, "/custom_modules/api/v1/records", object{"module_uuid": strange, "payload": object{"vin": "x"}}).OK(t).Get("uuid").String()
		post(t, o.App, "/mappings/"+o.mapping+"/preview", object{"item_uuid": elsewhere}).Refused(t, http.StatusUnprocessableEntity, "esign.invalid")
		require.False(t, post(t, o.App, "/mappings/"+o.mapping+"/preview", object{"item_uuid": other}).OK(t).Get("sendable").Bool())

		read := o.ask(t, http.MethodGet, path, nil).OK(t)
		o.ask(t, http.MethodPatch, path, object{"rules": []object{}}, "If-Match", read.Header.Get("ETag")).OK(t)
		o.ask(t, http.MethodPatch, path, object{"name": "x"}, "If-Match", read.Header.Get("ETag")).Refused(t, http.StatusPreconditionFailed, "web.stale")
		o.ask(t, http.MethodDelete, path, nil).OK(t)
		o.ask(t, http.MethodGet, path, nil).Refused(t, http.StatusNotFound, "esign.mapping_not_found")
		post(t, o.App, "/envelopes", o.envelope(o.vehicle)).Refused(t, http.StatusNotFound, "esign.mapping_not_found")
		renamed := post(t, o.App, "/mappings", o.rules()).OK(t).Get("uuid").String()
		o.ask(t, http.MethodPost, path+"/restore", nil).Refused(t, http.StatusConflict, "esign.name_taken")
		o.ask(t, http.MethodDelete, accountsBase+"/mappings/"+renamed, nil).OK(t)
		o.ask(t, http.MethodPost, path+"/restore", nil).OK(t)
		require.EqualValues(t, 1, get(t, o.App, "/mappings?filter[item_part]="+o.module).OK(t).Get("data.#").Int())
	})
}

func TestEnvelopes_OfAnotherCompanyAreNotThere(t *testing.T) {
	t.Parallel()
	eachOffice(t, func(t *testing.T, o office) {
		t.Helper()
		draft := o.envelope(o.vehicle)
		draft["draft"] = true
		id := post(t, o.App, "/envelopes", draft).OK(t).Get("uuid").String()
		other := o.NewCompany(t)
		for method, paths := range map[string][]string{
			http.MethodGet:  {"/templates/" + o.template, "/mappings/" + o.mapping, "/envelopes/" + id, "/envelopes/" + id + "/history", "/envelopes/" + id + "/transitions"},
			http.MethodPost: {"/envelopes/" + id + "/send", "/envelopes/" + id + "/discard", "/envelopes/" + id + "/resend", "/envelopes/" + id + "/refresh", "/envelopes/" + id + "/fetch_documents", "/mappings/" + o.mapping + "/restore"},
		} {
			for _, path := range paths {
				require.Equal(t, http.StatusNotFound, o.Call(t, other.Token, method, accountsBase+path, nil).Status, path)
			}
		}
		theirs := func(path string, body any) moduletest.Response {
			return o.Call(t, other.Token, http.MethodPost, accountsBase+path, body)
		}
		theirs("/envelopes/"+id+"/void", object{"reason": "x"}).Refused(t, http.StatusNotFound, "esign.envelope_not_found")
		theirs("/envelopes/"+id+"/correct", object{"recipients": []object{{"name": "x", "email": "x@example.org"}}}).Refused(t, http.StatusNotFound, "esign.envelope_not_found")
		theirs("/envelopes/"+id+"/signing_link", object{"recipient_uuid": uuid.NewString(), "return_url": "https://example.org"}).Refused(t, http.StatusNotFound, "esign.envelope_not_found")
		theirs("/envelopes", draft).Refused(t, http.StatusNotFound, "esign.mapping_not_found")
		theirs("/templates/sync", object{"account_uuid": o.account}).Refused(t, http.StatusNotFound, "esign.account_not_found")
		theirs("/templates/sync", nil).Refused(t, http.StatusConflict, "esign.no_account")
		require.Zero(t, o.Call(t, other.Token, http.MethodGet, accountsBase+"/envelopes", nil).OK(t).Get("data.#").Int())
	})
}
