package definition

import (
	"fmt"
	"slices"
	"strings"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/platform/field"
	"github.com/dispatchd/dispatchd/platform/formula"
)

// RollupName is the type of fields that are computed of the records which refer to a record.
const RollupName TypeName = "rollup"

// Rollup is a value that is computed of the records which refer to a record by a field.
type Rollup struct {
	Function string `json:"function"`
	// Module is that of the records that are computed of, Reference its field that refers to this module.
	Module    uuid.UUID `json:"module_uuid"`
	Reference uuid.UUID `json:"reference_uuid"`
	// Field is what is added up or compared, WhereField what must be in WhereIn for a record to count.
	Field      *uuid.UUID `json:"field_uuid"`
	WhereField *uuid.UUID `json:"where_field_uuid"`
	WhereIn    []string   `json:"where_in"`
	Scale      int        `json:"scale"`
	// Result is what the values are. The service decides it.
	Result string `json:"result"`

	result field.Type
	values field.Values
}

// rollupFunctions are what a rollup can be.
var rollupFunctions = []string{"count", "sum", "min", "max", "average", "latest"}

// mostWhere bounds the values of a condition.
const mostWhere = 50

func rollupType() field.Type {
	return field.Type{
		Name: string(RollupName),
		About: "A value computed from the records of module_uuid that refer to the record by the field reference_uuid: " +
			"function is " + strings.Join(rollupFunctions, ", ") + " (of the newest record that has a value) of field_uuid; " +
			"count needs none. where_field_uuid and where_in take only records whose field has one of the values. It " +
			"cannot be set. A job updates it: a record shows when it was computed, and whether an update is pending.",
		New: func() field.Values {
			return &Rollup{WhereIn: []string{}, Scale: 2, result: field.IntegerType(), values: field.IntegerType().New()}
		},
	}
}

// rollupResults are the types that a rollup can have the values of.
func rollupResults() map[string]func() field.Type {
	all := formula.Results()
	all["datetime"], all["local_datetime"] = field.DatetimeType, field.LocalDatetimeType

	return all
}

// Computed says that the service makes the values.
func (*Rollup) Computed() {}

// Shaped is the type as the options make it.
func (r *Rollup) Shaped(t field.Type) field.Type { return shapedAs(t, r.result) }

// ModuleID implements derived.
func (r *Rollup) ModuleID() uuid.UUID { return r.Module }

// ReferenceID implements derived.
func (r *Rollup) ReferenceID() uuid.UUID { return r.Reference }

// Parts implements derived.
func (r *Rollup) Parts() []uuid.UUID {
	var ids []uuid.UUID
	for _, id := range []*uuid.UUID{r.Field, r.WhereField} {
		if id != nil {
			ids = append(ids, *id)
		}
	}

	return ids
}

// Check implements field.Values.
func (r *Rollup) Check() error {
	switch {
	case !slices.Contains(rollupFunctions, r.Function):
		return field.OptionError{Option: "function", Problem: "The function must be one of " + strings.Join(rollupFunctions, ", ") + "."}
	case r.Module == uuid.Nil:
		return field.OptionError{Option: "module_uuid", Problem: "The module uuid of a rollup is required."}
	case r.Reference == uuid.Nil:
		return field.OptionError{Option: "reference_uuid", Problem: "The reference uuid is required: the field of the module that refers to this one."}
	case r.Field == nil && r.Function != "count":
		return field.OptionError{Option: "field_uuid", Problem: "The field uuid is required for " + r.Function + "."}
	case len(r.WhereIn) > mostWhere:
		return field.OptionError{Option: "where_in", Problem: fmt.Sprintf("`where_in` must not have more than %d values.", mostWhere)}
	case (r.WhereField == nil) != (len(r.WhereIn) == 0):
		return field.OptionError{Option: "where_in", Problem: "The where field uuid and the where in go together."}
	}
	if r.WhereIn == nil {
		r.WhereIn = []string{}
	}
	result, known := rollupResults()[r.Result]
	if !known { // yet to be decided
		r.Result, result = "", rollupResults()["integer"]
	}
	r.result = result()
	values, err := formula.ResultValues(r.result, r.Scale)
	r.values = values

	return err
}

// Parse implements field.Values.
func (r *Rollup) Parse(raw []byte) (field.Value, error) { return r.values.Parse(raw) }

// Comparable implements field.Values.
func (r *Rollup) Comparable(text string) (any, error) { return r.values.Comparable(text) }

// Schema implements field.Values.
func (r *Rollup) Schema() map[string]any { return readOnlySchema(r.values) }

// CSV implements field.Values.
func (r *Rollup) CSV(json []byte) string { return r.values.CSV(json) }

// FromCSV implements field.Values.
func (r *Rollup) FromCSV(cell string) ([]byte, error) { return r.values.FromCSV(cell) }

// render makes a value of the field of what was computed.
func (r *Rollup) render(result any) field.Value {
	return RenderResult(result, r.Result, r.Scale, r.values)
}

// Decide says what the values are, "" if the function makes nothing of such a field.
func (r *Rollup) Decide(of *ModuleField) string {
	if r.Function == "count" {
		return "integer"
	}
	switch result := resultOf(of.Typ); {
	case r.Function != "latest" && (result == "text" || result == "boolean"):
		return ""
	case (r.Function == "sum" || r.Function == "average") && result != "integer" && result != "decimal":
		return ""
	case r.Function == "average":
		return "decimal"
	default:
		return result
	}
}
