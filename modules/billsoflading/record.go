package billsoflading

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/attachments/attachmentsapi"
	"github.com/dispatchd/dispatchd/modules/billsoflading/billsofladingapi"
	"github.com/dispatchd/dispatchd/modules/loads/loadsapi"
	"github.com/dispatchd/dispatchd/platform/errs"
	"github.com/dispatchd/dispatchd/platform/field"
	"github.com/dispatchd/dispatchd/platform/item"
	"github.com/dispatchd/dispatchd/platform/resource"
	"github.com/dispatchd/dispatchd/platform/web"
)

// recorder keeps what is entered at a hand-over.
type recorder struct {
	book *book
	vins loadsapi.VINs
}

func newRecorder(k *book, v loadsapi.VINs) *recorder { return &recorder{k, v} }

const (
	// mostEntries is how many damages, and how many photos, a vehicle has at most at a stage.
	mostEntries = 200
	// mostBytes is how much all photos of a bill of lading have together.
	mostBytes = 2 << 30
)

// What is done to an inspection.
const (
	verbRecord resource.Verb = "record"
	verbSubmit resource.Verb = "submit"
	verbAccept resource.Verb = "accept_vin"
)

// inspectionEntry is what is said of a vehicle when it changes hands. What is left out stays as it was said before.
type inspectionEntry struct {
	ClientID   uuid.UUID      `json:"client_id,omitzero" doc:"A uuid made up by the phone: repeating the entry changes nothing."`
	OccurredAt time.Time      `json:"occurred_at,omitzero" doc:"By the clock of the phone; by default now."`
	Vehicle    uuid.UUID      `json:"vehicle_uuid"`
	Stage      stage          `json:"stage" enum:"pickup,delivery"`
	Inspector  string         `json:"inspector,omitempty" maxLength:"200"`
	VIN        string         `json:"vin_scanned,omitempty" maxLength:"20" example:"1HGCM82633A004352"`
	Odometer   *int64         `json:"odometer,omitempty" minimum:"0" maximum:"9999999"`
	Unit       string         `json:"odometer_unit,omitempty" enum:"mi,km"`
	Keys       *int64         `json:"keys_count,omitempty" minimum:"0" maximum:"20"`
	Fuel       *int64         `json:"fuel_eighths,omitempty" minimum:"0" maximum:"8"`
	Drivable   string         `json:"drivable,omitempty" enum:"yes,no,unknown"`
	Loose      string         `json:"loose_items,omitempty" maxLength:"2000"`
	Weather    string         `json:"weather,omitempty" enum:"dry,wet,snow,dark"`
	Notes      string         `json:"notes,omitempty" maxLength:"5000"`
	Position   field.GeoPoint `json:"position,omitzero"`
	Skipped    string         `json:"skipped_reason,omitempty" maxLength:"500" doc:"For a clean vehicle that is not inspected, which the inspection type aiag alone allows."`
	Subject    bool           `json:"subject_to_inspection,omitempty" doc:"Whether the receiver inspects later, such as after a night drop."`
}

// SchemaName is the name of the body in the OpenAPI document.
func (inspectionEntry) SchemaName() string { return "InspectionEntry" }

// damageEntry is a damage that was found.
type damageEntry struct {
	ClientID   uuid.UUID `json:"client_id,omitzero" doc:"A uuid made up by the phone: repeating the entry changes nothing. Photos name the damage by it."`
	OccurredAt time.Time `json:"occurred_at,omitzero"`
	Vehicle    uuid.UUID `json:"vehicle_uuid"`
	Stage      stage     `json:"stage" enum:"pickup,delivery"`
	System     string    `json:"code_system,omitempty" enum:"aiag,letters,custom" default:"letters"`
	Code       string    `json:"code,omitempty" maxLength:"20" doc:"Of GET /damage_codes; custom has none." example:"SC"`
	Side       string    `json:"side,omitempty" enum:"left,right,front,rear,top,interior,unknown" default:"unknown"`
	X          *int64    `json:"x,omitempty" minimum:"0" maximum:"1000"`
	Y          *int64    `json:"y,omitempty" minimum:"0" maximum:"1000"`
	Size       *int64    `json:"size_mm,omitempty" minimum:"0" maximum:"10000"`
	Note       string    `json:"note,omitempty" maxLength:"1000" doc:"Required for custom."`
}

