package custommodules

import (
	"fmt"
	"slices"
	"strings"

	"github.com/google/uuid"
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

	result fieldType
	values valueType
}

// rollupFunctions are what a rollup can be.
func rollupFunctions() []string { return []string{"count", "sum", "min", "max", "average", "latest"} }

// mostWhere bounds the values of a condition.
const mostWhere = 50

func rollupType() fieldType {
	return fieldType{
		name: rollupName,
		about: "A value that is computed of the records of module_uuid which refer to the record by the field reference_uuid: " +
			"function is " + strings.Join(rollupFunctions(), ", ") + " (of the record that was created last and has a value) of field_uuid; " +
			"count needs none. where_field_uuid and where_in take only records whose field has one of the values. It cannot be set. " +
			"A job keeps it: the answer of a record says when it was computed, and whether it is about to be anew.",
		options: func() valueType {
			return &rollup{WhereIn: []string{}, Scale: 2, result: integerType(), values: integerType().options()}
		},
	}
}

// rollupResults are the types that a rollup can have the values of.
func rollupResults() map[string]func() fieldType {
	all := formulaResults()
	all["datetime"], all["local_datetime"] = datetimeType, localDatetimeType

	return all
}

func (*rollup) computed() {}

func (r *rollup) shaped(t fieldType) fieldType {
	t.slot, t.filter, t.operators, t.sortable = r.result.slot, r.result.filter, r.result.operators, r.result.sortable

	return t
}

func (r *rollup) check() error {
	switch {
	case !slices.Contains(rollupFunctions(), r.Function):
		return optionError{"function", "The function must be one of " + strings.Join(rollupFunctions(), ", ") + "."}
	case r.Module == uuid.Nil:
		return optionError{"module_uuid", "The module uuid of a rollup is required."}
	case r.Reference == uuid.Nil:
		return optionError{"reference_uuid", "The reference uuid is required: the field of the module that refers to this one."}
	case r.Field == nil && r.Function != "count":
		return optionError{"field_uuid", "The field uuid is required for " + r.Function + "."}
	case len(r.WhereIn) > mostWhere:
		return optionError{"where_in", fmt.Sprintf("The where in must not be more than %d values.", mostWhere)}
	case (r.WhereField == nil) != (len(r.WhereIn) == 0):
		return optionError{"where_in", "The where field uuid and the where in go together."}
	}
	if r.WhereIn == nil {
		r.WhereIn = []string{}
	}
	result, known := rollupResults()[r.Result]
	if !known { // yet to be decided
		r.Result, result = "", rollupResults()["integer"]
	}
	r.result = result()
	r.values = r.result.options()
	switch values := r.values.(type) {
	case *decimal:
		values.Scale = r.Scale
	case *text:
		values.MaxLength = mostIndexedText
	}

	return r.values.check() //nolint:wrapcheck // an optionError
}

func (r *rollup) parse(raw []byte) (value, error) { return r.values.parse(raw) }

func (r *rollup) comparable(text string) (any, error) { return r.values.comparable(text) }

func (r *rollup) schema() map[string]any {
	schema := r.values.schema()
	schema["readOnly"] = true

	return schema
}

func (r *rollup) csv(json []byte) string { return r.values.csv(json) }

func (r *rollup) fromCSV(cell string) ([]byte, error) { return r.values.fromCSV(cell) }

// render makes a value of the field of what was computed.
func (r *rollup) render(result any) value {
	as := formula{Result: r.Result, Scale: r.Scale, result: r.result, values: r.values}
	made, err := as.render(result)
	if err != nil { // a number that has no room
		return value{}
	}

	return made
}

// decide says what the values are, "" if the function makes nothing of such a field.
func (r *rollup) decide(of *field) string {
	if r.Function == "count" {
		return "integer"
	}
	kind := formulaKindOf(of.typ)
	switch {
	case of.typ.slot == "" || r.Function != "latest" && (kind == textKind || kind == booleanKind):
		return ""
	case kind == numberKind && of.typ.filter == integerType().filter && r.Function != "average":
		return "integer"
	case kind == numberKind:
		return "decimal"
	case r.Function == "sum" || r.Function == "average":
		return ""
	case kind == textKind, kind == booleanKind, kind == dateKind:
		return string(kind)
	case kind == momentKind && of.typ.filter == datetimeType().filter:
		return "datetime"
	case kind == momentKind:
		return "local_datetime"
	}

	return ""
}
