package bulk

import (
	"errors"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/platform/errs"
)

// Names name the schemas of an area's answers in the OpenAPI document: CustomModules makes CustomModulesBulkAnswer.
type Names interface{ Prefix() string }

// Answer has a result for each item, in their order. T is a row as the area answers with it; the schemas are named by N.
type Answer[T any, N Names] struct {
	Data []Result[T, N] `json:"data" nullable:"false"`
	Meta Meta[N]        `json:"meta"`
}

// Meta counts the items.
type Meta[N Names] struct {
	Succeeded int `json:"succeeded"`
	Failed    int `json:"failed"`
}

// Result is what became of an item.
type Result[T any, N Names] struct {
	OK     bool        `json:"ok"`
	Record *T          `json:"record,omitempty" doc:"The record; absent after a deletion."`
	Answer any         `json:"answer,omitempty" doc:"What the operation of an act answered, if that is not the record."`
	Brief  *Brief[N]   `json:"brief,omitempty" doc:"Replaces the record once the earlier ones have filled the answer."`
	Error  *Failure[N] `json:"error,omitempty"`
}

// Brief is what is left of a row for which the answer has no room.
type Brief[N Names] struct {
	UUID    uuid.UUID `json:"uuid"`
	Version int64     `json:"version"`
}

// Failure is why an item failed, in the words in which the operation for one row answers.
type Failure[N Names] struct {
	Message string              `json:"message"`
	Code    string              `json:"code"`
	Errors  map[string][]string `json:"errors,omitempty"`
	Details map[string]any      `json:"details,omitempty"`
}

// SchemaName implements web.SchemaNamer.
func (Answer[T, N]) SchemaName() string { return prefix[N]() + "BulkAnswer" }

// SchemaName implements web.SchemaNamer.
func (Meta[N]) SchemaName() string { return prefix[N]() + "BulkMeta" }

// SchemaName implements web.SchemaNamer.
func (Result[T, N]) SchemaName() string { return prefix[N]() + "BulkResult" }

// SchemaName implements web.SchemaNamer.
func (Brief[N]) SchemaName() string { return prefix[N]() + "BriefRecord" }

// SchemaName implements web.SchemaNamer.
func (Failure[N]) SchemaName() string { return prefix[N]() + "BulkError" }

func prefix[N Names]() string {
	var names N

	return names.Prefix()
}

// Output is the output of an operation.
type Output[T any, N Names] struct{ Body Answer[T, N] }

// AnswerWith answers with what Run returns.
func AnswerWith[T any, N Names](all []Done, err error) (*Output[T, N], error) {
	if err != nil {
		return nil, err
	}
	out := &Output[T, N]{Body: Answer[T, N]{Data: make([]Result[T, N], len(all))}}
	for i, done := range all {
		out.Body.Data[i] = resultOf[T, N](done)
		if out.Body.Data[i].OK {
			out.Body.Meta.Succeeded++
		} else {
			out.Body.Meta.Failed++
		}
	}

	return out, nil
}

func resultOf[T any, N Names](done Done) Result[T, N] {
	if refusal, failed := errors.AsType[*errs.Error](done.Err); failed {
		return Result[T, N]{Error: &Failure[N]{
			Message: refusal.Message, Code: refusal.Code, Errors: refusal.Fields, Details: refusal.Details,
		}}
	}
	made := Result[T, N]{OK: true}
	if done.Answer != nil {
		made.Answer = done.Answer
	}
	if row, ok := done.Shown.(T); ok {
		made.Record = &row
	} else if done.After != 0 {
		made.Brief = &Brief[N]{UUID: done.Row, Version: done.After}
	}

	return made
}

// room is how many bytes there is room for in an answer. A small change of a large row answers with the whole of it, so what
// comes in bounds nothing.
type room int

// fit makes of an outcome what the answer has room for: of a row its id and version at least, of an error the message.
func (r *room) fit(o Outcome) Done {
	done := Done{Outcome: o.Outcome}
	if refusal, failed := errors.AsType[*errs.Error](o.Err); failed {
		for path, messages := range refusal.Fields {
			*r -= room(len(path))
			for _, m := range messages {
				*r -= room(len(m))
			}
		}
		if *r < 0 && len(refusal.Fields) > 0 {
			short := *refusal
			short.Fields = nil
			done.Err = &short
		}

		return done
	}
	if *r -= room(len(o.Answer)); *r >= 0 {
		done.Answer = o.Answer
	}
	if o.Show == nil {
		done.After = 0

		return done
	}
	if done.After == 0 { // nothing has changed
		done.After = done.Before
	}
	if *r -= room(o.Size); *r < 0 {
		return done
	}
	shown, size := o.Show()
	*r -= room(max(0, size-o.Size))
	done.Shown = shown

	return done
}
