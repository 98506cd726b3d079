package store

import (
	"encoding/json"
	"time"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/documents/documentsapi"
	"github.com/dispatchd/dispatchd/platform/errs"
	"github.com/dispatchd/dispatchd/platform/events"
	"github.com/dispatchd/dispatchd/platform/item"
	"github.com/dispatchd/dispatchd/platform/paper"
	"github.com/dispatchd/dispatchd/platform/principal"
	"github.com/dispatchd/dispatchd/platform/resource"
	"github.com/dispatchd/dispatchd/platform/state"
)

// Document is a row of documents_documents: a paper as it was printed. Nothing of what it says ever changes.
type Document struct {
	resource.Row

	Number     string        `json:"number" field:"number=DOC-{yyyy}-{seq:5},max=100,sort,search,title" doc:"That of what the paper is about, where it has one, and otherwise one of the series of the area."`
	Kind       string        `json:"kind" field:"readonly,sort" example:"agreement"`
	Title      string        `json:"title" field:"readonly,max=300,search"`
	Item       resource.Item `json:"item" gorm:"embedded;embeddedPrefix:item_" nullable:"false" field:"readonly" doc:"What it was made for, such as a load."`
	AboutType  string        `json:"about_type" field:"readonly" doc:"What the paper is about, where that is not the item itself: the bill of lading of a load."`
	About      uuid.UUID     `json:"about_uuid" gorm:"column:about_id" field:"readonly"`
	Template   *uuid.UUID    `json:"template_uuid" gorm:"column:template_id" field:"readonly" doc:"Null for a paper as its area has it."`
	Edition    int64         `json:"template_edition" gorm:"column:template_edition" field:"readonly"`
	Locale     string        `json:"locale" field:"readonly"`
	State      DocumentState `json:"state" field:"sort" enum:"queued,ready,failed,void"`
	Delivery   Delivery      `json:"delivery" field:"readonly,sort" enum:"not_sent,sent,viewed,signed"`
	Revision   int64         `json:"revision" field:"readonly,sort" doc:"1 for the first of its kind about the same, and one more whenever it is made again."`
	Replaces   *uuid.UUID    `json:"replaces_uuid" gorm:"column:replaces_id" field:"readonly" doc:"The revision before it."`
	Visibility string        `json:"visibility" field:"readonly" enum:"internal,customer,carrier,public" doc:"Who finds it among the documents of the item, by the links that they have to it."`
	Carrier    *uuid.UUID    `json:"carrier_uuid" gorm:"column:carrier_id" field:"readonly" doc:"The carrier that it is of: no other one sees it."`

	Attachment *uuid.UUID                     `json:"attachment_uuid" gorm:"column:attachment_id" field:"readonly" doc:"The PDF. Null until the document is ready."`
	SHA256     string                         `json:"sha256" gorm:"column:sha256" field:"readonly,max=64" doc:"Of the PDF, in hexadecimal digits."`
	Bytes      int64                          `json:"bytes" field:"readonly"`
	Pages      int64                          `json:"pages" field:"readonly"`
	Warnings   resource.JSON[[]paper.Warning] `json:"warnings" field:"readonly,nofilter" nullable:"false" doc:"What could not be printed as it was given, such as letters that no font has."`
	Parts      resource.JSON[[]Part]          `json:"parts" field:"readonly,nofilter" nullable:"false" doc:"Of a packet: what is in it."`

	Envelope    *uuid.UUID `json:"envelope_uuid" gorm:"column:envelope_id" field:"readonly" doc:"Of the esign area, in which it was sent to be signed."`
	SentAt      *time.Time `json:"sent_at" field:"readonly,sort"`
	ViewedAt    *time.Time `json:"viewed_at" field:"readonly"`
	SignedAt    *time.Time `json:"signed_at" field:"readonly"`
	VoidedAt    *time.Time `json:"voided_at" field:"readonly"`
	VoidReason  string     `json:"void_reason" field:"readonly,max=1000"`
	Problem     string     `json:"problem" field:"readonly,max=1000" doc:"Why it could not be printed."`
	ProblemCode string     `json:"problem_code" field:"readonly,max=100" doc:"Its code, such as documents.too_large; empty for a fault of the service."`
	RetainUntil *time.Time `json:"retain_until" field:"readonly" doc:"Until when its PDF cannot be deleted."`

	// Snapshot are the values that it was printed with, Page is its HTML, and Stamped the PDF with the stamp VOID.
	Snapshot resource.JSON[json.RawMessage] `json:"-" field:"hidden"`
	Page     *uuid.UUID                     `json:"-" gorm:"column:page_id" field:"hidden"`
	Stamped  *uuid.UUID                     `json:"-" gorm:"column:stamped_id" field:"hidden"`
	Released bool                           `json:"-" field:"hidden"`
}

// TableName implements GORM's naming.
func (Document) TableName() string { return "documents_documents" }

// SchemaName is the name of the body in the OpenAPI document.
func (Document) SchemaName() string { return "Document" }

// Part is something in a packet: a document or an attachment.
type Part struct {
	Document   *uuid.UUID `json:"document_uuid,omitempty"`
	Attachment *uuid.UUID `json:"attachment_uuid,omitempty"`
	Title      string     `json:"title"`
	// Pages are 0 for what could not be read, and Problem says why.
	Pages   int    `json:"pages" doc:"0 for what is beside the packet."`
	Problem string `json:"problem,omitempty" doc:"Why it is beside the packet, and not in it."`
}

