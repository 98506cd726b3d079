package state

import (
	"time"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/platform/database"
)

// logRow is a row of state_log.
type logRow struct {
	database.Tenant

	ItemType  string
	ItemID    uuid.UUID
	Seq       int64
	FromState string
	ToState   string
	Verb      string
	ActorKind string
	ActorID   *uuid.UUID
	Party     string
	Reason    string
	At        time.Time
	ID        uuid.UUID `gorm:"primaryKey"`
	ItemPart  string    // see Move
}

// TableName implements gorm's Tabler.
func (logRow) TableName() string { return "state_log" }

// Transition is a move that happened.
type Transition struct {
	From, To, Verb string
	// ActorKind says what moved it; Actor is the user, uuid.Nil if it was none.
	ActorKind     string
	Actor         uuid.UUID
	Party, Reason string
	At            time.Time
}

func (r logRow) transition() Transition {
	t := Transition{
		From: r.FromState, To: r.ToState, Verb: r.Verb, ActorKind: r.ActorKind,
		Party: r.Party, Reason: r.Reason, At: r.At,
	}
	if r.ActorID != nil {
		t.Actor = *r.ActorID
	}

	return t
}
