package custommodules

import (
	"context"
	"encoding/json"
	"unicode/utf8"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/platform/field"
	"github.com/dispatchd/dispatchd/platform/rawjson"
)

const (
	// mostSamples is how many records of each outcome a plan names, and how many groups of duplicates.
	mostSamples = 10
	// mostSampled is how many characters of a value a plan repeats.
	mostSampled = 200
)

// changeReport is what a plan found.
type changeReport struct {
	Records          int64          `json:"records" doc:"Records that were looked at: all but deleted ones."`
	WithValue        int64          `json:"with_value" doc:"Records with a value of the field."`
	Converts         int64          `json:"converts" doc:"Values that convert, those that lose something among them."`
	Loses            int64          `json:"loses" doc:"Values that convert, but the old ones could not be told from what they become."`
	Fails            int64          `json:"fails" doc:"Values that do not convert."`
	Lacks            int64          `json:"lacks" doc:"Records without a value, where it is to be required."`
	DuplicateGroups  int64          `json:"duplicate_groups" doc:"Values that several records have, or would have."`
	DuplicateRecords int64          `json:"duplicate_records" doc:"Records that have those values."`
	Samples          []changeSample `json:"samples" nullable:"false" doc:"Up to 10 records of each outcome."`
	Groups           []duplicates   `json:"groups" nullable:"false" doc:"The values that most records share."`
	Uses             []fieldUse     `json:"uses" nullable:"false" doc:"What the field is used for."`
}

// changeSample is a record as an example.
type changeSample struct {
	Record  uuid.UUID       `json:"record_uuid"`
	Outcome string          `json:"outcome" enum:"converts,loses,fails,lacks,removed"`
	Before  json.RawMessage `json:"before"`
	After   json.RawMessage `json:"after"`
	Problem string          `json:"problem"`
}

// duplicates are records that share a value.
type duplicates struct {
	Value   string      `json:"value"`
	Count   int64       `json:"count"`
	Records []uuid.UUID `json:"record_uuids" nullable:"false" doc:"The first of them."`
}

// examiner finds out what a change would do to records.
type examiner struct {
	change changeRow
	field  *moduleField
	// target is the field of the new type.
	target  *moduleField
	convert field.Converter
	// compares says that no two records may have the same value.
	compares bool
	report   changeReport
	values   []changeValueRow
}

// examiner makes ready what a plan needs. Its errors are errModuleNotFound, errFieldNotFound, and
// errChangeStale when the fields are not what they were when the plan was begun.
func (s *service) examiner(ctx context.Context, row changeRow) (*examiner, error) {
	rows, err := s.repo.fieldsOf(ctx, row.ModuleID)
	if err != nil {
		return nil, err
	}
	if fingerprint(rows) != row.Fingerprint {
		return nil, errChangeStale
	}
	before, err := s.repo.field(ctx, row.ModuleID, row.FieldID)
	if err != nil {
		return nil, err
	}
	e := &examiner{change: row, compares: row.Kind == changeUnique}
	if e.field, err = s.definitions.types.compile(before); err != nil {
		return nil, err
	}
	e.report = row.report()
	if row.Kind != changeType {
		return e, nil
	}
	spec := row.spec()
	e.convert.Conversion, _ = field.ConversionOf(string(before.Type), string(spec.Type))
	e.convert.Old = e.field.values
	e.compares = before.IsUnique
	if e.convert.New, err = s.definitions.types.values(spec.Type, spec.Options); err != nil {
		return nil, err
	}
	e.target = &moduleField{typ: s.definitions.types[spec.Type].Shaped(e.convert.New), values: e.convert.New}

	return e, nil
}

// record looks at a record.
func (e *examiner) record(row recordRow) {
	e.report.Records++
	raw := rawjson.OrNothing(rawjson.Member(row.Data, e.field.number))
	kept := e.field.kept(raw)
	if len(raw) > 0 {
		e.report.WithValue++
	}
	switch e.change.Kind {
	case changeType:
		e.conversion(row.ID, raw)
	case changeRequired:
		if kept.Empty() {
			e.report.Lacks++
			e.sample(changeSample{Record: row.ID, Outcome: "lacks", Before: clippedJSON(raw)})
		}
	case changeUnique:
		e.compare(row.ID, e.field, kept)
	case changeDelete:
		if len(raw) > 0 {
			e.sample(changeSample{Record: row.ID, Outcome: "removed", Before: clippedJSON(raw)})
		}
	}
}

func (e *examiner) conversion(record uuid.UUID, raw []byte) {
	if len(raw) == 0 {
		return
	}
	v, loses, err := e.convert.Convert(raw)
	one := changeSample{Record: record, Outcome: "converts", Before: clippedJSON(raw)}
	switch {
	case err != nil:
		e.report.Fails++
		one.Outcome, one.Problem = "fails", "The "+e.field.spoken+" "+err.Error()
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
func (e *examiner) compare(record uuid.UUID, f *moduleField, v field.Value) {
	if e.compares && !v.Empty() {
		e.values = append(e.values, changeValueRow{ChangeID: e.change.ID, RecordID: record, Value: f.claimed(v.Key)})
	}
}

func (e *examiner) sample(one changeSample) {
	same := 0
	for _, s := range e.report.Samples {
		if s.Outcome == one.Outcome {
			same++
		}
	}
	if same < mostSamples {
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

	return rawjson.Quote(clipped(string(raw)))
}

func clipped(text string) string {
	if utf8.RuneCountInString(text) <= mostSampled {
		return text
	}

	return string([]rune(text)[:mostSampled]) + "…"
}