// SchemaName is the name of the body in the OpenAPI document.
func (Part) SchemaName() string { return "DocumentPart" }

// DocumentState is a state of a document.
type DocumentState string

// The states.
const (
	Queued DocumentState = "queued"
	Ready  DocumentState = "ready"
	Failed DocumentState = "failed"
	Void   DocumentState = "void"
)

// Delivery is how far a document has come to others.
type Delivery string

// How far a document has come.
const (
	NotSent Delivery = "not_sent"
	Sent    Delivery = "sent"
	Viewed  Delivery = "viewed"
	Signed  Delivery = "signed"
)

// What is done to a document.
const (
	VerbPrint resource.Verb = "print"
	VerbFail  resource.Verb = "fail"
	VerbVoid  resource.Verb = "void"
	// The others do not change the state.
	VerbSend    resource.Verb = "send"
	VerbView    resource.Verb = "view"
	VerbSign    resource.Verb = "sign"
	VerbSigned  resource.Verb = "signed"
	VerbStamp   resource.Verb = "stamp"
	VerbGather  resource.Verb = "gather"
	VerbRelease resource.Verb = "release"
)

// DocumentLife is the life of documents.
var DocumentLife = state.Machine[DocumentState]{
	Item: documentsapi.Document, Initial: Queued, Final: []DocumentState{Failed, Void},
	Steps: []state.Step[DocumentState]{
		{From: []DocumentState{Queued}, Verb: string(VerbPrint), To: Ready, Who: state.Who{Kinds: []principal.Kind{principal.System}}},
		{From: []DocumentState{Queued}, Verb: string(VerbFail), To: Failed, Who: state.Who{Kinds: []principal.Kind{principal.System}}},
		{From: []DocumentState{Ready}, Verb: string(VerbVoid), To: Void, Who: state.Who{Scope: "void"}, Reasoned: true},
	},
}

// Failures of documents.
var (
	ErrNoItem      = errs.New(errs.NotFound, "documents.item_not_found", "There is no such item.")
	ErrInvalid     = errs.New(errs.Invalid, "documents.invalid_document", "The given data was invalid.")
	ErrNotThere    = errs.New(errs.Conflict, "documents.not_there", "This document cannot be made yet: details.how says what is missing.")
	ErrNotReady    = errs.New(errs.Conflict, "documents.not_ready", "The document is not printed yet, or could not be. See details.")
	ErrVoid        = errs.New(errs.Conflict, "documents.void", "The document is void.")
	ErrSigned      = errs.New(errs.Conflict, "documents.signed", "The document is signed. It cannot be voided.")
	ErrTooLarge    = errs.New(errs.TooLarge, "documents.too_large", "The document is too large. Leave out photos or files.")
	ErrNoSignature = errs.New(errs.Conflict, "documents.no_signatures", "Documents cannot be signed here: the company does not use the area esign.")
)

// DocumentRules are the rules of documents.
func DocumentRules() resource.Rules[Document] {
	return resource.Rules[Document]{
		Item: documentsapi.Document, Sort: []string{"-created_at"}, KeepDeleted: true,
		About:    "A paper as it was printed: an agreement, a rate confirmation, a packet of several. What it says never changes; made again, it is the next revision.",
		Life:     resource.LifeOf(DocumentLife, func(d *Document) *DocumentState { return &d.State }),
		Own:      []resource.Verb{resource.List, resource.Read, resource.Create, resource.Update, resource.Delete, resource.Restore, VerbVoid},
		Failures: resource.Failures{Invalid: ErrInvalid},
		Events: resource.Events[Document]{
			VerbPrint: func(d Document) events.Event { return documentsapi.Ready{About: d.Facts()} },
			VerbView:  func(d Document) events.Event { return documentsapi.Viewed{About: d.Facts()} },
			VerbVoid:  func(d Document) events.Event { return documentsapi.Voided{About: d.Facts()} },
			VerbSigned: func(d Document) events.Event {
				return documentsapi.Signed{About: d.Facts(), Envelope: idText(d.Envelope)}
			},
		},
	}
}

// Facts are those that events have.
func (d Document) Facts() documentsapi.About {
	return documentsapi.About{Document: d.ID.String(), Kind: d.Kind, Revision: d.Revision, ItemType: d.Item.Type, Item: d.Item.UUID.String()}
}

// Of is what the paper is about.
func (d Document) Of() item.Ref { return item.Ref{Type: d.AboutType, UUID: d.About} }

// Usable refuses a document that cannot be given to anyone. Errors: ErrVoid, ErrNotReady.
func (d Document) Usable() error {
	switch d.State {
	case Ready:
		return nil
	case Void:
		return ErrVoid
	case Queued, Failed:
	}

	return ErrNotReady.WithDetail("state", d.State).WithDetail("problem", d.Problem)
}

// idText is an id as text, "" for none.
func idText(id *uuid.UUID) string {
	if id == nil {
		return ""
	}

	return id.String()
}

// Base is what the paths of the area begin with.
const Base = "/documents/api/v1"

// Latest are those of some documents that are the latest revision of their kind about the same.
func Latest(all []Document) []Document {
	type key struct {
		kind  string
		about uuid.UUID
	}
	latest := map[key]int64{}
	for _, d := range all {
		latest[key{d.Kind, d.About}] = max(latest[key{d.Kind, d.About}], d.Revision)
	}
	var found []Document
	for _, d := range all {
		if latest[key{d.Kind, d.About}] == d.Revision {
			found = append(found, d)
		}
	}

	return found
}
