package exchange

import (
	"context"
	"encoding/csv"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/platform/web/stream"
)

// report is which rows a file of errors has.
type report string

const (
	ofRun    report = "run"
	ofDryRun report = "dry_run"
	ofUndo   report = "undo"
	ofNotes  report = "notes"
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
	case ofNotes:
		return "noted"
	case ofRun:
	}

	return "failed"
}

// outcomesOf returns what of a chunk is in the report, and why. Errors:
// ErrImportNotFound.
func (r report) outcomesOf(chunk chunkRow) (outcomes []outcome, why func(outcome) string) {
	switch r {
	case ofDryRun:
		return chunk.Trials, func(o outcome) string { return o.Problem }
	case ofUndo:
		return chunk.Outcomes, func(o outcome) string { return o.Kept }
	case ofNotes:
		outcomes := chunk.Outcomes
		if outcomes == nil {
			outcomes = chunk.Trials
		}

		return outcomes, func(o outcome) string { return o.Note }
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

var reportColumns = []string{reportRow, reportLine, reportProblem}

// errorsFile answers with every row that failed, as it was, and why. Errors:
// ErrImportNotFound.
func (m *Importer) errorsFile(ctx context.Context, id uuid.UUID, of report) (*stream.Stream, error) {
	row, table, err := m.visible(ctx, id)
	if err != nil {
		return nil, err
	}
	as := row.Format.ofReport()
	file := stream.New(as.media(), func(ctx context.Context, w io.Writer) error {
		out, err := row.reportTo(w, table)
		if err != nil {
			return err
		}

		return m.report(ctx, row, of, out)
	})
	name := fileName(strings.TrimSuffix(row.FileName, "."+string(row.Format)))

	return file.Attachment(name + "." + string(of) + ".errors." + string(as)), nil
}

// reportTo begins a report in the format of the file.
func (row *importRow) reportTo(w io.Writer, t described) (reportWriter, error) {
	if row.lines() {
		return linesReport{to: w, header: row.Header, under: t.Under, system: t.systemNames()}, nil
	}
	out := tableReport{to: csv.NewWriter(w), drop: map[int]bool{}}
	head := reportColumns
	for i, name := range row.Header {
		if out.drop[i] = slices.Contains(reportColumns, name); !out.drop[i] {
			head = append(head, reshield(name))
		}
	}

	return out, out.to.Write(head)
}

// report writes a report.
func (m *Importer) report(ctx context.Context, row importRow, of report, out reportWriter) error {
	for from := 0; ; {
		chunks, err := m.repo.reported(ctx, row.ID, of, from)
		if err != nil {
			return err
		}
		for _, chunk := range chunks {
			if err := writeReport(out, chunk, of); err != nil {
				return err
			}
			from = chunk.Seq + 1
		}
		if len(chunks) < reportBatch {
			return out.flush()
		}
	}
}

func writeReport(out reportWriter, chunk chunkRow, of report) error {
	outcomes, why := of.outcomesOf(chunk)
	for i, o := range outcomes {
		if why(o) == "" {
			continue
		}
		source := chunk.Rows[i]
		if err := out.row(chunk.FirstRow+int64(i), source.Line, why(o), source.Cells); err != nil {
			return err
		}
	}

	return nil
}

// tableReport writes a report of a CSV file. A file that was one before keeps no columns of that.
type tableReport struct {
	to   *csv.Writer
	drop map[int]bool
}

func (r tableReport) row(number int64, line int, problem string, cells []string) error {
	row := []string{strconv.FormatInt(number, 10), strconv.Itoa(line), Shield(problem)}
	for i, cell := range cells {
		if !r.drop[i] {
			row = append(row, reshield(cell))
		}
	}

	return r.to.Write(row)
}

func (r tableReport) flush() error {
	r.to.Flush()

	return r.to.Error()
}

// reshield writes a cell of a file so that it is read as it was, and runs in no spreadsheet.
func reshield(cell string) string {
	if text, value := unshield(cell); value {
		return Shield(text)
	}

	return cell
}
