package documents_test

import (
	"bytes"
	"context"
	"mime/multipart"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"
	"github.com/tidwall/gjson"
	"go.uber.org/fx"

	"github.com/dispatchd/dispatchd/modules/attachments"
	"github.com/dispatchd/dispatchd/modules/companies"
	"github.com/dispatchd/dispatchd/modules/documents"
	"github.com/dispatchd/dispatchd/modules/documents/documentsapi"
	"github.com/dispatchd/dispatchd/modules/documents/internal/making"
	"github.com/dispatchd/dispatchd/modules/esign/esignapi"
	"github.com/dispatchd/dispatchd/platform/database"
	"github.com/dispatchd/dispatchd/platform/document"
	"github.com/dispatchd/dispatchd/platform/errs"
	"github.com/dispatchd/dispatchd/platform/events"
	"github.com/dispatchd/dispatchd/platform/hook"
	"github.com/dispatchd/dispatchd/platform/item"
	"github.com/dispatchd/dispatchd/platform/jobs"
	"github.com/dispatchd/dispatchd/platform/module"
	"github.com/dispatchd/dispatchd/platform/moduletest"
	"github.com/dispatchd/dispatchd/platform/notify"
	"github.com/dispatchd/dispatchd/platform/paper"
	"github.com/dispatchd/dispatchd/platform/paper/papertest"
	"github.com/dispatchd/dispatchd/platform/pdfjoin"
	"github.com/dispatchd/dispatchd/platform/port"
)

const base = "/documents/api/v1"

type object = map[string]any

// yard plays the area that has loads: each has an agreement, whose tariff can be changed, and those whose id is even a bill of lading.
type yard struct{ tariff string }

func newYard() *yard { return &yard{tariff: "1100.00"} }

func (*yard) describe(_ context.Context, ids []uuid.UUID) (map[uuid.UUID]item.Description, error) {
	found := map[uuid.UUID]item.Description{}
	for _, id := range ids {
		if id != missing {
			found[id] = item.Description{Title: "Load"}
		}
	}

	return found, nil
}

var (
	missing = uuid.MustParse("0190d0c0-0000-7000-8000-00000000dead")
	secret  = uuid.MustParse("0190d0c0-0000-7000-8000-00000000beef")
)

var errNoPrice = errs.New(errs.Conflict, "loads.no_price", "The load has no price.")

func (y *yard) agreement(_ context.Context, of item.Ref, _ document.Options) (document.Model, error) {
	if of.UUID == secret {
		return document.Model{}, document.ErrNotThere.WithMessage("The load has no price yet.")
	}
	m := exampleAgreement()
	m.Number = "L-" + of.UUID.String()[32:]
	m.Values["load"].(object)["share"] = 0

	return m, nil
}

func exampleAgreement() document.Model {
	return document.Model{
		Number: "L-2026-00012", Date: "November 30, 2026", Created: time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC),
		Values: object{"load": object{"number": "L-2026-00012", "tariff": "1100.00", "deposit": "200.00", "miles": 1310, "share": 1}, "customer": object{"name": "Ann *Lee*"}},
		Parts: []document.Part{
			{Name: "broker", Required: true, Blocks: []paper.Block{paper.Text{Text: "Acme is a broker and not the carrier, USDOT 1234567, MC-123456."}}},
			{Name: "vehicles", Blocks: []paper.Block{paper.Table{Columns: []paper.Column{{Title: "Vehicle"}}, Rows: []paper.Row{{Cells: []string{"2012 BMW X6"}}}}}},
		},
	}
}

func exampleBill() document.Model {
	return document.Model{Number: "BOL-1", Parts: []document.Part{{Name: "terms", Required: true, Blocks: []paper.Block{paper.Text{Text: "Bill of lading terms"}}}}}
}

func (*yard) bill(context.Context, item.Ref, document.Options) (document.Model, error) {
	return exampleBill(), nil
}

// bills lists the bill of lading of a load.
func (*yard) bills(_ context.Context, of item.Ref) ([]document.Paper, error) {
	if of.Type != "loads.load" || of.UUID[15]%2 != 0 {
		return nil, nil
	}

	return []document.Paper{{
		Kind: "bill_of_lading", Title: "Bill of lading BOL-1", CreatedAt: time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC), Visibility: document.Customer,
		Of: item.Ref{Type: "loads.bill", UUID: uuid.NewSHA1(of.UUID, []byte("bill"))}, Path: "/loads/api/v1/bills/pdf",
	}}, nil
}

// choose names the template of languages that are made up: x- and the digits of its id.
func (*yard) choose(_ context.Context, c *documentsapi.ChoosingTemplate) error {
	if id, err := uuid.Parse(strings.TrimPrefix(c.Locale, "x-")); err == nil {
		c.Template = id.String()
	}

	return nil
}

// veto refuses to send what is about the load secret.
func (*yard) veto(_ context.Context, s *documentsapi.Sending) error {
	if strings.HasSuffix(s.Item, "ffff") {
		return errNoPrice
	}

	return nil
}

func loads() module.Module {
	return module.New("loads", "Loads of a test",
		fx.Provide(newYard, fx.Private),
		item.Type("loads.load", "Load", (*yard).describe, nil, nil),
		document.Kind("agreement", "Agreement", (*yard).agreement, document.About("loads.load"), document.NeedsScopes("loads:margins"),
			document.For(document.Customer), document.Example(exampleAgreement)),
		document.Kind("bill_of_lading", "Bill of lading", (*yard).bill, document.About("loads.bill"), document.For(document.Customer, document.Carrier), document.Example(exampleBill)),
		document.Source([]string{"loads.load"}, (*yard).bills),
		hook.On((*yard).veto), hook.On((*yard).choose),
	).Listens(documentsapi.Area)
}

