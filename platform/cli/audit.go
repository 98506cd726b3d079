package cli

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"strconv"

	"github.com/google/uuid"
	"github.com/spf13/cobra"
	"go.uber.org/fx"

	"github.com/dispatchd/dispatchd/platform/app"
	"github.com/dispatchd/dispatchd/platform/audit"
)

func (c *commandLine) audit() *cobra.Command {
	return groupCommand("audit", "The audit trail", auditVerify(c))
}

// errAuditBroken makes the command fail after it has said what is wrong.
var errAuditBroken = errors.New("the audit trail was tampered with")

// verifiedChain is a company's chain as `audit verify` prints it.
type verifiedChain struct {
	Company uuid.UUID `json:"company"`
	Entries int64     `json:"entries"`
	Head    string    `json:"head"`
	Broken  string    `json:"broken,omitempty"`
	// Unsealed is how many entries wait for their seal, counted up to a thousand.
	Unsealed int `json:"unsealed"`
}

// state is what a person is told of a chain.
func (c verifiedChain) state() string {
	switch {
	case c.Broken != "":
		return c.Broken
	case c.Unsealed > 0:
		return fmt.Sprintf("intact, and %d entries not sealed yet", c.Unsealed)
	default:
		return "sound"
	}
}

func auditVerify(c *commandLine) *cobra.Command {
	var company string
	cmd := &cobra.Command{
		Use:   "verify",
		Short: "Verify that the audit trail of one company, or of all, has not been altered; fails if it has",
		Args:  cobra.NoArgs,
	}
	cmd.Flags().StringVar(&company, "company", "", "id of the company; zeros for the operator")
	out := addOutput(cmd)
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		var trail *audit.Log

		return c.withService(cmd, func(ctx context.Context, _ *app.App) error {
			chains, broken, err := verifyAudit(ctx, trail, company)
			if err != nil {
				return err
			}
			rows := make([][]string, 0, len(chains))
			for _, chain := range chains {
				rows = append(rows, []string{chain.Company.String(), strconv.FormatInt(chain.Entries, 10), chain.Head, chain.state()})
			}
			err = out.print(cmd.OutOrStdout(), chains, textTable([]string{"COMPANY", "ENTRIES", "HEAD", "STATE"}, rows))
			if err == nil && broken {
				err = errAuditBroken
			}

			return err
		}, fx.Populate(&trail))
	}

	return cmd
}

// verifyAudit checks the chain of a company, of all with "".
func verifyAudit(ctx context.Context, trail *audit.Log, company string) (chains []verifiedChain, broken bool, err error) {
	var companies []uuid.UUID
	if company == "" {
		companies, err = trail.Companies(ctx)
	} else {
		companies = make([]uuid.UUID, 1)
		companies[0], err = parseID("--company", company)
	}
	if err != nil {
		return nil, false, err
	}
	chains = make([]verifiedChain, 0, len(companies))
	for _, id := range companies {
		report, err := trail.Verify(ctx, id)
		if err != nil {
			return nil, false, err
		}
		chains = append(chains, verifiedChain{
			Company: id, Entries: report.Entries, Head: hex.EncodeToString(report.Head), Broken: report.Broken, Unsealed: report.Unsealed,
		})
		broken = broken || report.Broken != ""
	}

	return chains, broken, nil
}
