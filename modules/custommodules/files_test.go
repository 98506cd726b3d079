package custommodules_test

import (
	"bytes"
	"mime/multipart"
	"net/http"
	"strings"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/dispatchd/dispatchd/modules/attachments"
	"github.com/dispatchd/dispatchd/modules/audit"
	"github.com/dispatchd/dispatchd/modules/companies"
	"github.com/dispatchd/dispatchd/modules/custommodules"
	"github.com/dispatchd/dispatchd/platform/module"
	"github.com/dispatchd/dispatchd/platform/moduletest"
)

const (
	attachmentsPath = "/attachments/api/v1/attachments"
	somePNG         = "\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR"
)

// files is a company with attachments, and a module with a field for photos.
type files struct {
	yard

	module string
}

func eachWithFiles(t *testing.T, test func(t *testing.T, f files)) {
	t.Helper()
	areas := []module.Module{custommodules.Module, attachments.Module, companies.Module, audit.Module}
	moduletest.BootEach(t, areas, func(t *testing.T, a *moduletest.App) {
		t.Helper()
		f := files{yard: yard{App: a}}
		f.module = f.yard.module(t, "Damages",
			object{"key": "photo", "type": "file", "indexed": true, "options": object{"accept": []string{"Image/*"}, "max_size": 20}},
			object{"key": "papers", "type": "file"})
		test(t, f)
	})
}

// eachYardWithFiles is eachYard in a service with attachments, of which there is one.
func eachYardWithFiles(t *testing.T, test func(t *testing.T, y yard, file string)) {
	t.Helper()
	moduletest.BootEach(t, append(modules(), attachments.Module), func(t *testing.T, a *moduletest.App) {
		t.Helper()
		test(t, newYard(t, a), send(t, a, a.Owner.Token, "dent.png", somePNG))
	})
}

// send uploads a file of a company, and returns its id.
func send(t *testing.T, a *moduletest.App, token, name, content string) string {
	t.Helper()
	var body bytes.Buffer
	w := multipart.NewWriter(&body)
	part, err := w.CreateFormFile("file", name)
	require.NoError(t, err)
	_, err = part.Write([]byte(content))
	require.NoError(t, err)
	require.NoError(t, w.Close())

	return a.Call(t, token, http.MethodPost, attachmentsPath, body.String(), "Content-Type", w.FormDataContentType()).OK(t).Get("uuid").String()
}

func (f files) send(t *testing.T, name, content string) string {
	t.Helper()

	return send(t, f.App, f.Owner.Token, name, content)
}

func file(id string) object { return object{"attachment_uuid": id} }

func TestFiles_MustBeThereAndOfTheFieldsKind(t *testing.T) {
	t.Parallel()
	eachWithFiles(t, func(t *testing.T, f files) {
		photo, text := f.send(t, "dent.png", somePNG), f.send(t, "dent.png", "just text")
		large := f.send(t, "large.png", somePNG+"-----")
		other := f.NewCompany(t)
		foreign := send(t, f.App, other.Token, "dent.png", somePNG)
		gone := f.send(t, "gone.png", somePNG)
		f.Call(t, f.Owner.Token, http.MethodDelete, attachmentsPath+"/"+gone, nil).OK(t)

		record := f.create(t, f.module, object{"photo": file(strings.ToUpper(photo)), "papers": file(text)}).OK(t)
		require.JSONEq(t, `{"photo":{"attachment_uuid":"`+photo+`"},"papers":{"attachment_uuid":"`+text+`"}}`, record.Get("payload").Raw)
		for id, problem := range map[string]string{
			text:             "The photo must be a file of the type image/*.",
			large:            "The photo must not be larger than 20 bytes.",
			foreign:          "The photo does not exist.",
			gone:             "The photo does not exist.",
			uuid.NewString(): "The photo does not exist.",
			"x":              `The photo must be a file: {"attachment_uuid": "…"}.`,
		} {
			refused(t, f.create(t, f.module, object{"photo": file(id)}), "custom_modules.invalid_payload", map[string]string{"payload.photo": problem})
		}
		path := recordsPath + "/" + record.Get("uuid").String()
		refused(t, f.Call(t, f.Owner.Token, http.MethodPatch, path, object{"payload": object{"photo": file(text), "papers": file(gone)}}),
			"custom_modules.invalid_payload", map[string]string{
				"payload.photo": "The photo must be a file of the type image/*.", "payload.papers": "The papers does not exist.",
			})
		writer := f.Token(t, f.Owner, "custom_modules:write", "custom_modules:read")
		made := f.Call(t, writer, http.MethodPost, recordsPath, object{"module_uuid": f.module, "payload": object{"photo": file(photo)}})
		require.Equal(t, photo, made.OK(t).Get("payload.photo.attachment_uuid").String(), "without the scope attachments:read")
		for query, want := range map[string]int64{
			"filter[photo]=" + photo: 2, "filter[photo]=" + text: 0, "filter[papers]=" + text: 1, "filter[papers][null]=true": 1,
		} {
			require.Equal(t, want, f.get(t, recordsPath+"?module_uuid="+f.module+"&"+query).OK(t).Get("data.#").Int(), query)
		}
	})
}

