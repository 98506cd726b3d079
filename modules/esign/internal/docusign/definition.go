package docusign

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"path"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/dispatchd/dispatchd/modules/esign/internal/connect"
	"github.com/dispatchd/dispatchd/modules/esign/internal/provider"
)

// The vendor's limits.
const (
	mostRecipients = 100
	longestField   = 100
	// mostBytes is how much the files of an envelope may have: with a third more for base64, and the rest, a request
	// stays below the vendor's 35 MB.
	mostBytes = 25_000_000
)

// object is an object of JSON in the vendor's form, in which numbers and booleans are texts.
type object map[string]any

// definition is an envelope to make.
func (a *account) definition(ctx context.Context, e provider.Envelope) (object, error) {
	if len(e.Recipients) > mostRecipients {
		return nil, invalidRequest(fmt.Sprintf("DocuSign takes at most %d recipients.", mostRecipients))
	}
	d := object{"status": "sent"}
	if e.Draft {
		d["status"] = "created"
	}
	if e.Reference != "" {
		d["transactionId"] = e.Reference
	}
	if e.Subject != "" {
		d["emailSubject"] = e.Subject
	}
	if e.Message != "" {
		d["emailBlurb"] = e.Message
	}
	var err error
	if d["customFields"], err = customFields(e); err != nil {
		return nil, err
	}
	if n := notification(e); n != nil {
		d["notification"] = n
	}
	if a.at.CallbackURL != "" {
		d["eventNotification"] = a.eventNotification()
	}
	if e.TemplateID != "" {
		d["templateId"] = e.TemplateID
		d["templateRoles"] = templateRoles(e.Recipients)

		return d, nil
	}
	d["recipients"] = recipientLists(e.Recipients)
	d["documents"], err = documents(ctx, e.Files)

	return d, err
}

func customFields(e provider.Envelope) (object, error) {
	texts := []object{}
	add := func(name, value string) {
		texts = append(texts, object{"name": name, "value": value, "show": "false", "required": "false"})
	}
	if e.Reference != "" {
		add(connect.FieldReference, e.Reference)
	}
	for name, value := range e.Fields {
		if utf8.RuneCountInString(name) > longestField || utf8.RuneCountInString(value) > longestField {
			return nil, invalidRequest(fmt.Sprintf("DocuSign takes custom fields of at most %d characters.", longestField))
		}
		if name != connect.FieldReference {
			add(name, value)
		}
	}

	return object{"textCustomFields": texts}, nil
}

// notification is when recipients are reminded, and when it is too late; nil for what the account has as its defaults.
func notification(e provider.Envelope) object {
	if e.ReminderDelay == 0 && e.ReminderEvery == 0 && e.ExpireAfter == 0 {
		return nil
	}
	o := object{"useAccountDefaults": "false"}
	if e.ReminderDelay > 0 || e.ReminderEvery > 0 {
		o["reminders"] = object{
			"reminderEnabled": "true", "reminderDelay": strconv.Itoa(e.ReminderDelay), "reminderFrequency": strconv.Itoa(e.ReminderEvery),
		}
	}
	if e.ExpireAfter > 0 {
		o["expirations"] = object{"expireEnabled": "true", "expireAfter": strconv.Itoa(e.ExpireAfter), "expireWarn": strconv.Itoa(e.ExpireWarn)}
	}

	return o
}

// eventNotification has what happens to the envelope told to us, one message an event.
func (a *account) eventNotification() object {
	events := a.settings.Events
	if len(events) == 0 {
		events = documentedEvents()
	}

	return object{
		"url": a.at.CallbackURL, "deliveryMode": "SIM", "requireAcknowledgment": "true", "loggingEnabled": "true", "includeHMAC": "true",
		"includeOAuth": strconv.FormatBool(a.settings.ConnectOAuth), "events": events,
		"eventData": object{"version": "restv2.1", "format": "json", "includeData": []string{"recipients", "custom_fields"}},
	}
}

// documentedEvents returns the events of envelopes and recipients that DocuSign's pages name. It refuses, or passes over,
// what it is asked for by another name.
func documentedEvents() []string {
	var names []string
	for _, e := range connect.Events {
		if (e.Of == connect.OfEnvelope || e.Of == connect.OfRecipient) && !e.Undocumented {
			names = append(names, e.Name)
		}
	}

	return names
}

// templateRoles are recipients who play the roles of a template.
func templateRoles(all []provider.Recipient) []object {
	list := []object{}
	for _, r := range all {
		o := object{"roleName": r.Role, "name": r.Name, "email": r.Email}
		if r.RoutingOrder > 0 {
			o["routingOrder"] = strconv.Itoa(r.RoutingOrder)
		}
		if r.ClientID != "" {
			o["clientUserId"] = r.ClientID
		}
		if len(r.Tabs) > 0 {
			o["tabs"] = templateTabs(r.Tabs)
		}
		list = append(list, o)
	}

	return list
}