// SchemaName is the name of the body in the OpenAPI document.
func (damageEntry) SchemaName() string { return "DamageEntry" }

// submitEntry says that the inspection of a vehicle is complete.
type submitEntry struct {
	ClientID   uuid.UUID `json:"client_id,omitzero" doc:"A uuid made up by the phone: repeating the entry changes nothing."`
	OccurredAt time.Time `json:"occurred_at,omitzero"`
	Vehicle    uuid.UUID `json:"vehicle_uuid"`
	Stage      stage     `json:"stage" enum:"pickup,delivery"`
}

// SchemaName is the name of the body in the OpenAPI document.
func (submitEntry) SchemaName() string { return "SubmitEntry" }

// photoEntry is what a photo shows.
type photoEntry struct {
	ClientID   uuid.UUID
	OccurredAt time.Time
	Vehicle    uuid.UUID
	Stage      stage
	Subject    string
	Damage     *uuid.UUID
	// DamageClient is the client_id of a damage.
	DamageClient *uuid.UUID
	Position     field.GeoPoint
	FileName     string
}

// subjects are what photos show.
var subjects = []string{"front", "rear", "left", "right", "roof", "windshield", "odometer", "keys", "vin_plate", "interior", "damage", "document", "other"}

// The results of comparing the VIN of a vehicle with that of the load.
const (
	vinNone     = "none"
	vinMatches  = "matches"
	vinDiffers  = "differs"
	vinAccepted = "accepted"
)

// open refuses to change what belongs to a stage that was signed, or that has not come.
func (k *recorder) open(ctx context.Context, b bol, at stage) error {
	switch {
	case b.State == voided:
		return errVoid
	case b.due() == "" || b.due() == atDelivery && at == atPickup:
		return errSigned
	case b.due() != at:
		return errStage
	}
	all, err := k.book.rows.signaturesOf(ctx, b.ID)
	if err != nil {
		return err
	}
	if slices.ContainsFunc(all, func(s signature) bool { return s.Stage == at }) {
		return errSigned
	}

	return nil
}

// inspecting returns the inspection of a vehicle at a stage, in a transaction that holds the bill of lading. It is made if there is none, so that
// entries come in any order.
func (k *recorder) inspecting(ctx context.Context, id, vehicle uuid.UUID, at stage) (b bol, v cargo, row inspection, err error) {
	if err = k.book.bols.Hold(ctx, id); err != nil {
		return b, v, row, err
	}
	if b, err = k.book.bols.Find(ctx, id); err != nil {
		return b, v, row, err
	}
	if v, err = b.vehicle(vehicle); err != nil {
		return b, v, row, err
	}
	if err = k.open(ctx, b, at); err != nil {
		return b, v, row, err
	}
	if row, err = k.book.rows.inspection(ctx, id, vehicle, at); errors.Is(err, errNone) {
		row, err = k.book.inspections.Create(ctx, inspection{BOL: id, Load: b.Load, Vehicle: vehicle, Stage: at, State: "open", VINCheck: vinNone, Unit: "mi", Drivable: "unknown", Weather: "dry"})
	}

	return b, v, row, err
}

