package cli

import (
	"context"
	"errors"
	"fmt"
	"strconv"

	"github.com/google/uuid"
	"github.com/spf13/cobra"
	"go.uber.org/fx"

	"github.com/dispatchd/dispatchd/platform/app"
	"github.com/dispatchd/dispatchd/platform/ledger"
	"github.com/dispatchd/dispatchd/platform/principal"
)

func (c *commandLine) ledger() *cobra.Command {
	return groupCommand("ledger", "The ledgers of companies", ledgerVerify(c))
}

// errLedger makes the command fail after it has printed the findings.
var errLedger = errors.New("the ledger contradicts itself")

// verifiedLedger is the ledger of a company as `ledger verify` prints it.
type verifiedLedger struct {
	Company      uuid.UUID        `json:"company"`
	Transactions int64            `json:"transactions"`
	Postings     int64            `json:"postings"`
	Findings     []ledger.Finding `json:"findings"`
}

func ledgerVerify(c *commandLine) *cobra.Command {
	var company string
	cmd := &cobra.Command{
		Use:   "verify",
		Short: "Recompute the ledger of one company, or of all; fails if it contradicts itself",
		Args:  cobra.NoArgs,
	}
	cmd.Flags().StringVar(&company, "company", "", "id of the company")
	out := addOutput(cmd)
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		var books *ledger.Ledger

		return c.withService(cmd, func(ctx context.Context, _ *app.App) error {
			all, intact, err := verifyLedgers(ctx, books, company)
			if err != nil {
				return err
			}
			var rows [][]string
			for _, one := range all {
				rows = append(rows, []string{
					one.Company.String(), strconv.FormatInt(one.Transactions, 10), strconv.FormatInt(one.Postings, 10),
					strconv.Itoa(len(one.Findings)) + " findings",
				})
				for _, f := range one.Findings {
					rows = append(rows, []string{"", "", "", fmt.Sprintf("%s %s: %s", f.Kind, f.ID, f.Detail)})
				}
			}
			err = out.print(cmd.OutOrStdout(), all, textTable([]string{"COMPANY", "TRANSACTIONS", "POSTINGS", "RESULT"}, rows))
			if err == nil && !intact {
				err = errLedger
			}

			return err
		}, fx.Populate(&books))
	}

	return cmd
}

// verifyLedgers verifies the ledger of a company, or all with "".
func verifyLedgers(ctx context.Context, books *ledger.Ledger, company string) (all []verifiedLedger, intact bool, err error) {
	var companies []uuid.UUID
	if company == "" {
		companies, err = books.Companies(ctx)
	} else {
		companies = make([]uuid.UUID, 1)
		companies[0], err = parseID("--company", company)
	}
	if err != nil {
		return nil, false, err
	}
	all, intact = make([]verifiedLedger, 0, len(companies)), true
	for _, id := range companies {
		report, err := books.Verify(principal.AsCompany(ctx, id))
		if err != nil {
			return nil, false, err
		}
		all = append(all, verifiedLedger{report.Company, report.Transactions, report.Postings, report.Findings})
		intact = intact && len(report.Findings) == 0
	}

	return all, intact, nil
}
