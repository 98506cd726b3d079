package collection

import (
	"context"
	"slices"

	"github.com/dispatchd/dispatchd/platform/list"
)

// Viewed is a Collection whose lists can be saved as views.
type Viewed interface {
	Collection
	// Listing calls use with what lists of the rows can be asked for now, and returns its error. Errors of its own are those of
	// Describe.
	Listing(ctx context.Context, use func(ctx context.Context, l Listing) error) error
}

// Listing is what lists of a collection can be asked for, at one revision and by one caller.
type Listing struct {
	Info

	// Noun, Under and Part are those of the Description.
	Noun, Under, Part string
	// Own are the names of what every row has beside its fields. They never change, and are not below Under.
	Own []string
	// Keys are those of the fields.
	Keys []string
	// ByKey finds a field by its key as a caller wrote it. ByID finds the field with an ID, or the one that has taken its place.
	ByKey, ByID func(text string) (ListedField, bool)
	// MayShare returns nil if the caller may make, change and delete views that everybody sees.
	MayShare func(ctx context.Context) error
	// Ask checks a query as the list does. The warnings are of parts that no index serves; an error that refuses
	// these comes with them.
	Ask func(ctx context.Context, in *list.Input) ([]list.Warning, error)
}

// ListedField is a field as lists know it: the ID, Key and Sensitive of a Field.
type ListedField struct {
	ID, Key   string
	Sensitive bool
}

// Column is the key by which fields= of a list names a field, or what every row has.
func (l Listing) Column(key string) string {
	if l.Under == "" || l.isOwn(key) {
		return key
	}

	return l.Under + "." + key
}

// IDOf returns the name under which a view keeps what a caller calls key; ok is false for what the caller does not know.
func (l Listing) IDOf(key string) (id string, ok bool) {
	if l.isOwn(key) {
		return key, true
	}
	f, ok := l.ByKey(key)

	return f.ID, ok
}

// KeyOf is the reverse of IDOf: the present key.
func (l Listing) KeyOf(id string) (key string, ok bool) {
	if l.isOwn(id) {
		return id, true
	}
	f, ok := l.ByID(id)

	return f.Key, ok
}

// Hides reports whether values of what a view keeps under a name are kept out of trails: they are sensitive, or of a field that
// is gone and may have been.
func (l Listing) Hides(id string) bool {
	if l.isOwn(id) {
		return false
	}
	f, ok := l.ByID(id)

	return !ok || f.Sensitive
}

func (l Listing) isOwn(name string) bool { return slices.Contains(l.Own, name) }