// record keeps what is said of a vehicle.
func (k *recorder) record(ctx context.Context, id uuid.UUID, e inspectionEntry) (row inspection, err error) {
	terms, err := k.book.settings.Read(ctx)
	if err != nil {
		return row, err
	}
	err = k.book.db.InTx(ctx, func(ctx context.Context) error {
		if e.VIN != "" {
			if err := k.holdLoad(ctx, id); err != nil {
				return err
			}
		}
		b, v, there, err := k.inspecting(ctx, id, e.Vehicle, e.Stage)
		if err != nil {
			return err
		}
		if e.Skipped != "" && b.Inspection != "aiag" {
			return errEntry.WithField("skipped_reason", "Only inspections of the type aiag may be skipped, for clean vehicles.")
		}
		why, err := k.identify(ctx, b, &v, there, normalVIN(e.VIN))
		if err != nil {
			return err
		}
		at, ahead := k.book.when(e.OccurredAt, b)
		row, err = k.book.inspections.Change(ctx, there.ID, web.IfMatch{}, verbRecord, func(_ context.Context, row *inspection) error {
			row.InspectedAt, row.ClockAhead = &at, ahead
			row.take(e)
			if e.VIN != "" {
				row.scan(v, why)
			}
			if row.Subject {
				until := at.Add(time.Duration(terms.Now.NoteHours) * time.Hour)
				row.NoteBy = &until
			}

			return nil
		})
		if err == nil && e.Odometer != nil {
			row.Warnings, err = k.checkOdometer(ctx, row)
		}
		if err != nil || row.VINCheck != vinDiffers || there.VIN == row.VIN {
			return err
		}

		return k.book.bus.Publish(ctx, billsofladingapi.VINDiffers{About: b.about(), Inspection: row.ID.String(), Scanned: row.VIN})
	})

	return row, err
}

// take keeps what an entry says.
func (i *inspection) take(e inspectionEntry) {
	i.Inspector, i.VIN = cmp.Or(strings.TrimSpace(e.Inspector), i.Inspector), cmp.Or(normalVIN(e.VIN), i.VIN)
	i.Odometer, i.Keys, i.Fuel = cmp.Or(e.Odometer, i.Odometer), cmp.Or(e.Keys, i.Keys), cmp.Or(e.Fuel, i.Fuel)
	i.Unit, i.Drivable, i.Weather = cmp.Or(e.Unit, i.Unit), cmp.Or(e.Drivable, i.Drivable), cmp.Or(e.Weather, i.Weather)
	i.Loose, i.Notes, i.Skipped = cmp.Or(e.Loose, i.Loose), cmp.Or(e.Notes, i.Notes), cmp.Or(strings.TrimSpace(e.Skipped), i.Skipped)
	i.Position, i.Subject = cmp.Or(e.Position, i.Position), e.Subject || i.Subject
}

// scan compares the VIN that was found with that of the load. Of a vehicle whose VIN the load does not have, why says by what it is another one.
func (i *inspection) scan(v cargo, why string) {
	want := normalVIN(v.VIN)
	switch {
	case i.VIN == "":
		i.VINCheck = vinNone
	case i.VIN == want:
		i.VINCheck, i.VINNote = vinMatches, ""
	case want == "" && why == "":
		i.VINCheck = vinNone
	case i.VINCheck != vinAccepted:
		i.VINCheck, i.VINNote = vinDiffers, why
	}
}

// holdLoad holds the load of a bill of lading, which is held before the bill.
func (k *recorder) holdLoad(ctx context.Context, id uuid.UUID) error {
	b, err := k.book.bols.Find(ctx, id)
	if err == nil {
		_, err = k.book.standings.Held(ctx, b.Load.String())
	}

	return err
}

// identify gives a vehicle without a VIN the one that was found on it, on the load and on the bill of lading; why says by what it is another vehicle.
func (k *recorder) identify(ctx context.Context, b bol, v *cargo, there inspection, vin string) (why string, err error) {
	if vin == "" || v.VIN != "" || there.VINCheck == vinAccepted {
		return "", nil
	}
	if why, err = k.vins.TakeOver(ctx, b.Load.String(), v.UUID.String(), vin, false); why != "" || err != nil {
		return why, err
	}

	return "", k.name(ctx, b, v, vin)
}

// name gives a vehicle its VIN on a bill of lading, unless that was signed.
func (k *recorder) name(ctx context.Context, b bol, v *cargo, vin string) error {
	v.VIN = vin
	if b.signed() {
		return nil
	}
	_, err := k.book.bols.Change(ctx, b.ID, web.IfMatch{}, resource.Update, func(_ context.Context, b *bol) error {
		b.Vehicles.V = slices.Clone(b.Vehicles.V)
		for i := range b.Vehicles.V {
			if one := &b.Vehicles.V[i]; one.UUID == v.UUID && one.VIN == "" {
				one.VIN = vin
			}
		}

		return nil
	})

	return err
}

