package billsoflading

import (
	"cmp"
	"context"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/billsoflading/billsofladingapi"
	"github.com/dispatchd/dispatchd/modules/loads/loadsapi"
	"github.com/dispatchd/dispatchd/platform/clock"
	"github.com/dispatchd/dispatchd/platform/errs"
	"github.com/dispatchd/dispatchd/platform/events"
	"github.com/dispatchd/dispatchd/platform/field"
	"github.com/dispatchd/dispatchd/platform/link"
	"github.com/dispatchd/dispatchd/platform/resource"
	"github.com/dispatchd/dispatchd/platform/state"
	"github.com/dispatchd/dispatchd/platform/web"
)

// signature is a row of bills_of_lading_signatures: what somebody signed, or why nobody did. There is one at most of a role at a stage.
type signature struct {
	resource.Row

	BOL        uuid.UUID      `json:"bol_uuid" gorm:"column:bol_id" field:"required,fixed,item=bills_of_lading.bol"`
	Load       uuid.UUID      `json:"load_uuid" gorm:"column:load_id" field:"readonly"`
	Stage      stage          `json:"stage" field:"required,fixed,sort" enum:"pickup,delivery"`
	Role       string         `json:"role" field:"required,fixed,sort" enum:"driver,releasing,receiving"`
	Name       string         `json:"name" field:"readonly,personal,title"`
	Position   string         `json:"title" gorm:"column:title" field:"readonly"`
	Method     string         `json:"method" field:"readonly" enum:"drawn,typed,not_available" doc:"typed: the name is the signature. not_available: nobody was there to sign."`
	Touchless  bool           `json:"touchless" field:"readonly" doc:"Whether it was signed by a link, on the signer's own device."`
	Reason     string         `json:"reason" field:"readonly,nofilter" doc:"Why nobody could sign."`
	Strokes    string         `json:"strokes" field:"readonly,nofilter,personal" doc:"What was drawn, as the data of an SVG path on a field of 600 by 200: M and L with whole numbers."`
	Statement  string         `json:"statement" field:"readonly,nofilter" doc:"What was signed, as it was shown."`
	SignedAt   *time.Time     `json:"signed_at" field:"readonly,sort" doc:"By the clock of the phone."`
	ClockAhead bool           `json:"clock_ahead" field:"readonly"`
	Place      field.GeoPoint `json:"position" gorm:"column:position" field:"readonly"`
	Address    string         `json:"ip_address" gorm:"column:ip_address" field:"readonly,personal"`
}

// TableName implements GORM's naming.
func (signature) TableName() string { return "bills_of_lading_signatures" }

func (s signature) event() events.Event {
	return billsofladingapi.Signed{About: billsofladingapi.About{BOL: s.BOL.String(), Load: s.Load.String()}, Stage: string(s.Stage), Role: s.Role}
}

// The roles of signers, and how they sign.
const (
	driver       = "driver"
	releasing    = "releasing"
	receiving    = "receiving"
	drawn        = "drawn"
	typed        = "typed"
	notAvailable = "not_available"
)

// counterpart is who signs beside the driver.
func (s stage) counterpart() string {
	if s == atPickup {
		return releasing
	}

	return receiving
}

// statement is what is signed.
func (s stage) statement(role string) string {
	switch {
	case role == driver && s == atPickup:
		return "I have received the vehicles of this bill of lading in the condition that is noted here."
	case role == driver:
		return "I have delivered the vehicles of this bill of lading in the condition that is noted here."
	case s == atPickup:
		return "I have released the vehicles of this bill of lading in the condition that is noted here."
	}

	return "I have received the vehicles of this bill of lading in the condition that is noted here."
}

