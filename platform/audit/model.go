package audit

import (
	"crypto/sha256"
	"encoding/json"
	"time"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/platform/database"
)

// entryRow is a row of audit_entries with its seal, as the view audit_trail has it. Entries of nobody's company, the operator's for one,
// have the company uuid.Nil. Seq and Hash are nil until the entry is sealed.
type entryRow struct {
	database.Tenant

	ID        uuid.UUID `gorm:"primaryKey"`
	Seq       *int64
	At        time.Time
	Action    string
	Operation string
	ItemType  string
	ItemID    *uuid.UUID
	ItemPart  string
	Changes   string
	ActorKind string
	ActorID   *uuid.UUID
	TokenID   *uuid.UUID
	RequestID string
	Address   string
	Hash      []byte
}

// TableName implements gorm's Tabler.
func (entryRow) TableName() string { return "audit_trail" }

// headRow is a row of audit_heads: the last number and hash of a company's chain.
type headRow struct {
	database.Tenant

	Seq  int64
	Hash []byte
}

// TableName implements gorm's Tabler.
func (headRow) TableName() string { return "audit_heads" }

// content is what the hash of an entry covers, in the order in which it is written. A change of it
// breaks every chain.
type content struct {
	Company   uuid.UUID  `json:"company"`
	ID        uuid.UUID  `json:"id"`
	At        int64      `json:"at"`
	Action    string     `json:"action"`
	Operation string     `json:"operation"`
	ItemType  string     `json:"item_type"`
	ItemID    *uuid.UUID `json:"item"`
	ItemPart  string     `json:"part,omitempty"`
	Changes   string     `json:"changes"`
	ActorKind string     `json:"actor_kind"`
	ActorID   *uuid.UUID `json:"actor"`
	TokenID   *uuid.UUID `json:"token"`
	RequestID string     `json:"request"`
	Address   string     `json:"address"`
}

// digest is the SHA-256 of the entry's content.
func (e entryRow) digest() ([]byte, error) {
	text, err := json.Marshal(content{
		Company: e.CompanyID, ID: e.ID, At: e.At.UnixMicro(), Action: e.Action, Operation: e.Operation,
		ItemType: e.ItemType, ItemID: e.ItemID, ItemPart: e.ItemPart, Changes: e.Changes,
		ActorKind: e.ActorKind, ActorID: e.ActorID, TokenID: e.TokenID,
		RequestID: e.RequestID, Address: e.Address,
	})
	sum := sha256.Sum256(text)

	return sum[:], err
}

// genesisHash stands for the hash of the entry before a company's first.
func genesisHash(company uuid.UUID) []byte {
	sum := sha256.Sum256(append([]byte("dispatchd audit 1 "), company[:]...))

	return sum[:]
}

// chainHash is the hash of an entry with that digest, after one with the hash previous.
func chainHash(previous, digest []byte) []byte {
	sum := sha256.Sum256(append(append(make([]byte, 0, 2*sha256.Size), previous...), digest...))

	return sum[:]
}

// Recorded is an entry as it is kept.
type Recorded struct {
	ID uuid.UUID
	// Seq numbers the entries of a company from 1; it and Hash are zero until the entry is sealed.
	Seq       int64
	At        time.Time
	Action    string
	Operation string
	Item      Item
	// Changes is a JSON object, nil if there are none.
	Changes   json.RawMessage
	ActorKind string
	// Actor and Token are uuid.Nil if there was none.
	Actor, Token uuid.UUID
	RequestID    string
	Address      string
	Hash         []byte
}

func (e entryRow) recorded() Recorded {
	r := Recorded{
		ID: e.ID, At: e.At, Action: e.Action, Operation: e.Operation,
		Item: Item{Type: e.ItemType, UUID: orNil(e.ItemID), Part: e.ItemPart}, ActorKind: e.ActorKind,
		Actor: orNil(e.ActorID), Token: orNil(e.TokenID), RequestID: e.RequestID, Address: e.Address, Hash: e.Hash,
	}
	if e.Seq != nil {
		r.Seq = *e.Seq
	}
	if e.Changes != "" {
		r.Changes = json.RawMessage(e.Changes)
	}

	return r
}

func orNil(id *uuid.UUID) uuid.UUID {
	if id == nil {
		return uuid.Nil
	}

	return *id
}
