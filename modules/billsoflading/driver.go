package billsoflading

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"time"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/attachments/attachmentsapi"
	"github.com/dispatchd/dispatchd/modules/billsoflading/billsofladingapi"
	"github.com/dispatchd/dispatchd/modules/loads/loadsapi"
	"github.com/dispatchd/dispatchd/platform/database"
	"github.com/dispatchd/dispatchd/platform/errs"
	"github.com/dispatchd/dispatchd/platform/field"
	"github.com/dispatchd/dispatchd/platform/link"
	"github.com/dispatchd/dispatchd/platform/page"
	"github.com/dispatchd/dispatchd/platform/rawjson"
	"github.com/dispatchd/dispatchd/platform/remark"
	"github.com/dispatchd/dispatchd/platform/share"
	"github.com/dispatchd/dispatchd/platform/web"
	"github.com/dispatchd/dispatchd/platform/web/httperror"
	"github.com/dispatchd/dispatchd/platform/web/upload"
)

// driving is what the links of drivers are for: a load, its inspections and its signatures.
const driving link.Purpose = "bills_of_lading.driver"

const (
	driverLife    = 30 * 24 * time.Hour
	maxDriverLife = 366 * 24 * time.Hour
	// perMinute is more than for others: a phone that was without a network sends all at once.
	perMinute = 240
	// uploadLife is how long a driver can send photos by an upload link.
	uploadLife = 72 * time.Hour
	photoRoom  = 40 << 20
	mostPhotos = 60
)

// What comes by the links of drivers to a load, at most: entries, positions, and links to sign a bill of lading at a stage.
const (
	entriesPerHour, entriesPerDay     = 3_000, 6_000
	positionsPerHour, positionsPerDay = 6_000, 12_000
	signLinksPerHour, signLinksPerDay = 20, 40
)

// drivers are what drivers see and do by their links.
type drivers struct {
	book    *book
	entered *recorder
	entries entries
	notes   *remark.Reader
}

func newDrivers(k *book, r *recorder, notes *remark.Reader) drivers {
	return drivers{k, r, newEntries(), notes}
}

// driverPage is what a driver sees by the link.
type driverPage struct {
	Brand   page.Brand   `json:"brand"`
	Number  string       `json:"load_number" doc:"Of the load; of a trip for the link of one."`
	Loads   []drivenLoad `json:"loads" nullable:"false" doc:"Where the vehicles are picked up and delivered, and what the driver has to know."`
	BOLs    []bolShown   `json:"bols" nullable:"false"`
	Problem string       `json:"problem" doc:"The problem of the query, for the page."`
}

// SchemaName is the name of the body in the OpenAPI document.
func (driverPage) SchemaName() string { return "DriverPage" }

// recorded is what an entry has made.
type recorded struct {
	Kind string    `json:"kind" enum:"inspection,damage,photo,submit,signature"`
	UUID uuid.UUID `json:"uuid" doc:"Of the inspection, the damage, the photo or the signature."`
}

// SchemaName is the name of the body in the OpenAPI document.
func (recorded) SchemaName() string { return "DriverRecorded" }

type recordedOutput struct{ Body recorded }

// entryErrors are those of what is entered at a hand-over.
func entryErrors() []*errs.Error {
	return []*errs.Error{
		errEntry, errCode, errPhotos, errPosition, errUncoded, errUnsent, errVIN, errUnconfirmed, errStage, errSigned, errVoid, errTakenBack, errSignature, errWrongSign, errFields,
		errClient, errTooMany, errFull,
	}
}

