package printing

import (
	"cmp"
	"slices"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/billsoflading/internal/report"
	"github.com/dispatchd/dispatchd/modules/billsoflading/internal/store"
	"github.com/dispatchd/dispatchd/platform/document"
	"github.com/dispatchd/dispatchd/platform/page"
	"github.com/dispatchd/dispatchd/platform/paper"
)

// conditionModel is how one vehicle was found at a stage.
func (of printed) conditionModel(vehicle uuid.UUID, at store.Stage) document.Model {
	i := slices.IndexFunc(of.report.Vehicles, func(v report.Vehicle) bool { return v.Vehicle.UUID == vehicle })
	if i < 0 {
		return document.Model{}
	}
	v := of.report.Vehicles[i]
	found, place := v.Pickup, partyOf("Inspected at the pickup", of.report.Consignor)
	if at == store.AtDelivery {
		found, place = v.Delivery, partyOf("Inspected at the delivery", of.report.Consignee)
	}
	if found == nil {
		return document.Model{}
	}
	zone, made := page.Zone(of.bill.Zone(at)), of.bill.CreatedAt
	if found.InspectedAt != nil {
		made = *found.InspectedAt
	}
	photos := slices.DeleteFunc(of.of(at), func(p store.Photo) bool { return p.Vehicle != vehicle })
	m := of.model(made.In(zone), made)
	m.FileName = "condition-report-" + of.bill.Number + "-" + cmp.Or(v.Vehicle.VIN, string(at)) + "-" + string(at) + ".pdf"
	m.Parts = []document.Part{
		{Name: "parties", Required: true, Blocks: []paper.Block{paper.Parties{
			{Label: "Vehicle", Name: v.Vehicle.Name(), Lines: filled(labeled("VIN ", v.Vehicle.VIN), v.Vehicle.Color, labeled("Plate ", v.Vehicle.Plate), labeled("Lot ", v.Vehicle.Lot))},
			place, of.carrier(),
		}}},
		{Name: "condition", Required: true, Blocks: []paper.Block{paper.Facts{Columns: 2, Items: known(of.said(found, at))}}},
		{Name: "damages", Required: true, Blocks: []paper.Block{paper.Outline{Title: "Damage", Marks: marksOf(found, false), None: "No damage noted"}}},
		{Name: "signatures", Required: true, Blocks: of.signatures(at)},
		{Name: "photos", Blocks: of.grid(photos)},
		{Name: "photo_index", Blocks: []paper.Block{of.index(photos)}},
	}

	return m
}

func known(facts []paper.Fact) []paper.Fact {
	return slices.DeleteFunc(facts, func(f paper.Fact) bool { return f.Text == "" })
}
