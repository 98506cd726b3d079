package printing

import (
	"strconv"

	"github.com/dispatchd/dispatchd/modules/billsoflading/internal/store"
	"github.com/dispatchd/dispatchd/platform/document"
	"github.com/dispatchd/dispatchd/platform/page"
	"github.com/dispatchd/dispatchd/platform/paper"
)

// proofModel is the half of a bill of lading that the delivery is: who has received the vehicles when, and what was found that was not there at the pickup.
func (of printed) proofModel() document.Model {
	if of.bill.DeliveryAt == nil {
		return document.Model{}
	}
	zone := page.Zone(of.bill.Zone(store.AtDelivery))
	m := of.model(of.bill.DeliveryAt.In(zone), *of.bill.DeliveryAt)
	m.FileName = "proof-of-delivery-" + of.bill.Number + ".pdf"
	delivered := of.of(store.AtDelivery)
	m.Parts = []document.Part{
		{Name: "parties", Required: true, Blocks: []paper.Block{of.parties()}},
		{Name: "delivery", Required: true, Blocks: []paper.Block{paper.Box{Strong: true, Blocks: []paper.Block{
			paper.Text{Text: "Delivered on " + page.Moment(*of.bill.DeliveryAt, zone) + " at " + of.report.Consignee.Place() + ".", Bold: true},
			paper.Text{Text: "Under the bill of lading " + of.bill.Number + "."},
		}}}},
		{Name: "vehicles", Required: true, Blocks: []paper.Block{of.delivered()}},
		{Name: "exceptions", Required: true, Blocks: []paper.Block{of.exceptions()}},
		{Name: "signatures", Required: true, Blocks: of.signatures(store.AtDelivery)},
		{Name: "outline", Blocks: of.outlines()},
		{Name: "photos", Blocks: of.grid(delivered)},
		{Name: "photo_index", Blocks: []paper.Block{of.index(delivered)}},
	}

	return m
}

// of are the photos of a stage.
func (of printed) of(at store.Stage) (photos []store.Photo) {
	for _, p := range of.photos {
		if p.Stage == at {
			photos = append(photos, p)
		}
	}

	return photos
}

// delivered are the vehicles as they were found at the delivery.
func (of printed) delivered() paper.Block {
	table := paper.Table{Title: "Vehicles", Columns: []paper.Column{
		{Title: "#", Weight: 0.4, Align: paper.Right},
		{Title: "Vehicle", Weight: 3},
		{Title: "VIN", Weight: 2.4},
		{Title: "Odometer", Weight: 1.3, Align: paper.Right},
		{Title: "Keys", Weight: 0.7, Align: paper.Right},
		{Title: "Condition", Weight: 2.6},
	}}
	for i, v := range of.report.Vehicles {
		odometer, keys, condition := "", "", "not inspected"
		if found := v.Delivery; found != nil {
			odometer, keys = labeledNumber("", found.Odometer, " "+found.Unit), labeledNumber("", found.Keys, "")
			switch n := len(marksOf(found, true)); {
			case found.Skipped != "":
				condition = "not inspected: " + found.Skipped
			case found.Subject:
				condition = "subject to inspection"
			case n == 0:
				condition = "as at the pickup"
			default:
				condition = "exceptions: " + strconv.Itoa(n)
			}
		}
		table.Rows = append(table.Rows, paper.Row{Cells: []string{strconv.Itoa(i + 1), v.Vehicle.Name(), v.Vehicle.VIN, odometer, keys, condition}})
	}

	return table
}

// exceptions are the damages that were not there at the pickup, and what the receiver noted.
func (of printed) exceptions() paper.Block {
	table := paper.Table{
		Title: "Exceptions", Empty: "None. No damage was noted at the delivery that was not there at the pickup.",
		Columns: []paper.Column{{Title: "Vehicle", Weight: 2}, {Title: "Exception", Weight: 4}},
	}
	for _, v := range of.report.Vehicles {
		if v.Delivery == nil {
			continue
		}
		for _, d := range v.Delivery.Damages {
			if !d.Existing {
				table.Rows = append(table.Rows, paper.Row{Cells: []string{v.Vehicle.Name(), d.Text()}})
			}
		}
		if v.Delivery.Notes != "" {
			table.Rows = append(table.Rows, paper.Row{Cells: []string{v.Vehicle.Name(), v.Delivery.Notes}})
		}
	}

	return table
}

// outlines are those of the vehicles with exceptions.
func (of printed) outlines() (all []paper.Block) {
	for _, v := range of.report.Vehicles {
		if marks := marksOf(v.Delivery, true); len(marks) > 0 {
			all = append(all, paper.Outline{Title: v.Vehicle.Text(), Marks: marks})
		}
	}

	return all
}