func driverRoutes(r *web.Router, d drivers) {
	show := newPages()
	refusals := append([]*errs.Error{errNoBOL}, link.Refusals...)
	failures := append(entryErrors(), refusals...)
	web.Register(r, web.Operation{
		Method: http.MethodGet, Path: "/driver/{link}", ID: "read_driver_page", Access: web.Public, Summary: "Read the bills of lading of a load by a driver's link",
		Description: "Reading changes nothing. With Accept: text/html, the response is a page.", Errors: refusals, Page: show.driver,
	}, d.read)
	register(r, d, show, "inspections", "record_driver_inspection", "Record how a vehicle was found, by a driver's link", failures, inspectionForm, d.inspect)
	register(r, d, show, "damages", "record_driver_damage", "Record a damage by a driver's link", failures, damageForm, d.damage)
	register(r, d, show, "submissions", "submit_driver_inspection", "Say by a driver's link that an inspection is complete", failures, submitForm, d.submit)
	register(r, d, show, "signatures", "sign_driver_bol", "Sign a bill of lading by a driver's link", failures, signatureForm, d.sign)
	web.Register(r, web.Operation{
		Method: http.MethodPost, Path: "/driver/{link}/photos", ID: "send_driver_photo", Access: web.Public, Summary: "Send a photo by a driver's link",
		Description: "A form (multipart/form-data) with vehicle_uuid, stage and subject, perhaps client_id, occurred_at, lat, lng, damage_uuid and damage_client_id, and the file as its last field. " +
			"The same file is kept once.",
		Errors: failures, MaxBody: photoRoom, Consumes: []string{upload.FormMedia}, Page: show.entered,
	}, d.photo)
	web.Register(r, web.Operation{
		Method: http.MethodPost, Path: "/driver/{link}/upload_links", ID: "create_driver_upload_link", Access: web.Public, Secret: true,
		Summary:     "Make a link by which a driver's phone sends photos in pieces (tus)",
		Description: "Photos that come by it belong to the inspection. It is good for three days.", Errors: failures,
	}, d.uploadLink)
	web.Register(r, web.Operation{
		Method: http.MethodPost, Path: "/driver/{link}/sync", ID: "sync_driver", Access: web.Public, Summary: "Send what a phone has kept without a network",
		Description: "Each operation is applied by itself, in an order that makes sense: inspections, damages, submissions, signatures. Repeating one is answered as before. The results are in the order of the operations.",
		Errors:      refusals,
	}, d.sync)
	web.Register(r, web.Operation{
		Method: http.MethodPost, Path: "/driver/{link}/sign_links", ID: "create_driver_sign_link", Access: web.Public, Secret: true,
		Summary: "Make a link by which somebody signs a bill of lading on another phone",
		Description: "It is good for one signature, within 48 hours. At most 20 links an hour and 40 a day are made for a bill of lading at a stage, and 5 messages an hour and " +
			"10 a day go out for it; phones are those of the contacts of the stops, or of the countries of the load.",
		Errors: append([]*errs.Error{share.ErrRecipient, share.ErrTooMany, link.ErrInvalid, errSigned, errVoid}, refusals...), Form: signLinkForm, Page: show.signLink,
	}, d.signLink)
}

// entryInput is an entry of a phone.
type entryInput[E any] struct {
	Link string `path:"link" maxLength:"200" doc:"Text of the link."`
	Body E
}

// register registers one of the entries of drivers.
func register[E any](
	r *web.Router, d drivers, show *pages, path, id, summary string, failures []*errs.Error, form func(formValues) any,
	do func(ctx context.Context, h held, e E) (recorded, error),
) {
	web.Register(r, web.Operation{
		Method: http.MethodPost, Path: "/driver/{link}/" + path, ID: id, Access: web.Public, Summary: summary, Errors: failures, Form: form, Page: show.entered,
	}, func(ctx context.Context, in *entryInput[E]) (*recordedOutput, error) {
		ctx, h, err := d.enter(ctx, in.Link)
		if err != nil {
			return nil, err
		}
		made, err := do(ctx, h, in.Body)

		return &recordedOutput{made}, err
	})
}

// held is what a driver's link leads to.
type held struct {
	// number is that of a trip, "" for a link to a load.
	number string
	bols   []bol
}

// loads are those of the bills of lading.
func (h held) loads() (all []uuid.UUID) {
	for _, b := range h.bols {
		if !slices.Contains(all, b.Load) {
			all = append(all, b.Load)
		}
	}

	return all
}

// with is the bill of lading with a vehicle.
func (h held) with(vehicle uuid.UUID) (bol, error) {
	for _, b := range h.bols {
		if _, err := b.vehicle(vehicle); err == nil {
			return b, nil
		}
	}

	return bol{}, errEntry.WithField("vehicle_uuid", "There is no such vehicle on the bills of lading of the load.")
}

