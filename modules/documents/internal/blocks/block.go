// Package blocks has the blocks of templates: what they may be, what is wrong with them, and how they are filled in.
//
// Each type of block is one of platform/paper, with texts that are Liquid templates (platform/template); the type "part" stands for a part of the paper that its
// area makes, such as the table of the vehicles.
package blocks

import (
	"github.com/google/uuid"
)

// The limits of a template.
const (
	// MaxBlocks is how many blocks a template has at the top, and maxInner how many stand in one of them.
	MaxBlocks = 300
	maxInner  = 60
	maxItems  = 60
)

// The types of blocks that have a meaning of their own here.
const (
	TypePart    = "part"
	typeBox     = "box"
	typeColumns = "columns"
	typeKeep    = "keep_together"
	typeImage   = "image"
	typeRich    = "rich"
)

// Leaf is a block without others in it.
type Leaf struct {
	Type string `json:"type" enum:"part,heading,text,rich,facts,table,amounts,image,code,signature,space,line,page_break,box,columns,keep_together" doc:"part: a part of the paper that its area makes, by its name. rich: text with **bold**, *italic*, [links](https://example.com) and lists. code: a QR code."`
	When string `json:"when,omitempty" maxLength:"500" doc:"A condition in Liquid, such as \"load.deposit != ''\": the block is left out where it does not hold. Required parts have none." example:"load.deposit != ''"`
	Name string `json:"name,omitempty" maxLength:"40" doc:"Of a part."`
	// Text and the texts below are Liquid.
	Text       string     `json:"text,omitempty" maxLength:"5000" doc:"Of heading, text, rich, and beside a code. Liquid, as all texts." example:"Load {{ load.number }}"`
	Title      string     `json:"title,omitempty" maxLength:"500" doc:"Above facts, a table or a box."`
	Label      string     `json:"label,omitempty" maxLength:"500" doc:"Of a signature: whose it is."`
	Small      bool       `json:"small,omitempty" doc:"Of text and rich."`
	Bold       bool       `json:"bold,omitempty" doc:"Of text."`
	Strong     bool       `json:"strong,omitempty" doc:"Of a box: a frame in the color of the letterhead."`
	Align      string     `json:"align,omitempty" enum:"left,center,right" doc:"Of text and image."`
	Items      []Item     `json:"items,omitempty" maxItems:"60" nullable:"false" doc:"Of facts and amounts."`
	Head       []Column   `json:"head,omitempty" maxItems:"12" nullable:"false" doc:"Of a table: its columns."`
	Rows       [][]string `json:"rows,omitempty" maxItems:"60" nullable:"false" doc:"Of a table: the texts of its cells."`
	Attachment *uuid.UUID `json:"attachment_uuid,omitempty" doc:"Of an image: a PNG or JPEG among the attachments."`
	Width      float64    `json:"width,omitempty" minimum:"0" maximum:"300" doc:"Of an image, in millimeters; 0 is the whole width."`
	Height     float64    `json:"height,omitempty" minimum:"0" maximum:"200" doc:"Of a space, in millimeters."`
	Address    string     `json:"address,omitempty" maxLength:"2000" doc:"Of a code."`
}

// Item is a label with a value.
type Item struct {
	Name   string `json:"name" maxLength:"500"`
	Text   string `json:"text" maxLength:"5000"`
	Strong bool   `json:"strong,omitempty" doc:"Of an amount that counts: the total."`
}

// SchemaName is the name of the body in the OpenAPI document.
func (Item) SchemaName() string { return "DocumentBlockItem" }

// Column is a column of a table.
type Column struct {
	Title  string  `json:"title" maxLength:"500"`
	Weight float64 `json:"weight,omitempty" minimum:"0" maximum:"100" doc:"Its share of the width; 1 by default."`
	Align  string  `json:"align,omitempty" enum:"left,center,right"`
}

// SchemaName is the name of the body in the OpenAPI document.
func (Column) SchemaName() string { return "DocumentBlockColumn" }

// SchemaName is the name of the body in the OpenAPI document.
func (Leaf) SchemaName() string { return "DocumentInnerBlock" }

// Block is a block of a template.
type Block struct {
	Leaf

	Blocks []Leaf    `json:"blocks,omitempty" maxItems:"60" nullable:"false" doc:"Of a box and of keep_together: the blocks inside."`
	Cells  [][]Leaf  `json:"cells,omitempty" maxItems:"3" nullable:"false" doc:"Of columns: the blocks of each."`
	Shares []float64 `json:"shares,omitempty" maxItems:"3" nullable:"false" doc:"Of columns: the share of the width of each; equal ones by default."`
}

// SchemaName is the name of the body in the OpenAPI document.
func (Block) SchemaName() string { return "DocumentBlock" }

// texts are the Liquid texts of a block, each with the name of its field.
func (l Leaf) texts() map[string]string {
	all := map[string]string{"text": l.Text, "title": l.Title, "label": l.Label, "address": l.Address}
	if l.When != "" {
		all["when"] = condition(l.When)
	}
	for i, one := range l.Items {
		all[at("items", i)+".name"], all[at("items", i)+".text"] = one.Name, one.Text
	}
	for i, one := range l.Head {
		all[at("head", i)+".title"] = one.Title
	}
	for i, row := range l.Rows {
		for k, cell := range row {
			all[at(at("rows", i), k)] = cell
		}
	}

	return all
}

// condition is the template that prints something where a condition holds.
func condition(when string) string { return "{% if " + when + " %}1{% endif %}" }

// each calls do for all blocks with their paths below "blocks"; inside says that the block stands in another one.
func each(all []Block, do func(path string, l Leaf, inside bool)) {
	for i, b := range all {
		path := at("blocks", i)
		do(path, b.Leaf, false)
		for k, one := range b.Blocks {
			do(at(path+".blocks", k), one, true)
		}
		for n, cell := range b.Cells {
			for k, one := range cell {
				do(at(at(path+".cells", n), k), one, true)
			}
		}
	}
}
