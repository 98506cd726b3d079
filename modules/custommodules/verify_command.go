package custommodules

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"

	"github.com/google/uuid"
)

// errRecordsWrong makes the command fail after it has said what is wrong.
var errRecordsWrong = errors.New("records disagree with themselves")

// verifyCommand is `dispatchd custom-modules verify`.
func (s *service) verifyCommand(ctx context.Context, out io.Writer, args []string) error {
	flags := flag.NewFlagSet("verify", flag.ContinueOnError)
	flags.SetOutput(io.Discard) // the error says it
	var company uuid.UUID
	flags.TextVar(&company, "company", uuid.Nil, "id of the company")
	if err := flags.Parse(args); err != nil {
		return err
	}
	wrong := 0
	var printing error
	records, err := s.verify(ctx, company, func(f finding) {
		wrong++
		_, err := fmt.Fprintln(out, f)
		printing = errors.Join(printing, err)
	})
	if err = errors.Join(err, printing); err != nil {
		return err
	}
	if _, err := fmt.Fprintf(out, "%d records, %d findings\n", records, wrong); err != nil {
		return err
	}
	if wrong > 0 {
		return errRecordsWrong
	}

	return nil
}

// String is the finding as the command prints it.
func (f finding) String() string {
	text := fmt.Sprintf("%s: company %s", f.Kind, f.Company)
	if f.Module != uuid.Nil {
		text += " module " + f.Module.String()
	}
	text += " record " + f.Record.String()
	if f.Field != "" {
		text += " field " + f.Field
	}

	return text + ": " + f.Problem
}