// signatures play the esign area, where everybody signs at once.
type signatures struct{ bus *events.Bus }

func newSignatures(bus *events.Bus) *signatures { return &signatures{bus} }

func (s *signatures) Send(ctx context.Context, e esignapi.Envelope) (string, error) {
	id := uuid.NewString()
	if strings.HasPrefix(e.Recipients[0].Email, "slow") {
		return id, nil
	}

	return id, s.bus.Publish(ctx, esignapi.EnvelopeCompleted{About: esignapi.About{Envelope: id, ItemType: e.ItemType, Item: e.ItemUUID}})
}

func (*signatures) Status(context.Context, ...string) (map[string]esignapi.Status, error) {
	return nil, nil
}

func (*signatures) OfItem(context.Context, string, string) ([]esignapi.Status, error) {
	return nil, nil
}

func (*signatures) Void(_ context.Context, _, reason string) error {
	if reason == "Refused" {
		return errNoPrice
	}

	return nil
}

func signing() module.Module {
	return module.New("esign", "Signatures of a test",
		fx.Provide(newSignatures, fx.Private), port.Provides[esignapi.Envelopes, *signatures]("esign"), events.Publishes(esignapi.EnvelopeCompleted{}),
	)
}

func areas() []module.Module {
	return []module.Module{attachments.Module, companies.Module, documents.Module, signing(), loads()}
}

// desk is a company with the areas.
type desk struct{ *moduletest.App }

func each(t *testing.T, test func(t *testing.T, d desk)) {
	t.Helper()
	moduletest.BootEach(t, areas(), func(t *testing.T, a *moduletest.App) {
		t.Helper()
		test(t, desk{a})
	})
}

func (d desk) post(t *testing.T, path string, body any) moduletest.Response {
	t.Helper()

	return d.Call(t, d.Owner.Token, http.MethodPost, base+path, body)
}

func (d desk) get(t *testing.T, path string) moduletest.Response {
	t.Helper()

	return d.Call(t, d.Owner.Token, http.MethodGet, base+path, nil)
}

func newLoad() string {
	id := uuid.New()
	id[15] &= 0xfe // it has a bill of lading

	return id.String()
}

// made has a document made, and waits until it is printed.
func (d desk) made(t *testing.T, path string, body object) gjson.Result {
	t.Helper()
	id := d.post(t, path, body).OK(t).Get("uuid").String()

	return d.printed(t, id)
}

func (d desk) printed(t *testing.T, id string) gjson.Result {
	t.Helper()
	var read moduletest.Response
	d.Eventually(t, func() bool {
		read = d.get(t, "/documents/"+id).OK(t)

		return read.Get("state").String() != "queued"
	}, "the document is printed")

	return gjson.ParseBytes(read.Body)
}

// attach stores a file.
func (d desk) attach(t *testing.T, name string, content []byte) string {
	t.Helper()
	var b bytes.Buffer
	w := multipart.NewWriter(&b)
	part, err := w.CreateFormFile("file", name)
	require.NoError(t, err)
	_, err = part.Write(content)
	require.NoError(t, err)
	require.NoError(t, w.Close())

	return d.Call(t, d.Owner.Token, http.MethodPost, "/attachments/api/v1/attachments", b.Bytes(), "Content-Type", w.FormDataContentType()).OK(t).Get("uuid").String()
}

func part(name string) object { return object{"type": "part", "name": name} }

func template(blocks ...object) object {
	return object{"kind": "agreement", "name": "Agreement for dealers", "heading": "Agreement {{ load.number }}", "blocks": blocks}
}

func TestPublish_RefusesWhatPapersDoNotHave(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, d desk) {
		t.Helper()
		at := d.post(t, "/templates", template(part("broker"), object{"type": "text", "text": "Price {{ load.tarif }}"})).OK(t).Header.Get("Location")
		path := strings.TrimPrefix(at, base)
		refused := d.post(t, path+"/publish", nil)
		refused.Refused(t, http.StatusUnprocessableEntity, "documents.unknown_variable")
		require.Equal(t, "load.tariff", refused.Get("details.variables.0.nearest").String(), string(refused.Body))
		require.Contains(t, refused.Get(`errors.blocks\.1\.text.0`).String(), "Did you mean `load.tariff`?")

		d.Call(t, d.Owner.Token, http.MethodPatch, at, object{"blocks": []object{part("vehicles"), {"type": "text", "text": "{{ load.tariff }}"}}}).OK(t)
		refused = d.post(t, path+"/publish", nil)
		refused.Refused(t, http.StatusUnprocessableEntity, "documents.block_missing")
		require.JSONEq(t, `["broker"]`, refused.Get("details.blocks").Raw)

		hidden := part("broker")
		hidden["when"] = "load.deposit == '0'"
		d.Call(t, d.Owner.Token, http.MethodPatch, at, object{"blocks": []object{hidden}}).OK(t)
		d.post(t, path+"/publish", nil).Refused(t, http.StatusUnprocessableEntity, "documents.block_missing")

		d.Call(t, d.Owner.Token, http.MethodPatch, at, object{"blocks": []object{part("broker"), part("vehicle")}}).OK(t)
		refused = d.post(t, path+"/publish", nil)
		refused.Refused(t, http.StatusUnprocessableEntity, "documents.invalid_template")
		require.Equal(t, "vehicles", refused.Get("details.parts.0.nearest").String())

		d.Call(t, d.Owner.Token, http.MethodPatch, at, object{"blocks": []object{part("broker"), {"type": "text", "text": "{{ load.miles | divided_by: 0 }}"}}}).OK(t)
		d.post(t, path+"/publish", nil).Refused(t, http.StatusConflict, "documents.unprintable")

		d.Call(t, d.Owner.Token, http.MethodPatch, at, object{"blocks": []object{part("broker")}}).OK(t)
		d.post(t, path+"/publish", nil).OK(t)
		d.Call(t, d.Owner.Token, http.MethodPatch, at, object{"name": "Other"}).Refused(t, http.StatusConflict, "documents.template_published")
		d.Call(t, d.Owner.Token, http.MethodDelete, at, nil).Refused(t, http.StatusConflict, "documents.template_published")
		require.JSONEq(t, `["load.number"]`, d.get(t, path).OK(t).Get("variables").Raw)
	})
}