// checkOdometer warns of an odometer that shows less at the delivery than at the pickup.
func (k *recorder) checkOdometer(ctx context.Context, row inspection) ([]entryWarning, error) {
	other, err := k.book.rows.inspection(ctx, row.BOL, row.Vehicle, map[stage]stage{atPickup: atDelivery, atDelivery: atPickup}[row.Stage])
	if errors.Is(err, errNone) || err != nil {
		if errors.Is(err, errNone) {
			err = nil
		}

		return nil, err
	}
	before, after := other, row
	if row.Stage == atPickup {
		before, after = row, other
	}
	if before.Odometer == nil || after.Odometer == nil || after.miles() >= before.miles() {
		return nil, nil
	}

	return []entryWarning{{"odometer_back", "odometer", fmt.Sprintf("The odometer shows %d %s at the delivery, less than the %d %s at the pickup. Check the reading.",
		*after.Odometer, after.Unit, *before.Odometer, before.Unit)}}, nil
}

// miles are what the odometer shows, in tenths of a mile, rounded up.
func (i inspection) miles() int64 {
	if i.Unit == "km" {
		return *i.Odometer*6214/1000 + 1 //nolint:mnd // tenths of a mile of a kilometer
	}

	return *i.Odometer * 10 //nolint:mnd // tenths
}

func normalVIN(text string) string { return strings.ToUpper(strings.Join(strings.Fields(text), "")) }

// note keeps a damage.
func (k *recorder) note(ctx context.Context, id uuid.UUID, e damageEntry) (made damaged, err error) {
	d := damaged{
		Stage: e.Stage, Vehicle: e.Vehicle, System: cmp.Or(e.System, "letters"), Code: strings.ToUpper(strings.TrimSpace(e.Code)), Side: cmp.Or(e.Side, "unknown"), X: e.X, Y: e.Y,
		Size: e.Size, Note: strings.TrimSpace(e.Note), Claim: "open",
	}
	if e.ClientID != uuid.Nil {
		d.Client = &e.ClientID
	}
	if d.Title, err = k.title(d); err != nil {
		return made, err
	}
	err = k.book.db.InTx(ctx, func(ctx context.Context) error {
		b, _, row, err := k.inspecting(ctx, id, e.Vehicle, e.Stage)
		if err != nil {
			return err
		}
		n, err := k.book.rows.damageCount(ctx, row.ID)
		if err == nil && n >= mostEntries {
			err = errTooMany.WithMessage("The vehicle has %d damages at the %s already, which is the most.", n, e.Stage)
		}
		if err != nil {
			return err
		}
		d.Inspection, d.BOL, d.Load = row.ID, b.ID, &b.Load
		if e.Stage == atDelivery {
			before, err := k.book.rows.damagesOf(ctx, b.ID)
			if err != nil {
				return err
			}
			d.Existing = slices.ContainsFunc(before, func(other damaged) bool { return other.Stage == atPickup && other.same() == d.same() })
		}
		if made, err = k.book.damages.Create(ctx, d); err != nil {
			return err
		}

		return k.book.bus.Publish(ctx, billsofladingapi.DamageRecorded{About: b.about(), Damage: made.ID.String(), Stage: string(e.Stage), New: e.Stage == atDelivery && !d.Existing})
	})

	return made, err
}

// title is what the code of a damage says. Errors: bills_of_lading.code_unknown, bills_of_lading.invalid_entry.
func (k *recorder) title(d damaged) (string, error) {
	switch d.System {
	case "aiag":
		area, kind, severity, ok := k.book.codes.AIAG(d.Code)
		if !ok {
			return "", errCode.WithField("code", "The code must be five digits of AIAG M-22: area, type and severity, such as 14042.")
		}

		return area.Label + ": " + kind.Label + ", " + severity.Label, nil
	case "letters":
		code, ok := k.book.codes.Letter(d.Code)
		if !ok {
			return "", errCode.WithField("code", "The code must be one of the letters of GET /damage_codes, such as SC.")
		}

		return code.Label, nil
	}
	if d.Note == "" {
		return "", errEntry.WithField("note", "The note is required without a code.")
	}

	return d.Note, nil
}

