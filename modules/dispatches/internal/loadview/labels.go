package loadview

import (
	"slices"
	"strings"
)

// factLabels are what people call the fields of an offer and its load.
var factLabels = map[string]string{
	"amount": "pay", "available_from": "first day", "carrier_pay": "pay", "commodities": "goods", "currency": "currency", "delivery_date": "day of the delivery",
	"inspection_type": "inspection", "instructions_board": "instructions", "payment_plan": "payment", "pickup_date": "day of the pickup", "priority": "priority",
	"stops": "stops", "terms": "terms", "trailer_hint": "trailer", "transport_type": "kind of transport", "vehicles": "vehicles",
}

// LabelOf is what people call a field of an offer or its load.
func LabelOf(field string) string {
	if label, known := factLabels[field]; known {
		return label
	}

	return strings.ReplaceAll(field, "_", " ")
}

// LabelsOf lists what people call some fields.
func LabelsOf(fields []string) string {
	labels := make([]string, 0, len(fields))
	for _, f := range fields {
		if label := LabelOf(f); !slices.Contains(labels, label) {
			labels = append(labels, label)
		}
	}

	return strings.Join(labels, ", ")
}