// signatureEntry is what somebody signs.
type signatureEntry struct {
	ClientID   uuid.UUID      `json:"client_id,omitzero" doc:"A uuid made up by the phone: repeating the entry changes nothing."`
	OccurredAt time.Time      `json:"occurred_at,omitzero" doc:"By the clock of the phone; by default now."`
	BOL        uuid.UUID      `json:"bol_uuid,omitzero" doc:"By a driver's link, which of the bills of lading; else that of the path."`
	Stage      stage          `json:"stage" enum:"pickup,delivery"`
	Role       string         `json:"role" enum:"driver,releasing,receiving"`
	Name       string         `json:"name,omitempty" maxLength:"200"`
	Title      string         `json:"title,omitempty" maxLength:"100"`
	Method     string         `json:"method,omitempty" enum:"drawn,typed,not_available" default:"typed"`
	Reason     string         `json:"reason,omitempty" maxLength:"500" doc:"Required for not_available, which the inspection type standard alone allows."`
	Strokes    string         `json:"strokes,omitempty" maxLength:"65536" doc:"Required for drawn: the data of an SVG path on a field of 600 by 200, of M and L with whole numbers." example:"M10 10L20 15L30 12"`
	Position   field.GeoPoint `json:"position,omitzero"`
}

// SchemaName is the name of the body in the OpenAPI document.
func (signatureEntry) SchemaName() string { return "BOLSignatureEntry" }

// strokesRule lets in the data of a path, and nothing that a browser would run or load.
var strokesRule = regexp.MustCompile(`^(?:[ML]\d{1,4} \d{1,4})+$`)

var (
	errSignature = errs.New(errs.Invalid, "bills_of_lading.signature_needed", "The customer's signature is needed.")
	errWrongSign = errs.New(errs.Invalid, "bills_of_lading.invalid_signature", "The given data was invalid.")
)

// check refuses what is no signature.
func (e *signatureEntry) check(b bol) error {
	wrong := errWrongSign
	e.Name, e.Reason, e.Method = strings.TrimSpace(e.Name), strings.TrimSpace(e.Reason), cmp.Or(e.Method, typed)
	if e.Role != driver && e.Role != e.Stage.counterpart() {
		wrong = wrong.WithField("role", "At the "+string(e.Stage)+", the driver and the "+e.Stage.counterpart()+" person sign.")
	}
	if e.Name == "" && e.Method != notAvailable {
		wrong = wrong.WithField("name", "The name is required.")
	}
	if e.Method == drawn && (!strokesRule.MatchString(e.Strokes) || !strings.Contains(e.Strokes, "L")) {
		wrong = wrong.WithField("strokes", "The strokes must be path data with a line at least, such as M10 10L20 15.")
	}
	if e.Method != drawn && e.Strokes != "" {
		wrong = wrong.WithField("strokes", "Only a drawn signature has strokes.")
	}
	if e.Method == notAvailable && e.Role == driver {
		wrong = wrong.WithField("method", "The driver signs.")
	}
	if e.Method == notAvailable && e.Reason == "" {
		wrong = wrong.WithField("reason", "Say why nobody can sign, such as a night drop.")
	}
	if len(wrong.Fields) > 0 {
		return wrong
	}
	if e.Method == notAvailable && b.Inspection != standard {
		return errSignature.WithField("method", "Loads with an inspection of the type "+b.Inspection+" need a signature.")
	}

	return nil
}

// sign keeps a signature. When the driver and the other side have signed, the vehicles have changed hands.
func (k *book) sign(ctx context.Context, e signatureEntry, touchless bool) (made signature, err error) {
	err = k.db.InTx(ctx, func(ctx context.Context) error {
		b, err := k.bols.Find(ctx, e.BOL)
		if err != nil {
			return err
		}
		of, err := k.standings.Held(ctx, b.Load.String())
		if err != nil {
			return err
		}
		if e.Stage == atPickup && !b.signed() && carried(of) && b.of(of) { // so that what is signed is what the load says by now
			if err := k.reconcile(ctx, of); err != nil {
				return err
			}
		}
		if err := k.bols.Hold(ctx, e.BOL); err != nil {
			return err
		}
		if b, err = k.bols.Find(ctx, e.BOL); err != nil {
			return err
		}
		if err := e.check(b); err != nil {
			return err
		}
		if b, err = k.signable(ctx, b, e.Stage); err != nil {
			return err
		}
		if !carried(of) || !b.of(of) {
			return errTakenBack
		}
		all, err := k.rows.signaturesOf(ctx, b.ID)
		if err != nil {
			return err
		}
		if slices.ContainsFunc(all, func(s signature) bool { return s.Stage == e.Stage && s.Role == e.Role }) {
			return errSigned.WithMessage("The %s has signed at the %s already.", e.Role, e.Stage)
		}
		if err := k.complete(ctx, b, e.Stage); err != nil {
			return err
		}
		at, ahead := k.when(e.OccurredAt, b)
		if made, err = k.signatures.Create(ctx, signature{
			BOL: b.ID, Load: b.Load, Stage: e.Stage, Role: e.Role, Name: e.Name, Position: e.Title, Method: e.Method, Touchless: touchless, Reason: e.Reason, Strokes: e.Strokes,
			Statement: e.Stage.statement(e.Role), SignedAt: &at, ClockAhead: ahead, Place: e.Position, Address: web.ClientIP(ctx),
		}); err != nil {
			return err
		}
		if !slices.ContainsFunc(all, func(s signature) bool { return s.Stage == e.Stage && s.Role != e.Role }) {
			return nil
		}

		return k.handOver(ctx, b, e.Stage, at)
	})

	return made, err
}

