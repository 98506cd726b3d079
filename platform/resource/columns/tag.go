package columns

import (
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/danielgtaylor/huma/v2"

	"github.com/dispatchd/dispatchd/platform/kind"
)

// readTag reads the words of the tag field.
func (f *Field) readTag(tag string) error {
	f.OnDelete = Restrict
	for word := range strings.SplitSeq(tag, ",") {
		name, value, valued := strings.Cut(strings.TrimSpace(word), "=")
		switch trait := f.trait(name); {
		case word == "":
		case trait != nil && !valued:
			*trait = true
		case !valued:
			return fmt.Errorf("field:%q: %q is no word of it", tag, word)
		default:
			if err := f.set(name, value); err != nil {
				return fmt.Errorf("field:%q: %w", tag, err)
			}
		}
	}
	if f.Sensitive {
		f.Guard = sensitiveGuard
	}
	if f.Kind == kind.Text && f.values == nil && !f.ReadOnly {
		f.describe(func(s *huma.Schema) {
			if s.MaxLength == nil && s.Enum == nil {
				s.MaxLength = new(defaultMaxLength)
			}
		})
	}

	return nil
}

// trait is what a word without a value sets, nil for a word that there is not.
func (f *Field) trait(name string) *bool {
	switch name {
	case "required":
		return &f.Required
	case "unique":
		return &f.Unique
	case "sort":
		return &f.Sort
	case "search":
		return &f.search
	case "title":
		return &f.title
	case "nofilter":
		return &f.NoFilter
	case "readonly":
		return &f.ReadOnly
	case "fixed":
		return &f.Fixed
	case "sensitive":
		return &f.Sensitive
	case "personal":
		return &f.Personal
	case "user":
		return &f.User
	case "expires":
		return &f.Expires
	case "verbatim":
		return &f.verbatim
	case "part":
		return &f.Part
	case "filled":
		return &f.filled
	default:
		return nil
	}
}

// set takes a word that has a value.
func (f *Field) set(name, value string) error {
	switch name {
	case "min", "max":
		return f.bound(name == "max", value)
	case "default":
		if f.preset = []byte(value); !json.Valid(f.preset) {
			f.preset = []byte(strconv.Quote(value))
		}
		f.describe(func(s *huma.Schema) { s.Default = json.RawMessage(f.preset) })
	case "filled":
		if value != "company" || !f.currency {
			return fmt.Errorf("unknown filled=%s: want filled=company of a money.Currency", value)
		}
		f.usual = true
	case "item":
		f.Item = value
	case "scope":
		f.Guard = value
	case "unique":
		if value != "folded" {
			return fmt.Errorf("unknown unique=%s: want unique=folded", value)
		}
		f.Unique, f.folded = true, true
	case "on_delete":
		f.OnDelete = OnDelete(value)
	case "by":
		f.By, f.ReadOnly = value, true
	case "number":
		f.Number, f.ReadOnly = value, true
	default:
		return fmt.Errorf("%q is no word of it", name)
	}

	return nil
}

// bound sets a bound of a number, of the length of a text, or of the entries of a list.
func (f *Field) bound(most bool, value string) error {
	n, err := strconv.Atoi(value)
	if err != nil {
		return fmt.Errorf("want a whole number as a bound, got %q", value)
	}
	number := float64(n)
	switch {
	case f.Kind == kind.Integer && most:
		f.describe(func(s *huma.Schema) { s.Maximum = &number })
	case f.Kind == kind.Integer:
		f.describe(func(s *huma.Schema) { s.Minimum = &number })
	case f.Kind == kind.Text && most:
		f.describe(func(s *huma.Schema) { s.MaxLength = &n })
	case f.Kind == kind.Text:
		f.describe(func(s *huma.Schema) { s.MinLength = &n })
	case !f.list:
		return errors.New("min and max need a number, a text or a list")
	case most:
		f.describe(func(s *huma.Schema) { s.MaxItems = &n })
	default:
		f.describe(func(s *huma.Schema) { s.MinItems = &n })
	}

	return nil
}

// check reports words that do not go together.
func (f *Field) check() error {
	switch {
	case f.Sensitive && !f.nullable:
		return errors.New("a sensitive field is null for those who may not see it: want a pointer, or a type that can be null")
	case f.Sensitive && (f.search || f.Sort || f.title || f.Unique):
		return errors.New("a sensitive field cannot be searched, sorted by, unique or the title: that would reveal its values")
	case f.Guard != "" && (f.search || f.title || f.Unique || f.Part || f.Expires || f.Required):
		return errors.New("a field with a scope cannot be required, searched, unique, the title, a part or expire: that would reveal its values")
	case (f.Item != "" || f.User) && f.Kind != kind.UUID:
		return errors.New("a reference to a user or an item is a UUID: want *uuid.UUID, or uuid.UUID if it is required")
	case f.Item != "" && (!strings.HasSuffix(f.Key, "_uuid") || !strings.Contains(f.Item, ".")):
		return errors.New("a reference has a key that ends in _uuid, and names a type of items such as yard.spot")
	case f.folded && (f.Kind != kind.Text || f.nullable):
		return errors.New("unique=folded needs a text that is not null")
	case f.OnDelete != Restrict && f.OnDelete != Clear && f.OnDelete != Remove:
		return fmt.Errorf("on_delete is restrict, clear or remove, not %q", f.OnDelete)
	case f.OnDelete == Clear && (f.Required || !f.nullable):
		return errors.New("on_delete=clear: a required reference cannot be cleared")
	case f.Required && f.ReadOnly:
		return errors.New("required and readonly exclude each other: callers cannot set a readonly field")
	case (f.Sort || f.Unique || f.title || f.search) && !f.Kind.Comparable():
		return errors.New("its values cannot be compared: it cannot be sorted by, unique, the title or searched")
	case f.Part && (f.Kind != kind.Text || f.Sensitive):
		return errors.New("the part of a class of items is a text that is not sensitive")
	case (f.search && f.Item == "" || f.title) && f.Kind != kind.Text:
		return errors.New("search and title need a text, or search a reference to an item")
	case f.Expires && (f.Kind != kind.Date || f.values == nil || f.Sensitive):
		return errors.New("expires needs a field.Date that is not sensitive: an event contains it")
	case f.verbatim && (f.Kind != kind.Text || f.values != nil || f.Unique):
		return errors.New("verbatim needs a plain text that is not unique")
	case f.Number != "" && f.Kind != kind.Text:
		return errors.New("a number of a series is a string")
	case f.Item == "" && f.Kind == kind.UUID && !f.nullable && !f.Required && !f.ReadOnly:
		return errors.New("an optional UUID is a *uuid.UUID")
	default:
		return nil
	}
}
