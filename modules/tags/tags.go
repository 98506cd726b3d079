package tags

import (
	"context"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/platform/audit"
	"github.com/dispatchd/dispatchd/platform/database"
	"github.com/dispatchd/dispatchd/platform/errs"
	"github.com/dispatchd/dispatchd/platform/events"
	"github.com/dispatchd/dispatchd/platform/item"
	"github.com/dispatchd/dispatchd/platform/kind"
	"github.com/dispatchd/dispatchd/platform/list"
	"github.com/dispatchd/dispatchd/platform/principal"
	"github.com/dispatchd/dispatchd/platform/resource"
	"github.com/dispatchd/dispatchd/platform/web"
)

// tag is a row of tags_tags.
type tag struct {
	resource.Row

	Name  string `json:"name" field:"required,max=60,unique=folded,sort,search,title" doc:"Unique without regard to case and accents." example:"Urgent"`
	Color string `json:"color" field:"default=#808080" pattern:"^#[0-9a-fA-F]{6}$" patternDescription:"a color such as #d73a4a" doc:"#rrggbb." example:"#d73a4a"`
}

// TableName implements GORM's naming.
func (tag) TableName() string { return "tags_tags" }

// assignment is a row of tags_assignments: a tag on an item.
type assignment struct {
	resource.Row

	Tag  uuid.UUID     `json:"tag_uuid" gorm:"column:tag_id" field:"required,fixed,item=tags.tag,on_delete=remove"`
	Item resource.Item `json:"item" gorm:"embedded;embeddedPrefix:item_" nullable:"false" field:"required,fixed" doc:"What the tag is on."`
}

// TableName implements GORM's naming.
func (assignment) TableName() string { return "tags_assignments" }

func tagRules() resource.Rules[tag] {
	return resource.Rules[tag]{
		Item: "tags.tag", Sort: []string{"name"},
		About: "A tag for items of any area. Deleting it removes it from all items, and restoring it does not add it again.",
		Check: func(_ context.Context, t *tag) error {
			t.Color = strings.ToLower(t.Color)

			return nil
		},
	}
}

func assignmentRules() resource.Rules[assignment] {
	return resource.Rules[assignment]{
		Item:  "tags.assignment",
		About: "A tag on an item. `filter[item_uuid]` lists the tags of an item, `filter[tag_uuid]` the items of a tag.",
		Own:   []resource.Verb{resource.Create, resource.Read, resource.Update, resource.Delete, resource.Restore},
	}
}

// tagPut is published when a tag is put on items that did not have it, tagTaken when it is taken off.
type (
	tagPut struct {
		Tag   uuid.UUID  `json:"tag_uuid"`
		Items []item.Ref `json:"items"`
	}
	tagTaken tagPut
)

func (tagPut) EventName() string   { return "tags.tag.put" }
func (tagTaken) EventName() string { return "tags.tag.taken" }

// tagMerged is published when a tag is merged into another one.
type tagMerged struct {
	Tag  uuid.UUID `json:"tag_uuid"`
	Into uuid.UUID `json:"into_uuid"`
}

func (tagMerged) EventName() string { return "tags.tag.merged" }

// mostMerged bounds the items of a tag that is merged into another one, which is one transaction.
const mostMerged = 50_000

var (
	errInvalid = errs.New(errs.Invalid, "tags.invalid_assignment", "The given data was invalid.")
	errItself  = errs.New(errs.Invalid, "tags.merged_into_itself", "A tag cannot be merged into itself.")
	errTooMany = errs.New(errs.Conflict, "tags.too_many_items", fmt.Sprintf("The tag is on more than %d items. Remove it from some, or delete it.", mostMerged))
)

// tables is the shelf of the area (ADR 0106).
type tables struct {
	DB          *database.DB
	Tags        *resource.Resource[tag]
	Assignments *resource.Resource[assignment]
}

func newTables(db *database.DB, tags *resource.Resource[tag], assignments *resource.Resource[assignment]) *tables {
	return &tables{DB: db, Tags: tags, Assignments: assignments}
}

// service puts tags on items and takes them off.
type service struct {
	tables *tables
	rows   *repository
	items  *item.Registry
	trail  *audit.Log
	bus    *events.Bus
}

func newService(t *tables, rows *repository, items *item.Registry, trail *audit.Log, bus *events.Bus) *service {
	return &service{tables: t, rows: rows, items: items, trail: trail, bus: bus}
}

type assignInput struct{ Body assignBody }