// signable is a bill of lading that can be signed at a stage; a draft is issued.
func (k *book) signable(ctx context.Context, b bol, at stage) (bol, error) {
	switch {
	case b.due() == atDelivery && at == atPickup, b.State == deliverySigned, b.State == closed, b.State == transferred:
		return b, errSigned
	case b.State == voided:
		return b, errVoid
	case b.due() != at:
		return b, errStage
	case b.State == draft:
		return k.issue(ctx, b.ID, web.IfMatch{})
	}

	return b, nil
}

// handOver has the vehicles be with the carrier, or delivered.
func (k *book) handOver(ctx context.Context, b bol, at stage, when time.Time) error {
	verb := verbPickup
	if at == atDelivery {
		verb = verbDelivery
	}
	if _, err := k.bols.Change(ctx, b.ID, web.IfMatch{}, verb, func(ctx context.Context, b *bol) error {
		if at == atPickup {
			b.PickupAt = &when
		} else {
			b.DeliveryAt = &when
		}

		return k.bols.Step(ctx, b, state.Move{Verb: string(verb), Party: carrier})
	}); err != nil {
		return err
	}
	if _, err := k.links.RevokeAll(ctx, signing, link.Subject{Type: billsofladingapi.BOL, ID: b.ID}); err != nil {
		return err
	}
	said := loadsapi.Moved{At: when, Note: b.Number + " was signed.", Party: carrier}
	for _, v := range b.Vehicles.V {
		said.Vehicles = append(said.Vehicles, v.UUID.String())
	}
	move := k.carriage.PickUp
	if at == atDelivery {
		move = k.carriage.Deliver
	}
	if err := move(ctx, b.Load.String(), said); err != nil {
		return err
	}

	return k.queue.Enqueue(ctx, printing{b.ID, at})
}

// complete refuses a bill of lading of which not all vehicles are inspected, or one is another than the load's.
func (k *book) complete(ctx context.Context, b bol, at stage) error {
	all, err := k.rows.inspectionsOf(ctx, b.ID)
	if err != nil {
		return err
	}
	wrong := errUnsent
	var differs error
	for i, v := range b.Vehicles.V {
		n := slices.IndexFunc(all, func(row inspection) bool { return row.Vehicle == v.UUID && row.Stage == at })
		if n < 0 || all[n].State != submitted {
			wrong = wrong.WithField("vehicles."+strconv.Itoa(i), "The vehicle is not inspected: "+v.text()+".")

			continue
		}
		if differs == nil && at == atPickup {
			differs = all[n].differs(b, v.VIN)
		}
	}
	if len(wrong.Fields) > 0 {
		return wrong
	}

	return differs
}

// when is when something happened at a bill of lading by the clock of a phone. A clock that is more than ten minutes ahead is not believed, nor is one
// that is more than a day behind the bill, which may have taken the place of another, or at the delivery behind the pickup.
func (k *book) when(said time.Time, b bol) (at time.Time, wrong bool) {
	now, earliest := k.now(), b.CreatedAt.Add(-mostBehind)
	if b.State == pickupSigned && b.PickupAt != nil {
		earliest = *b.PickupAt
	}
	if said.IsZero() {
		return now, false
	}
	if said.After(now.Add(mostAhead)) || said.Before(earliest) {
		return now, true
	}

	return clock.Stamp(said), false
}

const (
	mostAhead  = 10 * time.Minute
	mostBehind = 24 * time.Hour
)
