package verify

import (
	"context"
	"fmt"

	"github.com/google/uuid"
)

// usage compares the number of records that a module is counted with, and the records. Both are read in
// one statement, and written in one transaction, so that it does not matter who writes meanwhile.
func (v *verification) usage(ctx context.Context, module uuid.UUID) error {
	counted, err := v.service.repo.UsageOf(ctx, module)
	if err != nil || counted.Counted == counted.There {
		return err
	}
	if v.repair {
		if err := v.service.db.InTx(ctx, func(ctx context.Context) error { return v.service.repo.Recount(ctx, module) }); err != nil {
			return err
		}
	}
	v.report(Finding{
		Company: v.company, Module: module, Kind: WrongUsage, Mended: v.repair,
		Problem: fmt.Sprintf("The module is counted with %d records and has %d.", counted.Counted, counted.There),
	})

	return nil
}

// checkOrphanUsage finds counts of modules that are gone for good.
func (v *verification) checkOrphanUsage(ctx context.Context) error {
	modules, err := v.service.repo.OrphanUsage(ctx)
	if err != nil {
		return err
	}
	for _, module := range modules {
		if v.repair {
			if err := v.service.db.InTx(ctx, func(ctx context.Context) error { return v.service.repo.DropUsage(ctx, module) }); err != nil {
				return err
			}
		}
		v.report(Finding{
			Company: v.company, Module: module, Kind: WrongUsage, Mended: v.repair,
			Problem: "There is a count of records for a module that is not there.",
		})
	}

	return nil
}
