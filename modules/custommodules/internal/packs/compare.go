package packs

import (
	"bytes"
	"encoding/json"
	"reflect"
	"slices"
	"strings"
)

// offers is the attribute whose value is a list of options, each with an id.
const offers = "options.options"

// Attributes are what a definition says, by name; those of options as "options.<name>".
type Attributes map[string]json.RawMessage

// Difference is an attribute that differs.
type Difference struct {
	What   string          `json:"what"`
	Before json.RawMessage `json:"before" doc:"The company's value."`
	After  json.RawMessage `json:"after" doc:"The pack's value."`
}

// Attributes are what a field says, but for its key.
func (f *Field) Attributes() Attributes {
	all := flatten(f)
	delete(all, "key")
	delete(all, "options")
	for name, raw := range f.Options {
		all["options."+name] = raw
	}

	return all
}

// Attributes are what a module says, but for its key and its fields.
func (m *Module) Attributes() Attributes {
	all := flatten(m)
	delete(all, "key")
	delete(all, "fields")

	return all
}

func flatten(definition any) Attributes {
	all := Attributes{}
	DecodeJSON(EncodeJSON(definition), &all)

	return all
}

// Compare says what a pack changes of a definition. What the company itself has changed since base, which is
// what an earlier version of the pack said, stays and is returned as kept; with overwrite, or without a base, the
// pack's word counts.
func Compare(present, base, pack Attributes, overwrite bool) (changes, kept []Difference) {
	names := map[string]bool{}
	for name := range present {
		names[name] = true
	}
	for name := range pack {
		names[name] = true
	}
	sorted := make([]string, 0, len(names))
	for name := range names {
		sorted = append(sorted, name)
	}
	slices.Sort(sorted)
	for _, name := range sorted {
		own := base != nil && !overwrite && !EqualJSON(present[name], base[name])
		c := Difference{What: name, Before: present[name], After: pack[name]}
		switch {
		case name == offers:
			c.After = mergeOffers(present[name], base[name], pack[name], base != nil && !overwrite)
		case own && !EqualJSON(c.Before, c.After):
			kept = append(kept, c)

			continue
		}
		if !EqualJSON(c.Before, c.After) {
			changes = append(changes, c)
		}
	}

	return changes, kept
}

// EqualJSON reports whether two values mean the same. What is not there is null.
func EqualJSON(a, b json.RawMessage) bool {
	return bytes.Equal(a, b) || reflect.DeepEqual(parseJSON(a), parseJSON(b))
}

func parseJSON(raw json.RawMessage) any {
	decoder := json.NewDecoder(bytes.NewReader(raw))
	decoder.UseNumber()
	var value any
	if decoder.Decode(&value) != nil {
		return nil
	}

	return value
}

// mergeOffers brings the options of a pack to those that a field has. None is taken away: records may have it.
// With keep, one that the company has changed since base stays unchanged, and one that it has removed is
// not brought back.
func mergeOffers(present, base, pack json.RawMessage, keep bool) json.RawMessage {
	had, theirs, before := offersOf(present), offersOf(pack), offersOf(base)
	merged := slices.Clone(had)
	for _, offer := range theirs {
		at := slices.IndexFunc(merged, offer.same)
		was := slices.IndexFunc(before, offer.same)
		switch {
		case at < 0 && keep && was >= 0:
		case at < 0:
			merged = append(merged, offer)
		case keep && (was < 0 || !EqualJSON(before[was].raw, merged[at].raw)):
		default:
			merged[at] = offer
		}
	}
	out := make([]json.RawMessage, len(merged))
	for i, offer := range merged {
		out[i] = offer.raw
	}
	return EncodeJSON(out)
}

type offer struct {
	id  string
	raw json.RawMessage
}

func (o offer) same(other offer) bool { return strings.EqualFold(o.id, other.id) }

func offersOf(raw json.RawMessage) []offer {
	var list []json.RawMessage
	DecodeJSON(raw, &list)
	all := make([]offer, 0, len(list))
	for _, one := range list {
		var named struct {
			ID string `json:"id"`
		}
		DecodeJSON(one, &named)
		all = append(all, offer{named.ID, one})
	}

	return all
}