// enter returns what a link leads to, and the context of its company. It changes nothing.
func (d drivers) enter(ctx context.Context, text string) (context.Context, held, error) {
	ctx, found, err := d.book.links.Enter(ctx, driving, text)
	if err != nil {
		return ctx, held{}, err
	}
	h, loads := held{}, []uuid.UUID{found.Subject.ID}
	if found.Subject.Type != loadsapi.Load {
		trip, err := d.book.trip(ctx, found.Subject)
		if err != nil {
			return ctx, h, err
		}
		h.number, loads = trip.Number, trip.Loads
	}
	for _, load := range loads {
		bills, err := d.book.rows.live(ctx, load)
		if err != nil {
			return ctx, h, err
		}
		h.bols = append(h.bols, bills...)
	}
	if len(h.bols) == 0 {
		err = errNoBOL
	}

	return ctx, h, err
}

type linkInput struct {
	Link    string `path:"link" maxLength:"200" doc:"Text of the link."`
	Problem string `query:"problem" maxLength:"100" pattern:"^[a-z0-9_.]*$" patternDescription:"the code of an error" doc:"Code of the error that the page explains."`
}

type driverOutput struct{ Body driverPage }

func (d drivers) read(ctx context.Context, in *linkInput) (*driverOutput, error) {
	ctx, h, err := d.enter(ctx, in.Link)
	if err != nil {
		return nil, err
	}
	brand, err := d.book.brand(ctx)
	if err != nil {
		return nil, err
	}
	p := driverPage{Brand: brand, Loads: []drivenLoad{}, BOLs: []bolShown{}, Number: h.number, Problem: in.Problem}
	for _, load := range h.loads() {
		l, err := d.driven(ctx, load)
		if err != nil {
			return nil, err
		}
		p.Number = cmp.Or(p.Number, l.Number)
		p.Loads = append(p.Loads, l)
	}
	for _, b := range h.bols {
		s, err := d.book.show(ctx, b)
		if err != nil {
			return nil, err
		}
		p.BOLs = append(p.BOLs, s)
	}

	return &driverOutput{p}, nil
}

func (k *book) brand(ctx context.Context) (page.Brand, error) {
	b, err := k.brands.Brand(ctx)

	return page.Brand{Name: b.Name, Color: b.PrimaryColor}, err
}

// kept is what an entry has made, and the checksum of the entry; "" for one that was kept without.
type kept struct {
	recorded

	Sum string `json:"sum"`
}

// once does what an entry says, unless it was done before: then the answer is as it was. An id that another entry has, or the same one with other
// content, is refused.
func (d drivers) once(ctx context.Context, load, client uuid.UUID, kind string, entry any, do func(ctx context.Context) (uuid.UUID, error)) (out recorded, err error) {
	out.Kind = kind
	counted := func(ctx context.Context) (made uuid.UUID, err error) {
		if err = d.book.given.AllowEntries(ctx, "load "+load.String(), 1, entriesPerHour, entriesPerDay); err != nil {
			return made, err
		}

		return do(ctx)
	}
	if client == uuid.Nil {
		err = d.book.db.InTx(ctx, func(ctx context.Context) error {
			out.UUID, err = counted(ctx)

			return err
		})

		return out, err
	}
	content, err := json.Marshal(entry)
	if err != nil {
		return out, err
	}
	rows, sum := d.book.rows, fmt.Sprintf("%x", sha256.Sum256(content))
	before := func() (recorded, error) {
		var was kept
		known, err := rows.receipt(ctx, load, client)
		if err == nil {
			err = json.Unmarshal(known.Answer, &was)
		}
		if err == nil && (was.Kind != kind || was.Sum != "" && was.Sum != sum) {
			err = errClient.WithField("client_id", "`client_id` was used for another entry, or for this one with other content. Make up a new one.")
		}

		return was.recorded, err
	}
	if was, err := before(); !errors.Is(err, errNone) {
		return was, err
	}
	claimed := false
	err = d.book.db.InTx(ctx, func(ctx context.Context) error {
		claimed = false
		if err := rows.claim(ctx, load, client); err != nil {
			return err
		}
		claimed = true
		if out.UUID, err = counted(ctx); err != nil {
			return err
		}
		text, err := json.Marshal(kept{out, sum})
		if err != nil {
			return err
		}

		return rows.answer(ctx, load, client, text)
	})
	if !claimed && errors.Is(err, database.ErrDuplicate) { // at the same time
		return before()
	}

	return out, err
}

