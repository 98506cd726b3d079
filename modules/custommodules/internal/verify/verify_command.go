package verify

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"

	"github.com/google/uuid"
)

// ErrRecordsWrong makes the command fail after it has said what is wrong.
var ErrRecordsWrong = errors.New("records are inconsistent")

// VerifyCommand is `dispatchd custom-modules verify`.
func (s *Service) VerifyCommand(ctx context.Context, out io.Writer, args []string) error {
	flags := flag.NewFlagSet("verify", flag.ContinueOnError)
	flags.SetOutput(io.Discard) // the error says it
	var company uuid.UUID
	flags.TextVar(&company, "company", uuid.Nil, "id of the company")
	repair := flags.Bool("repair", false, "repair what can be counted, computed or written again")
	if err := flags.Parse(args); err != nil {
		return err
	}
	run := s.Verify
	if *repair {
		run = s.Repair
	}
	wrong, mended := 0, 0
	var printing error
	records, err := run(ctx, company, func(f Finding) {
		wrong++
		if f.Mended {
			mended++
		}
		_, err := fmt.Fprintln(out, f)
		printing = errors.Join(printing, err)
	})
	if err = errors.Join(err, printing); err != nil {
		return err
	}
	if err := printSummary(out, records, wrong, mended, *repair); err != nil {
		return err
	}
	if wrong > mended {
		return ErrRecordsWrong
	}

	return nil
}

func printSummary(out io.Writer, records int64, wrong, mended int, repair bool) error {
	text := fmt.Sprintf("%d records, %d findings", records, wrong)
	if repair {
		text += fmt.Sprintf(", %d repaired", mended)
	}
	_, err := fmt.Fprintln(out, text)

	return err
}

// String is the finding as the command prints it.
func (f Finding) String() string {
	text := fmt.Sprintf("%s: company %s", f.Kind, f.Company)
	if f.Module != uuid.Nil {
		text += " module " + f.Module.String()
	}
	if f.Record != uuid.Nil {
		text += " record " + f.Record.String()
	}
	if f.Field != "" {
		text += " field " + f.Field
	}

	text += ": " + f.Problem
	if f.Mended {
		text += " Mended."
	}

	return text
}