func TestTemplate_RefusesBlocksThatMeanNothing(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, d desk) {
		t.Helper()
		for field, block := range map[string]object{
			`blocks\.0\.text`:            {"type": "text"},
			`blocks\.0\.name`:            {"type": "part"},
			`blocks\.0\.items`:           {"type": "facts"},
			`blocks\.0\.head`:            {"type": "table"},
			`blocks\.0\.attachment_uuid`: {"type": "image"},
			`blocks\.0\.address`:         {"type": "code"},
			`blocks\.0\.height`:          {"type": "space"},
			`blocks\.0\.cells`:           {"type": "columns", "cells": [][]object{{part("broker")}}},
			`blocks\.0\.shares`:          {"type": "columns", "cells": [][]object{{part("broker")}, {part("vehicles")}}, "shares": []int{1}},
			`blocks\.0\.blocks`:          {"type": "box"},
			`blocks\.0\.blocks\.0\.type`: {"type": "box", "blocks": []object{{"type": "box"}}},
			`blocks\.0\.when`:            {"type": "line", "when": "a %}{% for i in x %}"},
			`blocks\.0\.items\.1\.text`:  {"type": "facts", "items": []object{{"name": "a", "text": "b"}, {"name": "a", "text": "{{ b"}}},
		} {
			refused := d.post(t, "/templates", template(block))
			refused.Refused(t, http.StatusUnprocessableEntity, "documents.invalid_template")
			require.True(t, refused.Get("errors."+field).Exists(), "%s: %s", field, refused.Body)
		}
		other := template(part("broker"))
		other["kind"] = "agrement"
		d.post(t, "/templates", other).Refused(t, http.StatusUnprocessableEntity, "document.unknown_kind")
		many := make([]object, 301)
		for i := range many {
			many[i] = object{"type": "line"}
		}
		d.post(t, "/templates", template(many...)).Refused(t, http.StatusUnprocessableEntity, "web.invalid")
	})
}

func TestRevise_LeavesPublishedTemplatesAndTheirDocumentsAsTheyAre(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, d desk) {
		t.Helper()
		first := d.post(t, "/templates", template(part("broker"), object{"type": "rich", "text": "**First** for {{ customer.name }}"})).OK(t).Get("uuid").String()
		d.post(t, "/templates/"+first+"/make_default", nil).Refused(t, http.StatusConflict, "documents.template_not_published")
		d.post(t, "/templates/"+first+"/revise", nil).Refused(t, http.StatusConflict, "documents.template_not_published")
		d.post(t, "/templates/"+first+"/publish", nil).OK(t)
		d.post(t, "/templates/"+first+"/make_default", nil).OK(t)
		d.post(t, "/templates/"+first+"/archive", nil).Refused(t, http.StatusConflict, "documents.template_default")
		load := newLoad()
		one := d.made(t, "/loads/"+load+"/agreement", object{})
		require.Equal(t, first, one.Get("template_uuid").String())
		before := d.get(t, "/documents/"+one.Get("uuid").String()+"/content").OK(t).Body
		require.Contains(t, papertest.Text(t, before), "First for Ann *Lee*")

		second := d.post(t, "/templates/"+first+"/revise", nil).OK(t)
		require.Equal(t, int64(2), second.Get("edition").Int())
		d.Call(t, d.Owner.Token, http.MethodPatch, second.Header.Get("Location"), object{"blocks": []object{part("broker"), {"type": "text", "text": "Second"}}}).OK(t)
		d.post(t, "/templates/"+second.Get("uuid").String()+"/publish", nil).OK(t)
		require.True(t, d.get(t, "/templates/"+second.Get("uuid").String()).Get("is_default").Bool())
		old := d.get(t, "/templates/"+first).OK(t)
		require.Equal(t, "archived", old.Get("state").String())
		require.False(t, old.Get("is_default").Bool())

		require.Equal(t, before, d.get(t, "/documents/"+one.Get("uuid").String()+"/content").OK(t).Body, "its bytes never change")
		again := d.made(t, "/loads/"+load+"/agreement", object{"again": true})
		require.Equal(t, int64(2), again.Get("revision").Int())
		require.Equal(t, int64(2), again.Get("template_edition").Int())
		require.Contains(t, papertest.Text(t, d.get(t, "/documents/"+again.Get("uuid").String()+"/content").OK(t).Body), "Second")

		copied := d.post(t, "/templates/"+first+"/duplicate", object{}).OK(t)
		require.Equal(t, "Agreement for dealers (copy)", copied.Get("name").String())
		require.Equal(t, "draft", copied.Get("state").String())
	})
}