func (d drivers) inspect(ctx context.Context, h held, e inspectionEntry) (recorded, error) {
	b, err := h.with(e.Vehicle)
	if err != nil {
		return recorded{}, err
	}

	return d.once(ctx, b.Load, e.ClientID, "inspection", e, func(ctx context.Context) (uuid.UUID, error) {
		row, err := d.entered.record(ctx, b.ID, e)

		return row.ID, err
	})
}

func (d drivers) damage(ctx context.Context, h held, e damageEntry) (recorded, error) {
	b, err := h.with(e.Vehicle)
	if err != nil {
		return recorded{}, err
	}

	return d.once(ctx, b.Load, e.ClientID, "damage", e, func(ctx context.Context) (uuid.UUID, error) {
		row, err := d.entered.note(ctx, b.ID, e)

		return row.ID, err
	})
}

func (d drivers) submit(ctx context.Context, h held, e submitEntry) (recorded, error) {
	b, err := h.with(e.Vehicle)
	if err != nil {
		return recorded{}, err
	}

	return d.once(ctx, b.Load, e.ClientID, "submit", e, func(ctx context.Context) (uuid.UUID, error) {
		row, err := d.entered.submit(ctx, b.ID, e)

		return row.ID, err
	})
}

func (d drivers) sign(ctx context.Context, h held, e signatureEntry) (recorded, error) {
	i := slices.IndexFunc(h.bols, func(b bol) bool { return b.ID == e.BOL })
	if i < 0 {
		return recorded{}, errWrongSign.WithField("bol_uuid", "There is no such bill of lading of the load.")
	}

	return d.once(ctx, h.bols[i].Load, e.ClientID, "signature", e, func(ctx context.Context) (uuid.UUID, error) {
		row, err := d.book.sign(ctx, e, false)

		return row.ID, err
	})
}

type photoInput struct {
	upload.Upload

	Link string `path:"link" maxLength:"200" doc:"Text of the link."`
}

func (d drivers) photo(ctx context.Context, in *photoInput) (*recordedOutput, error) {
	ctx, h, err := d.enter(ctx, in.Link)
	if err != nil {
		return nil, err
	}
	e, err := photoOf(in.Fields())
	if err != nil {
		return nil, err
	}
	b, err := h.with(e.Vehicle)
	if err != nil {
		return nil, err
	}
	e.FileName = in.Name()
	made, err := d.entered.picture(ctx, b.ID, e, in)

	return &recordedOutput{recorded{"photo", made.ID}}, err
}

// photoOf reads the fields of a form with a photo.
func photoOf(fields map[string]string) (e photoEntry, err error) {
	wrong := errEntry
	id := func(name string) (found *uuid.UUID) {
		if text := fields[name]; text != "" {
			parsed, err := uuid.Parse(text)
			if err != nil {
				wrong = wrong.WithField(name, "The "+name+" must be a UUID.")
			}
			found = &parsed
		}

		return found
	}
	if v := id("vehicle_uuid"); v != nil {
		e.Vehicle = *v
	}
	if c := id("client_id"); c != nil {
		e.ClientID = *c
	}
	e.Damage, e.DamageClient = id("damage_uuid"), id("damage_client_id")
	e.Subject, e.Stage = cmp.Or(fields["subject"], "other"), stage(fields["stage"])
	if e.Stage != atPickup && e.Stage != atDelivery {
		wrong = wrong.WithField("stage", "The stage must be pickup or delivery.")
	}
	if text := fields["occurred_at"]; text != "" {
		at, err := time.Parse(time.RFC3339, text)
		if err != nil {
			wrong = wrong.WithField("occurred_at", "`occurred_at` must be a time such as 2026-12-01T10:00:00Z.")
		}
		e.OccurredAt = at
	}
	if fields["lat"] != "" && fields["lng"] != "" {
		there := false
		if e.Position, there = pointOf(fields["lat"], fields["lng"]); !there {
			wrong = wrong.WithField("lat", "The lat and lng must be degrees.")
		}
	}
	if len(wrong.Fields) > 0 {
		return e, wrong
	}

	return e, nil
}

