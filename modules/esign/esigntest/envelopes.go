package esigntest

import (
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/platform/clock"
	"github.com/dispatchd/dispatchd/platform/outbound/vendortest"
)

// templates are two, the first with two roles and tabs of several types.
var templates = []Object{
	{
		"templateId": "t-1", "name": "Bill of lading", "description": "", "emailSubject": "Please sign", "emailBlurb": "Thank you",
		"lastModified": "2026-03-04T15:16:17.1234567Z", "recipients": Object{
			"signers": []Object{
				{"recipientId": "1", "roleName": "Shipper", "routingOrder": "1", "tabs": Object{
					"textTabs":       []Object{{"tabLabel": "vin", "required": "true", "locked": "false", "maxLength": "17", "value": ""}},
					"checkboxTabs":   []Object{{"tabLabel": "operable", "required": "false", "selected": "true"}},
					"listTabs":       []Object{{"tabLabel": "condition", "listItems": []Object{{"text": "Good", "value": "good", "selected": "true"}, {"text": "Bad", "value": "bad"}}}},
					"radioGroupTabs": []Object{{"groupName": "keys", "radios": []Object{{"value": "yes"}, {"value": "no"}}}},
					"signHereTabs":   []Object{{"tabLabel": "sign", "optional": "false"}},
				}},
				{"recipientId": "2", "roleName": "Carrier", "routingOrder": "2", "tabs": Object{}},
			},
			"carbonCopies": []Object{{"recipientId": "3", "roleName": "Office", "routingOrder": "3"}, {"recipientId": "4", "name": "Always", "email": "a@example.org"}},
		},
	},
	{"templateId": "t-2", "name": "Agreement", "recipients": Object{}},
}

func (d *DocuSign) template(r *http.Request, path []string) vendortest.Reply {
	if len(path) == 0 {
		start, count := atoi(r.FormValue("start_position")), atoi(r.FormValue("count"))
		list := []Object{}
		for i := start; i < len(d.templates) && len(list) < count; i++ {
			list = append(list, d.templates[i])
		}

		return vendortest.JSON(http.StatusOK, paged(Object{"envelopeTemplates": list}, start, len(list), len(d.templates)))
	}
	for _, t := range d.templates {
		if t["templateId"] != path[0] {
			continue
		}
		if len(path) > 1 {
			return vendortest.JSON(http.StatusOK, t["recipients"])
		}

		return vendortest.JSON(http.StatusOK, t)
	}

	return refusal(http.StatusNotFound, "TEMPLATE_NOT_FOUND", "The template was not found.")
}

func paged(o Object, start, n, total int) Object {
	o["resultSetSize"], o["startPosition"], o["endPosition"], o["totalSetSize"] = strconv.Itoa(n), strconv.Itoa(start), strconv.Itoa(start+n-1), strconv.Itoa(total)

	return o
}

func atoi(text string) int {
	n, err := strconv.Atoi(text)
	if err != nil {
		return 0
	}

	return n
}

// FormatTime is a time as DocuSign writes it.
func FormatTime(at time.Time) string { return at.UTC().Format("2006-01-02T15:04:05.0000000Z") }

func (d *DocuSign) create(r *http.Request) vendortest.Reply {
	definition, ok := body(r)
	if !ok {
		return refusal(http.StatusBadRequest, "INVALID_REQUEST_BODY", "The request body is missing or improperly formatted.")
	}
	recipients, refused := d.recipients(definition)
	if refused != nil {
		return *refused
	}
	now := clock.System{}.Now()
	status, _ := definition["status"].(string)
	id := uuid.NewString()
	shown := Object{
		"envelopeId": id, "status": status, "emailSubject": definition["emailSubject"], "customFields": definition["customFields"], "recipients": recipients,
		"createdDateTime": FormatTime(now), "sentDateTime": FormatTime(now), "statusChangedDateTime": FormatTime(now), "lastModifiedDateTime": FormatTime(now),
	}
	if status == "created" {
		delete(shown, "sentDateTime")
	}
	d.envelopes = append(d.envelopes, &Envelope{Definition: definition, Shown: shown, Typed: map[string]string{}, ChangedAt: now})

	return vendortest.JSON(http.StatusCreated, Object{"envelopeId": id, "uri": "/envelopes/" + id, "status": status, "statusDateTime": FormatTime(now)})
}

