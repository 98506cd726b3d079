package packaging

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/custommodules/internal/definition"
	"github.com/dispatchd/dispatchd/modules/custommodules/internal/packs"
	"github.com/dispatchd/dispatchd/modules/custommodules/internal/records"
	"github.com/dispatchd/dispatchd/platform/database"
	"github.com/dispatchd/dispatchd/platform/errs"
)

// PackOrder is what a caller wants of a pack.
type PackOrder struct {
	Pack packs.Pack
	// under is where the pack stands in the request, with a point at its end: "pack.".
	Under string
	// bind are modules of the company, by the keys of the pack that mean them.
	Bind map[string]uuid.UUID
	// names are other names for modules that are made, by key.
	Names     map[string]string
	Overwrite bool
}

// errOnlyPlanned undoes what a plan has tried.
var errOnlyPlanned = errors.New("a plan changes nothing")

// PlanPack says what importing a pack would do, by doing it and undoing it: so a plan that has no conflicts
// can be carried out, as long as nothing changes. Its error is ErrInvalidPack.
func (s *Service) PlanPack(ctx context.Context, order PackOrder) (packs.PackPlan, error) {
	var p *packImport
	err := s.db.Savepoint(ctx, func(ctx context.Context) (err error) { // the caller may be in a transaction, to keep the answer
		if p, err = s.applyPack(ctx, order); err != nil {
			return err
		}

		return errOnlyPlanned
	})
	if errors.Is(err, errOnlyPlanned) {
		p.forgetNew()

		return p.plan, nil
	}

	return packs.PackPlan{}, err
}

// ImportPack makes and changes modules as a pack says, all or nothing. Its errors are ErrInvalidPack and
// ErrPackConflicts.
func (s *Service) ImportPack(ctx context.Context, order PackOrder) (packs.PackPlan, error) {
	var p *packImport
	err := s.db.InTx(ctx, func(ctx context.Context) (err error) {
		if p, err = s.applyPack(ctx, order); err != nil {
			return err
		}
		if p.plan.Summary.Conflict > 0 {
			return definition.ErrPackConflicts.WithDetail("conflicts", p.plan.Conflicts())
		}

		return nil
	})
	if err != nil {
		return packs.PackPlan{}, fmt.Errorf("pack %s: %w", order.Pack.Name, err)
	}
	p.plan.Applied = true

	return p.plan, nil
}

// packImport is the work of an import.
type packImport struct {
	service *Service
	PackOrder
	packNames

	plan packs.PackPlan
	// there are the modules of the company that the pack's are, by key.
	there map[string]*presentModule
	// rows are the fields of the pack as definitions have them, by "module.field".
	rows map[string]definition.FieldRow
	// left are the fields that cannot be made together with their module.
	left []lateField
}

// presentModule is a module that is there, with its fields.
type presentModule struct {
	row    definition.ModuleRow
	fields []definition.FieldRow
	base   *definition.PackBase
	// named says that the module is known by its name alone.
	named bool
}

// applyPack does what a pack says and notes what that was, and what stands in its way.
func (s *Service) applyPack(ctx context.Context, order PackOrder) (*packImport, error) {
	p := &packImport{
		service: s, PackOrder: order, packNames: newPackNames(),
		there: map[string]*presentModule{}, rows: map[string]definition.FieldRow{},
	}
	p.plan.Pack = packs.Head{Name: p.Pack.Name, Version: p.Pack.Version, Title: p.Pack.Title}
	if err := p.checkOrder(); err != nil {
		return nil, err
	}
	for _, step := range []func(context.Context) error{p.findModules, p.draft, p.makeModules, p.changeModules, p.makeFields, p.finish} {
		if err := step(ctx); err != nil {
			return nil, err
		}
	}
	p.plan.Conclude()

	return p, nil
}

