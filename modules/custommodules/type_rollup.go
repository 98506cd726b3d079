package custommodules

import (
	"fmt"
	"slices"
	"strings"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/platform/field"
	"github.com/dispatchd/dispatchd/platform/formula"
)

// rollupName is the type of fields that are computed of the records which refer to a record.
const rollupName typeName = "rollup"

// rollup is a value that is computed of the records which refer to a record by a field.
type rollup struct {
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
func rollupFunctions() []string { return []string{"count", "sum", "min", "max", "average", "latest"} }

// mostWhere bounds the values of a condition.
const mostWhere = 50

func rollupType() field.Type {
	return field.Type{
		Name: string(rollupName),
		About: "A value that is computed of the records of module_uuid which refer to the record by the field reference_uuid: " +
			"function is " + strings.Join(rollupFunctions(), ", ") + " (of the record that was created last and has a value) of field_uuid; " +
			"count needs none. where_field_uuid and where_in take only records whose field has one of the values. It cannot be set. " +
			"A job keeps it: the answer of a record says when it was computed, and whether it is about to be anew.",
		New: func() field.Values {
			return &rollup{WhereIn: []string{}, Scale: 2, result: field.IntegerType(), values: field.IntegerType().New()}
		},
	}
}

// rollupResults are the types that a rollup can have the values of.
func rollupResults() map[string]func() field.Type {
	all := formula.Results()
	all["datetime"], all["local_datetime"] = field.DatetimeType, field.LocalDatetimeType

	return all
}

func (*rollup) Computed() {}

func (r *rollup) Shaped(t field.Type) field.Type { return shapedAs(t, r.result) }

func (r *rollup) over() uuid.UUID { return r.Module }
func (r *rollup) by() uuid.UUID   { return r.Reference }

func (r *rollup) parts() []uuid.UUID {
	var ids []uuid.UUID
	for _, id := range []*uuid.UUID{r.Field, r.WhereField} {
		if id != nil {
			ids = append(ids, *id)
		}
	}

	return ids
}

func (r *rollup) Check() error {
	switch {
	case !slices.Contains(rollupFunctions(), r.Function):
		return field.OptionError{Option: "function", Problem: "The function must be one of " + strings.Join(rollupFunctions(), ", ") + "."}
	case r.Module == uuid.Nil:
		return field.OptionError{Option: "module_uuid", Problem: "The module uuid of a rollup is required."}
	case r.Reference == uuid.Nil:
		return field.OptionError{Option: "reference_uuid", Problem: "The reference uuid is required: the field of the module that refers to this one."}
	case r.Field == nil && r.Function != "count":
		return field.OptionError{Option: "field_uuid", Problem: "The field uuid is required for " + r.Function + "."}
	case len(r.WhereIn) > mostWhere:
		return field.OptionError{Option: "where_in", Problem: fmt.Sprintf("The where in must not be more than %d values.", mostWhere)}
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

func (r *rollup) Parse(raw []byte) (field.Value, error) { return r.values.Parse(raw) }

func (r *rollup) Comparable(text string) (any, error) { return r.values.Comparable(text) }

func (r *rollup) Schema() map[string]any { return readOnlySchema(r.values) }

func (r *rollup) CSV(json []byte) string { return r.values.CSV(json) }

func (r *rollup) FromCSV(cell string) ([]byte, error) { return r.values.FromCSV(cell) }

// render makes a value of the field of what was computed.
func (r *rollup) render(result any) field.Value {
	return rendered(result, r.Result, r.Scale, r.values)
}

// decide says what the values are, "" if the function makes nothing of such a field.
func (r *rollup) decide(of *moduleField) string {
	if r.Function == "count" {
		return "integer"
	}
	switch result := resultOf(of.typ); {
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