type uploadLinkInput struct {
	Link string `path:"link" maxLength:"200" doc:"Text of the link."`
	Body struct {
		Vehicle uuid.UUID `json:"vehicle_uuid"`
		Stage   stage     `json:"stage" enum:"pickup,delivery"`
		Subject string    `json:"subject" enum:"front,rear,left,right,roof,windshield,odometer,keys,vin_plate,interior,damage,document,other"`
		Count   int       `json:"count,omitempty" minimum:"1" maximum:"60" default:"1" doc:"How many photos may come."`
	}
}

type uploadLinkOutput struct {
	Body struct {
		URL string `json:"url" doc:"Where to send them: a form, or in pieces by tus. Only this response has it."`
	}
}

func (d drivers) uploadLink(ctx context.Context, in *uploadLinkInput) (*uploadLinkOutput, error) {
	ctx, h, err := d.enter(ctx, in.Link)
	if err != nil {
		return nil, err
	}
	b, err := h.with(in.Body.Vehicle)
	if err != nil {
		return nil, err
	}
	out := &uploadLinkOutput{}
	err = d.book.db.InTx(ctx, func(ctx context.Context) error {
		_, _, row, err := d.entered.inspecting(ctx, b.ID, in.Body.Vehicle, in.Body.Stage)
		if err != nil {
			return err
		}
		count := min(max(in.Body.Count, 1), mostPhotos)
		if row.Invited+int64(count) > mostEntries {
			return errTooMany.WithMessage("Upload links for %d photos of the vehicle at the %s were made already; at most %d may come.", row.Invited, row.Stage, mostEntries)
		}
		if err := d.entered.room(ctx, row, 0); err != nil {
			return err
		}
		if _, err := d.book.inspections.Change(ctx, row.ID, web.IfMatch{}, verbRecord, func(_ context.Context, row *inspection) error {
			row.Invited += int64(count)

			return nil
		}); err != nil {
			return err
		}
		made, err := d.book.uploads.Invite(ctx, attachmentsapi.Upload{
			OwnerType: billsofladingapi.Inspection, OwnerUUID: row.ID.String(), Category: in.Body.Subject, Title: in.Body.Subject, MaxUploads: count, MaxSize: photoRoom,
			Types: []string{"image/*"}, ExpiresAt: d.book.now().Add(uploadLife),
		})
		out.Body.URL = made.URL

		return err
	})

	return out, err
}

type syncInput struct {
	Link string `path:"link" maxLength:"200" doc:"Text of the link."`
	Body struct {
		Operations []syncOperation `json:"operations" maxItems:"200" nullable:"false"`
	}
}

// syncOperation is an entry that a phone has kept.
type syncOperation struct {
	Kind string         `json:"kind" enum:"inspection,damage,submit,signature"`
	Data rawjson.Object `json:"data" doc:"The body of the operation that records it: InspectionEntry, DamageEntry, SubmitEntry or BOLSignatureEntry, with its client_id."`
}

// SchemaName is the name of the body in the OpenAPI document.
func (syncOperation) SchemaName() string { return "SyncOperation" }

// syncResult is what became of one.
type syncResult struct {
	Status  int                 `json:"status" doc:"As the operation by itself would have: 200, 409, 422 …"`
	Result  *recorded           `json:"result" doc:"Null for a failure."`
	Code    string              `json:"code"`
	Message string              `json:"message"`
	Errors  map[string][]string `json:"errors" nullable:"false" doc:"By field."`
}

// SchemaName is the name of the body in the OpenAPI document.
func (syncResult) SchemaName() string { return "SyncResult" }

type syncOutput struct {
	Body struct {
		Results []syncResult `json:"results" nullable:"false"`
	}
}

func (d drivers) sync(ctx context.Context, in *syncInput) (*syncOutput, error) {
	ctx, h, err := d.enter(ctx, in.Link)
	if err != nil {
		return nil, err
	}
	all := in.Body.Operations
	order := make([]int, len(all))
	for i := range all {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(rankOf(all[a].Kind), rankOf(all[b].Kind)) })
	out := &syncOutput{}
	out.Body.Results = make([]syncResult, len(all))
	for _, i := range order {
		made, err := d.apply(ctx, h, all[i])
		if err != nil && !errs.IsRefusal(err) {
			return nil, err
		}
		out.Body.Results[i] = resultOf(made, err)
	}

	return out, nil
}