// erase takes a damage off an inspection that was not signed.
func (k *recorder) erase(ctx context.Context, id uuid.UUID, match web.IfMatch) error {
	return k.book.db.InTx(ctx, func(ctx context.Context) error {
		row, err := k.book.damages.Find(ctx, id)
		if err != nil {
			return err
		}
		if _, _, _, err := k.inspecting(ctx, row.BOL, row.Vehicle, row.Stage); err != nil {
			return err
		}

		return k.book.damages.Delete(ctx, id, match)
	})
}

// picture stores a photo. The same file is kept once for an inspection.
func (k *recorder) picture(ctx context.Context, id uuid.UUID, e photoEntry, content io.Reader) (made photo, err error) {
	if !slices.Contains(subjects, e.Subject) {
		return made, errEntry.WithField("subject", "The subject must be one of "+strings.Join(subjects, ", ")+".")
	}
	var row inspection
	var before photo
	if err := k.book.db.InTx(ctx, func(ctx context.Context) error {
		if _, _, row, err = k.inspecting(ctx, id, e.Vehicle, e.Stage); err != nil {
			return err
		}
		if before, err = k.book.rows.photo(ctx, row.ID, uuid.NewSHA1(row.ID, e.ClientID[:]), ""); !errors.Is(err, errNone) {
			return err // sent before
		}

		return k.room(ctx, row, 0)
	}); err != nil {
		return made, err
	}
	if before.ID != uuid.Nil {
		sum := sha256.New()
		if _, err := io.Copy(sum, content); err != nil {
			return made, err
		}
		if hex.EncodeToString(sum.Sum(nil)) != before.SHA256 {
			return made, errClient.WithField("client_id", "`client_id` was used for another photo. Make up a new one.")
		}

		return before, nil
	}
	n := attachmentsapi.NewFile{
		OwnerType: billsofladingapi.Inspection, OwnerUUID: row.ID.String(), Category: e.Subject, Visibility: attachmentsapi.Carrier, FileName: cmp.Or(e.FileName, e.Subject+".jpg"),
		Types: []string{"image/*"},
	}
	if e.ClientID != uuid.Nil {
		n.UUID = uuid.NewSHA1(row.ID, e.ClientID[:]).String()
	}
	stored, err := k.book.files.Put(ctx, n, content)
	if failure, refused := errors.AsType[*errs.Error](err); refused && errs.IsRefusal(err) && strings.HasPrefix(failure.Code, attachmentsapi.Area+".") {
		return made, errEntry.WithField("file", failure.Message)
	}
	if err != nil {
		return made, err
	}

	return k.keep(ctx, row, stored, e)
}

// room refuses a photo of some bytes for which an inspection, or its bill of lading, has no room.
func (k *recorder) room(ctx context.Context, row inspection, size int64) error {
	n, bytes, err := k.book.rows.photoCount(ctx, row.ID, row.BOL)
	switch {
	case err != nil:
		return err
	case n >= mostEntries:
		return errTooMany.WithMessage("The vehicle has %d photos at the %s already, which is the most.", n, row.Stage)
	case bytes+size > mostBytes:
		return errFull
	}

	return nil
}

