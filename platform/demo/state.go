package demo

import (
	"context"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/platform/errs"
	"github.com/dispatchd/dispatchd/platform/identity"
)

// state says what a run finds.
type state int

const (
	nothingToDo state = iota
	emptyDatabase
	tokenLost
)

// inspectState finds out what is to be done, given whether the token file is lost.
func inspectState(ctx context.Context, who *identity.Service, lost bool) (state, error) {
	empty, err := who.Empty(ctx)
	if err != nil {
		return nothingToDo, err
	}
	if empty {
		return emptyDatabase, nil
	}
	if !lost {
		return nothingToDo, nil
	}
	_, err = who.Company(ctx, uuid.MustParse(CompanyID))
	switch {
	case err == nil:
		return tokenLost, nil
	case errs.KindOf(err) == errs.NotFound:
		return nothingToDo, nil
	default:
		return nothingToDo, err
	}
}
