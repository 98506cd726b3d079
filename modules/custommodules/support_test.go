package custommodules

import (
	"context"
	"testing"

	"github.com/google/uuid"
	"go.uber.org/fx"

	"github.com/dispatchd/dispatchd/modules/custommodules/custommodulesapi"
	"github.com/dispatchd/dispatchd/modules/custommodules/internal/definition"
	"github.com/dispatchd/dispatchd/modules/custommodules/internal/fieldchange"
	"github.com/dispatchd/dispatchd/modules/custommodules/internal/modeling"
	"github.com/dispatchd/dispatchd/modules/custommodules/internal/records"
	"github.com/dispatchd/dispatchd/modules/custommodules/internal/rollups"
	"github.com/dispatchd/dispatchd/platform/collection/bulk"
	"github.com/dispatchd/dispatchd/platform/config"
	"github.com/dispatchd/dispatchd/platform/events"
	"github.com/dispatchd/dispatchd/platform/hook"
	"github.com/dispatchd/dispatchd/platform/jobs"
	"github.com/dispatchd/dispatchd/platform/module"
	"github.com/dispatchd/dispatchd/platform/moduletest"
	"github.com/dispatchd/dispatchd/platform/numbering"
	"github.com/dispatchd/dispatchd/platform/principal"
)

// eachService runs test on both databases with the service of the area, which is otherwise its own, and a
// context in which a company is at work.
func eachService(t *testing.T, test func(t *testing.T, s *service, ctx context.Context), options ...moduletest.Option) {
	t.Helper()
	eachApp(t, func(t *testing.T, _ *moduletest.App, s *service, ctx context.Context) {
		t.Helper()
		test(t, s, ctx)
	}, options...)
}

// eachApp is eachService with what the service runs in.
func eachApp(
	t *testing.T, test func(t *testing.T, a *moduletest.App, s *service, ctx context.Context), options ...moduletest.Option,
) {
	t.Helper()
	made := make(chan *service, 2)
	area := module.New(custommodulesapi.Area, "",
		config.Section(definition.Defaults()),
		provideServices(),
		numbering.Family(definition.NumberFamily),
		jobs.On((*modeling.Service).Build, jobs.Timeout(modeling.BuildTime)),
		jobs.On((*records.Service).Forget, jobs.Timeout(modeling.BuildTime)),
		jobs.On((*modeling.Service).Clear, jobs.Timeout(modeling.BuildTime)),
		jobs.On((*fieldchange.Service).Plan, jobs.Timeout(modeling.BuildTime)),
		jobs.On((*fieldchange.Service).ApplyRecords, jobs.Timeout(modeling.BuildTime)),
		jobs.On((*fieldchange.Service).Release, jobs.Timeout(modeling.BuildTime)),
		jobs.On((*rollups.Service).RollUpMarked, jobs.Timeout(modeling.BuildTime)),
		jobs.On((*rollups.Service).RollBackRecords, jobs.Timeout(modeling.BuildTime)),
		events.Publishes(custommodulesapi.ModuleCreated{}),
		events.Publishes(custommodulesapi.ModuleUpdated{}),
		events.Publishes(custommodulesapi.ModuleDeleted{}),
		events.Publishes(custommodulesapi.ModuleRestored{}),
		events.Publishes(custommodulesapi.RecordCreated{}),
		events.Publishes(custommodulesapi.RecordUpdated{}),
		events.Publishes(custommodulesapi.RecordDeleted{}),
		events.Publishes(custommodulesapi.RecordRestored{}),
		events.Publishes(custommodulesapi.RecordsChanged{}),
		hook.Declares[custommodulesapi.RecordSaving](custommodulesapi.SavingHook),
		hook.Declares[custommodulesapi.RecordDeleting](custommodulesapi.DeletingHook),
		fx.Invoke(func(s *service) { made <- s }),
	)
	moduletest.BootEach(t, []module.Module{area}, func(t *testing.T, a *moduletest.App) {
		t.Helper()
		s := <-made
		for s.db != a.DB { // of the other database's subtest
			made <- s
			s = <-made
		}
		test(t, a, s, principal.With(t.Context(), principal.ForCompany(a.Owner.ID)))
	}, options...)
}

// bulk does items as a bulk request of any size does.
func (s *service) bulk(ctx context.Context, module uuid.UUID, items []bulk.Item, atomic bool) ([]bulk.Done, error) {
	return bulk.Run(ctx, s.db, s.recordsOf(module), s.bulkFace(), bulk.Body{Atomic: &atomic, Items: items})
}