func TestMake_ReturnsTheCurrentDocumentOrSaysWhatIsMissing(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, d desk) {
		t.Helper()
		load := newLoad()
		first := d.made(t, "/loads/"+load+"/agreement", object{})
		require.Equal(t, "ready", first.Get("state").String(), first.Raw)
		require.Equal(t, int64(1), first.Get("pages").Int())
		require.Len(t, first.Get("sha256").String(), 64)
		require.Equal(t, "L-"+load[32:], first.Get("number").String())
		same := d.post(t, "/loads/"+load+"/agreement", object{}).OK(t)
		require.Equal(t, first.Get("uuid").String(), same.Get("uuid").String())
		require.Equal(t, first.Get("uuid").String(), d.post(t, "/documents", object{"kind": "agreement", "item": object{"type": "loads.load", "uuid": load}}).OK(t).Get("uuid").String())

		bill := d.made(t, "/loads/"+load+"/bol", object{"visibility": "customer"})
		require.Equal(t, "loads.bill", bill.Get("about_type").String())
		hidden := d.post(t, "/loads/"+load+"/bol", object{"visibility": "carrier"})
		hidden.Refused(t, http.StatusUnprocessableEntity, "documents.invalid_document")
		require.Contains(t, hidden.Get("errors.visibility.0").String(), "`customer`")
		for _, audience := range []string{"carrier", "public"} {
			hidden = d.post(t, "/loads/"+load+"/agreement", object{"visibility": audience})
			hidden.Refused(t, http.StatusUnprocessableEntity, "documents.invalid_document")
			require.Equal(t, "Papers of the kind `agreement` cannot be `"+audience+"`, only `internal` or `customer`.", hidden.Get("errors.visibility.0").String())
		}
		refused := d.post(t, "/loads/"+load[:35]+"1/bol", object{})
		refused.Refused(t, http.StatusConflict, "documents.not_there")
		require.Contains(t, refused.Get("details.how").String(), "carrier")
		refused = d.post(t, "/loads/"+load+"/invoice", object{})
		refused.Refused(t, http.StatusConflict, "documents.not_there")
		require.Contains(t, refused.Get("details.why").String(), "invoice")
		refused = d.post(t, "/loads/"+secret.String()+"/agreement", object{})
		refused.Refused(t, http.StatusConflict, "documents.not_there")
		require.Equal(t, "The load has no price yet.", refused.Get("details.why").String())
		d.post(t, "/loads/"+missing.String()+"/agreement", object{}).Refused(t, http.StatusNotFound, "documents.item_not_found")
		d.post(t, "/documents", object{"kind": "agreement", "item": object{"type": "loads.load", "uuid": missing.String()}}).
			Refused(t, http.StatusUnprocessableEntity, "documents.invalid_document")
		d.post(t, "/documents", object{"kind": "agrement", "item": object{"type": "loads.load", "uuid": load}}).Refused(t, http.StatusUnprocessableEntity, "document.unknown_kind")
		d.post(t, "/documents", object{"kind": "packet", "item": object{"type": "loads.load", "uuid": load}}).Refused(t, http.StatusConflict, "documents.not_there")

		listed := d.get(t, "/documents?item=loads.load:"+load).OK(t)
		require.ElementsMatch(t, []string{"agreement", "bill_of_lading"}, texts(listed.Get("data.#.kind")), string(listed.Body))
		require.Equal(t, int64(2), d.get(t, "/documents?filter[item_uuid]="+load).OK(t).Get("data.#").Int())
		d.get(t, "/documents?item=loads.load").Refused(t, http.StatusUnprocessableEntity, "documents.invalid_document")
		d.get(t, "/documents?item=loads.load:"+missing.String()).Refused(t, http.StatusUnprocessableEntity, "documents.invalid_document")

		snapshot := d.get(t, "/documents/"+first.Get("uuid").String()+"/snapshot").OK(t)
		require.Equal(t, "1100.00", snapshot.Get("load.tariff").String())
		page := d.get(t, "/documents/"+first.Get("uuid").String()+"/html").OK(t)
		require.Contains(t, string(page.Body), "2012 BMW X6")
		require.Contains(t, page.Header.Get("Content-Security-Policy"), "default-src 'none'")

		other := d.NewCompany(t)
		d.Call(t, other.Token, http.MethodGet, base+"/documents/"+first.Get("uuid").String()+"/content", nil).Refused(t, http.StatusNotFound, "documents.document_not_found")
		few := d.Token(t, d.Owner, "documents:read")
		for _, path := range []string{"", "/content", "/html", "/snapshot"} {
			d.Call(t, few, http.MethodGet, base+"/documents/"+first.Get("uuid").String()+path, nil).Refused(t, http.StatusNotFound, "documents.document_not_found")
		}
		require.JSONEq(t, `[]`, d.Call(t, few, http.MethodGet, base+"/documents", nil).OK(t).Get("data.#.kind").Raw)
		require.Contains(t, d.EventNames(t, d.Owner), "documents.document.ready")
	})
}

