package item

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"strings"

	"github.com/google/uuid"
)

// Ref names an item: {"type": "loads.load", "uuid": "…"}. That there is such an item is another
// question, see Registry.Exists.
type Ref struct {
	Type string    `json:"type" pattern:"^[a-z][a-z0-9_]{0,39}\\.[a-z][a-z0-9_]{0,39}$" patternDescription:"an area and a thing with a dot between them" doc:"Type of the item, as <area>.<thing>."`
	UUID uuid.UUID `json:"uuid" doc:"Id of the item."`
}

// typePattern is what the name of a type looks like: the area's id, and the thing.
var typePattern = regexp.MustCompile(`^[a-z][a-z0-9_]{0,39}\.[a-z][a-z0-9_]{0,39}$`)

// String returns "loads.load 0190f6a4-…", for messages and logs.
func (r Ref) String() string { return r.Type + " " + r.UUID.String() }

// Area returns the id of the area that the item belongs to.
func (r Ref) Area() string { return areaOf(r.Type) }

func areaOf(typ string) string {
	area, _, _ := strings.Cut(typ, ".")

	return area
}

// UnmarshalJSON implements json.Unmarshaler. It takes an object with just these two keys, a type of
// the form <area>.<thing>, and a UUID in its usual form that is not all zeros.
func (r *Ref) UnmarshalJSON(text []byte) error {
	if string(text) == "null" { // as every type does, by the convention of encoding/json
		return nil
	}
	var given struct {
		Type string `json:"type"`
		UUID string `json:"uuid"`
	}
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&given); err != nil {
		return fmt.Errorf("item: %w", err)
	}
	if !typePattern.MatchString(given.Type) {
		return errors.New(`item: type: want <area>.<thing>, such as "yard.spot"`)
	}
	id, err := uuid.Parse(given.UUID)
	if err != nil || len(given.UUID) != len(id.String()) || id == uuid.Nil {
		return errors.New("item: uuid: want a UUID")
	}
	*r = Ref{Type: given.Type, UUID: id}

	return nil
}

// ID is an id that a contract of areas has as a text, uuid.Nil for what is none.
func ID(text string) uuid.UUID {
	id, err := uuid.Parse(text)
	if err != nil {
		return uuid.Nil
	}

	return id
}
