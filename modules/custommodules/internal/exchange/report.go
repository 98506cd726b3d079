package exchange

import (
	"context"
	"encoding/csv"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/platform/web"
)

// report is which rows a file of errors has.
type report string

const (
	ofRun    report = "run"
	ofDryRun report = "dry_run"
	ofUndo   report = "undo"
)

// reportBatch is how many chunks are read at once for a report.
const reportBatch = 20

// column is the count of chunkRow that says whether a report has rows of it.
func (r report) column() string {
	switch r {
	case ofDryRun:
		return "trial_failed"
	case ofUndo:
		return "kept"
	case ofRun:
	}

	return "failed"
}

// of returns what of a chunk is in the report, and why.
func (r report) of(chunk chunkRow) (outcomes []outcome, why func(outcome) string) {
	switch r {
	case ofDryRun:
		return chunk.Trials, func(o outcome) string { return o.Problem }
	case ofUndo:
		return chunk.Outcomes, func(o outcome) string { return o.Kept }
	case ofRun:
	}

	return chunk.Outcomes, func(o outcome) string { return o.Problem }
}

// The columns that a report has in front of those of the file.
const (
	reportRow     = "import_row"
	reportLine    = "import_line"
	reportProblem = "import_problem"
)

// errorsFile answers with every row that failed, as it was, and why.
func (m *Importer) errorsFile(ctx context.Context, in *errorsInput) (*web.Stream, error) {
	row, _, err := m.visible(ctx, in.UUID)
	if err != nil {
		return nil, err
	}
	stream := web.NewStream(mediaCSV+"; charset=utf-8", func(ctx context.Context, w io.Writer) error {
		return m.report(ctx, row, in.Of, csv.NewWriter(w))
	})

	return stream.Attachment(fileName(strings.TrimSuffix(row.FileName, ".csv")) + "." + string(in.Of) + ".errors.csv"), nil
}

// report writes a report. A file that was one before keeps no columns of that.
func (m *Importer) report(ctx context.Context, row importRow, of report, out *csv.Writer) error {
	own := []string{reportRow, reportLine, reportProblem}
	drop := map[int]bool{}
	head := slices.Clone(own)
	for i, name := range row.Header {
		if drop[i] = slices.Contains(own, name); !drop[i] {
			head = append(head, reshield(name))
		}
	}
	if err := out.Write(head); err != nil {
		return err
	}
	for from := 0; ; {
		chunks, err := m.repo.reported(ctx, row.ID, of, from)
		if err != nil {
			return err
		}
		for _, chunk := range chunks {
			if err := writeReport(out, chunk, of, drop); err != nil {
				return err
			}
			from = chunk.Seq + 1
		}
		if len(chunks) < reportBatch {
			out.Flush()

			return out.Error()
		}
	}
}

func writeReport(out *csv.Writer, chunk chunkRow, of report, drop map[int]bool) error {
	outcomes, why := of.of(chunk)
	for i, o := range outcomes {
		if why(o) == "" {
			continue
		}
		source := chunk.Rows[i]
		cells := []string{strconv.FormatInt(chunk.FirstRow+int64(i), 10), strconv.Itoa(source.Line), shield(why(o))}
		for i, cell := range source.Cells {
			if !drop[i] {
				cells = append(cells, reshield(cell))
			}
		}
		if err := out.Write(cells); err != nil {
			return err
		}
	}

	return nil
}

// reshield writes a cell of a file so that it is read as it was, and runs in no spreadsheet.
func reshield(cell string) string {
	if text, value := unshield(cell); value {
		return shield(text)
	}

	return cell
}

// errorsInput asks for a report.
type errorsInput struct {
	UUID uuid.UUID `path:"uuid"`
	Of   report    `query:"of" default:"run" enum:"run,dry_run,undo" doc:"Of what: the rows that the run, or the last dry run, did not take; or those that an undo left as they are."`
}