func TestPacket_IsForThoseAloneForWhomAllOfItIs(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, d desk) {
		t.Helper()
		about := object{"type": "loads.load", "uuid": newLoad()}
		agreement := d.made(t, "/loads/"+about["uuid"].(string)+"/agreement", object{})
		inner := d.made(t, "/packets", object{"item": about, "parts": []object{{"document_uuid": agreement.Get("uuid").String()}}})
		for field, id := range map[string]string{
			"document_uuid": agreement.Get("uuid").String(), "attachment_uuid": agreement.Get("attachment_uuid").String(),
		} {
			refused := d.post(t, "/packets", object{"item": about, "visibility": "carrier", "parts": []object{{field: id}}})
			refused.Refused(t, http.StatusUnprocessableEntity, "documents.invalid_document")
			require.Contains(t, string(refused.Body), "cannot be `carrier`", field)
		}
		refused := d.post(t, "/packets", object{"item": about, "visibility": "public", "parts": []object{{"document_uuid": inner.Get("uuid").String()}}})
		refused.Refused(t, http.StatusUnprocessableEntity, "documents.invalid_document")
		d.made(t, "/packets", object{"item": about, "visibility": "customer", "parts": []object{{"document_uuid": inner.Get("uuid").String()}}})
	})
}

func texts(r gjson.Result) (all []string) {
	for _, one := range r.Array() {
		all = append(all, one.String())
	}

	return all
}

func TestPreview_ShowsPapersWithoutStoringThem(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, d desk) {
		t.Helper()
		kinds := d.get(t, "/kinds").OK(t)
		require.JSONEq(t, `["broker"]`, kinds.Get(`data.#(name=="agreement").required`).Raw)
		require.Contains(t, texts(kinds.Get(`data.#(name=="agreement").variables.#.name`)), "load.tariff")

		sample := d.post(t, "/previews", object{"kind": "agreement"}).OK(t)
		require.Contains(t, sample.Get("html").String(), "2012 BMW X6")
		require.Equal(t, int64(1), sample.Get("pages").Int())
		load := newLoad()
		blocks := []object{{"type": "heading", "text": "Tarifa {{ load.tariff }}"}, {"type": "text", "text": "राम", "when": "load.deposit == '200.00'"}, {"type": "line", "when": "load.deposit == ''"}}
		shown := d.post(t, "/previews", object{"kind": "agreement", "heading": "Acuerdo", "blocks": blocks, "item": object{"type": "loads.load", "uuid": load}}).OK(t)
		require.Contains(t, shown.Get("html").String(), "Tarifa 1100.00")
		require.Contains(t, shown.Get("html").String(), "not the carrier", "what the law asks for is never left out")
		require.Equal(t, "राम", shown.Get("warnings.0.characters").String(), string(shown.Body))
		d.post(t, "/previews", object{"kind": "agreement", "blocks": []object{{"type": "text", "text": "{{ load.tarif }}"}}}).Refused(t, http.StatusUnprocessableEntity, "documents.unknown_variable")
		pdf := d.post(t, "/previews/pdf", object{"kind": "agreement", "blocks": blocks}).OK(t)
		require.Contains(t, papertest.Text(t, pdf.Body), "Tarifa 1100.00")
		order := d.post(t, "/previews/order", object{"load_uuid": load}).OK(t)
		require.Equal(t, load, order.Get("load_uuid").String())
		require.Contains(t, order.Get("html").String(), "2012 BMW X6")
		d.post(t, "/previews/carrier", object{"load_uuid": load}).Refused(t, http.StatusUnprocessableEntity, "document.unknown_kind")
		draft := d.post(t, "/templates", template(part("broker"))).OK(t).Get("uuid").String()
		require.Equal(t, "Agreement L-2026-00012", d.post(t, "/previews", object{"kind": "agreement", "template_uuid": draft}).OK(t).Get("title").String())
		d.post(t, "/previews", object{"kind": "packet", "template_uuid": draft}).Refused(t, http.StatusUnprocessableEntity, "documents.template_of_other_kind")
		d.post(t, "/loads/"+load+"/agreement", object{"template_uuid": draft}).Refused(t, http.StatusConflict, "documents.template_not_published")
		require.Zero(t, d.get(t, "/documents").OK(t).Get("data.#").Int())
	})
}

