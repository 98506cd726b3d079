// Package settings keeps how a company works with an area: one document for each area and company, with defaults, a version and an audit
// trail.
//
//	terms := settings.Of(store, "quotes", defaults)
//	now, err := terms.Read(ctx)
//
// A document is decoded over the defaults, so fields of a later release have theirs. See docs/settings.md.
package settings

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/dispatchd/dispatchd/platform/audit"
	"github.com/dispatchd/dispatchd/platform/clock"
	"github.com/dispatchd/dispatchd/platform/database"
	"github.com/dispatchd/dispatchd/platform/resource/columns"
	"github.com/dispatchd/dispatchd/platform/web"
)

// Store keeps the settings of all areas. It may be used from several goroutines.
type Store struct {
	rows  repository
	db    *database.DB
	audit *audit.Log
	clock clock.Clock
}

// New returns a Store.
func New(db *database.DB, log *audit.Log, c clock.Clock) *Store {
	return &Store{repository{db}, db, log, c}
}

// Settings are those of an area.
type Settings[S any] struct {
	store    *Store
	area     string
	defaults func() S
}

// Of returns the settings of an area. Defaults are those of a company that has changed none; S is a struct that has a JSON.
func Of[S any](s *Store, area string, defaults func() S) *Settings[S] {
	return &Settings[S]{s, area, defaults}
}

// Versioned are settings with their version, 0 for those of a company that has changed none.
type Versioned[S any] struct {
	Now     S
	Version int64
}

// Read returns the settings of the caller's company.
func (s *Settings[S]) Read(ctx context.Context) (Versioned[S], error) {
	v := Versioned[S]{Now: s.defaults()}
	stored, err := s.store.rows.find(ctx, s.area)
	if errors.Is(err, database.ErrNotFound) {
		return v, nil
	}
	if err != nil {
		return v, err
	}
	if v.Now, err = over(v.Now, stored.Body.V); err != nil {
		return v, fmt.Errorf("settings of %s: %w", s.area, err)
	}
	v.Version = stored.Version

	return v, nil
}

// over is a document with the defaults in the place of the fields that it does not have. Fields are taken whole: a list that is decoded into
// another one would keep parts of its entries.
func over[S any](defaults S, stored []byte) (made S, err error) {
	text, err := json.Marshal(defaults)
	if err != nil {
		return made, err
	}
	all := map[string]json.RawMessage{}
	if err := errors.Join(json.Unmarshal(text, &all), json.Unmarshal(stored, &all)); err != nil {
		return made, err
	}
	if text, err = json.Marshal(all); err != nil {
		return made, err
	}

	return made, json.Unmarshal(text, &made)
}

// Change lets do change the settings of the caller's company, and stores them as the next version, with an audit entry. What changes nothing
// stores nothing. Errors: web.stale and those of do, which may run again.
func (s *Settings[S]) Change(ctx context.Context, match web.IfMatch, do func(now *S) error) (Versioned[S], error) {
	var v Versioned[S]
	err := s.store.db.InTx(ctx, func(ctx context.Context) (err error) {
		if err := s.store.rows.hold(ctx, s.area); err != nil {
			return err
		}
		if v, err = s.Read(ctx); err != nil {
			return err
		}
		if err := match.Check(v.Version); err != nil {
			return err
		}
		before, err := json.Marshal(v.Now)
		if err != nil {
			return err
		}
		if err := do(&v.Now); err != nil {
			return err
		}
		after, err := json.Marshal(v.Now)
		if err != nil || bytes.Equal(before, after) {
			return err
		}
		changes, err := changesOf(before, after)
		if err != nil {
			return err
		}
		v.Version++
		if err := s.store.rows.save(ctx, row{Area: s.area, Body: columns.JSON[json.RawMessage]{V: after}, Version: v.Version, UpdatedAt: s.store.clock.Now()}); err != nil {
			return err
		}

		return s.store.audit.Record(ctx, audit.Entry{Action: s.area + ".settings_changed", Changes: changes})
	})

	return v, err
}

// changesOf are the fields that differ between two documents.
func changesOf(before, after []byte) (map[string]audit.Change, error) {
	var was, is map[string]json.RawMessage
	if err := errors.Join(json.Unmarshal(before, &was), json.Unmarshal(after, &is)); err != nil {
		return nil, err
	}
	changes := map[string]audit.Change{}
	for key, value := range is {
		if !bytes.Equal(was[key], value) {
			changes[key] = audit.Change{Before: was[key], After: value}
		}
	}

	return changes, nil
}