// keep keeps what a stored file shows.
func (k *recorder) keep(ctx context.Context, row inspection, stored attachmentsapi.File, e photoEntry) (made photo, err error) {
	err = k.book.db.InTx(ctx, func(ctx context.Context) error {
		if err := k.book.bols.Hold(ctx, row.BOL); err != nil {
			return err
		}
		file := item.ID(stored.UUID)
		if made, err = k.book.rows.photo(ctx, row.ID, file, stored.SHA256); !errors.Is(err, errNone) {
			return err
		}
		if err := k.room(ctx, row, stored.Size); err != nil {
			return err
		}
		b, err := k.book.bols.Find(ctx, row.BOL)
		if err != nil {
			return err
		}
		at, ahead := k.book.when(e.OccurredAt, b)
		made, err = k.book.photos.Create(ctx, photo{
			Inspection: row.ID, BOL: row.BOL, Load: &b.Load, Size: stored.Size, Vehicle: row.Vehicle, Stage: row.Stage, Attachment: file, Subject: e.Subject, Damage: e.Damage, DamageClient: e.DamageClient,
			TakenAt: &at, ClockAhead: ahead, Position: e.Position, SHA256: stored.SHA256,
		})

		return err
	})

	return made, err
}

// onStored keeps the photos that come by an upload link, until the stage is signed.
func (k *recorder) onStored(ctx context.Context, e attachmentsapi.Stored) error {
	if e.OwnerType != billsofladingapi.Inspection || e.UploadLink == "" || !strings.HasPrefix(e.MediaType, "image/") {
		return nil
	}

	return k.book.db.InTx(ctx, func(ctx context.Context) error {
		row, err := k.book.inspections.Find(ctx, item.ID(e.Owner))
		if err != nil {
			return err
		}
		if _, _, _, err := k.inspecting(ctx, row.BOL, row.Vehicle, row.Stage); err != nil {
			if errs.IsRefusal(err) {
				return nil // what was signed stays
			}

			return err
		}
		if _, err = k.keep(ctx, row, attachmentsapi.File{UUID: e.Attachment, SHA256: e.SHA256, Size: e.Size}, photoEntry{Subject: e.Category}); !errs.IsRefusal(err) {
			return err
		}

		return nil // done, or it has no room
	})
}

// submit says that the inspection of a vehicle is complete, if it has all that its type asks for.
func (k *recorder) submit(ctx context.Context, id uuid.UUID, e submitEntry) (row inspection, err error) {
	terms, err := k.book.settings.Read(ctx)
	if err != nil {
		return row, err
	}
	err = k.book.db.InTx(ctx, func(ctx context.Context) error {
		var b bol
		var v cargo
		if b, v, row, err = k.inspecting(ctx, id, e.Vehicle, e.Stage); err != nil || row.State == submitted {
			return err
		}
		damages, err := k.book.rows.damagesOf(ctx, id)
		if err != nil {
			return err
		}
		photos, err := k.book.rows.photosOf(ctx, id)
		if err != nil {
			return err
		}
		if err := gate(terms.Now, b, v, row, damages, photos); err != nil {
			return err
		}
		now := k.book.now()
		at, ahead := k.book.when(e.OccurredAt, b)
		if row, err = k.book.inspections.Change(ctx, row.ID, web.IfMatch{}, verbSubmit, func(_ context.Context, row *inspection) error {
			row.State, row.SubmittedAt, row.ClockAhead = submitted, &now, row.ClockAhead || ahead
			if row.InspectedAt == nil {
				row.InspectedAt = &at
			}

			return nil
		}); err != nil {
			return err
		}

		return k.book.bus.Publish(ctx, billsofladingapi.Submitted{About: b.about(), Inspection: row.ID.String(), Stage: string(row.Stage)})
	})

	return row, err
}

// gate refuses an inspection that lacks what its type asks for, and says what.
func gate(terms preferences, b bol, v cargo, row inspection, damages []damaged, photos []photo) error {
	damages = slices.DeleteFunc(damages, func(d damaged) bool { return d.Inspection != row.ID })
	photos = slices.DeleteFunc(photos, func(p photo) bool { return p.Inspection != row.ID })
	switch b.Inspection {
	case "advanced":
		if have := int64(len(photos)); have < terms.Photos {
			return short(v.text(), have, terms.Photos)
		}
		if row.Position == (field.GeoPoint{}) {
			return errPosition.WithField("position", "Let the page know where you are: "+v.text()+".")
		}
	case "aiag":
		if row.Skipped != "" && len(damages) > 0 {
			return errEntry.WithField("skipped_reason", "A vehicle with damage is not skipped.")
		}
		for _, d := range damages {
			if d.System != "aiag" {
				return errUncoded.WithField("code", "The damage \""+d.Title+"\" needs a code of AIAG M-22.")
			}
			var have int64
			for _, p := range photos {
				if p.shows(d) {
					have++
				}
			}
			if have < terms.DamagePhotos {
				return short(d.Title, have, terms.DamagePhotos)
			}
		}
	}

	return nil
}

