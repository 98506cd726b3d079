package custommodules_test

import (
	"bytes"
	"maps"
	"mime/multipart"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	areas "github.com/dispatchd/dispatchd/modules"
	"github.com/dispatchd/dispatchd/platform/identity"
	"github.com/dispatchd/dispatchd/platform/moduletest"
	"github.com/dispatchd/dispatchd/platform/web"
)

// closedText is in everything that is about the closed module, and in nothing else.
const closedText = "zq7planted"

// closed is a company with a module that only its owner reads, in a service of all areas, and the ids of all that the
// module has.
type closed struct {
	*moduletest.App

	module, record, person string
	ids                    []string
}

func (c *closed) create(t *testing.T, path string, body any, headers ...string) moduletest.Response {
	t.Helper()
	made := c.Call(t, c.Owner.Token, http.MethodPost, path, body, headers...).OK(t)
	c.ids = append(c.ids, made.Get("uuid").String())

	return made
}

func newClosed(t *testing.T, a *moduletest.App) *closed {
	t.Helper()
	c := &closed{App: a}
	const base = "/custom_modules/api/v1"
	people := c.create(t, base+"/modules", object{"name": "People", "fields": []object{{"key": "name", "type": "text"}}}).Get("uuid").String()
	c.person = c.create(t, base+"/records", object{"module_uuid": people, "payload": object{"name": "Ann"}}).Get("uuid").String()
	c.ids = nil
	module := c.create(t, base+"/modules", object{
		"name": "Salaries " + closedText, "permissions": object{"read": []string{}}, "fields": []object{
			{"key": "person", "type": "reference", "options": object{"module_uuid": people}},
			{"key": "amount", "type": "text", "label": closedText, "searchable": true, "indexed": true},
			{"key": closedText, "type": "text"},
		},
	})
	c.module = module.Get("uuid").String()
	c.ids = append(c.ids, module.Get("fields.1.uuid").String())
	c.record = c.create(t, base+"/records", object{"module_uuid": c.module, "payload": object{
		"person": object{"record_uuid": c.person}, "amount": closedText + " 100", closedText: closedText,
	}}).Get("uuid").String()
	record := base + "/records/" + c.record
	c.Call(t, c.Owner.Token, http.MethodPatch, record, object{"payload": object{"amount": closedText + " 200"}}).OK(t)
	gone := c.create(t, base+"/records", object{"module_uuid": c.module, "payload": object{"amount": closedText}})
	c.Call(t, c.Owner.Token, http.MethodDelete, gone.Header.Get("Location"), nil).OK(t)
	c.create(t, base+"/modules/"+c.module+"/views", object{"name": closedText, "filter": []object{{"field": "amount", "op": "eq", "value": closedText}}})
	c.create(t, base+"/modules/"+c.module+"/fields/"+module.Get("fields.1.uuid").String()+"/plan", object{"change": "type", "type": "long_text"})
	c.create(t, base+"/modules/"+c.module+"/imports?file_name="+closedText+".csv", "amount\n"+closedText+"\n", "Content-Type", "text/csv")
	c.create(t, base+"/modules/"+people+"/fields", object{"key": "pay", "type": "reference", "options": object{"module_uuid": c.module}})
	c.Call(t, c.Owner.Token, http.MethodPatch, base+"/records/"+c.person, object{"payload": object{"pay": object{"record_uuid": c.record}}}).OK(t)
	c.files(t)
	c.mapping(t)
	c.remarks(t)

	return c
}

// has reports whether an area is among those of the service: others may be removed from the repository.
func (c *closed) has(area string) bool {
	return slices.ContainsFunc(c.API.Operations(), func(o web.OperationInfo) bool { return o.Area == area })
}

// serves reports whether an operation is among those of the service, or one of ours that has another name here.
func (c *closed) serves(operation string) bool {
	return operation == "pack of it" || operation == "mapping" && c.has("esign") ||
		slices.ContainsFunc(c.API.Operations(), func(o web.OperationInfo) bool { return o.ID == operation })
}

// files are those of the record.
func (c *closed) files(t *testing.T) {
	t.Helper()
	if !c.has("attachments") {
		return
	}
	body, media := form(t, object{"owner_type": "custom_modules.record", "owner_uuid": c.record, "title": closedText})
	file := c.create(t, "/attachments/api/v1/attachments", body, "Content-Type", media)
	c.create(t, "/attachments/api/v1/upload_links", object{"owner_type": "custom_modules.record", "owner_uuid": c.record, "title": closedText})
	gone := c.Call(t, c.Owner.Token, http.MethodPost, "/attachments/api/v1/attachments", body, "Content-Type", media).OK(t)
	c.ids = append(c.ids, gone.Get("uuid").String())
	c.Call(t, c.Owner.Token, http.MethodDelete, gone.Header.Get("Location"), nil).OK(t)
	c.Call(t, c.Owner.Token, http.MethodPut, file.Header.Get("Location"), object{
		"owner_type": "custom_modules.record", "owner_uuid": c.record, "title": closedText + " 2",
	}).OK(t)
}

