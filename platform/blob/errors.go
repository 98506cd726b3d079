package blob

import (
	"context"
	"errors"
	"syscall"
	"time"

	"gocloud.dev/gcerrors"

	"github.com/dispatchd/dispatchd/platform/errs"
)

var (
	// ErrFull says that there is no room left where files are kept.
	ErrFull = errs.New(errs.Unavailable, "blob.full", "The file storage is full. Nothing was stored; contact the operator of the service.").
		WithRetryAfter(time.Minute)
	// ErrUnavailable says that the folder or bucket does not answer, or not as it should.
	ErrUnavailable = errs.New(errs.Unavailable, "blob.unavailable", "The file storage does not respond. Please try again.").
			WithRetryAfter(5 * time.Second)
	// ErrNotFound says that there is no blob of that name.
	ErrNotFound = errors.New("blob not found")
)

// Errors are the failures of reading and writing, for the documentation of an operation.
var Errors = []*errs.Error{ErrFull, ErrUnavailable}

// translate makes failures of this package of a bucket's.
func translate(err error) error {
	switch {
	case err == nil:
		return nil
	case errors.Is(err, syscall.ENOSPC), errors.Is(err, syscall.EDQUOT):
		return ErrFull.WithCause(err)
	case gcerrors.Code(err) == gcerrors.NotFound:
		return errors.Join(ErrNotFound, err)
	case errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		return err
	default:
		return ErrUnavailable.WithCause(err)
	}
}
