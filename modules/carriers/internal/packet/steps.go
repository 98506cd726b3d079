package packet

import (
	"slices"
	"time"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/attachments/attachmentsapi"
	"github.com/dispatchd/dispatchd/platform/field"
)

// Categories of files of a packet, besides the step w9.
const (
	Certificate      = "certificate"
	AgentCertificate = "agent_certificate"
	Notice           = "notice_of_assignment"
)

// StepView is a step of a packet.
type StepView struct {
	Name     string   `json:"name" enum:"profile,equipment,insurance,w9,remit_to,agreement,identity"`
	Title    string   `json:"title"`
	Required bool     `json:"required"`
	Saved    bool     `json:"saved"`
	Done     bool     `json:"done"`
	Problems Problems `json:"problems" doc:"Problems by field; the empty key is the step itself."`
}

// SchemaName implements web.SchemaNamer.
func (StepView) SchemaName() string { return "PacketStep" }

// FileView is a file as the link holder sees it.
type FileView struct {
	Document string    `json:"document" enum:"certificate,agent_certificate,w9,notice_of_assignment"`
	Name     string    `json:"file_name"`
	Status   string    `json:"status" enum:"received,checking,refused"`
	At       time.Time `json:"at"`
}

// SchemaName implements web.SchemaNamer.
func (FileView) SchemaName() string { return "PacketFile" }

// Files are the files of a packet, the oldest first.
type Files []attachmentsapi.File

// First returns the newest usable file of the first category that has one, or nil. Files that are being scanned are usable.
func (f Files) First(categories ...string) *uuid.UUID {
	for _, category := range categories {
		for _, file := range slices.Backward(f) {
			if file.Category == category && (file.State == "ready" || file.State == "scanning") {
				if id, err := uuid.Parse(file.UUID); err == nil {
					return &id
				}
			}
		}
	}

	return nil
}

// Views are the files as the link holder sees them.
func (f Files) Views() []FileView {
	all := []FileView{}
	for _, file := range f {
		v := FileView{Document: file.Category, Name: file.FileName, Status: "received", At: file.CreatedAt}
		switch file.State {
		case "scanning", "uploading":
			v.Status = "checking"
		case "quarantined":
			v.Status = "refused"
		}
		all = append(all, v)
	}

	return all
}

// Steps returns the steps of a packet with their problems.
func (p *Packet) Steps(f Files, today field.Date) []StepView {
	of := &p.Proposal.V
	made := func(name string, required, saved bool, wrong Problems) StepView {
		return StepView{Name: name, Title: Titles[name], Required: required, Saved: saved, Done: len(wrong) == 0 && (saved || !required), Problems: wrong}
	}
	all := []StepView{
		made(StepProfile, true, of.Profile != nil, of.Profile.check()),
		made(StepEquipment, false, of.Equipment != nil, of.Equipment.check()),
	}
	for _, name := range p.Documents.V {
		switch name {
		case StepInsurance:
			all = append(all, made(name, true, of.Insurance != nil, of.Insurance.check(today, f.First(Certificate, AgentCertificate) != nil)))
		case StepW9:
			wrong, there := Problems{}, f.First(StepW9) != nil
			if !there {
				wrong.add("", "Upload your W-9.")
			}
			all = append(all, made(name, true, there, wrong))
		case StepRemitTo:
			all = append(all, made(name, true, of.RemitTo != nil, of.RemitTo.check(f.First(Notice) != nil)))
		case StepAgreement:
			wrong := Problems{}
			if of.Agreement == nil {
				wrong.add("", "Accept the agreement.")
			}
			all = append(all, made(name, true, of.Agreement != nil, wrong))
		case StepIdentity:
			wrong := Problems{}
			if of.VerifiedAt == nil {
				wrong.add("", "Confirm your identity with a code.")
			}
			all = append(all, made(name, true, of.VerifiedAt != nil, wrong))
		}
	}

	return all
}

// Complete reports whether all steps are done.
func Complete(steps []StepView) bool {
	return !slices.ContainsFunc(steps, func(s StepView) bool { return !s.Done })
}

// CheckComplete refuses steps that are not all done. Error: ErrIncomplete with the steps that are not.
func CheckComplete(steps []StepView) error {
	if Complete(steps) {
		return nil
	}
	wrong := ErrIncomplete
	for _, s := range steps {
		if !s.Done {
			wrong = wrong.WithField(s.Name, "Complete the step "+s.Title+".")
		}
	}

	return wrong
}