func TestSend_GivesALinkToThisRevisionForGood(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, d desk) {
		t.Helper()
		load := newLoad()
		first := d.made(t, "/loads/"+load+"/agreement", object{})
		at := "/documents/" + first.Get("uuid").String()
		refused := d.post(t, at+"/send", object{"to": []object{{"channel": "sms", "address": "+12145550143"}}})
		refused.Refused(t, http.StatusConflict, "notify.no_channel")
		require.Equal(t, "not_sent", d.get(t, at).Get("delivery").String())
		link := d.post(t, at+"/send", object{}).OK(t).Get("url").String()
		require.True(t, strings.HasPrefix(link, base+"/shared/"), link)
		require.Equal(t, "sent", d.get(t, at).Get("delivery").String())

		d.made(t, "/loads/"+load+"/agreement", object{"again": true})
		page := d.Call(t, "", http.MethodGet, link, nil, "Accept", "text/html").OK(t)
		require.Contains(t, string(page.Body), "Open the PDF")
		require.Equal(t, int64(1), d.Call(t, "", http.MethodGet, link, nil).OK(t).Get("revision").Int())
		require.Equal(t, d.get(t, at+"/content").OK(t).Body, d.Call(t, "", http.MethodGet, link+"/content", nil).OK(t).Body)
		require.Contains(t, string(d.Call(t, "", http.MethodGet, link+"/html", nil).OK(t).Body), "2012 BMW X6")
		require.Equal(t, "sent", d.get(t, at).Get("delivery").String(), "reading changes nothing")
		d.Call(t, "", http.MethodPost, link+"/viewed", object{"revision": 1}).OK(t)
		d.Call(t, "", http.MethodPost, link+"/viewed", object{"revision": 1}).OK(t)
		require.Equal(t, "viewed", d.get(t, at).Get("delivery").String())

		second := d.post(t, at+"/send", object{}).OK(t)
		require.Equal(t, int64(2), d.get(t, at+"/links").OK(t).Get("data.#").Int())
		d.Call(t, d.Owner.Token, http.MethodDelete, base+at+"/links/"+second.Get("uuid").String(), nil).OK(t)
		d.Call(t, "", http.MethodGet, second.Get("url").String(), nil).Refused(t, http.StatusNotFound, "link.revoked")

		d.post(t, at+"/void", object{}).Refused(t, http.StatusUnprocessableEntity, "web.invalid")
		d.post(t, at+"/void", object{"reason": "The customer has canceled."}).OK(t)
		d.Call(t, "", http.MethodGet, link, nil).Refused(t, http.StatusNotFound, "link.revoked")
		d.post(t, at+"/send", object{}).Refused(t, http.StatusConflict, "documents.void")
		d.post(t, at+"/void", object{"reason": "Again"}).Refused(t, http.StatusConflict, "state.not_allowed")
		d.Eventually(t, func() bool { return d.get(t, at+"/content").Status == http.StatusOK }, "the PDF is stamped")
		require.Contains(t, string(d.get(t, at+"/content").OK(t).Body), "(VOID)")
		require.Contains(t, string(d.get(t, at+"/html").OK(t).Body), ">VOID<")

		names := d.EventNames(t, d.Owner)
		for _, want := range []string{"documents.document.sent", "documents.document.viewed", "documents.document.voided"} {
			require.Contains(t, names, want)
		}
		vetoed := d.made(t, "/loads/0190d0c0-0000-7000-8000-00000000ffff/agreement", object{})
		d.post(t, "/documents/"+vetoed.Get("uuid").String()+"/send", object{}).Refused(t, http.StatusConflict, "loads.no_price")
	})
}

func TestPacket_HasWhatCanBeReadAndNamesTheRest(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, d desk) {
		t.Helper()
		load := newLoad()
		agreement := d.made(t, "/loads/"+load+"/agreement", object{})
		pdf := d.get(t, "/documents/"+agreement.Get("uuid").String()+"/content").OK(t).Body
		whole := d.attach(t, "scan.pdf", pdf)
		broken := d.attach(t, "broken.pdf", append([]byte("%PDF-1.4\n"), bytes.Repeat([]byte("x"), 300)...))
		about := object{"type": "loads.load", "uuid": load}
		packet := d.made(t, "/packets", object{"title": "Delivery", "item": about, "visibility": "customer", "parts": []object{
			{"document_uuid": agreement.Get("uuid").String()}, {"attachment_uuid": broken}, {"attachment_uuid": whole},
		}})
		require.Equal(t, "ready", packet.Get("state").String(), packet.Raw)
		require.JSONEq(t, "[1,0,1]", packet.Get("parts.#.pages").Raw)
		require.NotEmpty(t, packet.Get("parts.1.problem").String())
		joined := d.get(t, "/documents/"+packet.Get("uuid").String()+"/content").OK(t).Body
		pages, err := pdfjoin.Pages(t.Context(), joined)
		require.NoError(t, err)
		require.Equal(t, 3, pages)
		require.Equal(t, int64(3), packet.Get("pages").Int())
		said := papertest.Text(t, joined)
		require.Equal(t, 2, strings.Count(said, "2012 BMW X6"))
		require.Contains(t, said, "broken.pdf")

		link := d.post(t, "/documents/"+packet.Get("uuid").String()+"/send", object{}).OK(t).Get("url").String()
		beside := d.Call(t, "", http.MethodGet, link, nil).OK(t)
		require.Equal(t, int64(1), beside.Get("beside.0.index").Int())
		require.NotEmpty(t, d.Call(t, "", http.MethodGet, link+"/parts/1", nil).OK(t).Body)
		d.Call(t, "", http.MethodGet, link+"/parts/0", nil).Refused(t, http.StatusNotFound, "documents.document_not_found")

		d.post(t, "/packets", object{"item": about, "parts": []object{{}}}).Refused(t, http.StatusUnprocessableEntity, "documents.invalid_document")
		refused := d.post(t, "/packets", object{"item": about, "parts": []object{{"document_uuid": load}, {"attachment_uuid": load}}})
		refused.Refused(t, http.StatusUnprocessableEntity, "documents.invalid_document")
		require.True(t, refused.Get(`errors.parts\.0\.document_uuid`).Exists())
		require.True(t, refused.Get(`errors.parts\.1\.attachment_uuid`).Exists())
		few := d.Token(t, d.Owner, "documents:read", "documents:write", "attachments:read")
		pack := func(part object) moduletest.Response {
			return d.Call(t, few, http.MethodPost, base+"/packets", object{"item": about, "parts": []object{part}})
		}
		pack(object{"document_uuid": agreement.Get("uuid").String()}).Refused(t, http.StatusUnprocessableEntity, "documents.invalid_document")
		few = d.Token(t, d.Owner, "documents:read", "documents:write")
		pack(object{"attachment_uuid": whole}).Refused(t, http.StatusForbidden, "web.scope_missing")
		d.Call(t, few, http.MethodPost, base+"/previews", object{"kind": "packet", "blocks": []object{{"type": "image", "attachment_uuid": whole}}}).
			Refused(t, http.StatusForbidden, "web.scope_missing")
		gone := object{"type": "loads.load", "uuid": missing.String()}
		d.post(t, "/packets", object{"item": gone, "parts": []object{{"attachment_uuid": whole}}}).Refused(t, http.StatusUnprocessableEntity, "documents.invalid_document")
	})
}