func TestFiles_AreShownOnExpandToThoseWhoMayReadThem(t *testing.T) {
	t.Parallel()
	eachWithFiles(t, func(t *testing.T, f files) {
		photo, papers := f.send(t, "dent.png", somePNG), f.send(t, "bill.txt", "just text")
		record := f.made(t, f.module, object{"photo": file(photo), "papers": file(papers)})
		claims := f.yard.module(t, "Claims", reference("damage", f.module))
		claim := f.made(t, claims, object{"damage": to(record)})

		sum := f.get(t, attachmentsPath+"/"+photo).OK(t).Get("sha256").String()
		want := `{"attachment_uuid":"` + photo + `","attachment":{"file_name":"dent.png","media_type":"image/png","sha256":"` + sum +
			`","size":16,"state":"ready"}}`
		one, list := recordsPath+"/"+record+"?", recordsPath+"?module_uuid="+f.module+"&"
		for path, at := range map[string]string{
			one + "expand=photo": "payload.photo", list + "expand=photo": "data.0.payload.photo",
			recordsPath + "/" + claim + "?expand=damage.photo": "payload.damage.record.payload.photo",
		} {
			require.JSONEq(t, want, f.get(t, path).OK(t).Get(at).Raw, path)
		}
		require.JSONEq(t, `{"attachment_uuid":"`+papers+`"}`, f.get(t, one+"expand=photo").OK(t).Get("payload.papers").Raw, "not asked for")
		trimmed := f.get(t, list+"expand=photo,papers&fields=payload.photo.attachment.size,payload.papers.attachment").OK(t).Get("data.0.payload")
		require.Equal(t, `{"size":16}`, trimmed.Get("photo.attachment").Raw)
		require.Equal(t, "bill.txt", trimmed.Get("papers.attachment.file_name").String())
		refusal := f.get(t, one+"expand=photo.size").Refused(t, http.StatusUnprocessableEntity, "list.invalid_query")
		require.Equal(t, `expand does not know "photo.size"; allowed are photo, papers.`, refusal.Get("errors.expand.0").String())

		blind := f.Token(t, f.Owner, "custom_modules:read")
		require.JSONEq(t, `{"attachment_uuid":"`+photo+`","attachment":null}`,
			f.Call(t, blind, http.MethodGet, one+"expand=photo", nil).OK(t).Get("payload.photo").Raw)

		f.Call(t, f.Owner.Token, http.MethodDelete, attachmentsPath+"/"+photo, nil).OK(t)
		require.JSONEq(t, `{"attachment_uuid":"`+photo+`","attachment":null}`, f.get(t, one+"expand=photo").OK(t).Get("payload.photo").Raw)
		f.Call(t, f.Owner.Token, http.MethodPatch, recordsPath+"/"+record, object{"payload": object{"papers": nil}}).OK(t)
	})
}

// However many records there are, and on however many levels, their files are asked for once.
func TestFiles_TakeOneStatementForAPage(t *testing.T) {
	t.Parallel()
	eachWithFiles(t, func(t *testing.T, f files) {
		claims := f.yard.module(t, "Claims", reference("damage", f.module), object{"key": "bill", "type": "file"})
		for range 5 {
			damage := f.made(t, f.module, object{"photo": file(f.send(t, "dent.png", somePNG)), "papers": file(f.send(t, "a.txt", "a"))})
			f.made(t, claims, object{"damage": to(damage), "bill": file(f.send(t, "bill.txt", "b"))})
		}
		var list moduletest.Response
		require.EqualValues(t, 1, f.Sent(func() {
			list = f.get(t, recordsPath+"?module_uuid="+claims+"&expand=bill,damage.photo,damage.papers").OK(t)
		}, "attachments_attachments"))
		require.Len(t, list.Get("data.#.payload.damage.record.payload.papers.attachment.file_name").Array(), 5)
		require.Len(t, list.Get("data.#.payload.bill.attachment.size").Array(), 5)
	})
}

func TestFiles_TravelInTablesAndPacks(t *testing.T) {
	t.Parallel()
	eachWithFiles(t, func(t *testing.T, f files) {
		photo := f.send(t, "dent.png", somePNG)
		record := f.made(t, f.module, object{"photo": file(photo)})
		table := string(f.get(t, modulesPath+"/"+f.module+"/export?format=csv&fields=payload.photo").OK(t).Body)
		require.Contains(t, table, photo)
		require.NotContains(t, table, "attachment_uuid")
		done := f.do(t, f.yard.send(t, f.module, "photo,papers\n"+photo+",\n"+record+",\n").OK(t).Get("uuid").String(), "start")
		require.Equal(t, []int64{1, 0, 0, 1}, counts(done, "progress"), "a record is no file")

		pack := packOf(t, f.get(t, modulesPath+"/"+f.module+"/pack"))
		other := f.NewCompany(t).Token
		made := f.Call(t, other, http.MethodPost, packsPath+"/import", object{"pack": pack}).OK(t)
		copied := f.Call(t, other, http.MethodGet, modulesPath+"/"+made.Get("modules.0.module_uuid").String(), nil).OK(t)
		require.JSONEq(t, `{"accept":["image/*"],"max_size":20}`, copied.Get("fields.0.options").Raw)
		require.JSONEq(t, `{"accept":[],"max_size":null}`, copied.Get("fields.1.options").Raw)

		schema := f.get(t, modulesPath+"/"+f.module+"/schema?for=read").OK(t)
		require.Contains(t, schema.Get("properties.photo.anyOf.0.properties.attachment.description").String(), "sha256")
		require.False(t, f.get(t, modulesPath+"/"+f.module+"/schema?for=create").OK(t).Get("properties.photo.anyOf.0.properties.attachment").Exists())
	})
}