// recipients are those of a definition, as the API shows them.
func (d *DocuSign) recipients(definition Object) (Object, *vendortest.Reply) {
	invalid := func(code string) (Object, *vendortest.Reply) {
		out := refusal(http.StatusBadRequest, code, "refused")

		return nil, &out
	}
	if definition["templateId"] == nil {
		if documents, _ := definition["documents"].([]any); len(documents) == 0 {
			return invalid("ENVELOPE_HAS_NO_DOCUMENTS")
		}
		lists, _ := definition["recipients"].(Object)
		for _, list := range lists {
			for _, one := range list.([]any) { //nolint:forcetypeassert // of a test
				r := one.(Object) //nolint:forcetypeassert // of a test
				r["status"] = "sent"
				if r["email"] == "nobody" {
					return invalid("INVALID_EMAIL_ADDRESS_FOR_RECIPIENT")
				}
			}
		}

		return lists, nil
	}
	signers := []any{}
	roles, _ := definition["templateRoles"].([]any)
	for i, one := range roles {
		role := one.(Object) //nolint:forcetypeassert // of a test
		if role["email"] == "nobody" {
			return invalid("INVALID_EMAIL_ADDRESS_FOR_RECIPIENT")
		}
		status := "sent"
		if i > 0 {
			status = "created"
		}
		signers = append(signers, Object{
			"recipientId": strconv.Itoa(i + 1), "name": role["name"], "email": role["email"], "roleName": role["roleName"],
			"clientUserId": role["clientUserId"], "routingOrder": strconv.Itoa(i + 1), "status": status, "recipientIdGuid": uuid.NewString(),
		})
	}

	return Object{"signers": signers, "recipientCount": strconv.Itoa(len(signers))}, nil
}

func (d *DocuSign) list(r *http.Request) vendortest.Reply {
	var all []Object
	since, _ := time.Parse(time.RFC3339Nano, r.FormValue("from_date")) //nolint:errcheck // none is the beginning
	for _, e := range d.envelopes {
		if wanted := r.FormValue("transaction_ids"); wanted != "" && e.Definition["transactionId"] != wanted {
			continue
		}
		if name, value, ok := strings.Cut(r.FormValue("custom_field"), "="); ok && !hasField(e.Shown, name, value) {
			continue
		}
		if !e.ChangedAt.Before(since) {
			all = append(all, e.Shown)
		}
	}
	start, count := atoi(r.FormValue("start_position")), atoi(r.FormValue("count"))
	if count == 0 {
		count = 100
	}
	list := []Object{}
	for i := start; i < len(all) && len(list) < count; i++ {
		list = append(list, all[i])
	}

	return vendortest.JSON(http.StatusOK, paged(Object{"envelopes": list}, start, len(list), len(all)))
}

func hasField(shown Object, name, value string) bool {
	fields, _ := shown["customFields"].(Object)
	texts, _ := fields["textCustomFields"].([]any)
	for _, one := range texts {
		if f, ok := one.(Object); ok && f["name"] == name && f["value"] == value {
			return true
		}
	}

	return false
}

// envelope is what is done with one that there is.
func (d *DocuSign) envelope(r *http.Request, e *Envelope, path []string) vendortest.Reply {
	switch {
	case len(path) == 0 && r.Method == http.MethodGet:
		return vendortest.JSON(http.StatusOK, e.Shown)
	case len(path) == 0 && r.Method == http.MethodPut:
		return e.change(r)
	case len(path) == 1 && path[0] == "recipients" && r.Method == http.MethodGet:
		return vendortest.JSON(http.StatusOK, e.Shown["recipients"])
	case len(path) == 1 && path[0] == "recipients":
		return e.correct(r)
	case len(path) == 1 && path[0] == "form_data":
		return e.formData()
	case len(path) == 2 && path[0] == "views":
		return e.view(r)
	case len(path) == 2 && path[0] == "documents":
		content, ok := d.documents[e.ID()+"/"+path[1]]
		if !ok {
			return refusal(http.StatusNotFound, "DOCUMENT_DOES_NOT_EXIST", "The document specified was not found.")
		}

		return vendortest.Reply{Status: http.StatusOK, Media: "application/pdf", Body: content}
	default:
		return refusal(http.StatusNotFound, "RESOURCE_NOT_FOUND", "The URL provided does not resolve to a resource.")
	}
}

func (e *Envelope) open() bool {
	return e.Shown["status"] == "sent" || e.Shown["status"] == "delivered"
}

func (e *Envelope) change(r *http.Request) vendortest.Reply {
	asked, ok := body(r)
	if !ok {
		return refusal(http.StatusBadRequest, "INVALID_REQUEST_BODY", "The request body is missing or improperly formatted.")
	}
	now := clock.System{}.Now()
	switch {
	case r.FormValue("resend_envelope") == "true" && !e.open(), asked["status"] == "sent" && e.Shown["status"] != "created":
		return refusal(http.StatusBadRequest, "ENVELOPE_INVALID_STATUS", "Invalid envelope status.")
	case r.FormValue("resend_envelope") == "true":
		e.Resent++
	case asked["status"] == "voided" && !e.open():
		return refusal(http.StatusBadRequest, "ENVELOPE_CANNOT_VOID_INVALID_STATE", "Only envelopes in the 'Sent' or 'Delivered' states may be voided.")
	case asked["status"] == "voided":
		e.Shown["voidedReason"], e.Shown["voidedDateTime"] = asked["voidedReason"], FormatTime(now)
	}
	if asked["status"] != nil {
		e.Shown["status"], e.Shown["statusChangedDateTime"] = asked["status"], FormatTime(now)
	}
	e.ChangedAt = now

	return vendortest.JSON(http.StatusOK, Object{"envelopeId": e.ID()})
}

