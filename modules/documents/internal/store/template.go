// Package store has the rows of the documents area and their lives.
package store

import (
	"time"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/documents/documentsapi"
	"github.com/dispatchd/dispatchd/modules/documents/internal/blocks"
	"github.com/dispatchd/dispatchd/platform/errs"
	"github.com/dispatchd/dispatchd/platform/resource"
	"github.com/dispatchd/dispatchd/platform/state"
)

// Template is a row of documents_templates.
type Template struct {
	resource.Row

	Kind        string                        `json:"kind" field:"required,max=40,fixed,sort" doc:"The kind of papers that it is for: see GET /kinds." example:"agreement"`
	Name        string                        `json:"name" field:"required,max=200,sort,search,title" example:"Agreement for dealers"`
	Locale      string                        `json:"locale" field:"default=en,max=35,fixed,sort" doc:"The language of its texts, as BCP 47 has it. A kind has one default in each." example:"es"`
	Size        string                        `json:"size" field:"default=company" enum:"company,letter,a4,legal" doc:"Of the pages. company: the one that is usual in the country of the company."`
	Heading     string                        `json:"heading" field:"max=300" doc:"The title of the paper, in Liquid; empty for the title of the kind." example:"Acuerdo de transporte"`
	Blocks      resource.JSON[[]blocks.Block] `json:"blocks" field:"required,max=300,nofilter" nullable:"false" doc:"Below each other. The parts that the law or the trade asks for must be among them when it is published."`
	Variables   resource.JSON[[]string]       `json:"variables" field:"readonly,nofilter" nullable:"false" doc:"The values that its texts read."`
	State       TemplateState                 `json:"state" field:"sort" enum:"draft,published,archived" doc:"A published template never changes: revise it."`
	Edition     int64                         `json:"edition" field:"readonly,sort" doc:"1 for the first, and one more for each revision."`
	Replaces    *uuid.UUID                    `json:"replaces_uuid" gorm:"column:replaces_id" field:"readonly" doc:"The edition that it is a revision of."`
	IsDefault   bool                          `json:"is_default" field:"by=POST …/make_default,sort" doc:"Whether papers of the kind in the language are printed by it, unless another template is named."`
	PublishedAt *time.Time                    `json:"published_at" field:"readonly,sort"`
}

// TableName implements GORM's naming.
func (Template) TableName() string { return "documents_templates" }

// SchemaName is the name of the body in the OpenAPI document.
func (Template) SchemaName() string { return "DocumentTemplate" }

// TemplateState is a state of a template.
type TemplateState string

// The states.
const (
	Draft     TemplateState = "draft"
	Published TemplateState = "published"
	Archived  TemplateState = "archived"
)

// What is done to a template, beside what is done to every resource.
const (
	VerbPublish     resource.Verb = "publish"
	VerbArchive     resource.Verb = "archive"
	VerbMakeDefault resource.Verb = "make_default"
	// VerbReplace archives a template because its revision is published, with what it was the default of.
	VerbReplace resource.Verb = "replace"
)

// TemplateLife is the life of templates.
var TemplateLife = state.Machine[TemplateState]{
	Item: documentsapi.Template, Initial: Draft, Starts: []TemplateState{Published}, Final: []TemplateState{Archived}, // the demo starts with published ones
	Steps: []state.Step[TemplateState]{
		{From: []TemplateState{Draft}, Verb: string(VerbPublish), To: Published, Who: state.Who{Scope: "templates"}},
		{From: []TemplateState{Draft, Published}, Verb: string(VerbArchive), To: Archived, Who: state.Who{Scope: "templates"}},
	},
}

// Failures of templates.
var (
	ErrInvalidTemplate = errs.New(errs.Invalid, "documents.invalid_template", "The given data was invalid.")
	ErrUnknownVariable = errs.New(errs.Invalid, "documents.unknown_variable", "The template reads values that papers of its kind do not have. See details.variables, and correct them.")
	ErrBlockMissing    = errs.New(errs.Invalid, "documents.block_missing", "The template leaves out parts that the law or the trade asks for. Add the blocks that details.blocks names, without a condition.")
	ErrPublished       = errs.New(errs.Conflict, "documents.template_published", "A template that was published does not change. Revise it.")
	ErrDefault         = errs.New(errs.Conflict, "documents.template_default", "The template is the default of its kind. Make another one the default first.")
	ErrNotPublished    = errs.New(errs.Conflict, "documents.template_not_published", "The template is not published.")
	ErrOtherKind       = errs.New(errs.Invalid, "documents.template_of_other_kind", "The template is for another kind of papers.")
)
