package cargo

import (
	"context"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/loads/loadsapi"
	"github.com/dispatchd/dispatchd/platform/hook"
)

// AskToPickUp asks the areas whether those vehicles may go that waited before.
func AskToPickUp(ctx context.Context, hooks *hook.Bus, load uuid.UUID, before, now []Vehicle) error {
	waited := map[uuid.UUID]bool{}
	for _, v := range before {
		waited[v.UUID] = v.Custody == Waiting
	}
	about := loadsapi.PickingUp{Load: load.String(), VINs: map[string]string{}}
	for _, v := range now {
		if waited[v.UUID] && (v.Custody == OnBoard || v.Custody == Dropped) {
			about.Vehicles = append(about.Vehicles, v.UUID.String())
			about.VINs[v.UUID.String()] = v.VIN
		}
	}
	if len(about.Vehicles) == 0 {
		return nil
	}

	return hook.Run(ctx, hooks, &about)
}
