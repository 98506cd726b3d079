package custommodules

import (
	"context"
	"encoding/json"
	"net/http"
	"time"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/platform/errs"
	"github.com/dispatchd/dispatchd/platform/list"
	"github.com/dispatchd/dispatchd/platform/web"
)

func historyRoutes(r *web.Router, s *service) {
	web.Register(r, web.Operation{
		Method: http.MethodGet, Path: "/records/{uuid}/history", ID: "list_history", Access: web.Read,
		Summary: "List the versions of a record, the latest first",
		Description: "The first version is not among them: it was created as created_at of the record says, and a read " +
			"with version=1 shows it. " + historyList().Describe(),
		Errors: append(list.Errors(), errRecordNotFound),
	}, s.listHistory)
	web.Register(r, web.Operation{
		Method: http.MethodPost, Path: "/records/{uuid}/revert", ID: "revert_record", Access: web.Write,
		Summary:     "Give fields of a record the values of an earlier version back",
		Description: "This makes a new version; nothing of the history is lost.",
		Errors: []*errs.Error{
			errRecordNotFound, errVersionNotFound, errInvalidRecord, errInvalidPayload, errValueTaken, errModuleArchived,
		},
	}, s.postRevert)
}

// recordVersion is a version of a record as answers show it.
type recordVersion struct {
	Version   int64                  `json:"version"`
	Verb      verb                   `json:"verb" enum:"updated,deleted,restored"`
	Changes   map[string]valueChange `json:"changes" nullable:"false" doc:"The values that changed, by the keys of the module's fields."`
	At        time.Time              `json:"at"`
	ActorKind string                 `json:"actor_kind" doc:"user, service or system."`
	UserUUID  *uuid.UUID             `json:"user_uuid"`
	RequestID string                 `json:"request_id"`
	Source    string                 `json:"source,omitempty" doc:"Where the version came from, if it was no request: import:<uuid>."`
}

type valueChange struct {
	Before json.RawMessage `json:"before"`
	After  json.RawMessage `json:"after"`
}

func historyList() list.Schema {
	return list.Schema{
		ID:          list.Field{Name: "version", Expr: "version", Kind: list.Integer, Filterable: true, Sortable: true},
		Fields:      []list.Field{{Name: "at", Expr: "at", Kind: list.Time, Filterable: true}},
		DefaultSort: []string{"-version"},
		Keys:        list.KeysOf[recordVersion](),
	}
}

type listHistoryInput struct {
	list.Input

	UUID uuid.UUID `path:"uuid"`
}

func (s *service) listHistory(ctx context.Context, in *listHistoryInput) (*list.Output[recordVersion], error) {
	q, err := in.Parse(historyList())
	if err != nil {
		return nil, err
	}
	read, err := s.readRecord(ctx, in.UUID)
	if err != nil {
		return nil, err
	}
	page, err := s.repo.history(ctx, in.UUID, q)
	if err != nil {
		return nil, err
	}

	return list.Answer(q, list.Convert(page, read.definition.showVersion)), nil
}

// showVersion is a version with its changes under the keys of the definition. Fields that are gone by
// now stay out.
func (d *definition) showVersion(row historyRow) recordVersion {
	shown := recordVersion{
		Version: row.Version, Verb: row.Verb, Changes: map[string]valueChange{}, At: row.At,
		ActorKind: row.ActorKind, UserUUID: row.ActorID, RequestID: row.RequestID, Source: row.Source,
	}
	for number, raw := range members(row.Changes) {
		if i, ok := d.byNumber[string(number)]; ok {
			shown.add(d.fields[i].key, member(raw, "before"), member(raw, "after"))
		}
	}
	if d.replacing {
		d.addFormer(&shown, row.Changes)
	}

	return shown
}

// addFormer adds the changes of fields that others have replaced. In the version in which a value was
// converted, the one field has what was before and the other one what came of it.
func (d *definition) addFormer(to *recordVersion, changes []byte) {
	for number, raw := range members(changes) {
		i, _, ok := d.formerOf(string(number))
		if !ok {
			continue
		}
		before, after := member(raw, "before"), member(raw, "after")
		if now := member(changes, d.fields[i].number); now != nil {
			after = member(now, "after")
			if had := member(now, "before"); had != nil {
				before = had
			}
		}
		to.add(d.fields[i].key, before, after)
	}
}

func (v *recordVersion) add(key string, before, after []byte) {
	if !sameJSON(before, after) {
		v.Changes[key] = valueChange{Before: appendCompact(nil, orNull(before)), After: appendCompact(nil, orNull(after))}
	}
}

type revertInput struct {
	web.IfMatch

	UUID uuid.UUID `path:"uuid"`
	Body revert
}

// revert is the body of such a request.
type revert struct {
	Version int64    `json:"version" minimum:"1" doc:"The version whose values come back."`
	Fields  []string `json:"fields,omitempty" doc:"The keys of the fields; all without them."`
}

func (s *service) postRevert(ctx context.Context, in *revertInput) (*web.Resource[record], error) {
	return answerRecord(s.revertRecord(ctx, in.UUID, in.Body.Version, in.Body.Fields, in.IfMatch))
}
