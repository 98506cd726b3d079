package making

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"time"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/documents/documentsapi"
	"github.com/dispatchd/dispatchd/modules/documents/internal/store"
	"github.com/dispatchd/dispatchd/modules/documents/internal/templates"
	"github.com/dispatchd/dispatchd/platform/document"
	"github.com/dispatchd/dispatchd/platform/errs"
	"github.com/dispatchd/dispatchd/platform/jobs"
	"github.com/dispatchd/dispatchd/platform/paper"
	"github.com/dispatchd/dispatchd/platform/pdfjoin"
)

const (
	attempts = 2
	// PrintTime is how long a document may take to be printed: a packet reads each of its files in a process of its own.
	PrintTime = 2 * time.Minute
)

// Print is the job that prints a document.
type Print struct {
	Document uuid.UUID `json:"document"`
}

// Kind implements jobs.Args.
func (Print) Kind() string { return "documents.print" }

// Press prints documents.
type Press struct {
	archive  *Archive
	setter   *templates.Setter
	printer  *document.Printer
	gatherer *Gatherer
	settings store.Settings
}

// NewPress returns a Press.
func NewPress(a *Archive, s *templates.Setter, p *document.Printer, g *Gatherer, limits store.Settings) *Press {
	return &Press{a, s, p, g, limits}
}

// Print prints a document that is queued. One that cannot be printed has failed: at once for a refusal, and after the last attempt otherwise.
func (p *Press) Print(ctx context.Context, args Print) error {
	d, err := p.archive.find(ctx, args.Document)
	if err != nil || d.State != store.Queued {
		return err
	}
	made, err := p.print(ctx, d)
	if err == nil {
		return p.archive.file(ctx, d, made)
	}
	if attempt, _ := jobs.Current(ctx); errs.IsRefusal(err) || attempt.Last {
		return errors.Join(p.archive.fail(ctx, d, err), ignoreRefusal(err))
	}

	return err
}

// ignoreRefusal is nil for what the document says itself: the job has done its work.
func ignoreRefusal(err error) error {
	if errs.IsRefusal(err) {
		return nil
	}

	return err
}

// printed is what was printed.
type printed struct {
	model    document.Model
	file     document.File
	html     string
	pages    int64
	warnings []paper.Warning
}

func (p *Press) print(ctx context.Context, d store.Document) (made printed, err error) {
	var parts gathered
	if len(d.Parts.V) > 0 {
		parts = p.gatherer.gather(ctx, d.Parts.V)
		if err := parts.err; err != nil {
			return made, err
		}
		if err := p.archive.note(ctx, d, parts.parts); err != nil {
			return made, err
		}
	}
	if made.model, err = p.printer.Model(ctx, d.Kind, d.Of(), document.Options{}); err != nil {
		return made, err
	}
	set := made.model
	if d.Template != nil {
		if set, err = p.setter.SetBy(ctx, *d.Template, d.Kind, set); err != nil {
			return made, err
		}
	}
	if made.file, made.warnings, err = p.printer.PDF(ctx, d.Kind, set); err != nil {
		return made, err
	}
	if made.html, _, err = p.printer.HTML(ctx, set); err != nil {
		return made, err
	}
	if len(set.Files) > 0 {
		along := make([]store.Part, len(set.Files))
		for i, text := range set.Files {
			along[i] = store.Part{Attachment: idOf(text)}
		}
		files := p.gatherer.gather(ctx, along)
		if files.err != nil {
			return made, files.err
		}
		for _, left := range files.parts {
			if left.Problem != "" {
				made.warnings = append(made.warnings, paper.Warning{Code: "unreadable_file", Where: left.Title, Text: left.Problem})
			}
		}
		parts.contents = append(parts.contents, files.contents...)
	}
	made.pages = PagesOf(made.file.Content)
	if len(parts.contents) > 0 {
		joined, pages, err := pdfjoin.Join(ctx, append([][]byte{made.file.Content}, parts.contents...))
		if err != nil {
			return made, err
		}
		made.file.Content, made.pages = joined, int64(pages)
	}
	if int64(len(made.file.Content)) > int64(p.settings.MaxBytes) {
		return made, store.ErrTooLarge.WithMessage("The document has more than %s. Leave out photos or files.", p.settings.MaxBytes)
	}

	return made, nil
}

func idOf(text string) *uuid.UUID {
	id, err := uuid.Parse(text)
	if err != nil {
		return nil
	}

	return &id
}

// PagesOf counts the pages of a PDF that was printed here.
func PagesOf(file []byte) int64 {
	return int64(bytes.Count(file, []byte("/Type /Page")) - bytes.Count(file, []byte("/Type /Pages")))
}

// snapshot are the values of a model as JSON.
func snapshot(m document.Model) (json.RawMessage, error) {
	values := m.Values
	if values == nil {
		values = map[string]any{}
	}

	return json.Marshal(values)
}

// mediaPDF is the media type of files that are joined unchanged; pictures are printed on a page.
const mediaPDF = "application/pdf"

var pictureTypes = []string{"image/jpeg", "image/png"}

// failed are the facts of the event of a document that could not be printed.
func failed(d store.Document, why error) documentsapi.Failed {
	refusal, _ := errors.AsType[*errs.Error](why)
	told := documentsapi.Failed{About: d.Facts()}
	if refusal != nil && errs.IsRefusal(why) {
		told.Code = refusal.Code
	}

	return told
}