// recipientLists are recipients by what is asked of them.
func recipientLists(all []provider.Recipient) object {
	names := map[provider.RecipientKind]string{}
	for list, kind := range kinds {
		names[kind] = list
	}
	o := object{}
	for i, r := range all {
		name := names[r.Kind]
		if name == "" {
			name = "signers"
		}
		list, _ := o[name].([]object)
		o[name] = append(list, recipientObject(r, i+1))
	}

	return o
}

// recipientObject is a recipient without a template; n is his place among them.
func recipientObject(r provider.Recipient, n int) object {
	o := object{"recipientId": r.ExternalID, "name": r.Name, "email": r.Email}
	if r.ExternalID == "" {
		o["recipientId"] = strconv.Itoa(n)
	}
	if r.Kind == provider.InPersonSigner {
		delete(o, "name")
		delete(o, "email")
		o["signerName"], o["signerEmail"] = r.Name, r.Email
	}
	if r.RoutingOrder > 0 {
		o["routingOrder"] = strconv.Itoa(r.RoutingOrder)
	}
	if r.Role != "" {
		o["roleName"] = r.Role
	}
	if r.ClientID != "" {
		o["clientUserId"] = r.ClientID
	}
	if places := anchorTabs(r.Tabs); len(places) > 0 {
		o["tabs"] = places
	}

	return o
}

// anchorTabs are places to sign. Each Text is the text of the document at the place.
func anchorTabs(all []provider.Value) object {
	o := object{}
	for _, v := range all {
		if v.Text == "" {
			continue
		}
		addTab(o, v.Type, object{"tabLabel": v.Label, "anchorString": v.Text, "anchorIgnoreIfNotPresent": "true", "anchorUnits": "pixels"})
	}

	return o
}

// templateTabs are what the tabs of a template are filled with.
func templateTabs(all []provider.Value) object {
	o := object{}
	for _, v := range all {
		switch v.Type {
		case typeCheckbox:
			addTab(o, v.Type, object{"tabLabel": v.Label, "selected": strconv.FormatBool(strings.EqualFold(v.Text, "true"))})
		case typeRadio:
			addTab(o, v.Type, object{"groupName": v.Label, "radios": []object{{"value": v.Text, "selected": "true"}}})
		case typeNumerical:
			addTab(o, v.Type, object{"tabLabel": v.Label, "numericalValue": v.Text})
		case "":
			addTab(o, "text", object{"tabLabel": v.Label, "value": v.Text})
		default:
			addTab(o, v.Type, object{"tabLabel": v.Label, "value": v.Text})
		}
	}

	return o
}

func addTab(o object, kind string, tab object) {
	key := camel(kind) + "Tabs"
	list, _ := o[key].([]object)
	o[key] = append(list, tab)
}

// documents are files as they are sent along.
func documents(ctx context.Context, all []provider.File) ([]object, error) {
	if len(all) == 0 {
		return nil, invalidRequest("An envelope needs a template or a file.")
	}
	list := []object{}
	var total int64
	for i, f := range all {
		content, err := readDocument(ctx, f, mostBytes-total)
		if err != nil {
			return nil, err
		}
		total += int64(len(content))
		list = append(list, object{
			"documentId": strconv.Itoa(i + 1), "name": f.Name, "fileExtension": extension(f), "documentBase64": base64.StdEncoding.EncodeToString(content),
		})
	}

	return list, nil
}

// readDocument reads a file of at most so many bytes. Nothing has been asked of the vendor yet.
func readDocument(ctx context.Context, f provider.File, most int64) ([]byte, error) {
	tooLarge := invalidRequest(fmt.Sprintf("The files of an envelope may have %d MB in all.", mostBytes/1_000_000))
	if f.Size > most {
		return nil, tooLarge
	}
	content, err := f.Open(ctx)
	if err != nil {
		return nil, &provider.Error{Reason: provider.ProviderDown, Taken: provider.No, Retryable: true, Detail: "A file could not be read.", Cause: err}
	}
	text, err := io.ReadAll(io.LimitReader(content, most+1))
	if err = errors.Join(err, content.Close()); err != nil {
		return nil, &provider.Error{Reason: provider.ProviderDown, Taken: provider.No, Retryable: true, Detail: "A file could not be read.", Cause: err}
	}
	if int64(len(text)) > most {
		return nil, tooLarge
	}

	return text, nil
}

// extension is how DocuSign knows what a file is.
func extension(f provider.File) string {
	if ext := strings.ToLower(strings.TrimPrefix(path.Ext(f.Name), ".")); ext != "" {
		return ext
	}
	switch f.MediaType {
	case "image/png":
		return "png"
	case "image/jpeg":
		return "jpg"
	case "text/plain":
		return "txt"
	default:
		return "pdf"
	}
}
