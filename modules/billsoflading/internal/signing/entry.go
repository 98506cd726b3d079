package signing

import (
	"cmp"
	"regexp"
	"strings"
	"time"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/billsoflading/internal/store"
	"github.com/dispatchd/dispatchd/platform/field"
)

// carrier is the party of a load that its drivers act for.
const carrier = "carrier"

// Statement is what a role signs at a stage.
func Statement(s store.Stage, role string) string {
	switch {
	case role == store.Driver && s == store.AtPickup:
		return "I have received the vehicles of this bill of lading in the condition that is noted here."
	case role == store.Driver:
		return "I have delivered the vehicles of this bill of lading in the condition that is noted here."
	case s == store.AtPickup:
		return "I have released the vehicles of this bill of lading in the condition that is noted here."
	}

	return "I have received the vehicles of this bill of lading in the condition that is noted here."
}

// Entry is a signature.
type Entry struct {
	ClientID   uuid.UUID      `json:"client_id,omitzero" doc:"A uuid made up by the phone: repeating the entry changes nothing."`
	OccurredAt time.Time      `json:"occurred_at,omitzero" doc:"By the clock of the phone; by default now."`
	BOL        uuid.UUID      `json:"bol_uuid,omitzero" doc:"By a driver's link, which of the bills of lading; else that of the path."`
	Stage      store.Stage    `json:"stage" enum:"pickup,delivery"`
	Role       string         `json:"role" enum:"driver,releasing,receiving"`
	Name       string         `json:"name,omitempty" maxLength:"200"`
	Title      string         `json:"title,omitempty" maxLength:"100"`
	Method     string         `json:"method,omitempty" enum:"drawn,typed,not_available" default:"typed"`
	Reason     string         `json:"reason,omitempty" maxLength:"500" doc:"Required for not_available, which the inspection type standard alone allows."`
	Strokes    string         `json:"strokes,omitempty" maxLength:"65536" doc:"Required for drawn: the data of an SVG path on a field of 600 by 200, of M and L with whole numbers." example:"M10 10L20 15L30 12"`
	Position   field.GeoPoint `json:"position,omitzero"`
}

// SchemaName is the name of the body in the OpenAPI document.
func (Entry) SchemaName() string { return "BOLSignatureEntry" }

// strokesRule lets in the data of a path, and nothing that a browser would run or load.
var strokesRule = regexp.MustCompile(`^(?:[ML]\d{1,4} \d{1,4})+$`)

// check refuses what is no signature.
func (e *Entry) check(b store.Bol) error {
	wrong := store.ErrInvalidSignature
	e.Name, e.Reason, e.Method = strings.TrimSpace(e.Name), strings.TrimSpace(e.Reason), cmp.Or(e.Method, store.Typed)
	if e.Role != store.Driver && e.Role != e.Stage.Counterpart() {
		wrong = wrong.WithField("role", "At the "+string(e.Stage)+", the driver and the "+e.Stage.Counterpart()+" person sign.")
	}
	if e.Name == "" && e.Method != store.NotAvailable {
		wrong = wrong.WithField("name", "The name is required.")
	}
	if e.Method == store.Drawn && (!strokesRule.MatchString(e.Strokes) || !strings.Contains(e.Strokes, "L")) {
		wrong = wrong.WithField("strokes", "The strokes must be path data with a line at least, such as M10 10L20 15.")
	}
	if e.Method != store.Drawn && e.Strokes != "" {
		wrong = wrong.WithField("strokes", "Only a drawn signature has strokes.")
	}
	if e.Method == store.NotAvailable && e.Role == store.Driver {
		wrong = wrong.WithField("method", "The driver signs.")
	}
	if e.Method == store.NotAvailable && e.Reason == "" {
		wrong = wrong.WithField("reason", "Say why no one can sign, such as a night drop.")
	}
	if len(wrong.Fields) > 0 {
		return wrong
	}
	if e.Method == store.NotAvailable && b.Inspection != store.Standard {
		return store.ErrSignatureNeeded.WithField("method", "Loads with an inspection of the type "+b.Inspection+" need a signature.")
	}

	return nil
}