type assignBody struct {
	Items []item.Ref  `json:"items" minItems:"1" maxItems:"500" doc:"The items to add tags to and remove tags from."`
	Put   []uuid.UUID `json:"put,omitempty" maxItems:"20" doc:"Tags to add to each item. An item may already have them."`
	Take  []uuid.UUID `json:"take,omitempty" maxItems:"20" doc:"Tags to remove from each item. An item need not have them."`
}

type assignOutput struct{ Body assignedBody }

type assignedBody struct {
	Put   int `json:"put" doc:"Number of tags added to items that did not have them."`
	Taken int `json:"taken" doc:"Number of tags removed from items that had them."`
}

type mergeInput struct {
	UUID uuid.UUID `path:"uuid" format:"uuid"`
	Body struct {
		Into uuid.UUID `json:"into_uuid" doc:"The tag to keep."`
	}
}

type usageInput struct {
	UUID uuid.UUID `path:"uuid" format:"uuid"`
}

type usageOutput struct{ Body usageBody }

type usageBody struct {
	Total int64        `json:"total" doc:"Number of items with the tag."`
	Types []usedByType `json:"types" nullable:"false" doc:"Number of items by type."`
}

type usedByType struct {
	Type  string `json:"type" example:"loads.load"`
	Items int64  `json:"items"`
}

func routes(r *web.Router, s *service) {
	missing := s.tables.Tags.NotFound()
	web.Register(r, web.Operation{
		Method: http.MethodPost, Path: "/assignments", ID: "assign_tags", Access: web.Write, Summary: "Add tags to items and remove tags from them",
		Description: "All of it happens, or nothing. The call can safely be repeated.", Errors: append(item.Errors, errInvalid, missing),
	}, s.assign)
	web.Register(r, web.Operation{
		Method: http.MethodPost, Path: "/tags/{uuid}/merge", ID: "merge_tag", Access: web.Write, Summary: "Merge a tag into another",
		Description: fmt.Sprintf("The other tag is added to all items of this one, and this one is deleted. A tag may be on at most %d items.", mostMerged),
		Errors:      []*errs.Error{missing, errItself, errTooMany},
	}, s.merge)
	web.Register(r, web.Operation{
		Method: http.MethodGet, Path: "/tags/{uuid}/usage", ID: "read_tag_usage", Access: web.Read, Summary: "Count the items of a tag by type",
		Errors: []*errs.Error{missing},
	}, s.usage)
}

func (s *service) assign(ctx context.Context, in *assignInput) (*assignOutput, error) {
	body, out := in.Body, &assignOutput{}
	if slices.ContainsFunc(body.Put, func(id uuid.UUID) bool { return slices.Contains(body.Take, id) }) {
		return nil, errInvalid.WithField("take", "A tag cannot be both added and removed.")
	}
	err := s.tables.DB.InTx(ctx, func(ctx context.Context) error {
		tags := slices.Concat(body.Put, body.Take)
		if err := s.tables.Tags.Hold(ctx, tags...); err != nil {
			return err
		}
		items, err := s.classified(ctx, body.Items)
		if err != nil {
			return err
		}
		ids := make([]uuid.UUID, len(items))
		for i, one := range items {
			ids[i] = one.UUID
		}
		have, err := s.tables.Assignments.Where(ctx, "tag_id IN ? AND item_id IN ?", tags, ids)
		if err != nil {
			return err
		}
		put, taken := diffAssignments(items, have, body.Put, body.Take)
		if err := s.tables.Assignments.Insert(ctx, put); err != nil {
			return err
		}
		if err := s.tables.Assignments.Remove(ctx, taken); err != nil {
			return err
		}
		out.Body = assignedBody{Put: len(put), Taken: len(taken)}
		if err := s.publishChanges(ctx, "tags.tag.put", put, func(tag uuid.UUID, of []item.Ref) events.Event { return tagPut{tag, of} }); err != nil {
			return err
		}

		return s.publishChanges(ctx, "tags.tag.taken", taken, func(tag uuid.UUID, of []item.Ref) events.Event { return tagTaken{tag, of} })
	})

	return out, err
}

// classified are items with the parts of their classes, each once.
func (s *service) classified(ctx context.Context, refs []item.Ref) ([]resource.Item, error) {
	classes, err := s.items.Classes(ctx, refs...)
	if err != nil {
		return nil, err
	}
	refusal, items := errInvalid, make([]resource.Item, 0, len(refs))
	for i, ref := range refs {
		class, there := classes[ref]
		if !there {
			refusal = refusal.WithField(fmt.Sprintf("items.%d", i), "There is no such "+ref.Type+".")
		}
		if one := (resource.Item{Type: ref.Type, UUID: ref.UUID, Part: class.Part}); !slices.Contains(items, one) {
			items = append(items, one)
		}
	}
	if len(refusal.Fields) > 0 {
		return nil, refusal
	}

	return items, nil
}