// remarks are what people keep about the record.
func (c *closed) remarks(t *testing.T) {
	t.Helper()
	record := object{"type": "custom_modules.record", "uuid": c.record}
	if c.has("notes") {
		note := c.create(t, "/notes/api/v1/notes", object{"item": record, "body": closedText})
		c.Call(t, c.Owner.Token, http.MethodPatch, note.Header.Get("Location"), object{"body": closedText + " 2"}).OK(t)
	}
	if c.has("tasks") {
		task := c.create(t, "/tasks/api/v1/tasks", object{"item": record, "title": closedText})
		c.Call(t, c.Owner.Token, http.MethodPost, task.Header.Get("Location")+"/start", object{"reason": closedText}).OK(t)
	}
	if c.has("tags") {
		tag := c.Call(t, c.Owner.Token, http.MethodPost, "/tags/api/v1/tags", object{"name": "Secret"}).OK(t).Get("uuid").String()
		c.Call(t, c.Owner.Token, http.MethodPost, "/tags/api/v1/assignments", object{"put": []string{tag}, "items": []object{record}}).OK(t)
	}
}

// mapping maps the module onto a template of the sandbox.
func (c *closed) mapping(t *testing.T) {
	t.Helper()
	if !c.has("esign") {
		return
	}
	const base = "/esign/api/v1"
	c.Call(t, c.Owner.Token, http.MethodPost, base+"/accounts", object{"name": "Sandbox"}).OK(t)
	c.Call(t, c.Owner.Token, http.MethodPost, base+"/templates/sync", nil).OK(t)
	var found moduletest.Response
	c.Eventually(t, func() bool {
		found = c.Call(t, c.Owner.Token, http.MethodGet, base+"/templates?q=bill+lading", nil).OK(t)

		return found.Get("data.#").Int() == 1
	}, "the template is there")
	c.create(t, base+"/mappings", object{
		"name": closedText, "template_uuid": found.Get("data.0.uuid").String(), "item_type": "custom_modules.record", "item_part": c.module,
		"rules": []object{{"role": "Shipper", "label": "condition", "field": "amount"}},
	})
}

func form(t *testing.T, fields object) (body []byte, media string) {
	t.Helper()
	var out bytes.Buffer
	w := multipart.NewWriter(&out)
	for _, name := range slices.Sorted(maps.Keys(fields)) {
		text, _ := fields[name].(string)
		require.NoError(t, w.WriteField(name, text))
	}
	part, err := w.CreateFormFile("file", closedText+".txt")
	require.NoError(t, err)
	_, err = part.Write([]byte(closedText))
	require.NoError(t, err)
	require.NoError(t, w.Close())

	return out.Bytes(), w.FormDataContentType()
}

// as returns the token of a new user of a role.
func (c *closed) as(t *testing.T, role identity.Role) string {
	t.Helper()
	user, err := c.Identity.CreateUser(t.Context(), identity.NewUser{Company: c.Owner.ID, Name: "x", Email: string(role) + "@example.com", Role: role})
	require.NoError(t, err)
	_, token, err := c.Identity.IssueToken(t.Context(), identity.NewToken{Company: c.Owner.ID, User: user.ID, Name: "x", Scopes: []string{"*"}})
	require.NoError(t, err)

	return token
}

// probe is a call that reads.
type probe struct {
	operation, method, path string
	body                    any
}

// probes are all reading operations of the service with all that is known of the module in their paths and queries.
func (c *closed) probes() []probe {
	parameter := regexp.MustCompile(`\{[^}]*\}`)
	queries := []string{
		"", "?module_uuid=" + c.module, "?deleted=true&module_uuid=" + c.module, "?deleted=true", "?module_uuid=" + c.module + "&q=" + closedText,
		"?owner_type=custom_modules.record&owner_uuid=" + c.record, "?expand=pay", "?filter[item_uuid]=" + c.record, "?q=" + closedText,
		"?count=exact&per_page=200",
	}
	var all []probe
	for _, o := range c.API.Operations() {
		if o.Method != http.MethodGet || o.Access == web.Public || o.Callers == web.OfOperator {
			continue
		}
		paths := []string{o.Path}
		for count := strings.Count(o.Path, "{"); slices.ContainsFunc(paths, parameter.MatchString); count = 1 {
			var filled []string
			for _, path := range paths {
				at := parameter.FindStringIndex(path)
				for _, value := range c.values(path[at[0]:at[1]], count > 1) {
					filled = append(filled, path[:at[0]]+value+path[at[1]:])
				}
			}
			paths = filled
		}
		for _, path := range paths {
			for _, query := range queries {
				switch {
				case strings.HasSuffix(o.ID, "_list_changes"): // else the owner listens for ever
					all = append(all, probe{o.ID, o.Method, path + "?follow=false", nil})
				case path == o.Path, query == "", strings.Count(o.Path, "{") == 1 && (query == "?expand=pay" || query == "?deleted=true"):
					all = append(all, probe{o.ID, o.Method, path + query, nil})
				}
			}
		}
	}

	return append(all, c.posts()...)
}

