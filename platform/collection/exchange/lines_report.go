package exchange

import (
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strconv"
)

// reportWriter writes what a report has of a row.
type reportWriter interface {
	row(number int64, line int, problem string, cells []string) error
	flush() error
}

// linesReport writes a report of a file of JSON Lines, in the form of an export.
type linesReport struct {
	to     io.Writer
	header []string
	// under is the member that the values are in, "" for none; system are the names of what every row has beside them.
	under  string
	system []string
}

func (r linesReport) row(number int64, line int, problem string, cells []string) error {
	said, err := json.Marshal(problem)
	if err != nil {
		return fmt.Errorf("row %d: %w", number, err)
	}
	text := []byte(`{"` + reportRow + `":` + strconv.FormatInt(number, 10) + `,"` + reportLine + `":` + strconv.Itoa(line) + `,"` + reportProblem + `":`)
	text = append(text, said...)
	payload := []byte{'{'}
	for i, cell := range cells {
		name := r.header[i]
		if cell == "" || slices.Contains(reportColumns, name) {
			continue
		}
		quoted, err := json.Marshal(name)
		if err != nil {
			return fmt.Errorf("key %d: %w", i, err)
		}
		if r.under == "" || slices.Contains(r.system, name) {
			text = append(append(append(append(text, ','), quoted...), ':'), cell...)

			continue
		}
		if len(payload) > 1 {
			payload = append(payload, ',')
		}
		payload = append(append(append(payload, quoted...), ':'), cell...)
	}
	if r.under != "" {
		text = append(append(append(text, `,"`+r.under+`":`...), payload...), '}')
	}
	_, err = r.to.Write(append(text, '}', '\n'))

	return err
}

func (linesReport) flush() error { return nil }

// systemNames are the names of what every row has beside the values of fields.
func (t described) systemNames() []string {
	return []string{nameUUID, t.NameKey, nameVersion, nameCreated, nameCreator, nameUpdated, nameUpdater}
}
