package custommodules

import (
	"context"
	"errors"
	"strings"

	"github.com/dispatchd/dispatchd/modules/custommodules/custommodulesapi"
	"github.com/dispatchd/dispatchd/platform/errs"
)

// recoded is a handler whose failures, where they are of collections of any kind, have the codes of this area:
// collection.import_not_found is custom_modules.import_not_found.
func recoded[I, O any](handle func(context.Context, *I) (*O, error)) func(context.Context, *I) (*O, error) {
	return func(ctx context.Context, in *I) (*O, error) {
		out, err := handle(ctx, in)

		return out, asOurs(err)
	}
}

func asOurs(err error) error {
	refusal, ok := errors.AsType[*errs.Error](err)
	if !ok {
		return err
	}
	if what, common := strings.CutPrefix(refusal.Code, "collection."); common {
		return refusal.WithCode(custommodulesapi.Area + "." + what)
	}

	return err
}

// recode returns failures with the codes of this area.
func recode(failures ...*errs.Error) []*errs.Error {
	made := make([]*errs.Error, len(failures))
	for i, failure := range failures {
		made[i] = failure
		if what, common := strings.CutPrefix(failure.Code, "collection."); common {
			made[i] = failure.WithCode(custommodulesapi.Area + "." + what)
		}
	}

	return made
}
