package resource

import (
	"github.com/dispatchd/dispatchd/platform/errs"
	"github.com/dispatchd/dispatchd/platform/resource/columns"
	"github.com/dispatchd/dispatchd/platform/resource/moving"
)

// Row is embedded in the struct of a resource.
type Row = columns.Row

// Item is a field that names an item of any type, or none.
type Item = columns.Item

// JSON is a field whose values are lists or objects.
type JSON[T any] = columns.JSON[T]

// Expanded is an item that a row refers to, as expand= embeds it.
type Expanded = columns.Expanded

// OwnWrite is what becomes of the values that a company has added to a row.
type OwnWrite = columns.OwnWrite

// OwnKey is the key under which a row has the values of the fields that its company has added.
const OwnKey = columns.OwnKey

// Moving is which references Engine.Move moves.
type Moving = moving.Moving

// Moved is references that Engine.Move has moved.
type Moved = moving.Moved

// MoveErrors are what Move fails with, beside what areas refuse.
var MoveErrors = []*errs.Error{moving.ErrTooMany, moving.ErrTaken}