func (e *Envelope) correct(r *http.Request) vendortest.Reply {
	asked, ok := body(r)
	shown, _ := e.Shown["recipients"].(Object)
	if !ok || !e.open() {
		return refusal(http.StatusBadRequest, "ENVELOPE_INVALID_STATUS", "Invalid envelope status.")
	}
	results := []Object{}
	signers, _ := shown["signers"].([]any)
	anew, _ := asked["signers"].([]any)
	for _, one := range anew {
		r2 := one.(Object) //nolint:forcetypeassert // of a test
		found := false
		for _, old := range signers {
			o := old.(Object) //nolint:forcetypeassert // of a test
			if o["recipientId"] != r2["recipientId"] {
				continue
			}
			found = true
			maps.Copy(o, r2)
		}
		switch {
		case found == (r.Method == http.MethodPost):
			results = append(results, Object{"recipientId": r2["recipientId"], "errorDetails": Object{"errorCode": "UNKNOWN_ENVELOPE_RECIPIENT", "message": "no"}})

			continue
		case !found:
			r2["status"] = "created"
			signers = append(signers, r2)
		}
		results = append(results, Object{"recipientId": r2["recipientId"], "errorDetails": Object{"errorCode": "SUCCESS", "message": ""}})
	}
	shown["signers"] = signers
	e.ChangedAt = clock.System{}.Now()

	return vendortest.JSON(http.StatusOK, Object{"recipientUpdateResults": results})
}

// formData are the values of tabs as they are now. Like DocuSign's, they name recipients by their GUIDs, and write a box that
// is checked as X.
func (e *Envelope) formData() vendortest.Reply {
	shown, _ := e.Shown["recipients"].(Object)
	signers, _ := shown["signers"].([]any)
	roles, _ := e.Definition["templateRoles"].([]any)
	all := []Object{}
	for i, one := range signers {
		s := one.(Object) //nolint:forcetypeassert // of a test
		data := []Object{}
		if i < len(roles) {
			role := roles[i].(Object) //nolint:forcetypeassert // of a test
			data = e.values(role["tabs"], fmt.Sprint(s["recipientId"]))
		}
		all = append(all, Object{"recipientId": s["recipientIdGuid"], "name": s["name"], "email": s["email"], "formData": data})
	}

	return vendortest.JSON(http.StatusOK, Object{"envelopeId": e.ID(), "status": e.Shown["status"], "formData": []Object{}, "recipientFormData": all})
}

func (e *Envelope) values(tabs any, recipient string) []Object {
	data := []Object{}
	lists, _ := tabs.(Object)
	for _, kind := range slices.Sorted(maps.Keys(lists)) {
		list, _ := lists[kind].([]any)
		for _, one := range list {
			tab := one.(Object) //nolint:forcetypeassert // of a test
			label, original := fmt.Sprint(tab["tabLabel"]), fmt.Sprint(tab["value"])
			switch {
			case tab["groupName"] != nil:
				label, original = fmt.Sprint(tab["groupName"]), fmt.Sprint(tab["radios"].([]any)[0].(Object)["value"]) //nolint:forcetypeassert // of a test
			case tab["selected"] == "true":
				original = "X"
			case tab["selected"] != nil:
				original = ""
			}
			value, changed := e.Typed[recipient+"/"+label]
			if !changed {
				value = original
			}
			data = append(data, Object{"name": label, "value": value, "originalValue": original})
		}
	}

	return data
}

func (e *Envelope) view(r *http.Request) vendortest.Reply {
	asked, _ := body(r)
	shown, _ := e.Shown["recipients"].(Object)
	signers, _ := shown["signers"].([]any)
	for _, one := range signers {
		s := one.(Object) //nolint:forcetypeassert // of a test
		if s["clientUserId"] != nil && s["clientUserId"] == asked["clientUserId"] && s["email"] == asked["email"] && s["name"] == asked["userName"] {
			return vendortest.JSON(http.StatusCreated, Object{"url": fmt.Sprintf("http://%s/Signing/%s?return=%v", r.Host, uuid.NewString(), asked["returnUrl"] != nil)})
		}
	}

	return refusal(http.StatusBadRequest, "UNKNOWN_ENVELOPE_RECIPIENT", "The recipient you have identified is not a valid recipient of the specified envelope.")
}