// rankOf is which entries come first: who signs, signs what is there.
func rankOf(kind string) int {
	return slices.Index([]string{"inspection", "damage", "submit", "signature"}, kind)
}

// apply applies an entry by itself.
func (d drivers) apply(ctx context.Context, h held, op syncOperation) (recorded, error) {
	switch op.Kind {
	case "inspection":
		return applied(ctx, h, d.entries.inspection, op.Data, d.inspect)
	case "damage":
		return applied(ctx, h, d.entries.damage, op.Data, d.damage)
	case "submit":
		return applied(ctx, h, d.entries.submit, op.Data, d.submit)
	}

	return applied(ctx, h, d.entries.signature, op.Data, d.sign)
}

func resultOf(made recorded, err error) syncResult {
	failure, refused := errors.AsType[*errs.Error](err)
	if !refused {
		return syncResult{Status: http.StatusOK, Result: &made, Errors: map[string][]string{}}
	}
	r := syncResult{Status: httperror.Status(failure.Kind), Code: failure.Code, Message: failure.Message, Errors: map[string][]string{}}
	maps.Copy(r.Errors, failure.Fields)

	return r
}

type signLinkInput struct {
	Link string `path:"link" maxLength:"200" doc:"Text of the link."`
	Body struct {
		BOL uuid.UUID         `json:"bol_uuid"`
		To  []share.Recipient `json:"to,omitempty" maxItems:"2" nullable:"false" doc:"To whom it is sent."`
	}
}

type signLinkOutput struct{ Body share.Share }

func (d drivers) signLink(ctx context.Context, in *signLinkInput) (*signLinkOutput, error) {
	ctx, h, err := d.enter(ctx, in.Link)
	if err != nil {
		return nil, err
	}
	i := slices.IndexFunc(h.bols, func(b bol) bool { return b.ID == in.Body.BOL })
	if i < 0 {
		return nil, errNoBOL
	}
	given, err := d.book.giveSigning(ctx, h.bols[i].ID)
	if err != nil {
		return nil, err
	}
	if given.Outsider, err = d.book.signersOf(ctx, h.bols[i]); err != nil {
		return nil, err
	}
	out := &signLinkOutput{}
	err = d.book.db.InTx(ctx, func(ctx context.Context) error {
		if err := d.book.given.AllowEntries(ctx, "signing "+given.Outsider.Thing, 1, signLinksPerHour, signLinksPerDay); err != nil {
			return err
		}
		out.Body, err = d.book.given.Give(ctx, given, share.Create{To: in.Body.To})

		return err
	})

	return out, err
}

// The links that companies give to drivers.
func (k *book) driverSubject(ctx context.Context, load uuid.UUID) (link.Subject, error) {
	_, err := k.standings.Standing(ctx, load.String())

	return link.Subject{Type: loadsapi.Load, ID: load}, err
}

func (k *book) giveDriver(ctx context.Context, load uuid.UUID) (share.Given, error) {
	of, err := k.standings.Standing(ctx, load.String())
	if err != nil {
		return share.Given{}, err
	}
	if err := k.follow(ctx, of.Load); err != nil { // a carrier may have just got or lost it
		return share.Given{}, err
	}
	all, err := k.rows.live(ctx, load)
	if err == nil && len(all) == 0 {
		err = errNobody
	}
	if err != nil {
		return share.Given{}, err
	}
	brand, err := k.brands.Brand(ctx)

	return share.Given{
		Purpose: driving, Subject: link.Subject{Type: loadsapi.Load, ID: load}, Page: base + "/driver/",
		Title: brand.Name + ": " + of.Number, Text: brand.Name + ": inspect and sign load " + of.Number + " here, " + strconv.Itoa(len(all)) + " bill(s) of lading.",
	}, err
}

// pointOf is a point of two texts with degrees.
func pointOf(lat, lng string) (p field.GeoPoint, there bool) {
	text, err := json.Marshal(map[string]json.Number{"lat": json.Number(lat), "lng": json.Number(lng)})
	if err == nil {
		err = json.Unmarshal(text, &p)
	}

	return p, err == nil
}
