package cli

import (
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"
)

// output is the --output flag of a command that prints data.
type output struct {
	format  string
	allowed []string
}

// addOutput gives cmd the flag --output; text, the first, is the default.
func addOutput(cmd *cobra.Command, formats ...string) *output {
	o := &output{allowed: append([]string{"text", "json"}, formats...)}
	cmd.Flags().StringVarP(&o.format, "output", "o", "text", "one of "+strings.Join(o.allowed, ", "))

	return o
}

// print writes data as JSON, or calls the printer of the format asked for.
func (o *output) print(out io.Writer, data any, printers map[string]func(io.Writer) error) error {
	if !slices.Contains(o.allowed, o.format) {
		return fmt.Errorf("--output %q: want one of %s", o.format, strings.Join(o.allowed, ", "))
	}
	if o.format == "json" {
		encoder := json.NewEncoder(out)
		encoder.SetIndent("", "  ")
		encoder.SetEscapeHTML(false)

		return encoder.Encode(data)
	}

	return printers[o.format](out)
}

// textTable is the printer of a plain table.
func textTable(header []string, rows [][]string) map[string]func(io.Writer) error {
	return map[string]func(io.Writer) error{"text": func(out io.Writer) error {
		return table(out, header, rows)
	}}
}

func table(out io.Writer, header []string, rows [][]string) error {
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	for _, row := range slices.Concat([][]string{header}, rows) {
		if _, err := fmt.Fprintln(w, strings.TrimRight(strings.Join(row, "\t"), "\t")); err != nil {
			return err
		}
	}

	return w.Flush()
}