// checkOrder finds keys that the pack does not have.
func (p *packImport) checkOrder() error {
	var found definition.Problems
	var keys []string
	for _, m := range p.Pack.Modules {
		keys = append(keys, m.Key)
	}
	for key := range p.Names {
		if p.Pack.Module(key) == nil {
			found.Unknown("names", key, " in this pack", keys)
		}
	}
	for _, o := range p.Pack.Outside {
		keys = append(keys, o.Key)
	}
	for key := range p.Bind {
		if !p.Pack.Names(key) {
			found.Unknown("bind", key, " in this pack", keys)
		}
	}

	return found.ErrorAs(definition.ErrInvalidPack, "bind")
}

// draft makes rows of all fields, so that they can be compared, and refuses a pack that no company could
// take.
func (p *packImport) draft(ctx context.Context) error {
	var found definition.Problems
	total := 0
	for i, m := range p.Pack.Modules {
		total += len(m.Fields)
		if total > mostPackFields {
			return definition.ErrInvalidPack.WithField(p.Under+"modules", fmt.Sprintf("The pack must not have more than %d fields.", mostPackFields))
		}
		for j, f := range m.Fields {
			spec := p.spec(m.Key, f)
			spec.ID = p.fieldIDs[m.Key+"."+f.Key]
			row, wrong := p.service.modeling.DraftField(definition.ModuleRow{}, spec, j+1)
			if f.Indexed { // compared as what was asked for
				row.Slot = new(definition.Slot)
			}
			row.Searchable = f.Searchable
			p.rows[m.Key+"."+f.Key] = row
			found.AddUnder(p.Under+"modules."+strconv.Itoa(i)+".fields."+strconv.Itoa(j), p.inPackWords(f, wrong))
		}
	}
	_ = ctx

	return found.ErrorAs(definition.ErrInvalidPack, p.Under+"modules")
}

// mostPackFields bounds the fields of all modules of a pack.
const mostPackFields = 2_000

// inPackWords names the options as the pack does.
func (p *packImport) inPackWords(f packs.Field, wrong definition.Problems) definition.Problems {
	named := packs.ReferenceOptions(f.Type)
	var said definition.Problems
	for path, messages := range wrong.Messages {
		for _, option := range append([]string{named.Module}, named.Fields...) {
			if path == "options."+option+packs.IDSuffix {
				path = "options." + option
			}
		}
		said.Add(path, messages[0])
	}

	return said
}

// tryStep does a step that may fail by itself, and returns what is wrong with it, nil if it was done.
func (p *packImport) tryStep(ctx context.Context, step func(context.Context) error) (map[string][]string, error) {
	err := p.service.db.Savepoint(ctx, step)
	if err == nil {
		return nil, nil //nolint:nilnil // nothing is wrong
	}
	if !records.IsRefusal(err) {
		return nil, err
	}
	failure, _ := errors.AsType[*errs.Error](err)
	if len(failure.Fields) > 0 {
		return failure.Fields, nil
	}

	return map[string][]string{"definition": {failure.Message}}, nil
}

// modulePlan returns the plan for a module of the pack.
func (p *packImport) modulePlan(key string) *packs.ModulePlan {
	i := slices.IndexFunc(p.plan.Modules, func(m packs.ModulePlan) bool { return m.Key == key })

	return &p.plan.Modules[i]
}

// fieldPlan returns the plan for a field of a module of the pack, a new one if there is none.
func (p *packImport) fieldPlan(module, key string) *packs.FieldPlan {
	m := p.modulePlan(module)
	for i := range m.Fields {
		if m.Fields[i].Key == key {
			return &m.Fields[i]
		}
	}
	m.Fields = append(m.Fields, packs.FieldPlan{Key: key, Action: packs.Equal})

	return &m.Fields[len(m.Fields)-1]
}

// forgetNew takes the ids of what was not made after all out of the plan.
func (p *packImport) forgetNew() {
	for i := range p.plan.Modules {
		if p.there[p.plan.Modules[i].Key] == nil {
			p.plan.Modules[i].ModuleUUID = nil
		}
	}
}

// newID is an id for something that may come to be.
func newID() uuid.UUID { return database.NewID() }