// values are what stands for a parameter of a path: things of the module, and what things of it are in.
func (c *closed) values(parameter string, outer bool) []string {
	switch {
	case parameter == "{name}":
		return []string{c.module, "esign.mapping", "notes.note", "tags.assignment", "tasks.task"}
	case parameter == "{version}":
		return []string{"1"}
	case outer:
		return []string{c.module, c.record}
	default:
		return append([]string{c.person}, c.ids...)
	}
}

// posts are the reading operations that are no GET.
func (c *closed) posts() []probe {
	about := object{"owner_type": "custom_modules.record", "owner_uuid": c.record, "to": "+12025550143", "body": "x"}
	pack := object{"format": 1, "name": "p", "version": 1, "modules": []object{{"key": "a", "name": "Salaries " + closedText, "fields": []object{}}}}
	all := []probe{
		{"pack of it", http.MethodPost, "/custom_modules/api/v1/packs/export", object{"module_uuids": []string{c.module}}},
		{"bound pack", http.MethodPost, "/custom_modules/api/v1/packs/plan", object{"pack": pack, "bind": object{"a": c.module}}},
	}
	if c.has("sms") {
		all = append(all, probe{"message", http.MethodPost, "/sms/api/v1/messages/preview", about})
	}
	for _, id := range c.ids {
		all = append(all, probe{"mapping", http.MethodPost, "/esign/api/v1/mappings/" + id + "/preview", object{"item_uuid": c.record}})
	}

	return all
}

func TestClosedModule_IsNotShownByAnyOperation(t *testing.T) {
	t.Parallel()
	moduletest.BootEach(t, areas.All(), func(t *testing.T, a *moduletest.App) {
		t.Helper()
		c := newClosed(t, a)
		probes := c.probes()
		shown, there := map[string]bool{}, []probe{}
		for _, p := range probes {
			if strings.HasSuffix(p.path, "/events") { // the owner would wait for what has not begun; others are refused at once
				there = append(there, p)

				continue
			}
			answer := c.Call(t, c.Owner.Token, p.method, p.path, p.body, "Accept-Encoding", "identity")
			if strings.Contains(string(answer.Body), closedText) {
				shown[p.operation] = true
			}
			if answer.Status != http.StatusNotFound { // where the owner finds nothing, nobody does
				there = append(there, p)
			}
		}
		for _, operation := range []string{
			"audit_list_entries", "attachments_list_attachments", "attachments_read_attachment", "attachments_read_attachment_content",
			"attachments_list_upload_links", "custom_modules_list_records", "custom_modules_list_history", "custom_modules_list_links",
			"custom_modules_read_record", "custom_modules_export_records", "custom_modules_list_views", "custom_modules_read_import",
			"custom_modules_read_openapi", "custom_modules_read_usage", "esign_list_mappings", "esign_read_mapping", "pack of it", "mapping",
			"notes_list_notes", "notes_read_note", "tasks_list_tasks", "tasks_read_task",
			"collections_export_collection", "collections_list_history", "collections_read_version", "collections_list_views", "collections_read_view",
			"collections_search",
		} {
			require.True(t, shown[operation] || !c.serves(operation), "the owner sees it by "+operation)
		}
		for _, role := range []identity.Role{identity.Viewer, identity.Admin} {
			token := c.as(t, role)
			for _, p := range there {
				answer := c.Call(t, token, p.method, p.path, p.body, "Accept-Encoding", "identity")
				require.Lessf(t, answer.Status, http.StatusInternalServerError, "%s: %s: %s", role, p.path, answer.Body)
				require.NotEqual(t, http.StatusTooManyRequests, answer.Status)
				require.NotContainsf(t, string(answer.Body), closedText, "%s: %s %s", role, p.operation, p.path)
				if !strings.Contains(p.path, c.module) && p.body == nil && !strings.Contains(p.path, c.person) {
					require.NotContainsf(t, withoutOwnFields(answer), c.module, "%s: %s %s", role, p.operation, p.path)
				}
			}
		}
	})
}

// withoutOwnFields is an answer without what an open module itself says of the closed one: the id that its reference is to.
func withoutOwnFields(answer moduletest.Response) string {
	return regexp.MustCompile(`"(module_uuid|x-references|options)": ?"?[^,}]*`).ReplaceAllString(string(answer.Body), "")
}