func TestSign_MarksTheDocumentOnceAllHaveSigned(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, d desk) {
		t.Helper()
		load := newLoad()
		at := "/documents/" + d.made(t, "/loads/"+load+"/agreement", object{}).Get("uuid").String()
		to := func(email string) object { return object{"recipients": []object{{"name": "Ann Lee", "email": email}}} }
		d.post(t, at+"/sign", to("ann")).Refused(t, http.StatusUnprocessableEntity, "web.invalid")
		require.NotEmpty(t, d.post(t, at+"/sign", to("ann@example.com")).OK(t).Get("envelope_uuid").String())
		d.Eventually(t, func() bool { return d.get(t, at).Get("delivery").String() == "signed" }, "the document is signed")
		d.post(t, at+"/sign", to("ann@example.com")).Refused(t, http.StatusConflict, "documents.signed")
		d.post(t, at+"/void", object{"reason": "Wrong price"}).Refused(t, http.StatusConflict, "documents.signed")
		require.Contains(t, d.EventNames(t, d.Owner), "documents.document.signed")

		again := "/documents/" + d.made(t, "/loads/"+load+"/agreement", object{"again": true}).Get("uuid").String()
		require.Equal(t, "sent", d.post(t, again+"/sign", to("slow@example.com")).OK(t).Get("delivery").String())
		d.post(t, again+"/void", object{"reason": "Refused"}).OK(t)
		d.post(t, again+"/sign", to("slow@example.com")).Refused(t, http.StatusConflict, "documents.void")
	})
}

func TestSend_RefusesWhatWasStoredForOthersThanItsKindIsFor(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, d desk) {
		t.Helper()
		load := newLoad()
		id := d.made(t, "/loads/"+load+"/agreement", object{}).Get("uuid").String()
		require.NoError(t, d.DB.InTx(t.Context(), func(ctx context.Context) error {
			return d.DB.Raw(ctx, "a document of before").Exec("UPDATE documents_documents SET visibility = 'carrier' WHERE id = ?", uuid.MustParse(id)).Error
		}))
		for path, body := range map[string]object{
			"/send": {}, "/sign": {"recipients": []object{{"name": "Ann Lee", "email": "ann@example.com"}}},
		} {
			refused := d.post(t, "/documents/"+id+path, body)
			refused.Refused(t, http.StatusUnprocessableEntity, "documents.invalid_document")
			require.Contains(t, refused.Get("errors.visibility.0").String(), "`agreement` cannot be `carrier`", path)
		}
		require.Empty(t, d.get(t, "/documents/"+id+"/links").OK(t).Get("data").Array())
	})
}

func TestSign_NeedsTheAreaOfSignatures(t *testing.T) {
	t.Parallel()
	moduletest.BootEach(t, []module.Module{attachments.Module, companies.Module, documents.Module, loads()}, func(t *testing.T, a *moduletest.App) {
		t.Helper()
		d := desk{a}
		at := "/documents/" + d.made(t, "/loads/"+newLoad()+"/agreement", object{}).Get("uuid").String()
		d.post(t, at+"/sign", object{"recipients": []object{{"name": "Ann Lee", "email": "ann@example.com"}}}).Refused(t, http.StatusConflict, "documents.no_signatures")
	})
}

func TestPrint_FailsForWhatCannotBePrinted(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, d desk) {
		t.Helper()
		id := d.post(t, "/templates", template(part("broker"), object{"type": "text", "text": "{{ load.miles | divided_by: load.share }}"})).OK(t).Get("uuid").String()
		d.post(t, "/templates/"+id+"/publish", nil).OK(t)
		load := newLoad()
		failed := d.made(t, "/loads/"+load+"/agreement", object{"template_uuid": id})
		require.Equal(t, "failed", failed.Get("state").String())
		require.Contains(t, failed.Get("problem").String(), "division by zero")
		at := "/documents/" + failed.Get("uuid").String()
		for _, path := range []string{"/content", "/html", "/snapshot"} {
			d.get(t, at+path).Refused(t, http.StatusConflict, "documents.not_ready")
		}
		d.post(t, at+"/send", object{}).Refused(t, http.StatusConflict, "documents.not_ready")
		require.Contains(t, d.EventNames(t, d.Owner), "documents.document.failed")
		require.Equal(t, "ready", d.made(t, "/loads/"+load+"/agreement", object{}).Get("state").String(), "the next one is made in its place")
		d.get(t, "/templates/"+load).Refused(t, http.StatusNotFound, "documents.template_not_found")
	})
}

func TestPrint_FailsForWhatIsTooLarge(t *testing.T) {
	t.Parallel()
	moduletest.BootEach(t, areas(), func(t *testing.T, a *moduletest.App) {
		t.Helper()
		failed := desk{a}.made(t, "/loads/"+newLoad()+"/agreement", object{})
		require.Equal(t, "failed", failed.Get("state").String())
		require.Equal(t, "documents.too_large", failed.Get("problem_code").String())
		require.Contains(t, failed.Get("problem").String(), "1000", failed.Raw)
	}, moduletest.Set("modules.documents.max_bytes=1000"))
}

