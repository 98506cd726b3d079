package fieldchange

import (
	"context"
	"encoding/json"
	"unicode/utf8"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/custommodules/internal/definition"
	"github.com/dispatchd/dispatchd/platform/field"
	"github.com/dispatchd/dispatchd/platform/rawjson"
)

const (
	// MostSamples is how many records of each outcome a plan names, and how many groups of duplicates.
	MostSamples = 10
	// mostSampled is how many characters of a value a plan repeats.
	mostSampled = 200
)

// ChangeReport is what a plan found.
type ChangeReport struct {
	Records          int64          `json:"records" doc:"Records checked: all except deleted ones."`
	WithValue        int64          `json:"with_value" doc:"Records with a value of the field."`
	Converts         int64          `json:"converts" doc:"Values that convert, including those that lose precision or detail."`
	Loses            int64          `json:"loses" doc:"Values that convert, but from which the old values could not be recovered."`
	Fails            int64          `json:"fails" doc:"Values that do not convert."`
	Lacks            int64          `json:"lacks" doc:"Records without a value, if the field becomes required."`
	DuplicateGroups  int64          `json:"duplicate_groups" doc:"Values that are, or would be, duplicated."`
	DuplicateRecords int64          `json:"duplicate_records" doc:"Records with those values."`
	Samples          []ChangeSample `json:"samples" nullable:"false" doc:"Up to 10 records of each outcome."`
	Groups           []Duplicates   `json:"groups" nullable:"false" doc:"The values that most records share."`
	Uses             []FieldUse     `json:"uses" nullable:"false" doc:"What the field is used for."`
}

// ChangeSample is a record as an example.
type ChangeSample struct {
	Record  uuid.UUID       `json:"record_uuid"`
	Outcome string          `json:"outcome" enum:"converts,loses,fails,lacks,removed"`
	Before  json.RawMessage `json:"before"`
	After   json.RawMessage `json:"after"`
	Problem string          `json:"problem"`
}

// Duplicates are records that share a value.
type Duplicates struct {
	Value   string      `json:"value"`
	Count   int64       `json:"count"`
	Records []uuid.UUID `json:"record_uuids" nullable:"false" doc:"The first of them."`
}

// examiner finds out what a change would do to records.
type examiner struct {
	change definition.ChangeRow
	field  *definition.ModuleField
	// target is the field of the new type.
	target  *definition.ModuleField
	convert field.Converter
	// compares says that no two records may have the same value.
	compares bool
	report   ChangeReport
	values   []definition.ChangeValueRow
}

// examiner makes ready what a plan needs. Its errors are ErrModuleNotFound, ErrFieldNotFound, and
// ErrChangeStale when the fields are not what they were when the plan was begun.
func (s *Service) examiner(ctx context.Context, row definition.ChangeRow) (*examiner, error) {
	rows, err := s.repo.FieldsOf(ctx, row.ModuleID)
	if err != nil {
		return nil, err
	}
	if fingerprint(rows) != row.Fingerprint {
		return nil, definition.ErrChangeStale
	}
	before, err := s.repo.Field(ctx, row.ModuleID, row.FieldID)
	if err != nil {
		return nil, err
	}
	e := &examiner{change: row, compares: row.Kind == definition.ChangeUnique}
	if e.field, err = s.definitions.Types.Compile(before); err != nil {
		return nil, err
	}
	e.report = ReportOf(row)
	if row.Kind != definition.ChangeType {
		return e, nil
	}
	spec := SpecOf(row)
	e.convert.Conversion, _ = field.ConversionOf(string(before.Type), string(spec.Type))
	e.convert.Old = e.field.Values
	e.compares = before.IsUnique
	if e.convert.New, err = s.definitions.Types.Values(spec.Type, spec.Options); err != nil {
		return nil, err
	}
	e.target = &definition.ModuleField{Typ: s.definitions.Types[spec.Type].Shaped(e.convert.New), Values: e.convert.New}

	return e, nil
}

// record looks at a record.
func (e *examiner) record(row definition.RecordRow) {
	e.report.Records++
	raw := rawjson.OrNothing(rawjson.Member(row.Data, e.field.Number))
	kept := e.field.Kept(raw)
	if len(raw) > 0 {
		e.report.WithValue++
	}
	switch e.change.Kind {
	case definition.ChangeType:
		e.conversion(row.ID, raw)
	case definition.ChangeRequired:
		if kept.Empty() {
			e.report.Lacks++
			e.sample(ChangeSample{Record: row.ID, Outcome: "lacks", Before: clippedJSON(raw)})
		}
	case definition.ChangeUnique:
		e.compare(row.ID, e.field, kept)
	case definition.ChangeDelete:
		if len(raw) > 0 {
			e.sample(ChangeSample{Record: row.ID, Outcome: "removed", Before: clippedJSON(raw)})
		}
	}
}

func (e *examiner) conversion(record uuid.UUID, raw []byte) {
	if len(raw) == 0 {
		return
	}
	v, loses, err := e.convert.Convert(raw)
	one := ChangeSample{Record: record, Outcome: "converts", Before: clippedJSON(raw)}
	switch {
	case err != nil:
		e.report.Fails++
		one.Outcome, one.Problem = "fails", "The "+e.field.Spoken+" "+err.Error()
	case loses:
		e.report.Loses++
		one.Outcome = "loses"

		fallthrough
	default:
		e.report.Converts++
		one.After = clippedJSON(v.JSON)
		e.compare(record, e.target, v)
	}
	e.sample(one)
}

// compare notes a value that no other record may have.
func (e *examiner) compare(record uuid.UUID, f *definition.ModuleField, v field.Value) {
	if e.compares && !v.Empty() {
		e.values = append(e.values, definition.ChangeValueRow{ChangeID: e.change.ID, RecordID: record, Value: f.UniqueKey(v.Key)})
	}
}

func (e *examiner) sample(one ChangeSample) {
	same := 0
	for _, s := range e.report.Samples {
		if s.Outcome == one.Outcome {
			same++
		}
	}
	if same < MostSamples {
		e.report.Samples = append(e.report.Samples, one)
	}
}

// clippedJSON is a value as an answer repeats it: as it is, or the start of it as a text.
func clippedJSON(raw []byte) json.RawMessage {
	if len(raw) == 0 {
		return nil
	}
	if len(raw) <= mostSampled {
		return rawjson.AppendCompact(nil, raw)
	}

	return rawjson.Quote(clipText(string(raw)))
}

func clipText(text string) string {
	if utf8.RuneCountInString(text) <= mostSampled {
		return text
	}

	return string([]rune(text)[:mostSampled]) + "…"
}
