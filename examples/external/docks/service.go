package docks

import (
	"context"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/dispatchd/dispatchd/platform/clock"
	"github.com/dispatchd/dispatchd/platform/database"
)

// service decides; what needs no decision goes from a route to the repository.
type service struct {
	settings   settings
	db         *database.DB
	clock      clock.Clock
	repository *repository
}

func newService(s settings, db *database.DB, c clock.Clock, r *repository) *service {
	return &service{settings: s, db: db, clock: c, repository: r}
}

// create stores a door of the caller's company.
func (s *service) create(ctx context.Context, name string) (door, error) {
	name, err := s.checkName(name)
	if err != nil {
		return door{}, err
	}
	now := s.clock.Now()
	row := door{ID: database.NewID(), Name: name, Version: 1, CreatedAt: now, UpdatedAt: now}
	err = s.db.InTx(ctx, func(ctx context.Context) error { return s.repository.insert(ctx, &row) })

	return row, err
}

// checkName returns the name without surrounding space, or errInvalid.
func (s *service) checkName(name string) (string, error) {
	name = strings.TrimSpace(name)
	if n := utf8.RuneCountInString(name); n < 1 || n > s.settings.MaxName {
		return "", errInvalid.WithField("name", fmt.Sprintf("The name must have 1 to %d characters.", s.settings.MaxName))
	}

	return name, nil
}