func TestFiles_NeedAttachments(t *testing.T) {
	t.Parallel()
	eachYard(t, func(t *testing.T, y yard) {
		const off = "A field of the type file needs the area attachments, which is off here."
		field := object{"key": "photo", "type": "file"}
		refused(t, y.Call(t, y.Owner.Token, http.MethodPost, modulesPath, object{"name": "Damages", "fields": []object{field}}),
			"custom_modules.invalid_definition", map[string]string{"fields.0.type": off})
		refused(t, y.Call(t, y.Owner.Token, http.MethodPost, modulesPath+"/"+y.vehicles+"/fields", field),
			"custom_modules.invalid_definition", map[string]string{"type": off})
	})
}

func TestFiles_StayWhenTheCompanyGivesUpAttachments(t *testing.T) {
	t.Parallel()
	eachWithFiles(t, func(t *testing.T, f files) {
		photo := f.send(t, "dent.png", somePNG)
		record := recordsPath + "/" + f.made(t, f.module, object{"photo": file(photo)})
		operator := f.Operator(t, "companies:write", "companies:read")
		f.Call(t, operator, http.MethodPatch, "/companies/api/v1/companies/"+f.Owner.ID.String()+"/features",
			object{"areas": object{"attachments": false}}).OK(t)

		require.JSONEq(t, `{"attachment_uuid":"`+photo+`","attachment":null}`, f.get(t, record+"?expand=photo").OK(t).Get("payload.photo").Raw)
		refused(t, f.create(t, f.module, object{"photo": file(photo)}), "custom_modules.invalid_payload", map[string]string{
			"payload.photo": "The photo cannot be set: files are kept by the area attachments, which is off here.",
		})
		refused(t, f.Call(t, f.Owner.Token, http.MethodPost, modulesPath+"/"+f.module+"/fields", object{"key": "more", "type": "file"}),
			"custom_modules.invalid_definition", map[string]string{"type": "A field of the type file needs the area attachments, which is off here."})
		f.Call(t, f.Owner.Token, http.MethodPatch, f.field(t, f.module, "photo"), object{"label": "Picture"}).OK(t)
		f.Call(t, f.Owner.Token, http.MethodPatch, record, object{"payload": object{"photo": nil}}).OK(t)
	})
}

func TestFiles_OfAModuleThatIsMadeAgainNeedAttachments(t *testing.T) {
	t.Parallel()
	eachWithFiles(t, func(t *testing.T, f files) {
		const off = "A field of the type file needs the area attachments, which is off here."
		module := modulesPath + "/" + f.module
		pack := packOf(t, f.get(t, module+"/pack"))
		gone := modulesPath + "/" + f.post(t, module+"/duplicate", object{"name": "Gone"}).OK(t).Get("uuid").String()
		f.Call(t, f.Owner.Token, http.MethodDelete, gone, nil).OK(t)
		operator := f.Operator(t, "companies:write", "companies:read")
		have := func(company string, on bool) {
			f.Call(t, operator, http.MethodPatch, "/companies/api/v1/companies/"+company+"/features",
				object{"areas": object{"attachments": on}}).OK(t)
		}
		have(f.Owner.ID.String(), false)
		refused(t, f.Call(t, f.Owner.Token, http.MethodPost, module+"/duplicate", object{"name": "Again"}),
			"custom_modules.invalid_definition", map[string]string{"fields.0.type": off, "fields.1.type": off})
		refused(t, f.Call(t, f.Owner.Token, http.MethodPost, gone+"/restore", nil),
			"custom_modules.invalid_definition", map[string]string{"fields.photo.type": off, "fields.papers.type": off})
		f.get(t, gone).Refused(t, http.StatusNotFound, "custom_modules.module_not_found")

		other := f.NewCompany(t)
		have(other.ID.String(), false)
		answer := f.Call(t, other.Token, http.MethodPost, packsPath+"/import", object{"pack": pack}).
			Refused(t, http.StatusConflict, "custom_modules.pack_conflicts")
		require.Contains(t, string(answer.Body), off)
		require.Zero(t, f.Call(t, other.Token, http.MethodGet, modulesPath, nil).OK(t).Get("data.#").Int())

		have(f.Owner.ID.String(), true)
		f.post(t, gone+"/restore", nil).OK(t)
	})
}