// diffAssignments are the assignments that are missing, and those that are to go.
func diffAssignments(items []resource.Item, have []assignment, put, take []uuid.UUID) (missing, gone []assignment) {
	type pair struct {
		tag uuid.UUID
		of  item.Ref
	}
	there := make(map[pair]bool, len(have))
	for _, a := range have {
		there[pair{a.Tag, a.Item.Ref()}] = true
		if slices.Contains(take, a.Tag) {
			gone = append(gone, a)
		}
	}
	for _, tag := range put {
		for _, one := range items {
			if p := (pair{tag, one.Ref()}); !there[p] {
				there[p] = true
				missing = append(missing, assignment{Tag: tag, Item: one})
			}
		}
	}

	return missing, gone
}

// publishChanges leaves, for each tag, an event, and an audit entry for each part of items that it was put on or taken off.
func (s *service) publishChanges(ctx context.Context, action string, all []assignment, event func(uuid.UUID, []item.Ref) events.Event) error {
	byTag, byPart := map[uuid.UUID][]item.Ref{}, map[audit.Item][]item.Ref{}
	for _, a := range all {
		byTag[a.Tag] = append(byTag[a.Tag], a.Item.Ref())
		of := audit.Item{Type: "tags.tag", UUID: a.Tag, Part: a.Item.Part}
		byPart[of] = append(byPart[of], a.Item.Ref())
	}
	for of, items := range byPart {
		if err := s.trail.Record(ctx, audit.Entry{Action: action, Item: of, Changes: map[string]audit.Change{"items": {After: items}}}); err != nil {
			return err
		}
	}
	for tag, items := range byTag {
		if err := s.bus.Publish(ctx, event(tag, items)); err != nil {
			return err
		}
	}

	return nil
}

func (s *service) merge(ctx context.Context, in *mergeInput) (*web.Resource[tag], error) {
	from, into := in.UUID, in.Body.Into
	if from == into {
		return nil, errItself.WithField("into_uuid", errItself.Message)
	}
	err := s.tables.DB.InTx(ctx, func(ctx context.Context) error {
		if err := s.tables.Tags.Hold(ctx, from, into); err != nil {
			return err
		}
		n, err := s.rows.count(ctx, from)
		if err != nil {
			return err
		}
		if n > mostMerged {
			return errTooMany
		}
		if err := s.rows.move(ctx, from, into); err != nil {
			return err
		}
		if err := s.tables.Tags.Delete(ctx, from, web.IfMatch{}); err != nil {
			return err
		}

		return s.bus.Publish(ctx, tagMerged{from, into})
	})
	if err != nil {
		return nil, err
	}
	kept, err := s.tables.Tags.Find(ctx, into)

	return s.tables.Tags.Answer(ctx, kept, err)
}

func (s *service) usage(ctx context.Context, in *usageInput) (*usageOutput, error) {
	if _, err := s.tables.Tags.Find(ctx, in.UUID); err != nil {
		return nil, err
	}
	used, err := s.tables.Assignments.CountBy(ctx, "item_type", "tag_id = ?", in.UUID)
	out := &usageOutput{Body: usageBody{Types: []usedByType{}}}
	for _, typ := range slices.Sorted(maps.Keys(used)) {
		out.Body.Types = append(out.Body.Types, usedByType{typ, used[typ]})
		out.Body.Total += used[typ]
	}

	return out, err
}

// filter is the filter of lists by the tags of their rows.
func (s *service) filter(ctx context.Context) list.Field {
	return list.Field{Expr: "tag_id", Kind: kind.UUID, Held: &list.Held{
		Rows: "SELECT item_id FROM tags_assignments WHERE company_id = ? AND deleted_at IS NULL", Args: []any{principal.CompanyOf(ctx)},
	}}
}

// seedDemo gives the demo company tags to begin with.
func seedDemo(ctx context.Context, tags *resource.Resource[tag]) error {
	for _, t := range []tag{{Name: "Urgent", Color: "#d73a4a"}, {Name: "Enclosed", Color: "#0075ca"}, {Name: "Call first", Color: "#e4a11b"}} {
		if _, err := tags.Create(ctx, t); err != nil {
			return err
		}
	}

	return nil
}