// short says how many photos are missing.
func short(of string, have, want int64) *errs.Error {
	left := fmt.Sprintf("%d more photos", want-have)
	if want-have == 1 {
		left = "1 more photo"
	}

	return errPhotos.WithField("photos", fmt.Sprintf("%s: %d of %d photos; %s.", of, have, want, left)).WithDetail("have", have).WithDetail("want", want)
}

// acceptVIN has a vehicle with another VIN than the load's be picked up. A load without its VIN has the one that was found then. Error: errSameVIN.
func (k *recorder) acceptVIN(ctx context.Context, id uuid.UUID, match web.IfMatch, why string) (row inspection, err error) {
	err = k.book.db.InTx(ctx, func(ctx context.Context) error {
		there, err := k.book.inspections.Find(ctx, id)
		if err != nil {
			return err
		}
		if err := k.holdLoad(ctx, there.BOL); err != nil {
			return err
		}
		fresh := false
		if row, err = k.book.inspections.Change(ctx, id, match, verbAccept, func(_ context.Context, row *inspection) error {
			switch row.VINCheck {
			case vinAccepted:
				return nil
			case vinDiffers:
				row.VINCheck, row.VINNote, fresh = vinAccepted, why, true

				return nil
			}

			return errSameVIN
		}); err != nil || !fresh {
			return err
		}
		b, err := k.book.bols.Find(ctx, row.BOL)
		if err != nil {
			return err
		}
		v, err := b.vehicle(row.Vehicle)
		if err != nil || v.VIN != "" {
			return err
		}
		if _, err := k.vins.TakeOver(ctx, b.Load.String(), v.UUID.String(), row.VIN, true); err != nil {
			return err
		}

		return k.name(ctx, b, &v, row.VIN)
	})

	return row, err
}

// onPickingUp refuses to have a vehicle picked up that has another VIN than the load's, whoever says so.
func (k *recorder) onPickingUp(ctx context.Context, p *loadsapi.PickingUp) error {
	bills, err := k.book.rows.live(ctx, item.ID(p.Load))
	if err != nil {
		return err
	}
	for _, b := range bills {
		all, err := k.book.rows.inspectionsOf(ctx, b.ID)
		if err != nil {
			return err
		}
		for _, row := range all {
			if !slices.Contains(p.Vehicles, row.Vehicle.String()) {
				continue
			}
			if wrong := row.differs(b, p.VINs[row.Vehicle.String()]); wrong != nil {
				return wrong
			}
		}
	}

	return nil
}

// differs says that a vehicle has another VIN at the pickup than the load has by now, nil if it has not, or if that was accepted.
func (i inspection) differs(b bol, want string) error {
	want = normalVIN(want)
	if i.Stage != atPickup || i.VINCheck != vinDiffers || i.VIN == want {
		return nil
	}
	name := "vehicle"
	if v, err := b.vehicle(i.Vehicle); err == nil {
		name = v.name()
	}
	wrong := errVIN.WithDetail("vehicle_uuid", i.Vehicle).WithDetail("inspection_uuid", i.ID).WithDetail("vin_scanned", i.VIN).WithDetail("vin", want)
	if want == "" {
		return wrong.WithMessage("The VIN found on the %s is %s. %s Correct the vehicle on the load, or accept the VIN of the inspection.", name, i.VIN, i.VINNote)
	}

	return wrong.WithMessage("The VIN found on the %s is %s, that of the load is %s. Correct the load, or accept the VIN of the inspection.", name, i.VIN, want)
}