func TestSettings_ChooseTheLanguage(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, d desk) {
		t.Helper()
		spanish := template(part("broker"))
		spanish["locale"], spanish["heading"], spanish["size"] = "es", "Acuerdo {{ load.number }}", "legal"
		id := d.post(t, "/templates", spanish).OK(t).Get("uuid").String()
		d.post(t, "/templates/"+id+"/publish", nil).OK(t)
		d.post(t, "/templates/"+id+"/make_default", nil).OK(t)
		load := newLoad()
		require.Empty(t, d.made(t, "/loads/"+load+"/agreement", object{}).Get("template_uuid").String())
		named := d.made(t, "/loads/"+load+"/agreement", object{"locale": "es"})
		require.Equal(t, id, named.Get("template_uuid").String())
		require.Equal(t, named.Get("uuid").String(), d.post(t, "/loads/"+load+"/agreement", object{"locale": "es"}).OK(t).Get("uuid").String())
		d.Call(t, d.Owner.Token, http.MethodPatch, base+"/settings", object{"locale": "es", "retain_days": 10}).OK(t)
		again := d.made(t, "/loads/"+load+"/agreement", object{"again": true})
		require.Equal(t, id, again.Get("template_uuid").String())
		require.Contains(t, papertest.Text(t, d.get(t, "/documents/"+again.Get("uuid").String()+"/content").OK(t).Body), "Acuerdo L-")
		held := d.Call(t, d.Owner.Token, http.MethodDelete, "/attachments/api/v1/attachments/"+again.Get("attachment_uuid").String(), nil)
		require.Equal(t, http.StatusConflict, held.Status, string(held.Body))
		require.Equal(t, int64(10), d.get(t, "/settings").OK(t).Get("retain_days").Int())
		hooked := d.made(t, "/loads/"+newLoad()+"/agreement", object{"locale": "x-" + strings.ReplaceAll(id, "-", "")})
		require.Equal(t, id, hooked.Get("template_uuid").String(), "an area chooses a template")
	})
}

func TestRelease_LetsFilesBeDeletedWhoseTimeIsOver(t *testing.T) {
	t.Parallel()
	var queues sync.Map
	take := moduletest.With(fx.Invoke(func(db *database.DB, q *jobs.Queue) { queues.Store(db, q) }))
	moduletest.BootEach(t, areas(), func(t *testing.T, a *moduletest.App) {
		t.Helper()
		d := desk{a}
		d.Call(t, d.Owner.Token, http.MethodPatch, base+"/settings", object{"retain_days": 0}).OK(t)
		made := d.made(t, "/loads/"+newLoad()+"/agreement", object{})
		file := "/attachments/api/v1/attachments/" + made.Get("attachment_uuid").String()
		require.Equal(t, http.StatusConflict, d.Call(t, d.Owner.Token, http.MethodDelete, file, nil).Status)
		queue, _ := queues.Load(a.DB)
		require.NoError(t, a.DB.InTx(t.Context(), func(ctx context.Context) error { return queue.(*jobs.Queue).Enqueue(ctx, making.ReleaseAll{}) }))
		d.Eventually(t, func() bool {
			return d.Call(t, d.Owner.Token, http.MethodDelete, file, nil).Status < http.StatusMultipleChoices
		}, "the file can be deleted")
	}, take)
}

func TestMake_AtOnceMakesOneDocument(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, d desk) {
		t.Helper()
		load := newLoad()
		var all sync.WaitGroup
		answers := make([]moduletest.Response, 8)
		for i := range answers {
			all.Go(func() {
				answers[i] = d.post(t, "/loads/"+load+"/agreement", object{})
			})
		}
		all.Wait()
		for _, answer := range answers {
			require.Equal(t, answers[0].OK(t).Get("uuid").String(), answer.OK(t).Get("uuid").String())
		}
	})
}

// horn plays the area that sends text messages.
type horn struct{}

func newHorn() *horn { return &horn{} }

func (*horn) send(_ context.Context, m notify.Message) error {
	if m.To == "+12145550199" {
		return errNoPrice
	}

	return nil
}

func TestSend_SaysWhomItReached(t *testing.T) {
	t.Parallel()
	with := append(areas(), module.New("horn", "Text messages of a test", fx.Provide(newHorn, fx.Private), notify.Channel(notify.SMS, (*horn).send)))
	moduletest.BootEach(t, with, func(t *testing.T, a *moduletest.App) {
		t.Helper()
		d := desk{a}
		at := "/documents/" + d.made(t, "/loads/"+newLoad()+"/agreement", object{}).Get("uuid").String()
		to := func(number string) object { return object{"channel": "sms", "address": number} }
		d.post(t, at+"/send", object{"to": []object{to("+12145550199")}}).Refused(t, http.StatusConflict, "notify.no_channel")
		require.Zero(t, d.get(t, at+"/links").OK(t).Get("data.#").Int(), "there is no link that nobody has")
		sent := d.post(t, at+"/send", object{"to": []object{to("+12145550143"), to("+12145550199")}, "text": "Here it is."}).OK(t)
		require.JSONEq(t, `["sent","skipped"]`, sent.Get("deliveries.#.result").Raw)
		require.True(t, strings.HasPrefix(sent.Get("url").String(), "https://papers.example/documents/api/v1/shared/"))
		last := d.Events(t, d.Owner)
		require.Equal(t, "documents.document.sent", last[len(last)-1].Name)
		require.JSONEq(t, `["sms"]`, last[len(last)-1].Get("channels").Raw)
	}, moduletest.Set("web.base_url=https://papers.example"))
}
