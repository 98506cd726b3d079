package carriers

import (
	"context"
	"slices"
	"strings"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/loads/loadsapi"
	"github.com/dispatchd/dispatchd/platform/item"
)

// onRecording adds the addresses of the carriers of a load to the record of the transaction, as the regulator has them.
func (j *judge) onRecording(ctx context.Context, r *loadsapi.Recording) error {
	for i := range r.Carriers {
		found, err := j.carriers.FindSome(ctx, []uuid.UUID{item.ID(r.Carriers[i].Carrier)})
		if err != nil {
			return err
		}
		if len(found) == 0 {
			continue
		}
		f, err := j.facts(ctx, &found[0])
		if err != nil {
			return err
		}
		a := f.Identity.Physical
		r.Carriers[i].Address = strings.Join(slices.DeleteFunc([]string{a.Street, a.City, strings.TrimSpace(a.State + " " + a.ZIP)}, func(text string) bool { return text == "" }), ", ")
	}

	return nil
}
